"""Convolutions of ONNX Runtime's own domain, with what was fused into them."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value

from ...table import Floats, Maybe, Table
from .conv import conv_
from .microsoft_activation import activate, numbers_of
from .windows import Sliding

table = Table(prefix="com.microsoft::")


@table.convert("FusedConv")
def fused_conv(
    x: Value,
    w: Value,
    b: Maybe = None,
    z: Maybe = None,
    *,
    activation: str | None = None,
    activation_params: Floats = (),
    group: int = 1,
    how: Sliding,
) -> Value:
    """The sum with `z`, if there is one, goes through the activation."""
    result = conv_(x, w, b, group=group, how=how)
    result = result if z is None else result + z
    names = () if activation is None else numbers_of("FusedConv", activation)
    if len(names) != len(activation_params):
        raise BadType(f"FusedConv with {activation=} and {activation_params=}: {len(names)} fit")
    numbers = dict(zip(names, activation_params, strict=True))
    return activate("FusedConv", result, activation, numbers)
