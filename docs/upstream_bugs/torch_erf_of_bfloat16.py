"""PyTorch: erf of bfloat16 is 0 at 1e-30, and two percent off at 1e-5.

Kind: digits lost
Says: erf(x) is 1.128 x near 0, and bfloat16 has the exponents of float32: the result in float32,
rounded, is 1.128e-30.
Seen: 2.13.0
Here: nothing is done about it.
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

x = torch.tensor([1e-5, 1e-30])
found, want = torch.erf(x.bfloat16()).tolist(), torch.erf(x).bfloat16().tolist()
print("got {:.4g}, {:.4g}; in float32, rounded, {:.4g}, {:.4g}".format(*found, *want))
sys.exit(int(found[1] == 0))
