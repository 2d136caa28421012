"""What OpenVINO gets wrong; see `hal.quirks`."""

from __future__ import annotations

from nnir.dim import Expr
from nnir.model import Operation, Value
from nnir.operator import Pattern
from nnir.ops import activation, binary, compare, shape

from ...quirks import Means, Quirk

EQUAL_HEADS_AND_ROWS = Quirk(
    "openvino",
    "attention_of_equal_sizes",
    "an attention [B, H, S, D] has wrong values where S equals H, its query is scaled or part of a "
    "stacked tensor, and one of query and result, but not both, has its heads and rows exchanged",
    "2026.4.1",
    Means.REWRITTEN,
)
ONE_KEY_FIRST = Quirk(
    "openvino",
    "attention_of_one_key_first",
    "an attention without a mask whose number of keys is open is wrong for 16 keys and more, once "
    "it was run with one",
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
ONE_CHANNEL_OF_CUBES = Quirk(
    "openvino",
    "one_channel_of_cubes",
    "a convolution over three axes of one channel is wrong where the dilations of the first two "
    "axes differ: it reads what lies beside the data",
    "2026.4.1",
    Means.REWRITTEN,
)
DILATED_TAP = Quirk(
    "openvino",
    "dilation_of_one_tap",
    "a convolution with a dilation along an axis of one tap ends the process where windows lie "
    "in the border alone",
    "2026.4.1",
    Means.REWRITTEN,
)
ONE_COLUMN = Quirk(
    "openvino",
    "one_column_by_strides",
    "a convolution of one channel that gives one column is wrong where it has strides along the "
    "last axis alone: its kernel with AVX-512 reads what lies beside the data",
    "2026.4.1",
    Means.REWRITTEN,
)
PADDED_POINTS = Quirk(
    "openvino",
    "strides_of_a_padded_pointwise_convolution",
    "the strides of a convolution of kernel 1 are moved in front of what it reads, as if neither "
    "it nor what they are moved past had a border",
    "2026.4.1",
    Means.REWRITTEN,
)
SCALED_VECTOR = Quirk(
    "openvino",
    "scaled_product_with_a_vector",
    "a product with a constant vector that is divided does not compile",
    "2026.4.1",
    Means.REWRITTEN,
)
ACTIVATION_BEHIND_POOL = Quirk(
    "openvino",
    "activation_behind_max_pool",
    "a convolution computes the activation behind the maxima of its results before these are "
    "taken, which is wrong where it falls",
    "2026.4.1",
    Means.REWRITTEN,
)
SCALES_OF_PLACES = Quirk(
    "openvino",
    "scales_of_places",
    "where rows or columns are multiplied with as many numbers as a kernel has taps there, the "
    "filter is multiplied instead, which is wrong beside a border",
    "2026.4.1",
    Means.REWRITTEN,
)
CHANNELS_OF_A_PRODUCT = Quirk(
    "openvino",
    "channels_of_a_product",
    "arithmetic with one number for each channel, behind a product of rank 4 and more and of open "
    "sizes with a constant matrix, is done with one for each column, or does not compile",
    "2026.4.1",
    Means.REWRITTEN,
)
GATE_BEHIND_ATTENTION = Quirk(
    "openvino",
    "gate_behind_attention",
    "compiling an attention whose transposed result is computed with what is itself computed "
    "element by element, as a gate is, kills the process",
    "2026.4.1",
    Means.REWRITTEN,
)
SLOPES_OF_A_PRODUCT = Quirk(
    "openvino",
    "slopes_of_a_product",
    "a PRelu of a product of rank 4 and more with a constant matrix takes its slopes along the "
    "last axis, not along the channels",
    "2026.4.1",
    Means.REWRITTEN,
)
SLOPES_OF_A_REDUCTION = Quirk(
    "openvino",
    "slopes_of_a_reduction",
    "a PRelu behind a reduction of three axes, or of what becomes three, takes its slopes along "
    "another axis than the channels",
    "2026.4.1",
    Means.REWRITTEN,
)
TRANSPOSED_INPUT = Quirk(
    "openvino",
    "transposed_input_of_a_sequence",
    "whatever else reads the Transpose in front of a recurrent layer of one direction, another "
    "layer too, reads the data as if it had not been transposed",
    "2026.4.1",
    Means.REWRITTEN,
)
SCALES_OF_SUMMED_ROWS = Quirk(
    "openvino",
    "scales_of_summed_rows",
    "a product with integer weights that have a scale for each row that is summed, or for blocks "
    "of columns, is wrong, does not compile or ends the process",
    "2026.4.1",
    Means.REWRITTEN,
)
PRODUCT_OF_CONSTANTS = Quirk(
    "openvino",
    "product_of_packed_constants",
    "a product of two constants is wrong where the first one, integers of 4 bits, is transposed",
    "2026.4.1",
    Means.REWRITTEN,
)
SLICE_BEFORE_GATHER = Quirk(
    "openvino",
    "slice_before_gather_elements",
    "a Slice from 0 on before a GatherElements is left out, so that it does not compile where the "
    "slice cuts another axis",
    "2026.4.1",
    Means.REWRITTEN,
)
REPEATS_OF_REPEATS = Quirk(
    "openvino",
    "repeats_of_repeats",
    "a tensor that is repeated twice is wrong where the first repetition is read elsewhere, too",
    "2026.4.1",
    Means.REWRITTEN,
)
BORDER_BEFORE_SAME = Quirk(
    "openvino",
    "border_before_auto_pad",
    "a Pad of zeros in front of a Convolution or an AvgPool with auto_pad is joined with it where "
    "sizes are open, and the window's own border is lost",
    "2026.4.1",
    Means.REWRITTEN,
)
QUIRKS = (
    BORDER_BEFORE_SAME,
    EQUAL_HEADS_AND_ROWS,
    ONE_KEY_FIRST,
    RESHAPE_TO_NUMBER,
    GROUPS_OF_OPEN_ROWS,
    DILATED_TAP,
    ONE_CHANNEL_OF_CUBES,
    ONE_COLUMN,
    PADDED_POINTS,
    SCALED_VECTOR,
    ACTIVATION_BEHIND_POOL,
    SCALES_OF_PLACES,
    CHANNELS_OF_A_PRODUCT,
    GATE_BEHIND_ATTENTION,
    SLOPES_OF_A_PRODUCT,
    SLOPES_OF_A_REDUCTION,
    TRANSPOSED_INPUT,
    SCALES_OF_SUMMED_ROWS,
    PRODUCT_OF_CONSTANTS,
    SLICE_BEFORE_GATHER,
    REPEATS_OF_REPEATS,
)

KEEPS = frozenset({Pattern.ELEMENTWISE, Pattern.MOVEMENT})
"""What may stand between the softmax of an attention and the product with its values."""


MASKING = frozenset({binary.add, compare.where})
"""What hides keys in front of a softmax."""


def is_attention_of_equal_sizes(x: Value, y: Value) -> bool:
    """Whether a product is that of an attention with as many heads as rows."""
    if x.rank != 4 or y.rank != 4 or x.shape[1] != x.shape[2] or isinstance(x.shape[1], Expr):
        return False
    return _softmax_behind(x) is not None


def is_attention_of_open_keys(x: Value, y: Value) -> bool:
    """Whether a product is that of an attention without a mask, of any number of keys."""
    found = _softmax_behind(x) if x.rank > 1 and isinstance(x.shape[-1], Expr) else None
    if found is None or (scores := found.inputs[0]) is None:
        return False
    maker = scores.producer
    if maker is None or maker.operator not in MASKING:
        return True
    return any(v is not None and v.constant is not None for v in maker.inputs[:2])


def _softmax_behind(x: Value) -> Operation | None:
    """The softmax that a value is made of, by what lies between those of an attention."""
    reached, seen = [x], {x}
    while reached:
        made = reached.pop().producer
        if made is None:
            continue
        if made.operator is activation.softmax:
            return made
        if made.operator.pattern in KEEPS:
            fresh = {v for v in made.inputs if v is not None} - seen
            seen |= fresh
            reached += fresh
    return None


def is_open_with_groups(x: Value, y: Value) -> bool:
    """Whether a product is one of open rows with several matrices of known sizes."""
    is_open = any(isinstance(d, Expr) for d in x.shape)
    is_known = not any(isinstance(d, Expr) for d in y.shape)
    if x.rank not in (2, 3) or y.rank != 3 or not is_open or not is_known or y.shape[0] == 1:
        return False
    return x.rank == 2 or x.shape[0] != y.shape[0]


def is_behind_border(value: Value) -> bool:
    """Whether a value is made by a PAD, or by a TRANSPOSE of one's result."""
    while (made := value.producer) is not None and made.operator is shape.transpose:
        source = made.inputs[0]
        if source is None:
            return False
        value = source
    return made is not None and made.operator is shape.pad
