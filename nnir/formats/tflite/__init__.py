"""TFLite: its tables, operators, their options and element types, once for reader and writer."""

IDENTIFIER = b"TFL3"
"""Bytes 4 to 7 of a file."""
