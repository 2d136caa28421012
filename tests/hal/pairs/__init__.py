"""Operators behind operators, as engines fuse and move them: on every device and by the references.

    python -m tests.hal.pairs DEVICES floats          # each operator behind each, for all sizes
    python -m tests.hal.pairs DEVICES integers 0 7    # of another form each, one in seven
    python -m tests.hal.pairs DEVICES chains 101 800  # random chains of three to five, by a seed

Engines look for pairs, whatever an operator does by itself. Sizes are small, and such that an axis
of one stands for another: as many rows as columns, as many channels as taps, and ones. A pair is
tried in one form: a precision, which axes are open, or that values are quantised.
"""
