"""LiteRT: MAXIMUM and MINIMUM give the second operand where one is NaN.

Kind: NaN lost
Says: NaN, say TensorFlow's operators of the same name; C's fmax says 1 both times. An answer that
depends on the order of the operands is neither.
Seen: 1.4.0, 2.3.0
Here: NaN is put back (`hal/drivers/litert/binary.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import option, run
except ModuleNotFoundError:
    sys.exit(2)

x = np.array([np.nan, 1], np.float32)
found = run("MAXIMUM", x, x[::-1].copy(), options=option("MaximumMinimumOptions"))
print(f"max(nan, 1), max(1, nan): got {found}, right is [nan nan]")
sys.exit(int(np.isnan(found).sum() == 1))
