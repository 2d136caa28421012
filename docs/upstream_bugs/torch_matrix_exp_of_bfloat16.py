"""PyTorch: matrix_exp of a small bfloat16 or float16 matrix is enormous.

Kind: wrong value
Says: torch.linalg.matrix_exp "supports input of bfloat16, float, double, cfloat and cdouble
dtypes", says its documentation. The exponential of a matrix of 0.1 to 0.3 has elements near 1.
Seen: 2.13.0
Here: listed as a gap of PyTorch's own (`conformance/suites/opinfo_gaps.py`).
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

x = torch.tensor([[0.1, 0.2], [0.3, 0.1]])
found, want = torch.linalg.matrix_exp(x.bfloat16()), torch.linalg.matrix_exp(x)
print(f"got {found.tolist()}\nin float32 {want.tolist()}")
sys.exit(int(not torch.allclose(found.float(), want, atol=0.1)))
