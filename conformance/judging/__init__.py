"""Verdicts: how results are compared, how far apart they may be, and what is made of it."""
