"""PyTorch: gelu of infinity is infinity alone and NaN among others.

Kind: wrong value
Says: GELU(x) = x * Phi(x), and Phi(inf) is 1: infinity, as a tensor of one element gives. In a
vector of 64 it is NaN, and gelu(3.4e38) is infinity.
Seen: 2.13.0
Here: listed as a gap of PyTorch's own (`conformance/suites/opinfo_gaps.py`).
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

x = torch.tensor([float("inf"), 3.4e38])
alone = [torch.nn.functional.gelu(v[None]).item() for v in x]
among = torch.nn.functional.gelu(x.repeat(64))[:2].tolist()
print(f"alone {alone}, in a vector {among}, right is [inf, 3.4e+38]")
sys.exit(int(str(alone) != str(among)))
