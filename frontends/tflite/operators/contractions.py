"""StableHLO's products of tensors, whose axes are named one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import conv, index, shape
from nnir.recipes import contraction
from nnir.records import dataclass

from .windows import pad_between


def dot(
    x: Value, y: Value, batch: tuple[Sequence[int], ...], inner: tuple[Sequence[int], ...]
) -> Value:
    """Common axes first, then those of `x`, then those of `y`; the inner ones are summed."""
    labels = [[f"{side}{a}" for a in range(v.rank)] for side, v in (("x", x), ("y", y))]
    for name, (mine, theirs) in (("batch", batch), ("inner", inner)):
        if len(mine) != len(theirs):
            raise BadType(f"a product of {x.type} and {y.type} over {mine} and {theirs}")
        for k, (a, b) in enumerate(zip(mine, theirs, strict=True)):
            if not (0 <= a < x.rank and 0 <= b < y.rank):
                raise BadType(f"a product of {x.type} and {y.type} over {mine} and {theirs}")
            labels[0][a] = labels[1][b] = f"{name}{k}"
    common = [f"batch{k}" for k in range(len(batch[0]))]
    rest = [n for row in labels for n in row if n[0] in "xy"]
    return contraction.contract([x, y], labels, [*common, *rest])


@dataclass(frozen=True)
class Axes:
    """Where a tensor has what: two axes, then the spatial ones."""

    first: int
    second: int
    spatial: Sequence[int]

    @property
    def perm(self) -> tuple[int, ...]:
        return (self.first, self.second, *self.spatial)

    def check(self, x: Value) -> None:
        """BadType unless every axis is named once."""
        if sorted(self.perm) != list(range(x.rank)):
            raise BadType(f"a convolution of {x.type} with the axes {self.perm}")


@dataclass(frozen=True)
class Steps:
    """How the windows of a convolution move, spatial axis by spatial axis."""

    strides: Sequence[int]
    pads: Sequence[tuple[int, int]]
    between: Sequence[int]
    dilations: Sequence[int]
    reversed: Sequence[bool]


def convolution(
    x: Value, kernel: Value, axes: tuple[Axes, Axes, Axes], how: Steps, groups: int
) -> Value:
    """A convolution; the axes are those of the input, the kernel and the result."""
    for named, value in zip(axes, (x, kernel, x), strict=True):
        named.check(value)
    count = x.rank - 2
    lists = (how.strides, how.pads, how.between, how.dilations, how.reversed)
    if not 1 <= count <= 3 or any(len(v) != count for v in lists):
        raise Unsupported(f"a convolution over {count} axes with {how}")
    image = shape.transpose(x, perm=axes[0].perm)
    weights = shape.transpose(kernel, perm=axes[1].perm)
    weights = _flip(weights, [2 + k for k, r in enumerate(how.reversed) if r])
    zero = x.model.constant(np.zeros((), x.dtype))
    image = pad_between(image, zero, [0, 0, *(d - 1 for d in how.between)], ())
    pads, strides, dilations = list(how.pads), list(how.strides), list(how.dilations)
    if min(n for pair in pads for n in pair) < 0:
        image = pad_between(image, zero, (), [(0, 0), (0, 0), *pads])
        pads = [(0, 0)] * count
    if count == 1:
        image, weights = (shape.unsqueeze(v, [2]) for v in (image, weights))
        pads, strides, dilations = [(0, 0), *pads], [1, *strides], [1, *dilations]
    filters = weights.shape[0]
    if isinstance(filters, Expr):
        raise NotConstant(f"a convolution with {kernel.type}")
    operator = conv.conv_2d if count < 3 else conv.conv_3d
    result = operator(
        image,
        weights,
        x.model.constant(np.zeros(filters, x.dtype)),
        pads=tuple(n for pair in pads for n in pair),
        strides=tuple(strides),
        group=groups,
        dilations=tuple(dilations),
    )
    result = shape.squeeze(result, [2]) if count == 1 else result
    return shape.transpose(result, perm=tuple(int(a) for a in np.argsort(axes[2].perm)))


def _flip(x: Value, axes: Sequence[int]) -> Value:
    """Backwards along some axes."""
    for axis in axes:
        x = index.slice_(x, [axis], [-1], [np.iinfo(np.int64).min + 1], [-1])
    return x
