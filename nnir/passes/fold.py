"""Constant folding."""

from __future__ import annotations

from ..folding import Folder
from ..model import Model
from .rewrite import rewrite, sweep

LIMIT = 4096
"""Bytes of a result that may be larger than what it is made from."""


def _is_folded(model: Model) -> bool:
    folder = Folder(LIMIT)
    return all(folder.constant_of(v) is None for o in model.operations for v in o.outputs)


@rewrite(ensures=_is_folded)
def fold_constants(model: Model) -> bool:
    """Replace what does not depend on the inputs by constants.

    Ensures: nothing is left that can be computed now. A large constant only replaces operands
    that are at least as large, and random numbers are never drawn.
    """
    folder = Folder(LIMIT)
    ends = {id(v) for v in model.outputs}
    known = {}
    for operation in model.sorted():
        for value in operation.outputs:
            array = folder.constant_of(value)
            if array is not None and (value.uses or id(value) in ends):
                known[value] = model.constant(array, value.dtype, name=value.name)
    model.replace_all(known)
    return sweep(model) or bool(known)
