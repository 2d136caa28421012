"""ONNX Runtime's LSTM of integers (com.microsoft), as dynamic quantisation writes it."""

from __future__ import annotations

from typing import Literal

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.recipes.integer_recurrent import Weights, run_lstm

from ...table import Absent, Floats, Maybe, Table

table = Table(prefix="com.microsoft::")
BACKWARD = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
DEFAULTS = ("Sigmoid", "Tanh", "Tanh")


@table.convert("DynamicQuantizeLSTM")
def dynamic_quantize_lstm(
    x: Value,
    w: Value,
    r: Value,
    b: Maybe,
    sequence_lens: Absent,
    initial_h: Maybe,
    initial_c: Maybe,
    p: Absent,
    w_scale: Value,
    w_zero_point: Value,
    r_scale: Value,
    r_zero_point: Value,
    *,
    activation_alpha: Floats = (),
    activation_beta: Floats = (),
    activations: tuple[str, ...] = (),
    clip: Absent = None,
    direction: Literal["forward", "reverse", "bidirectional"] = "forward",
    hidden_size: int | None = None,
    input_forget: Literal[0] = 0,
) -> tuple[Value, Value, Value]:
    """ONNX Runtime takes as many samples together as one of its threads has: fewer where there are
    more threads, one in the end."""
    turns = BACKWARD[direction]
    if activations not in ((), DEFAULTS * len(turns)) or activation_alpha or activation_beta:
        raise Unsupported(f"DynamicQuantizeLSTM with {activations=}, not {DEFAULTS}")
    if hidden_size is not None and hidden_size not in r.shape[1:2]:
        raise BadType(f"DynamicQuantizeLSTM with {hidden_size=} and weights {r.type}")
    weights = Weights(w, w_scale, w_zero_point), Weights(r, r_scale, r_zero_point)
    return run_lstm(x, *weights, b, (initial_h, initial_c), turns)
