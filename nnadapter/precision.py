"""The Python face of models in 16 bits."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.model import Model

from . import conversion
from .net import guard


@guard("model")
def to_precision(
    model: Model,
    precision: str,
    *,
    keep_float32: Sequence[str] = (),
    weights_only: bool = False,
) -> Model:
    """A copy of a model that computes in "float16" or "bfloat16" what it computed in float32.

    Inputs, outputs and states stay float32, so that callers change nothing, and so do operations
    that `keep_float32` names (by their names or operators, with * and ?), that find positions or
    compute sizes, and that read constants beyond the numbers of 16 bits; `scan` says which others
    should. `weights_only`: constants alone, which are cast before they are read.

    Raises BadInput for another precision, and for a pattern that names nothing.
    """
    plan = conversion.Plan(
        precision=precision, keep_float32=keep_float32, weights_only=weights_only
    )
    return conversion.halve(model, plan).model
