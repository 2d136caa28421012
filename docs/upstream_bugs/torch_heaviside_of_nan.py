"""PyTorch: heaviside of NaN is 0.

Kind: NaN lost
Says: The documentation has 0 for input < 0, `values` for input == 0 and 1 for input > 0, and NaN is
none of these. NumPy's heaviside answers NaN.
Seen: 2.13.0
Here: nothing is done about it.
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

found = torch.heaviside(torch.tensor(float("nan")), torch.tensor(1.0)).item()
print(f"got {found}, right is nan")
sys.exit(int(found == 0))
