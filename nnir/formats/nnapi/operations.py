"""The 29 operations as a table: their forms, and what each input and output may be.

An argument is written `name:types:ranks`, with `?` where it may have no value and `*` where there
are several. The types are letters, F for TENSOR_FLOAT32, Q for TENSOR_QUANT8_ASYMM, I for
TENSOR_INT32, i for INT32 and r for FLOAT32; those of one operation go together column by column,
so that FQ beside FI means both of the first or both of the second. Ranks are 1-4 or 4.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...records import dataclass
from .rules import require
from .structures import OperandType, OperationType

LETTERS = {
    "F": OperandType.TENSOR_FLOAT32,
    "Q": OperandType.TENSOR_QUANT8_ASYMM,
    "I": OperandType.TENSOR_INT32,
    "i": OperandType.INT32,
    "r": OperandType.FLOAT32,
}
HIGHEST = 64
"""No text limits the rank of what is looked up; so many axes NumPy has."""


@dataclass(frozen=True)
class Argument:
    """An input or an output of an operation."""

    name: str
    types: tuple[OperandType, ...]
    ranks: range
    optional: bool = False
    variadic: bool = False


@dataclass(frozen=True)
class Form:
    """One way to call an operation, told by the number of inputs."""

    name: str
    inputs: tuple[Argument, ...]

    @property
    def is_variadic(self) -> bool:
        return any(a.variadic for a in self.inputs)

    def takes(self, count: int) -> bool:
        """Whether so many inputs are this form."""
        return count >= len(self.inputs) if self.is_variadic else count == len(self.inputs)

    def spread(self, count: int) -> tuple[Argument, ...]:
        """One argument for each of `count` inputs."""
        if not self.is_variadic:
            return self.inputs
        first, *rest = self.inputs
        return (first,) * (count - len(rest)) + tuple(rest)


@dataclass(frozen=True)
class Signature:
    """An operation with its forms and outputs."""

    type: OperationType
    forms: tuple[Form, ...]
    outputs: tuple[Argument, ...]

    def form(self, count: int) -> Form:
        """The form that takes so many inputs; BadModel where none does."""
        counts = " or ".join(str(len(f.inputs)) for f in self.forms)
        found = [f for f in self.forms if f.takes(count)]
        require(bool(found), "input-count", f"{self.type.name} with {count} inputs, not {counts}")
        return found[0]


def parse_argument(text: str) -> Argument:
    """`name:types:ranks` with `?` or `*` behind the name."""
    name, letters, *ranks = text.split(":")
    types = tuple(LETTERS[c] for c in letters)
    least, _, most = (ranks[0] if ranks else "0" if letters in "ir" else f"1-{HIGHEST}").partition(
        "-"
    )
    allowed = range(int(least), int(most or least) + 1)
    return Argument(name.rstrip("?*"), types, allowed, name.endswith("?"), name.endswith("*"))


def parse_arguments(text: str) -> tuple[Argument, ...]:
    """Arguments with spaces between."""
    return tuple(map(parse_argument, text.split()))


FUSED = "fuse_code:i"
SIDES = "padding_left:i padding_right:i padding_top:i padding_bottom:i"
STRIDES = "stride_width:i stride_height:i"
PADDINGS = {"explicit": SIDES, "implicit": "padding_scheme:i"}
FILTER = "filter_width:i filter_height:i"
WEIGHTS = "input:FQ:4 filter:FQ:4 bias:FI:1"


def pool_forms(types: str) -> dict[str, str]:
    """The two forms of a pool."""
    image = f"input:{types}:4"
    return {n: f"{image} {p} {STRIDES} {FILTER} {FUSED}" for n, p in PADDINGS.items()}


def filter_forms(more: str = "") -> dict[str, str]:
    """The two forms of a convolution."""
    return {n: f"{WEIGHTS} {p} {STRIDES} {more} {FUSED}" for n, p in PADDINGS.items()}


def each(names: Iterable[str], kind: str, optional: str = "") -> str:
    """Arguments of one kind."""
    return " ".join(f"{n}{optional}:{kind}" for n in names)


GATES = ("forget", "cell", "output")
CELL = " ".join(
    (
        "input:F:2",
        "input_to_input_weights?:F:2",
        each((f"input_to_{g}_weights" for g in GATES), "F:2"),
        "recurrent_to_input_weights?:F:2",
        each((f"recurrent_to_{g}_weights" for g in GATES), "F:2"),
        each((f"cell_to_{g}_weights" for g in ("input", "forget", "output")), "F:1", "?"),
        "input_gate_bias?:F:1 forget_gate_bias:F:1 cell_bias:F:1 output_gate_bias:F:1",
        "projection_weights?:F:2 projection_bias?:F:1 output_state_in:F:2 cell_state_in:F:2",
        "activation:i cell_clip:r proj_clip:r",
    )
)
CELL_RESULTS = "scratch_buffer:F:2 output_state_out:F:2 cell_state_out:F:2 output:F:2"
PAIR = f"input0:FQ:1-4 input1:FQ:1-4 {FUSED}"
BLOCKS = "input:FQ:4 block_size:i"

Row = tuple[str | dict[str, str], str]
ROWS: dict[OperationType, Row] = {
    OperationType.ADD: (PAIR, "output:FQ:1-4"),
    OperationType.AVERAGE_POOL_2D: (pool_forms("FQ"), "output:FQ:4"),
    OperationType.CONCATENATION: ("input*:FQ:1-4 axis:i", "output:FQ:1-4"),
    OperationType.CONV_2D: (filter_forms(), "output:FQ:4"),
    OperationType.DEPTHWISE_CONV_2D: (filter_forms("depth_multiplier:i"), "output:FQ:4"),
    OperationType.DEPTH_TO_SPACE: (BLOCKS, "output:FQ:4"),
    OperationType.DEQUANTIZE: ("input:Q:1-4", "output:F:1-4"),
    OperationType.EMBEDDING_LOOKUP: ("lookups:I:1 values:FIQ:2-64", "output:FIQ:2-64"),
    OperationType.FLOOR: ("input:F:1-4", "output:F:1-4"),
    OperationType.FULLY_CONNECTED: (
        f"input:FQ:2-4 weights:FQ:2 bias:FI:1 {FUSED}",
        "output:FQ:2",
    ),
    OperationType.HASHTABLE_LOOKUP: (
        "lookups:I:1 keys:I:1 values:FIQ",
        "output:FIQ hits:Q:1",
    ),
    OperationType.L2_NORMALIZATION: ("input:F:4", "output:F:4"),
    OperationType.L2_POOL_2D: (pool_forms("F"), "output:F:4"),
    OperationType.LOCAL_RESPONSE_NORMALIZATION: (
        "input:F:4 radius:i bias:r alpha:r beta:r",
        "output:F:4",
    ),
    OperationType.LOGISTIC: ("input:FQ:1-4", "output:FQ:1-4"),
    OperationType.LSH_PROJECTION: ("hash:F:2 input:FIQ weight?:F:1 type:i", "output:I:1"),
    OperationType.LSTM: (CELL, CELL_RESULTS),
    OperationType.MAX_POOL_2D: (pool_forms("FQ"), "output:FQ:4"),
    OperationType.MUL: (PAIR, "output:FQ:1-4"),
    OperationType.RELU: ("input:FQ:1-4", "output:FQ:1-4"),
    OperationType.RELU1: ("input:FQ:1-4", "output:FQ:1-4"),
    OperationType.RELU6: ("input:FQ:1-4", "output:FQ:1-4"),
    OperationType.RESHAPE: ("input:FQ:1-4 shape:I:1", "output:FQ:1-4"),
    OperationType.RESIZE_BILINEAR: ("input:F:4 new_height:i new_width:i", "output:F:4"),
    OperationType.RNN: (
        "input:F:2 weights:F:2 recurrent_weights:F:2 bias:F:1 hidden_state_in:F:2 fuse_code?:i",
        "hidden_state_out:F:2 output:F:2",
    ),
    OperationType.SOFTMAX: ("input:FQ:2-4 beta:r", "output:FQ:2-4"),
    OperationType.SPACE_TO_DEPTH: (BLOCKS, "output:FQ:4"),
    OperationType.SVDF: (
        "input:F:2 weights_feature:F:2 weights_time:F:2 bias?:F:1 state_in:F:2 rank:i fuse_code?:i",
        "state_out:F:2 output:F:2",
    ),
    OperationType.TANH: ("input:F:1-4", "output:F:1-4"),
}


def make_signature(type: OperationType, row: Row) -> Signature:
    """A row of the table as a signature."""
    inputs, outputs = row
    forms = inputs if isinstance(inputs, dict) else {"": inputs}
    parsed = tuple(Form(name, parse_arguments(text)) for name, text in forms.items())
    return Signature(type, parsed, parse_arguments(outputs))


SIGNATURES = {type: make_signature(type, row) for type, row in ROWS.items()}
