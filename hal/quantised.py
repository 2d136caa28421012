"""Models with operations on quantised operands, for devices that know them and for others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.ops import quant
from nnir.types import Quantization, TensorType, precision_of

from .device import Device
from .emission import Emission

R = TypeVar("R")


def shown_to(device: Device, model: Model) -> Model:
    """A model as a device gets it: an explicit one, where it knows no quantised operands."""
    if device.takes_quantised or _is_explicit(model):
        return model
    from nnir.quantised_types import to_explicit  # few models have any

    return to_explicit(model)


def explain(device: Device, context: object, model: Model) -> list[str | None]:
    """What `Device.explain_program` says of each operation, by what it becomes for the device."""
    if device.takes_quantised or _is_explicit(model):
        return device.explain_program(context, model)
    from nnir.quantised_types import Reversal

    reversal = Reversal(model)
    explicit = reversal.run()
    answers = dict(zip(explicit.operations, device.explain_program(context, explicit), strict=True))
    return [
        next((answers[part] for part in reversal.parts[o] if answers[part]), None)
        for o in model.operations
    ]


def quantize(g: Emission[R], input: Value, recipe: Callable[..., Value] | None = None) -> R:
    """QUANTIZE by `recipe`, which takes real numbers, scales and zero points, the `axis` and, as
    `dtype`, the plain integers that the result is stored as."""
    type = g.operation.outputs[0].type
    way = partial(recipe or quant.quantize_narrow, dtype=precision_of(type.dtype))
    return _compose(g, way, input, type)


def dequantize(g: Emission[R], input: Value, recipe: Callable[..., Value] | None = None) -> R:
    """DEQUANTIZE by `recipe`, which has the parameters of DEQUANTIZE_LINEAR."""
    model = Model()
    if input.constant is not None:
        whole = model.constant(input.constant)
    else:
        whole = model.input("", TensorType(precision_of(input.dtype), input.shape))
        g.names[whole] = g.typed(g.take(input), whole)
    made = g.operation.outputs[0].precision
    way = partial(recipe or quant.dequantize_narrow, block_size=0, dtype=made)
    return _compose(g, way, whole, input.type)


def _compose(g: Emission[R], recipe: Callable[..., Value], input: Value, type: TensorType) -> R:
    """A recipe by the scales and zero points of a type."""
    how = type.quantization
    if how is None:
        raise NoLowering(f"{type} has no scale")
    scales = np.array(how.scales[0] if how.axis is None else how.scales, np.float32)
    zeros = np.array(how.zero_points[0] if how.axis is None else how.zero_points, type.dtype)
    zeros = np.broadcast_to(zeros, scales.shape)
    constants = (Model().constant(part) for part in (scales, zeros))
    (made,) = g.compose(partial(recipe, axis=how.axis or 0), input, *constants)
    return made


def known_affine(scale: Value | None, zero_point: Value | None, axis: int) -> Quantization | None:
    """Scales and zero points of one axis at most, as types have them, where they are constants."""
    zeros = np.zeros(1, np.int64) if zero_point is None else zero_point.constant
    if scale is None or scale.constant is None or zeros is None or scale.rank > 1:
        return None
    scales = tuple(map(float, scale.constant.reshape(-1)))
    single = len(scales) == 1
    whole = np.broadcast_to(zeros.reshape(-1).astype(np.int64), len(scales))
    return Quantization(scales, tuple(whole.tolist()), None if single else axis)


def _is_explicit(model: Model) -> bool:
    """Whether no operation works on quantised operands."""
    return not any(o.is_on_integers for o in model.operations)
