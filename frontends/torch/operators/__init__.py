"""PyTorch: converters by family, under the same names in every frontend."""
