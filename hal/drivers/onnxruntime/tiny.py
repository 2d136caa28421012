"""Weights of hidden keys, which are too small for the processor.

Far below the largest score of a row, exponentials are smaller than the smallest normal float. A
softmax takes up to twelve times as long with them, and a product with what it leaves of them, as
behind Swin's mask of -100, up to eighty times. Where a mask makes such scores, they are raised to
what has a normal exponential, and their weights are 0 in the product. So a weight below 1e-33
counts as 0 beside the 1 that a row sums up to.
"""

from __future__ import annotations

from math import exp, prod

from nnir.folding import Folder
from nnir.model import Operation, Value
from nnir.ops import binary, shape
from nnir.passes.masks import SOFTMAXES
from nnir.types import Precision

from .blind import LARGE, weighs
from .emitter import Emitter, Operand

DEPTH = 78.0
"""So far below the largest score of a row others may be: e ** -78 over a million is normal."""

HIDDEN = -60.0
"""Masks below it hide something."""

LIMIT = 1 << 24
"""Bytes of a mask that is looked at."""

LAYOUTS = frozenset({shape.reshape, shape.squeeze, shape.unsqueeze})


def raise_hidden(g: Emitter, scores: Value) -> Operand:
    """The operand of a softmax along the last axis: scores, none far below the largest of a row."""
    if not _has_tiny(g, g.operation.outputs[0]):
        return scores
    largest = g.node("ReduceMax", scores, g.ints(-1), keepdims=1)
    return g.node("Max", scores, g.node("Sub", largest, g.number(DEPTH, scores)))


def without_tiny(g: Emitter, weights: Value) -> Operand:
    """Weights of a product, with 0 where `raise_hidden` raised the scores."""
    if not _has_tiny(g, weights):
        return weights
    less = g.node("Sub", weights, g.number(exp(1 - DEPTH), weights))  # others are as they were
    return g.node("Max", less, g.number(0, weights))  # five times as fast as Where; NaN stays


def _has_tiny(g: Emitter, weights: Value) -> bool:
    """Whether weights that products alone read come from scores that a mask is known to hide."""
    maker = weights.producer
    return (
        not g.for_file
        and g.host is None
        and maker is not None
        and maker.operator in SOFTMAXES
        and maker.attributes["axis"] in (-1, weights.rank - 1)
        and weights.precision == Precision.FLOAT32
        and weights.is_static
        and prod(weights.sizes) >= LARGE
        and weights not in weights.model.outputs
        and all(weighs(reader, weights) for reader in weights.uses)
        and _is_hidden(g, maker)
    )


def _is_hidden(g: Emitter, softmax: Operation) -> bool:
    """Whether a mask that hides something is known to be among what the scores are a sum of."""
    value = softmax.inputs[0]
    while value is not None and value.producer is not None:
        maker, value = value.producer, None
        if maker.operator in LAYOUTS:
            value = maker.inputs[0]
        elif maker.operator is binary.add:
            known = {v: _hides(g, v) for v in maker.inputs if v is not None}
            if any(known.values()):
                return True
            value = next((v for v, hides in known.items() if hides is None), None)
    return False


def _hides(g: Emitter, mask: Value) -> bool | None:
    """Whether some numbers are low enough to hide a score; None for what only a run tells."""
    if mask not in g.hides:
        known = Folder(LIMIT).constant_of(mask)
        g.hides[mask] = None if known is None else bool((known < HIDDEN).any())
    return g.hides[mask]
