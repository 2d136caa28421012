"""Comparisons and selection by a mask."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..broadcast import broadcast
from ..dim import Dim, Expr
from ..model import Mask, Value
from ..operator import Operator, Pattern, operator, require
from ..types import Precision, TensorType
from .binary import same_type

Ufunc = Callable[[np.ndarray, np.ndarray], np.ndarray]
ANY = frozenset(p for p in Precision if not p.is_quantized)
ORDERED = ANY - {Precision.COMPLEX64, Precision.COMPLEX128}


def comparison(
    name: str,
    function: Ufunc,
    code: int,
    summary: str,
    kinds: frozenset[Precision] = ORDERED,
    *,
    commutes: bool = False,
) -> Operator:
    """An operator that compares two tensors of one type."""

    def reference(input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
        return np.asarray(function(input0, input1), np.bool_)

    def rule(input0: Value, input1: Value) -> TensorType:
        require(input0.precision in kinds, f"{name} of {input0.type}")
        return same_type(name, input0, input1).with_precision(Precision.BOOL8)

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: two operands of one precision; the result is BOOL8.\n"
        "    Shapes: broadcast as in NumPy.\n"
        "    Edges: NaN is unequal to everything, not above, not below; false is below true.\n    "
    )
    return operator(pattern=Pattern.ELEMENTWISE, code=code, reference=reference, commutes=commutes)(
        rule
    )


equal = comparison("equal", np.equal, 21, "Whether input0 == input1.", ANY, commutes=True)
not_equal = comparison(
    "not_equal", np.not_equal, 54, "Whether input0 != input1.", ANY, commutes=True
)
greater = comparison("greater", np.greater, 32, "Whether input0 > input1.")
greater_equal = comparison("greater_equal", np.greater_equal, 33, "Whether input0 >= input1.")
less = comparison("less", np.less, 41, "Whether input0 < input1.")
less_equal = comparison("less_equal", np.less_equal, 42, "Whether input0 <= input1.")


def _where(condition: np.ndarray, input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
    return np.where(condition, input0, input1)


def _where_content(condition: Value, input0: Value, input1: Value) -> np.ndarray | None:
    mask, yes, no = mask_of(condition), input0.content, input1.content
    if mask is None or yes is None or no is None:
        return None
    return np.where(mask, yes, no)


def mask_of(condition: Value) -> np.ndarray | None:
    """The truth values that are known while converting: a constant, or sizes that are compared."""
    if condition.constant is not None:
        return condition.constant
    made = condition.producer
    if made is None or made.operator not in (equal, not_equal):
        return None
    left, right = (None if v is None else v.content for v in made.inputs)
    if left is None or right is None:
        return None
    same = np.asarray(np.frompyfunc(_same, 2, 1)(left, right), object)
    if any(s is None for s in same.flat):
        return None
    return same.astype(bool) if made.operator is equal else ~same.astype(bool)


def _same(a: Dim, b: Dim) -> bool | None:
    """Whether two dimensions are equal; None when that depends on a symbol's value."""
    if a == b or not (isinstance(a, Expr) or isinstance(b, Expr)):
        return a == b
    whole = b if isinstance(a, Expr) else a
    return False if isinstance(whole, int) and whole < 0 else None


@operator(pattern=Pattern.ELEMENTWISE, code=92, reference=_where, content=_where_content)
def where(condition: Mask, input0: Value, input1: Value) -> TensorType:
    """The elements of input0 where `condition` holds, those of input1 elsewhere.

    Types: a BOOL8 mask and two operands of one type; the result has their type.
    Shapes: all three broadcast as in NumPy.
    Edges: what is not picked does not matter, NaN too.
    """
    is_mask = condition.precision == Precision.BOOL8
    require(is_mask, f"where needs a BOOL8 condition, not {condition.type}")
    result = same_type("where", input0, input1)
    return result.with_shape(broadcast(condition.shape, result.shape))
