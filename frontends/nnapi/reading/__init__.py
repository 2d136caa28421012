"""NNAPI: from the structures of a model to a graph of its operations."""
