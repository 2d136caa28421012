"""PyTorch: hardswish of 3.4e38 is infinity.

Kind: wrong value
Says: "x if x >= +3", says the documentation, and XNNPACK's answers it; the kernel overflows on the
way.
Seen: 2.13.0
Here: listed as a gap of PyTorch's own (`conformance/suites/opinfo_gaps.py`).
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

found = torch.nn.functional.hardswish(torch.tensor(3.4e38)).item()
print(f"got {found}, right is 3.4e+38")
sys.exit(int(found == float("inf")))
