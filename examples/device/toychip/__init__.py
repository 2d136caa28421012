"""A device in 80 lines: a chip that computes float32 in NumPy."""
