"""Models with operations on quantised operands, for devices that know them and for others."""

from __future__ import annotations

from nnir.model import Model
from nnir.quantised_types import Reversal, has_quantised_operations, to_explicit

from .device import Device


def shown_to(device: Device, model: Model) -> Model:
    """A model as a device gets it: an explicit one, where it knows no quantised operands."""
    if device.takes_quantised or not has_quantised_operations(model):
        return model
    return to_explicit(model)


def explain(device: Device, context: object, model: Model) -> list[str | None]:
    """What `Device.explain_program` says of each operation, by what it becomes for the device."""
    if device.takes_quantised or not has_quantised_operations(model):
        return device.explain_program(context, model)
    reversal = Reversal(model)
    explicit = reversal.run()
    answers = dict(zip(explicit.operations, device.explain_program(context, explicit), strict=True))
    return [
        next((answers[part] for part in reversal.parts[o] if answers[part]), None)
        for o in model.operations
    ]
