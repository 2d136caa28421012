"""PyTorch: sign of NaN is 0.

Kind: NaN lost
Says: NumPy, ONNX Runtime, TensorFlow, TFLite and Paddle answer NaN, and the array API standard
demands it. PyTorch's documentation does not speak of NaN, but sgn of a complex NaN is NaN.
Seen: 2.13.0
Here: PyTorch is followed (`nnir/recipes/unary.py`).
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

nan = float("nan")
found, other = torch.sign(torch.tensor(nan)), torch.sgn(torch.tensor(complex(nan, 0)))
print(f"sign: {found.item()}, sgn of a complex number: {other.item()}")
sys.exit(int(not torch.isnan(found)))
