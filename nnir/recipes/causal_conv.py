"""Depthwise convolutions along time with a state, of models that work step by step."""

from __future__ import annotations

import functools
from typing import Literal

from .. import build
from ..dim import Expr
from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import binary, index, shape
from ..ops.activation import swish
from ..types import Precision

MOST_TAPS = 256


def convolve_causally(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    past_state: Value | None = None,
    *,
    activation: Literal["none", "silu", "swish"] = "none",
) -> tuple[Value, Value]:
    """A depthwise convolution of [batch, channels, time] that sees nothing later, and the last
    elements, which stand before the next ones.

    It is a sum over the few taps of the kernel [channels, 1, taps], each a shifted view.
    """
    taps = weight.shape[-1]
    if input.rank != 3 or weight.rank != 3 or isinstance(taps, Expr):
        raise BadType(f"a causal convolution of {input.type} by {weight.type}")
    if not 0 < taps <= MOST_TAPS:
        raise Unsupported(f"a causal convolution with a kernel of {taps}")
    is_first = past_state is None
    pads = [0, 0, 0, 0, taps - 1, 0]
    whole = shape.pad(input, pads) if is_first else shape.concat(past_state, input, axis=2)
    wide = Precision.FLOAT64 if input.precision == Precision.FLOAT64 else Precision.FLOAT32
    signal, kernel = whole.cast(wide), shape.squeeze(weight.cast(wide), [1])
    total = functools.reduce(
        binary.add,
        (
            index.slice_(signal, [2], [tap], [tap + 1 - taps or build.END])
            * index.slice_(kernel, [1], [tap], [tap + 1])
            for tap in range(taps)
        ),
    )
    if bias is not None:
        total = total + shape.unsqueeze(bias.cast(wide), [1])
    output = total.cast(input.precision)
    output = output if activation == "none" else swish(output)
    return output, index.slice_(whole, [2], [1 - taps or build.END], [build.END])
