"""PyTorch: linspace between -3e38 and 3e38 is infinite and NaN.

Kind: wrong value
Says: "Evenly spaced from start to end, inclusive": -3e38, 0, 3e38, as NumPy answers. The distance
of both ends is no float32.
Seen: 2.13.0
Here: nothing is done about it.
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

found = torch.linspace(-3e38, 3e38, 3).tolist()
print(f"got {found}, right is [-3e+38, 0.0, 3e+38]")
sys.exit(int(found[1] != 0))
