"""Quantise a model after training: look at it on data, choose, rewrite, measure, write."""
