"""What ONNX Runtime gets wrong; see `hal.quirks`."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.model import Operation, Operator, Value
from nnir.ops import activation, binary, conv, linear, quant, unary

from ...quirks import Means, Quirk

PAD_BEFORE_MAX_POOL = Quirk(
    "onnxruntime",
    "pad_before_max_pool",
    "a Pad of zeros is moved into the MaxPool behind it, whose padding is the least number",
    "1.31.1",
    Means.REWRITTEN,
)
PAD_BEFORE_AVERAGE_POOL = Quirk(
    "onnxruntime",
    "pad_before_average_pool",
    "a Pad of zeros as wide as the kernel is moved into the AveragePool behind it: no session",
    "1.31.1",
    Means.REWRITTEN,
)
SOFTMAX_WRAPS = Quirk(
    "onnxruntime",
    "quantised_softmax_wraps",
    "Softmax between quantised values gives 0 for what is above the largest of its results",
    "1.31.1",
    Means.REWRITTEN,
)
UNSIGNED_BEHIND_TRANSPOSE = Quirk(
    "onnxruntime",
    "int8_behind_a_transpose",
    "int8 becomes uint8 on x86; a Transpose behind a dequantisation then has no session from opset "
    "21 on",
    "1.31.1",
    Means.SET,
)
QUANTISED_END = Quirk(
    "onnxruntime",
    "output_quantised_behind_a_transpose",
    "an output that is transposed and quantised too is what comes of that",
    "1.31.1",
    Means.REWRITTEN,
)
PADDED_END = Quirk(
    "onnxruntime",
    "output_in_front_of_a_pad",
    "an output that a Pad in front of a Conv reads too has no session",
    "1.31.1",
    Means.REWRITTEN,
)
LOST_IN_LOG_SUM_EXP = Quirk(
    "onnxruntime",
    "log_sum_exp_of_infinities",
    "ReduceLogSumExp loses what is far below 0 beside -infinity",
    "1.31.1",
    Means.REWRITTEN,
)
SUMS_OF_INT64 = Quirk(
    "onnxruntime",
    "sums_of_int64",
    "ReduceSum adds int64 in floats: beyond 2**53 its last digits are lost",
    "1.31.1",
    Means.REWRITTEN,
)
PRODUCTS_OF_INTEGERS = Quirk(
    "onnxruntime",
    "products_of_integers",
    "ReduceProd multiplies integers as float64, which loses digits and saturates",
    "1.31.1",
    Means.REWRITTEN,
)
TRUE_ZERO = Quirk(
    "onnxruntime",
    "negative_zero_of_float8_is_true",
    "a Cast to bool takes the -0 of a float of 8 bits for true",
    "1.31.1",
    Means.REWRITTEN,
)
ABOVE_FLOAT8 = Quirk(
    "onnxruntime",
    "float8_above_its_largest",
    "a Cast to FLOAT8E4M3FN gives 448 for 480 to 495, not NaN",
    "1.31.1",
    Means.REWRITTEN,
)
WEIGHTS_BETWEEN_INTEGERS = Quirk(
    "onnxruntime",
    "weights_between_quantised_values",
    "real weights between quantised values become int8: results are steps away",
    "1.31.1",
    Means.SET,
)
BIAS_OF_OTHER_STEPS = Quirk(
    "onnxruntime",
    "bias_of_other_steps",
    "what is added to a product of quantised matrices counts in steps of the products, whatever "
    "the scale of its own",
    "1.31.1",
    Means.REWRITTEN,
)
HALF_OF_GELU = Quirk(
    "onnxruntime",
    "half_of_a_gelu",
    "half of what a GELU by Tanh is of has no session where something else reads it too",
    "1.31.1",
    Means.REWRITTEN,
)
GELU_WITHOUT_AXES = Quirk(
    "onnxruntime",
    "gelu_without_axes",
    "a GELU by Tanh of a number without axes becomes a kernel that refuses it while running",
    "1.31.1",
    Means.REWRITTEN,
)
QUIRKS = (
    PAD_BEFORE_MAX_POOL,
    PAD_BEFORE_AVERAGE_POOL,
    SOFTMAX_WRAPS,
    UNSIGNED_BEHIND_TRANSPOSE,
    QUANTISED_END,
    PADDED_END,
    LOST_IN_LOG_SUM_EXP,
    SUMS_OF_INT64,
    PRODUCTS_OF_INTEGERS,
    TRUE_ZERO,
    ABOVE_FLOAT8,
    WEIGHTS_BETWEEN_INTEGERS,
    BIAS_OF_OTHER_STEPS,
    HALF_OF_GELU,
    GELU_WITHOUT_AXES,
)


def _operands(operation: Operation) -> list[Value]:
    return [v for v in operation.inputs if v is not None]


def is_half(value: Value) -> bool:
    """Whether a value is the number 0.5."""
    known = value.constant
    return known is not None and known.size == 1 and bool(known.reshape(()) == 0.5)


def quirk_of_half(x: Value, half: Value) -> Quirk | None:
    """What is wrong with half of `x` as a factor of a GELU by TANH, where something is.

    ONNX Runtime makes one kernel of the GELU, which takes no number without axes. It takes the half
    away with it, though something else may read it too; equal products are one before that.
    """
    products = [o for o in x.uses if o.operator is binary.mul and any(map(is_half, _operands(o)))]
    halves = {half, *(o.outputs[0] for o in products)}
    readers = [o for value in halves for o in value.uses]
    if not any(_is_gelu(o) for o in readers):
        return None
    is_read_more = len(readers) > 1 or any(value in value.model.outputs for value in halves)
    return HALF_OF_GELU if is_read_more else None if x.rank else GELU_WITHOUT_AXES


def _is_gelu(product: Operation) -> bool:
    """Whether something is multiplied with the sum of a TANH and a number."""
    sums = _makers(product, binary.add) if product.operator is binary.mul else []
    return any(_makers(o, activation.tanh) for o in sums)


def _makers(operation: Operation, operator: Operator[Any]) -> list[Operation]:
    """The operations of one operator that make what an operation reads."""
    makers = [v.producer for v in _operands(operation)]
    return [o for o in makers if o is not None and o.operator is operator]


def is_cut_off(input: Value, *, is_alone: bool) -> bool:
    """Whether a softmax of `input` is quantised to less than 1; one element by itself (`is_alone`)
    is lost with any number."""
    made = [o.outputs[0] for o in input.uses if o.operator is activation.softmax]
    return any(_has_no_one(o, is_alone=is_alone) for v in made for o in v.uses)


def _has_no_one(reader: Operation, *, is_alone: bool) -> bool:
    """Whether a quantisation has no number for 1, or it is not known."""
    if reader.operator is not quant.quantize_linear or not reader.outputs[0].is_integer:
        return False
    _, scale, zero_point = reader.inputs
    dtype = reader.outputs[0].dtype
    zero = np.zeros(1, dtype) if zero_point is None else zero_point.constant
    if is_alone or scale is None or scale.constant is None or zero is None:
        return True
    most = (np.iinfo(dtype).max - zero.astype(np.float64)) * scale.constant
    return bool((most < 1).any())


def has_own_steps(reader: Operation, bias: Value) -> bool:
    """Whether an operation adds a bias that counts in steps of its products."""
    if reader.operator in (conv.conv_2d, conv.conv_3d):
        return True
    if reader.operator is not linear.fully_connected or reader.inputs[2] is not bias:
        return False
    scales = [_scale_of(v) for v in (*reader.inputs[:2], bias)]
    x, weight, own = scales
    if x is None or weight is None or own is None:
        return False
    return bool(np.allclose(x * weight, own, atol=0))


def _scale_of(value: Value | None) -> np.ndarray | None:
    """The scales of the integers that a value is made of."""
    maker = None if value is None else value.producer
    if maker is None or maker.operator is not quant.dequantize_linear or maker.inputs[1] is None:
        return None
    return maker.inputs[1].constant


def is_small_sum(input: Value) -> bool:
    """Whether no sum comes near 2**53: counts, and what was a narrower integer."""
    if input.known is not None:
        return bool(np.abs(input.known.astype(np.float64)).sum() < 2**52)
    producer = input.producer
    if producer is None or producer.operator is not unary.cast:
        return False
    source = producer.inputs[0]
    return source is not None and source.dtype.kind in "biu" and source.dtype.itemsize < 8
