"""How many operations of arithmetic an operation does, from shapes and attributes alone.

A multiplication and the addition behind it count as 2; an element of an elementwise result counts
as 1 whatever is computed for it, a moved one as 0. Integer arithmetic counts like that of floats.
What depends on data, such as a suppression of boxes or a sort, has no count. A sub-model counts
once, however often a loop runs it: its operations are counted by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..dim import Dim, product
from ..errors import NNAdapterError
from ..model import Operation, Value
from ..operator import Pattern
from ..types import Fuse

Rule = Callable[[Operation], "Dim | None"]
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def flops(operation: Operation) -> Dim | None:
    """The operations of arithmetic of one operation; None where shapes do not tell."""
    rule = RULES.get(operation.operator.name) or BY_PATTERN.get(operation.operator.pattern)
    if rule is None:
        return None
    try:
        count = rule(operation)
        fused = operation.attributes.get("fuse_code", Fuse.NONE) != Fuse.NONE
        return count + _result(operation) if fused and count is not None else count
    except (NNAdapterError, IndexError):  # an expression that grows too long, a rank that is odd
        return None


def _count(value: Value) -> Dim:
    return product(value.shape)


def _input(operation: Operation, place: int = 0) -> Value:
    """An operand that the operator requires."""
    value = operation.inputs[place]
    if value is None:
        raise IndexError(place)
    return value


def _read(operation: Operation) -> Dim:
    return _count(_input(operation))


def _result(operation: Operation) -> Dim:
    return _count(operation.outputs[0])


def _bias(operation: Operation, place: int) -> Dim:
    has_bias = len(operation.inputs) > place and operation.inputs[place] is not None
    return _result(operation) if has_bias else 0


def per_result(steps: int) -> Rule:
    """So many for each element of the first result."""
    return lambda operation: _result(operation) * steps


def per_element(steps: int) -> Rule:
    """So many for each element of the first operand."""
    return lambda operation: _read(operation) * steps


def per_matrix(numerator: int, denominator: int = 1) -> Rule:
    """A share of n ** 3 for each matrix of [..., n, n]."""

    def count(operation: Operation) -> Dim:
        value = _input(operation)
        return _count(value) * value.shape[-1] * numerator // denominator

    return count


def _conv(operation: Operation) -> Dim:
    """Every result is a sum over one filter [out, in / group, ...]."""
    place = operation.operator.tensors.index("filter")
    window = product(_input(operation, place).shape[1:])
    return _result(operation) * window * 2 + _conv_bias(operation)


def _conv_bias(operation: Operation) -> Dim:
    names = operation.operator.tensors
    return _bias(operation, names.index("bias")) if "bias" in names else 0


def _conv_transpose(operation: Operation) -> Dim:
    """Every element that is read is spread over one filter [in, out / group, ...]."""
    window = product(_input(operation, 1).shape[1:])
    return _read(operation) * window * 2 + _conv_bias(operation)


def _mat_mul(operation: Operation) -> Dim:
    x = _input(operation)
    is_column = operation.attributes["transpose_x"] and x.rank > 1
    return _result(operation) * x.shape[-2 if is_column else -1] * 2


def _fully_connected(operation: Operation) -> Dim:
    return _result(operation) * _input(operation, 1).shape[-1] * 2 + _bias(operation, 2)


def _grouped_mat_mul(operation: Operation) -> Dim:
    return _result(operation) * _input(operation).shape[-1] * 2


def _einsum(operation: Operation) -> Dim | None:
    """One pass over all indices together, as the equation says it."""
    left = operation.attributes["equation"].replace(" ", "").partition("->")[0].split(",")
    if any("." in term for term in left):
        return None
    sizes: dict[str, Dim] = {}
    for term, value in zip(left, operation.inputs, strict=True):
        if value is not None:
            sizes.update(zip(term, value.shape, strict=True))
    return product(sizes.values()) * max(len(left), 1)


def _pool(operation: Operation) -> Dim:
    return _result(operation) * math.prod(operation.attributes["kernel_shape"])


def _lrn(operation: Operation) -> Dim:
    return _result(operation) * (2 * operation.attributes["size"] + 4)


def _resize(operation: Operation) -> Dim:
    """A weighted sum of 2 or 4 neighbours along each axis that changes; nearest only moves."""
    taps = {"nearest": 0, "linear": 2, "cubic": 4}[operation.attributes["mode"]]
    sizes = zip(_input(operation).shape, operation.outputs[0].shape, strict=True)
    return _result(operation) * (2 * taps * sum(a != b for a, b in sizes))


def _recurrent(operation: Operation) -> Dim:
    """Two products of matrices a step and direction, and what the gates do with them."""
    x, weight, recurrence = (_input(operation, k) for k in range(3))
    steps = x.shape[0] * x.shape[1]
    products = (_count(weight) + _count(recurrence)) * 2
    hidden = recurrence.shape[0] * recurrence.shape[-1]
    return steps * (products + hidden * GATES[operation.operator.name] * 4)


def _dft(operation: Operation) -> Dim | None:
    """5 n log2 n for each of the transforms, as of a fast one."""
    axis = operation.inputs[2] if len(operation.inputs) > 2 else None
    where = -2 if axis is None else None if axis.known is None else int(axis.known.flat[0])
    if where is None:
        return None
    length = _input(operation).shape[where]
    if not isinstance(length, int) or length < 1:
        return None
    return _result(operation) // 2 * round(5 * math.log2(length)) if length > 1 else 0


def _linear_attention(operation: Operation) -> Dim:
    """Each step reads, scales and updates the state [kv_num_heads, n, m] and asks it once."""
    query, state = _input(operation), operation.outputs[1]
    heads = operation.attributes["q_num_heads"]
    width = state.shape[-2] * state.shape[-1]
    updates = operation.attributes["kv_num_heads"] * width * 5
    return query.shape[0] * query.shape[1] * (updates + heads * width * 2)


def _group_query_attention(operation: Operation) -> Dim:
    """Each query asks every key of the room, and adds up their values."""
    heads, (batch, time, _) = operation.attributes["q_num_heads"], _input(operation).shape
    *_, room, width = operation.outputs[1].shape
    return batch * time * heads * room * (4 * width + 5)


def _nothing(operation: Operation) -> Dim:
    return 0


BY_PATTERN: dict[Pattern, Rule] = {
    Pattern.ELEMENTWISE: per_result(1),
    Pattern.MOVEMENT: _nothing,
}


def _of(rule: Rule, names: str) -> dict[str, Rule]:
    return dict.fromkeys(names.split(), rule)


RULES: dict[str, Rule] = {
    **_of(_nothing, "ASSIGN CAST FILL_LIKE IF WHILE"),
    **_of(per_result(1), "HARDMAX POLYNOMIAL"),
    **_of(per_result(2), "BATCH_NORMALIZATION DEQUANTIZE DEQUANTIZE_LINEAR"),
    **_of(per_result(3), "LP_NORMALIZATION"),
    **_of(per_result(4), "AFFINE_GRID QUANTIZE QUANTIZE_LINEAR RMS_NORMALIZATION"),
    **_of(per_result(5), "LOG_SOFTMAX SAFE_SOFTMAX SOFTMAX"),
    **_of(per_result(7), "GROUP_NORMALIZATION INSTANCE_NORMALIZATION LAYER_NORMALIZATION"),
    **_of(per_result(7), "GRID_SAMPLE RESIZE_LINEAR"),
    **_of(per_result(15), "GRID_SAMPLE_3D"),
    **_of(per_element(1), "ADAPTIVE_AVERAGE_POOL_2D ADAPTIVE_MAX_POOL_2D COL_2_IM"),
    **_of(per_element(1), "ARG_MAX ARG_MIN CUM_MAX CUM_MIN CUM_PROD CUM_SUM"),
    **_of(per_element(1), "REDUCE_MAX REDUCE_MEAN REDUCE_MIN REDUCE_PROD REDUCE_SUM REDUCE_XOR"),
    **_of(per_element(3), "CUM_LOG_SUM_EXP REDUCE_LOG_SUM_EXP"),
    **_of(per_matrix(1, 3), "CHOLESKY"),
    **_of(per_matrix(2, 3), "DETERMINANT LU_FACTOR SIGN_LOG_DET"),
    **_of(per_matrix(2), "INVERSE MATRIX_INVERSE"),
    **_of(_conv, "CONV_2D CONV_3D CONV_INTEGER DEFORMABLE_CONV_2D"),
    **_of(_conv_transpose, "CONV_2D_TRANSPOSE CONV_3D_TRANSPOSE"),
    **_of(_pool, "AVERAGE_POOL AVERAGE_POOL_2D MAX_POOL MAX_POOL_2D"),
    **_of(_recurrent, " ".join(GATES)),
    "DFT": _dft,
    "EINSUM": _einsum,
    "FULLY_CONNECTED": _fully_connected,
    "GROUPED_MAT_MUL": _grouped_mat_mul,
    "GROUP_QUERY_ATTENTION": _group_query_attention,
    "LINEAR_ATTENTION": _linear_attention,
    "LP_POOL": lambda operation: _pool(operation) * 2,
    "LRN": _lrn,
    "MAT_MUL": _mat_mul,
    "RESIZE": _resize,
}
"""What is more than its pattern says, by the names of operators, none of which this imports."""
