"""Fuzzing of operators: rows of the case tables changed at random, and the smallest that fails."""
