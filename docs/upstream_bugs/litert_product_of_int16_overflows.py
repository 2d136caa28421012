"""LiteRT: BATCH_MATMUL of int16 by int8 has the wrong sign where it ought to saturate.

Kind: wrong value
Says: What is beyond the range of the result's type is its largest or smallest number. The products,
-15240000 in units of 0.25, are -3810000000 steps of 0.001, which wrap around as an int32 before
they are clamped.
Seen: 2.3.0; 1.4.0 refuses the types
Here: such products are computed in floats (`hal/drivers/litert/linear.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import option, run
except ModuleNotFoundError:
    sys.exit(2)

x, y = np.full((1, 1, 4), 30000, np.int16), np.full((1, 4, 1), -127, np.int8)
found = run(
    "BATCH_MATMUL",
    x,
    y,
    shape=(1, 1, 1),
    options=option("BatchMatMulOptions"),
    scales=(0.5, 0.5, 0.001),
).item()
print(f"{30000 * 0.5 * -127 * 0.5 * 4:.0f} in steps of 0.001: got {found}, right is -32768")
sys.exit(int(found > 0))
