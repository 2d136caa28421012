"""Masks that hide nothing."""

from __future__ import annotations

from ..folding import Folder
from ..model import Model, Value
from ..ops import activation, attention, binary
from ..types import Fuse
from .rewrite import rewrite, sweep

LIMIT = 1 << 24
"""Bytes of a mask that is looked at."""

SOFTMAXES = frozenset({activation.softmax, attention.safe_softmax})


def _find(model: Model) -> dict[Value, Value]:
    """Sums of scores and zeros that only a softmax reads, and the scores."""
    folder, found = Folder(LIMIT), {}
    for operation in model.operations:
        if operation.operator not in SOFTMAXES:
            continue
        (total,) = operation.inputs
        adding = None if total is None else total.producer
        if total is None or adding is None or adding.operator is not binary.add:
            continue
        if adding.attributes["fuse_code"] != Fuse.NONE or total in model.outputs:
            continue
        if any(reader.operator not in SOFTMAXES for reader in total.uses):
            continue
        for scores, mask in (adding.inputs, adding.inputs[::-1]):
            if scores is not None and mask is not None and scores.type == total.type:
                known = folder.constant_of(mask)
                if known is not None and not known.any():
                    found[total] = scores
                    break
    return found


@rewrite(ensures=lambda model: not _find(model))
def remove_masks(model: Model) -> bool:
    """Leave out masks of zeros, which exporters write where nothing is hidden.

    Ensures: no softmax alone reads the sum of something and known zeros. A score of -0.0 may become
    0.0 by it, which no softmax tells from it.
    """
    found = _find(model)
    model.replace_all(found)
    return sweep(model) or bool(found)
