"""Models without complex numbers, for devices and formats that have none."""

from __future__ import annotations

from .model import Model, Operation


def as_pairs(model: Model) -> Model:
    """A model that does the same without complex numbers; itself where it has none.

    Complex inputs and outputs become pairs too. NoLowering lists the operations without a rule.
    """
    if not any(value.precision.is_complex for value in model.values()):
        return model
    from .passes.complex_functions import write_pairs  # few models need it

    return write_pairs(model)


def is_complex(operation: Operation) -> bool:
    """Whether an operation reads or makes complex numbers."""
    ends = (*operation.inputs, *operation.outputs)
    return any(value.precision.is_complex for value in ends if value is not None)


def has_pairs(operation: Operation) -> bool:
    """Whether `as_pairs` has a rule for an operation on complex numbers."""
    from .passes.complex_functions import RULES

    return operation.operator in RULES
