"""NNRt: from files to a graph of its own operations."""
