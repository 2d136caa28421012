"""How fast a model is on each device that gives what the references give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.model import Model

from . import api
from .checking import trial_of
from .net import guard
from .racing import SECONDS, Race, Ranking, list_candidates


@guard("source")
def benchmark(
    source: api.Source,
    devices: str | Sequence[str] = (),
    inputs: Sequence[np.ndarray] | None = None,
    properties: str = "",
    *,
    sizes: Mapping[str, int] | None = None,
    seconds: float = SECONDS,
    tolerance: float | None = None,
    **loading: Any,
) -> Ranking:
    """How long a model takes on each device, and which of them give something else than the
    references.

    `source`: a model, or what `load` takes with the options `loading`. `devices`: names, by default
    all that are installed but emulators. One that lacks operations is tried together with
    `builtin`, which runs these, as well. `inputs`: one array per input; random ones when None, of
    `sizes` (numbers for open sizes by name). Each device is measured for about `seconds`, the best
    ones in turns. `tolerance`: the largest error relative to the largest magnitude of an output.

    Raises NoDevice for a name that is not installed, BadInput for inputs that do not fit.
    """
    api.require_unloaded(source, loading)
    model = source if isinstance(source, Model) else api.load(source, **loading)
    chosen = list_candidates(devices)
    trial = trial_of(model, inputs, sizes)
    with Race(model, trial, seconds, tolerance) as race:
        race.run(chosen, lambda names: Program(model, names, properties))
    return race.ranking
