"""PyTorch: cdist of 26 points is 0 between different ones, of 25 points it is not.

Kind: wrong value
Says: The points lie 0.141 apart. From 26 points on, distances come from a product of matrices by
default, in which the squares of the coordinates cancel; the documentation names this mode, and not
what it costs.
Seen: 2.13.0
Here: distances are differences (`frontends/torch/operators/distance.py`).
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

found = []
for count in (25, 26):
    points = 10000 + 0.1 * torch.arange(count).reshape(-1, 1).expand(-1, 2)
    found.append(torch.cdist(points, points)[0, 1].item())
print(f"first to second of 25 points: {found[0]:.3f}, of 26: {found[1]:.3f}, right is 0.141")
sys.exit(int(abs(found[0] - found[1]) > 0.01))
