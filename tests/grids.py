"""What the integers of a model stand for, as a set that tests compare."""

from __future__ import annotations

from nnir.model import Model
from nnir.quantised_types import to_explicit
from nnir.quantised_types.borders import border_of, type_of_computed, type_of_constant
from nnir.types import Precision


def grids(model: Model) -> set[tuple[Precision, object]]:
    """What the integers of a model stand for; INT8 and UINT8 half a range apart are the same."""
    found = set()
    for operation in to_explicit(model).operations:
        border, source = border_of(operation), operation.inputs[0]
        if border is not None and source is not None:
            known = source.constant is not None
            type = type_of_constant(border, source) if known else None
            type = type or type_of_computed(border, source.type)
            assert type is not None
            assert type.quantization is not None
            found.add((type.precision, type.quantization.numbers))
    return found
