"""TorchScript archives: the program is restricted Python, which is walked and never run."""
