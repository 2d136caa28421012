"""Convolutions over one to three axes, plain and transposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..dim import Expr
from ..errors import BadType, NotConstant, Unsupported
from ..model import Value
from ..ops import conv, shape


@dataclass(frozen=True)
class Slide:
    """How a filter moves: (before, after) pads axis by axis; `extra` of a transposed one."""

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int
    extra: tuple[int, ...] | None = None

    def with_axis(self) -> Slide:
        """The same with an axis in front that the filter does not move along."""
        extra = None if self.extra is None else (0, *self.extra)
        pads = (0, 0, *self.pads)
        return Slide((1, *self.strides), pads, (1, *self.dilations), self.groups, extra)


def each_axis(name: str, values: Sequence[int], rank: int) -> tuple[int, ...]:
    """One number for each axis; a single one counts for all."""
    result = tuple(values) * rank if len(values) == 1 else tuple(values)
    if len(result) != rank:
        raise BadType(f"{name}={tuple(values)}: {rank} numbers are needed")
    return result


def add_spatial_axis(weight: Value) -> Value:
    """A filter with one more spatial axis in front; a view where it is a constant."""
    if weight.constant is not None:
        return weight.model.constant(np.expand_dims(weight.constant, 2))
    return shape.unsqueeze(weight, [2])


def zero_bias(weight: Value, axis: int, groups: int) -> Value:
    """No bias: a zero for each channel of the result."""
    count = weight.shape[axis]
    if isinstance(count, Expr):
        raise NotConstant(f"a convolution with a filter {weight.type}")
    return weight.model.constant(np.zeros(count * groups, weight.dtype))


def convolve(input: Value, weight: Value, bias: Value | None, slide: Slide) -> Value:
    """A convolution over one to three axes, of one sample too; transposed with `extra`."""
    rank = weight.rank - 2
    if rank not in (1, 2, 3) or input.rank not in (rank + 1, rank + 2):
        raise Unsupported(f"a convolution of {input.type} by {weight.type}")
    if min(slide.pads) < 0:
        raise BadType(f"a convolution with padding={slide.pads}: 0 or more is needed")
    added = [0] if input.rank == rank + 1 else []
    is_transposed = slide.extra is not None
    if bias is None:
        bias = zero_bias(weight, int(is_transposed), slide.groups if is_transposed else 1)
    if rank == 1:
        added.append(2)
        weight, slide, rank = add_spatial_axis(weight), slide.with_axis(), 2
    x = shape.unsqueeze(input, added) if added else input
    given = {"strides": slide.strides, "dilations": slide.dilations, "group": slide.groups}
    given |= {"pads": slide.pads if any(slide.pads) else None}
    operator = conv.conv_2d if rank == 2 else conv.conv_3d
    if is_transposed:
        operator = conv.conv_2d_transpose if rank == 2 else conv.conv_3d_transpose
        given |= {"output_padding": slide.extra}
    result: Value = operator(x, weight, bias, **given)
    return shape.squeeze(result, added) if added else result
