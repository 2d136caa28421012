"""LiteRT: ATAN2 of two shapes reads memory behind the shorter one.

Kind: wrong value
Says: An operator that takes two tensors refuses shapes that it does not know to combine, or repeats
the shorter one. ATAN2 does neither: the numbers that it answers beside 0.785 come from memory that
belongs to something else.
Seen: 1.4.0, 2.3.0
Here: operands are brought to one shape before (`hal/drivers/litert/unary.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import run
except ModuleNotFoundError:
    sys.exit(2)

x, y = np.array([1, 2, 3], np.float32), np.ones(1, np.float32)
found = run("ATAN2", x, y)
print(f"got {found[0]:.4f} and two numbers by chance, right is {np.arctan2(x, y).round(4)}")
sys.exit(int(not np.allclose(found, np.arctan2(x, y))))
