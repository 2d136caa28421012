"""What stands in the way of a model, and where it lies."""

from __future__ import annotations

from .errors import Refusal
from .model import Operation, Value
from .printer import attributes_text


def refusal_of(why: str, place: Operation | Value) -> Refusal:
    """Why an operation or an end of a model is refused, with what it is there."""
    if isinstance(place, Value):
        end = "output" if place.producer is not None else "input"
        return Refusal(why, precision=place.precision.name, node=f"{end} {place.name or ''}")
    values = (*place.inputs, *place.outputs)
    precisions = dict.fromkeys(v.precision.name for v in values if v is not None)
    return Refusal(
        why,
        place.operator.name,
        precision=", ".join(precisions),
        attributes=attributes_text(place),
        node=place.origin or "",
    )
