"""PyTorch: matrix_exp of float32 loses two digits where the norm is between 0.4 and 0.6.

Kind: digits lost
Says: The result is within 3e-7 of that in float64 for larger and smaller norms. For these a
polynomial of degree 8 is used, which is thirty times less accurate.
Seen: 2.13.0
Here: nothing is done about it.
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

x = torch.tensor([[0.1, 0.2], [0.3, 0.1]], dtype=torch.float64)
errors = {}
for norm in (0.25, 0.5, 0.75):
    scaled = (x * (norm / 0.4)).float()
    want = torch.linalg.matrix_exp(scaled.double())
    errors[norm] = float((torch.linalg.matrix_exp(scaled) - want).abs().max())
print("largest error by norm:", ", ".join(f"{n}: {e:.1e}" for n, e in errors.items()))
sys.exit(int(errors[0.5] > 10 * max(errors[0.25], errors[0.75])))
