"""What TorchScript calls beside operators on tensors, by family."""
