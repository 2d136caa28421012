"""NNRt: converters by family, which are the recipes of its operations."""
