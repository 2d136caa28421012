"""PyTorch: orthogonal polynomials of NaN are what was in the register.

Kind: NaN lost
Says: P3 of NaN is NaN, as the documented recursion gives, and as degrees 0 to 1 answer.
Seen: 2.13.0
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

x = torch.tensor(float("nan"))
names = ("chebyshev_polynomial_w", "legendre_polynomial_p", "laguerre_polynomial_l")
found = [getattr(torch.special, name)(x, 3).isnan().item() for name in names]
print(f"{found.count(False)} of {len(found)} polynomials are numbers at NaN, right is 0")
sys.exit(int(not all(found)))
