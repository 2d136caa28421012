"""Bugs to plant: each function puts one into this process, for good unless `patch` undoes it.

`nnadapter conform --preload tests.conformance.planted:wrong_axis` finds the first one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from frontends.onnx import TABLE as ONNX
from frontends.torch import TABLE
from hal.drivers.onnxruntime.driver import LOWERINGS
from hal.lowering import results_of
from nnir.folding import Folder
from nnir.model import Value
from nnir.ops import conv, linear, reduce, shape
from nnir.types import Fuse, Precision

Patch = Callable[[Any, str, Any], None]
Change = Callable[..., Any]


def converter(patch: Patch, name: str, change: Change) -> None:
    """Replace what a converter of PyTorch does: `change` gets the function and its arguments."""
    found = TABLE.find(name, 1)
    function = found.function

    @functools.wraps(function)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        return change(function, *args, **kwargs)

    patch(found, "function", wrong)


def lowering(patch: Patch, operator: Any, change: Change) -> None:
    """Replace how ONNX Runtime is told an operator, of which there is one result."""
    function = LOWERINGS.entries[operator]

    def right(*args: Any, **kwargs: Any) -> Any:
        (made,) = results_of(function(*args, **kwargs))
        return made

    @functools.wraps(function)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        return change(right, *args, **kwargs)

    patch(LOWERINGS, "entries", {**LOWERINGS.entries, operator: wrong})


def onnx_softmax(patch: Patch = setattr) -> None:
    """A softmax along the axis before, of ONNX."""
    found = ONNX.find("Softmax", 21)
    function = found.function

    def wrong(input: Value, *, axis: int = -1) -> Value:  # as the table reads what it takes
        made: Value = function(input, axis=axis - 1)
        return made

    patch(found, "function", wrong)


def reference(patch: Patch, operator: Any, change: Change) -> None:
    """Replace what the standard's reference of an operator makes."""
    function = operator.reference

    @functools.wraps(function)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        return change(function, *args, **kwargs)

    patch(operator, "reference", wrong)


def wrong_axis(patch: Patch = setattr) -> None:
    """A softmax along the axis before."""
    converter(patch, "aten.softmax.int", lambda f, dim, **rest: f(dim=dim - 1, **rest))


def dropped_bias(patch: Patch = setattr) -> None:
    """Convolutions and dense layers forget their bias."""
    for name in ("aten.conv2d.default", "aten.linear.default"):
        converter(patch, name, lambda f, bias=None, **rest: f(bias=None, **rest))


def off_by_one_pad(patch: Patch = setattr) -> None:
    """One more before and one less behind: the shape stays."""

    def change(function: Change, *args: Any, pads: Any, **rest: Any) -> Any:
        if pads is not None and all(pads):
            pads = tuple(p + (1 if k % 2 == 0 else -1) for k, p in enumerate(pads))
        return function(*args, pads=pads, **rest)

    lowering(patch, conv.conv_2d, change)


def swapped_epsilon(patch: Patch = setattr) -> None:
    """Epsilon and the argument beside it change places."""

    def batch(f: Change, momentum: float, eps: float, **rest: Any) -> Any:
        return f(momentum=eps, eps=momentum, **rest)

    def layer(f: Change, eps: float = 1e-5, cudnn_enable: bool = True, **rest: Any) -> Any:
        return f(eps=float(cudnn_enable), cudnn_enable=bool(eps), **rest)

    converter(patch, "aten.batch_norm.default", batch)
    converter(patch, "aten.layer_norm.default", layer)


def wrong_rounding(patch: Patch = setattr) -> None:
    """The nearest pixel is rounded where it is to be cut off."""
    exact = TABLE.find("aten._upsample_nearest_exact2d.vec", 1).function
    converter(patch, "aten.upsample_nearest2d.vec", lambda f, **given: exact(**given))


def transposed_filter(patch: Patch = setattr) -> None:
    """Rows and columns of square filters change places."""

    def change(function: Change, weight: Any, **rest: Any) -> Any:
        if weight.shape[2] == weight.shape[3] != 1:
            weight = shape.transpose(weight, perm=(0, 1, 3, 2))
        return function(weight=weight, **rest)

    converter(patch, "aten.conv2d.default", change)


def lost_fuse_code(patch: Patch = setattr) -> None:
    """The activation behind a convolution or a dense layer is forgotten."""

    def change(function: Change, *args: Any, fuse_code: Fuse, **rest: Any) -> Any:
        return function(*args, fuse_code=Fuse.NONE, **rest)

    lowering(patch, conv.conv_2d, change)
    lowering(patch, linear.fully_connected, change)


def wrong_dtype(patch: Patch = setattr) -> None:
    """A softmax is computed in 16 bits. (A result of another type does not get past loading.)"""

    def change(function: Change, self: Any, **rest: Any) -> Any:
        narrow = function(self=self.cast(Precision.FLOAT16), **rest)
        return narrow.cast(self.precision)

    converter(patch, "aten.softmax.int", change)


def stale_constant(patch: Patch = setattr) -> None:
    """A constant that was computed before is taken again for the next one of its kind."""
    compute = Folder._compute
    seen: dict[Any, Any] = {}

    def stale(self: Folder, operation: Any) -> Any:
        found = compute(self, operation)
        if found is None or len(found) != 1 or found[0].ndim < 3:
            return found
        return seen.setdefault((operation.operator, found[0].shape), found)

    patch(Folder, "_compute", stale)


def wrong_tie_order(patch: Patch = setattr) -> None:
    """Of equal elements the last is the largest."""
    right = reduce.arg_max.reference

    def last(input: np.ndarray, *, axis: int, keepdim: bool, dtype: Any) -> np.ndarray:
        turned = right(np.flip(input, axis), axis=axis, keepdim=keepdim, dtype=dtype)
        return (input.shape[axis] - 1 - turned).astype(turned.dtype)

    patch(reduce.arg_max, "reference", last)
