"""PyTorch: runs models as modules of torch's own operations and writes `.pt2` files."""

from .driver import Torch

__all__ = ["Torch"]
