"""TFLite: its tables, operators, their options and element types, once for reader and writer."""
