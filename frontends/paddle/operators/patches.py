"""Paddle's windows of images as columns, and back."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import conv, shape
from nnir.recipes.strided import im2col

from ...table import Ints, Table

table = Table()


def around(paddings: Sequence[int]) -> Ints:
    """(top, bottom, left, right) from two amounts, or from top, left, bottom and right."""
    match tuple(paddings):
        case (rows, columns):
            return rows, rows, columns, columns
        case (top, left, bottom, right):
            return top, bottom, left, right
    raise BadType(f"windows with paddings={tuple(paddings)}: 2 or 4 numbers are needed")


@table.convert("unfold")
def unfold(
    x: Value,
    kernel_sizes: Ints,
    strides: Ints,
    paddings: Ints,
    dilations: Ints,
) -> Value:
    pads = around(paddings)
    wide = shape.pad(x, [0, 0, 0, 0, *pads]) if any(pads) else x
    return im2col(wide, kernel_sizes, dilations, (0, 0), strides)


@table.convert("fold")
def fold(
    x: Value,
    output_sizes: Ints,
    kernel_sizes: Ints,
    strides: Ints,
    paddings: Ints,
    dilations: Ints,
) -> Value:
    pads = around(paddings)
    if pads[0] != pads[1] or pads[2] != pads[3]:
        raise Unsupported(f"fold with paddings={paddings}, other ones on each side")
    return conv.col_2_im(
        x,
        list(output_sizes),
        list(kernel_sizes),
        dilations=dilations,
        pads=pads,
        strides=strides,
    )
