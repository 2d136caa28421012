"""The Python face of models in another precision."""

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
    """A copy of a model that computes in "float16" or "bfloat16" what it computed in float32, or in
    "float32" what it computed in float64.

    In 16 bits inputs, outputs and states stay float32, so that callers change nothing, and so do
    operations that `keep_float32` names (by their names or operators, with * and ?), that find
    positions or compute sizes, and that read constants beyond the numbers of 16 bits; `scan` says
    which others should. "float32" is for devices without float64: inputs, outputs and states change
    too, and what computes sizes stays. `weights_only`: constants alone, cast before they are read.

    Raises BadInput for another precision, for a pattern that names nothing, and for `keep_float32`
    with "float32".
    """
    plan = conversion.Plan(
        precision=precision, keep_float32=keep_float32, weights_only=weights_only
    )
    return conversion.narrow(model, plan).model
