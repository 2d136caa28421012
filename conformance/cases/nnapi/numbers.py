"""Tensors of NNAPI cases, and how near results must be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import Tolerance, rand
from ...engines.tflite import Scaled

QUANTUM = Tolerance(absolute=1)
"""An operation on integers rounds once; origins round halves otherwise."""

SUMS = Tolerance(relative=1e-5, absolute=4e-6)
"""Sums of products that cancel, in another order."""

NONE, RELU, RELU1, RELU6 = range(4)
ACTIVATIONS = (NONE, RELU, RELU1, RELU6)
PROBABILITY = (1 / 256, 0)


def q(
    *shape: int, seed: int = 0, scale: float = 0.02, zero: int = 130, constant: bool = False
) -> Scaled:
    """Integers of a shape with a scale."""
    array = rand(*shape, seed=seed, dtype=np.uint8, low=0, high=255)
    return Scaled(array, scale, zero, constant=constant)


def stored(scale: float, zero: int = 0) -> tuple[Scaled]:
    """The type of one quantised result."""
    return (Scaled(np.empty(0, np.uint8), scale, zero),)


def bias(count: int, scale: float) -> Scaled:
    """A bias in the scale of the products."""
    return Scaled(rand(count, seed=3, dtype=np.int32, low=-900, high=900), scale, constant=True)


def scheme(padding: int, step: int = 1, **more: int) -> dict[str, Any]:
    """The implicit form."""
    return {"padding_scheme": padding, "stride_width": step, "stride_height": step, **more}


def sides(left: int, right: int, top: int, bottom: int, **more: int) -> dict[str, Any]:
    """The explicit form, with a step of 2 down and 1 across."""
    names = ("padding_left", "padding_right", "padding_top", "padding_bottom")
    pads = dict(zip(names, (left, right, top, bottom), strict=True))
    return {**pads, "stride_width": 1, "stride_height": 2, **more}
