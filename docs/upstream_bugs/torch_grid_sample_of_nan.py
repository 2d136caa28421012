"""PyTorch: grid_sample does not take NaN in the grid for -1.

Kind: wrong value
Says: "NaN values in grid would be interpreted as -1", says the documentation. That is so with
borders and reflections; with zeros outside, the default, NaN gives NaN, or 0 with mode "nearest".
Seen: 2.13.0
Here: listed where frameworks differ ([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

image = torch.tensor([1.0, 2, 3, 4]).reshape(1, 1, 1, 4)


def sample(x: float, mode: str) -> float:
    """The image at x in the middle of its height."""
    grid = torch.tensor([x, 0]).reshape(1, 1, 1, 2)
    found = torch.nn.functional.grid_sample(image, grid, mode, align_corners=True)
    return found.item()


found = [[sample(x, mode) for x in (float("nan"), -1.0)] for mode in ("bilinear", "nearest")]
print(f"at NaN and at -1, bilinear {found[0]}, nearest {found[1]}: they ought to be equal")
sys.exit(int(any(a != b for a, b in found)))
