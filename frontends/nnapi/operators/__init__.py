"""NNAPI: converters by family."""
