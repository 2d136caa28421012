"""Recurrent layers, whose operators are ONNX's with time first."""

from __future__ import annotations

from typing import Annotated

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import cells, recurrent
from nnir.types import Precision

from ...attributes import Cells
from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs

table = Lowerings[Ref]()
EACH = {"RNN": 1, "GRU": 2, "LSTM": 3}
"""How many activations a cell has."""


def _wide(g: Emitter, value: Value) -> Ref:
    return g.cast(value, Precision.FLOAT32 if value.is_float else Precision.INT32)


Numbers = Annotated[Ref, _wide]
"""Floats in float32, lengths in int32."""


@table.lower(recurrent.rnn, recurrent.gru, recurrent.lstm, how=Cells)
def layer(
    g: Emitter,
    input: Value,
    weight: Numbers,
    recurrence: Value,
    *rest: Numbers | None,
    how: Cells,
) -> Refs:
    op = g.operation.operator.name
    g.require_single(op, input.precision)
    if any(d == 0 for d in input.shape):
        raise NoLowering(f"onnxruntime crashes on {op} of {input.type}")
    names = how.functions(EACH[op])
    # the parameters too, of which ONNX Runtime has other defaults
    rows = cells.parameters(names, how.activation_alpha, how.activation_beta)
    if any(name == "softplus" for name, *_ in rows):
        raise NoLowering(f"onnxruntime's {op} overflows in Softplus")
    return g.node(
        op,
        *(_wide(g, input), weight, _wide(g, recurrence), *rest),
        outputs=len(g.operation.outputs),
        activations=names,
        direction=how.direction,
        activation_alpha=[a for n, a, _ in rows if n in cells.ALPHA] or None,
        activation_beta=[b for n, _, b in rows if n in cells.BETA] or None,
        clip=how.clip,
        linear_before_reset=how.linear_before_reset,
        input_forget=how.input_forget,
        hidden_size=_hidden_size(recurrence),
    )


def _hidden_size(recurrence: Value) -> int:
    size = recurrence.shape[2]
    if not isinstance(size, int):
        raise NoLowering("a recurrent layer whose hidden size is not known")
    return size
