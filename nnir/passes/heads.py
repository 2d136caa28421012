"""Products with keys or values that several heads of queries share, without copies of them."""

from __future__ import annotations

from .. import build
from ..model import Operation, Value
from ..ops import linear, shape
from .matching import ANY, Variable, node, rule

WIDE = node(
    shape.expand,
    node(
        shape.unsqueeze, Variable("shared", where=lambda value: value.rank == 4), ANY, name="apart"
    ),
    ANY,
    name="copies",
)
REPEATED = node((shape.reshape, shape.reshape_exact), WIDE, ANY, name="heads")
"""[batch, groups, length, width] as [batch, groups * heads, length, width]."""


def _is_shared(
    x: Value, shared: Value, apart: Operation, copies: Operation, heads: Operation
) -> bool:
    """Whether each group is copied beside itself: the other order, of all groups behind each other,
    has other axes in between."""
    batch, groups, length, width = shared.shape
    wide, flat = copies.outputs[0].shape, heads.outputs[0].shape
    if len(wide) != 5 or len(flat) != 4 or x.rank != 4 or not isinstance(groups, int):
        return False
    each = wide[2]
    return (
        isinstance(each, int)
        and apart.outputs[0].shape == (batch, groups, 1, length, width)
        and wide == (batch, groups, each, length, width)
        and flat == (batch, groups * each, length, width)
        and x.shape[:2] == flat[:2]
    )


@rule(
    node(
        linear.mat_mul,
        *(Variable("x"), REPEATED),
        name="product",
        attributes={"transpose_y": ANY},
    ),
    where=_is_shared,
)
def share_heads(x: Value, shared: Value, product: Operation) -> Value:
    """Multiply the rows of all heads of a group at once: keys and values are read once.

    A size of 0 in a target of RESHAPE is that of `x` there. Where one is open, so is
    another: ONNX Runtime writes -1 for a single one, which fails where there are no elements.
    """
    (groups,), (heads,) = build.known_sizes(shared, [1]), build.known_sizes(x, [1])
    each, rows = heads // groups, build.size_of(x, 2)
    together = [0, groups, build.times(each, rows), 0]
    tall = shape.reshape(x, build.vector(x.model, together))
    made = linear.mat_mul(tall, shared, **product.attributes)
    last = build.size_of(shared, 2 if product.attributes["transpose_y"] else 3)
    return shape.reshape(made, build.vector(x.model, [0, heads, rows, last]))
