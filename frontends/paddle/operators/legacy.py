"""Converters for what PIR does not have: `legacy.` operators, which the rules of old ones use."""

from __future__ import annotations

from typing import Any

from nnir import build
from nnir.broadcast import shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import binary, index, norm, shape
from nnir.recipes.layout import is_channels_last, with_channels_first
from nnir.types import PadMode

from ...table import Table
from ...translate import Translator
from .arrays import Array, array_of
from .generate import arange

table = Table()
PADS = {"constant": PadMode.CONSTANT, "reflect": PadMode.REFLECT, "edge": PadMode.EDGE}


@table.convert("legacy.aligned")
def aligned(x: Value, y: Value, axis: int) -> Value:
    """`x` with the axes of a larger `y`, among which its own begin at `axis`."""
    if x.rank >= y.rank:
        return x
    while x.rank and axis + x.rank > y.rank and x.shape[-1] == 1:
        x = shape.squeeze(x, [x.rank - 1])
    if axis < 0 or axis + x.rank > y.rank:
        raise BadType(f"{x.type} in {y.type} from axis {axis} on")
    return shape.unsqueeze(x, [*range(axis), *range(axis + x.rank, y.rank)])


@table.convert("legacy.compared")
def compared(x: Value, y: Value, axis: int) -> Value:
    """`x` where the axes of `y` are its last ones, whatever the axis says."""
    if x.rank != y.rank and axis + y.rank != x.rank:
        raise Unsupported(f"{x.type} beside {y.type} with {axis=}, which Paddle ignores")
    return x


@table.convert("legacy.divide")
def divide(x: Value, y: Value) -> Value:
    """Of integers a whole number, towards zero."""
    return binary.div(x, y)


@table.convert("legacy.flatten")
def flatten(x: Value, axis: int) -> Value:
    """A matrix; `axis` may be the rank."""
    if not 0 <= axis <= x.rank:
        raise BadType(f"flatten of {x.type} with axis={axis}")
    own = build.sizes_of(x)
    return build.reshape(x, [build.product(own[:axis]), build.product(own[axis:])])


@table.convert("legacy.range")
def range_(start: Value, end: Value, step: Value) -> Value:
    """The numbers have the type of the bounds."""
    return arange(start, end, step, start.precision)


@table.convert("legacy.pad2d")
def pad2d(
    x: Value, paddings: tuple[int, ...], mode: str, pad_value: float, data_format: str
) -> Value:
    """Pairs for height and width."""
    if mode not in PADS or len(paddings) != 4 or x.rank != 4:
        raise Unsupported(f"pad2d of {x.type} by {paddings} with mode={mode!r}")
    around = [*paddings, 0, 0] if is_channels_last(data_format) else [0, 0, *paddings]
    return shape.pad(x, [0, 0, *around], x.scalar(pad_value), mode=PADS[mode])


@table.convert("legacy.lrn")
def lrn(x: Value, n: int, k: float, alpha: float, beta: float, data_format: str) -> Value:
    """The standard divides `alpha` by the size of the window, Paddle does not."""
    given = {"size": n, "bias": k, "alpha": alpha * n, "beta": beta}
    layout = "NCHW" if data_format == "AnyLayout" else data_format
    return with_channels_first(x, layout, lambda v: norm.lrn(v, **given))


@table.convert("legacy.row_conv")
def row_conv(x: Value, filter: Value) -> Value:
    """Each step and those after it, weighed for each channel: x is [N, T, C], filter [K, C]."""
    count = filter.shape[0]
    if x.rank != 3 or not isinstance(count, int):
        raise BadType(f"row_conv of {x.type} with {filter.type}")
    if shapes_differ(x.shape[2:], filter.shape[1:]):
        raise BadType(f"row_conv of {x.type} with {filter.type}: channels differ")
    around = shape.pad(x, [0, 0, 0, count - 1, 0, 0])
    steps = build.size_of(x, 1)
    found = None
    for k in range(count):
        part = index.slice_(around, [1], [k], build.vector(x.model, [build.plus(steps, k)]))
        term = part * index.gather(filter, k, axis=0)
        found = term if found is None else found + term
    if found is None:
        raise BadType(f"row_conv with {filter.type}")
    return found


@table.convert("legacy.array_write")
def array_write(array: Any, x: Value, i: Value, *, translator: Translator) -> Array:
    """A new array; that of PIR also takes the place of the old one."""
    return array_of(array, "write_to_array").written(x, i, translator)
