"""LiteRT: RSQRT of int16 is thousands of steps off near 0.

Kind: wrong value
Says: 1 / sqrt(0.001) is 31.6, more than the largest result of 16.4, which is 32767 steps of 0.0005;
a quantised operator gives the largest number then. The kernel interpolates in a table of 513
entries, which are 128 steps of the input apart.
Seen: 1.4.0, 2.3.0
Here: computed in floats; what else comes from tables is listed in [tflite.md](tflite.md).
"""

import sys

import numpy as np

try:
    from _one_operator import run
except ModuleNotFoundError:
    sys.exit(2)

x = np.array([1, 1000], np.int16)
found = run("RSQRT", x, scales=(0.001, 0.0005))
print(f"got {found}, right is [32767 2000]")
sys.exit(int(found[0] < 32000))
