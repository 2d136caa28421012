"""What takes and gives what users of a model know."""

from __future__ import annotations

from nnir.metadata import LIST_ENDS
from nnir.model import Model

from .program import Program


def program_class(model: Model | None) -> type[Program]:
    """The class of a model's programs: those of ends that are lists take and give lists."""
    if model is None or LIST_ENDS not in model.metadata:
        return Program
    from nnir.lists import sides_of  # few models have any

    from .list_program import ListProgram

    return ListProgram if any(side.has_lists for side in sides_of(model)) else Program
