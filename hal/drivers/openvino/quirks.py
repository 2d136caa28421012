"""What OpenVINO gets wrong; see `hal.quirks`."""

from __future__ import annotations

from nnir.dim import Expr
from nnir.model import Value
from nnir.ops import activation, linear, shape

from ...quirks import Means, Quirk

HEADS_AFTER_ROWS = (0, 2, 1, 3)
"""The order of axes that brings the heads of an attention behind its rows."""

EQUAL_HEADS_AND_ROWS = Quirk(
    "openvino",
    "attention_of_equal_sizes",
    "an attention on one stacked tensor [3, B, H, S, D] whose result is transposed has wrong "
    "values where S equals H: the transpose is fused into the attention",
    "2026.4.1",
    Means.REWRITTEN,
)
RESHAPE_TO_NUMBER = Quirk(
    "openvino",
    "reshape_to_rank_0",
    "compiling a MatMul that is followed by a Reshape to rank 0 kills the process",
    "2026.4.1",
    Means.REWRITTEN,
)
GROUPS_OF_OPEN_ROWS = Quirk(
    "openvino",
    "groups_of_open_rows",
    "a MatMul of rows whose number is open with constant matrices [G, N, M] does not compile where "
    "the rows have rank 2, and fails while running where they are [1, ?, N]: mixtures of experts",
    "2026.4.1",
    Means.REWRITTEN,
)
QUIRKS = (EQUAL_HEADS_AND_ROWS, RESHAPE_TO_NUMBER, GROUPS_OF_OPEN_ROWS)

MOVES = frozenset({shape.reshape, shape.reshape_exact, shape.squeeze, shape.unsqueeze})


def is_attended(value: Value) -> bool:
    """Whether a value is the product of a softmax with something."""
    made = value.producer
    if made is None or made.operator is not linear.mat_mul or made.inputs[0] is None:
        return False
    weights = made.inputs[0].producer
    while weights is not None and weights.operator in MOVES and weights.inputs[0] is not None:
        weights = weights.inputs[0].producer
    return weights is not None and weights.operator is activation.softmax


def is_open_with_groups(x: Value, y: Value) -> bool:
    """Whether a product is one of open rows with several matrices of known sizes."""
    is_open = any(isinstance(d, Expr) for d in x.shape)
    is_known = not any(isinstance(d, Expr) for d in y.shape)
    if x.rank not in (2, 3) or y.rank != 3 or not is_open or not is_known or y.shape[0] == 1:
        return False
    return x.rank == 2 or x.shape[0] != y.shape[0]
