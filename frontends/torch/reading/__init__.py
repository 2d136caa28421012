"""PyTorch: from files and objects to a graph of the source's own operators."""
