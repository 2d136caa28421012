"""PyTorch: an antialiased resize to one column has the first row in all of them.

Kind: wrong value
Says: A resize of rows and columns is one of each of them in turn: to two columns it is so, and
the sizes alone decide.
Seen: 2.13.0
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

image = torch.tensor([1.0, 1, 3, 3]).reshape(1, 1, 2, 2)
how = {"mode": "bilinear", "antialias": True}
one, two = (torch.nn.functional.interpolate(image, (3, n), **how)[0, 0, :, 0] for n in (1, 2))
print(f"one column {one.tolist()}, the first of two {two.tolist()}: they ought to be equal")
sys.exit(int(one.tolist() != two.tolist()))
