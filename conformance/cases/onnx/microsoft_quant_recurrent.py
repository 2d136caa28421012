"""ONNX Runtime's LSTM with weights of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Const, Tolerance, f, i, rand
from .microsoft_quant import ms

CLOSE = Tolerance(relative=1e-4, absolute=1e-5)
"""What the functions of the gates round."""

KINDS = {np.int8: 3, np.uint8: 120}
STEPS = rand(4, 1, 3)


def lstm(
    kind: Any = np.int8,
    x: Any = STEPS,
    bias: Any = None,
    states: Any = (None, None),
    lengths: Any = None,
    peepholes: Any = None,
    scales: Any = None,
    count: int = 1,
    **attrs: Any,
) -> Any:
    """DynamicQuantizeLSTM of three features with five hidden ones, in `count` directions."""
    bounds = np.iinfo(kind)
    weights = [
        Const(rand(count, rows, 20, dtype=kind, low=bounds.min, high=bounds.max)) for rows in (3, 5)
    ]
    zeros = Const(np.full(count, KINDS[kind], kind))
    each = Const(np.full(count, 0.01, np.float32)) if scales is None else Const(scales)
    sizes = each, zeros, each, zeros
    inputs = x, *weights, bias, lengths, *states, peepholes, *sizes
    return ms("DynamicQuantizeLSTM", *inputs, **{"hidden_size": 5} | attrs)


BIAS = Const(rand(1, 40))
START = rand(1, 1, 5), rand(1, 1, 5, seed=1)
WORDS: dict[str, Any] = {"activations": ["Sigmoid", "Tanh", "Tanh"]}

CASES = [
    *(lstm(kind)(f"of {kind.__name__}", tol=CLOSE, outputs=3) for kind in KINDS),
    lstm(bias=BIAS)("biases", tol=CLOSE, outputs=3),
    lstm(states=START)("first states", tol=CLOSE, outputs=3),
    lstm(direction="reverse")("backward", tol=CLOSE, outputs=3),
    lstm(count=2, direction="bidirectional")("both ways", tol=CLOSE, outputs=3),
    lstm(**WORDS)("the usual functions by name", tol=CLOSE, outputs=3),
    lstm(activations=["Relu", "Tanh", "Tanh"])("other functions", raises=Unsupported, outputs=3),
    lstm(activation_alpha=[0.5], **WORDS)("an alpha", raises=Unsupported, outputs=3),
    lstm(activation_beta=[0.5], **WORDS)("a beta", raises=Unsupported, outputs=3),
    lstm(clip=1.0)("limits", raises=Unsupported, outputs=3),
    lstm(input_forget=1)("coupled gates", raises=Unsupported, outputs=3),
    lstm(lengths=i(2, dtype=np.int32))("lengths", raises=Unsupported, outputs=3),
    lstm(peepholes=rand(1, 15))("peepholes", raises=Unsupported, outputs=3),
    lstm(hidden_size=4)("another size", raises=BadType, outputs=3),
    lstm(direction="sideways")("no such direction", raises=Unsupported, outputs=3),
    lstm(hidden_size=20)("the size of all gates", raises=BadType, outputs=3),
    lstm(x=f([1, 2, 3]))("no batch", raises=BadType, outputs=3),
]
