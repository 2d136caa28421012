"""The first operation of a model that is wrong on a device, or that was translated wrongly.

Every operation is run by itself on what its origin hands it, so that errors neither add up nor
hide. What goes in is, for each value, the origin's own where the origin can be asked for it by
name, else what the standard's reference makes of what the origin handed to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.errors import Unsupported
from nnir.model import Model
from nnir.staging import temporary_folder
from nnir.stateful import make_held, with_initial

from ..judging.compare import compare
from ..judging.quantised import is_quantized, rounding_allowance
from ..judging.tolerance import relative_to
from ..oracles.origin import arrays_of_first_call, call_with_states, origin_of
from ..processes.worker import available
from ..verifying.trials import Trial
from ..verifying.verify import TOLERANCES, compare_trials, inputs_to_try
from .finding import SOMEWHERE, TOGETHER, Arrays, Bisection, Finding
from .intermediate import intermediates
from .search import Walk

COPIES = 2
"""A device lays weights out in its own way, beside as they are."""


def bisect(
    source: Any,
    model: Model,
    device: str,
    inputs: Sequence[np.ndarray] | None = None,
    properties: str = "",
    *,
    tolerance: float | None = None,
    seed: int = 0,
) -> Bisection:
    """Find the first operation of `model` whose result leaves the tolerance.

    `tolerance`: of one operation, relative to the largest magnitude of its output; by precision
    when None. Without `inputs` those that `verify` tries, one after the other until an operation is
    found. The origin runs first and ends before the device begins, and the device holds one
    operation at a time, so that of a model only one copy is in memory.
    """
    model = make_held(model)
    tried = inputs_to_try(source, model, seed) if inputs is None else [[*map(np.asarray, inputs)]]
    for arrays in tried:
        found = _bisect_on(arrays, source, model, device, properties, tolerance)
        if found.finding is not None:
            break
    return found


def _bisect_on(
    arrays: Arrays,
    source: Any,
    model: Model,
    device: str,
    properties: str,
    tolerance: float | None,
) -> Bisection:
    """Compare the operations of one run."""
    theirs = arrays_of_first_call(model, arrays)
    with temporary_folder() as folder:
        known = intermediates(source, model, theirs, folder)
        whole = with_initial(model, arrays)
        walk = Walk(model, whole, device, properties, tolerance, known)
        finding, note = walk.first(), known.note
        if finding is None and not fits(model):
            told = "the whole model does not fit in memory at once"
            note = "; ".join(filter(None, [note, told]))
        elif finding is None:
            kind = TOGETHER if walk.compared else SOMEWHERE
            finding = _together(source, walk, arrays, kind)
        if walk.random:
            told = "what depends on random numbers is compared only where the origin names those"
            note = "; ".join(filter(None, [note, told]))
        count = len(walk.operations)
        return Bisection(finding, walk.compared, count, note, model, walk.differences)


def fits(model: Model) -> bool:
    """Whether there is room for the weights as a device lays them out, beside as they are."""
    weights = {v: v.constant.nbytes for v in model.values() if v.constant is not None}
    return COPIES * sum(weights.values()) < available()


def _together(source: Any, walk: Walk, arrays: Arrays, kind: str) -> Finding | None:
    """The whole model on the device against the origin, after every operation agreed by itself."""
    model, device, tolerance = walk.model, walk.device, walk.tolerance
    if all(v in walk.random for v in model.outputs):
        return None
    try:
        with origin_of(source, model) as origin:
            found = origin.run(arrays, is_first=True)
    except Unsupported:
        return None
    with Program(model, device, walk.properties) as program:
        got = call_with_states(program, arrays)
    for (name, value), mine, want in zip(model.named_outputs(), got, found, strict=False):
        if value in walk.random:
            continue
        limit = TOLERANCES.get(want.dtype.name, 0.0) if tolerance is None else tolerance
        quanta = rounding_allowance(value) if tolerance is None else 0
        worst = compare(mine, want, relative_to(limit, want, quanta))
        if worst.problem is not None and not (
            tolerance is None and _is_rounding(source, model, arrays, found, got)
        ):
            reason = f"output {name!r} differs from {origin.name}'s: {worst.problem}"
            count = len(model.operations)
            return Finding(kind, "", "", name, device, reason, count, count, worst, walk.properties)
    return None


def _is_rounding(source: Any, model: Model, arrays: Arrays, found: Arrays, got: Arrays) -> bool:
    """Whether the kernels of a quantised model's origin differ from each other as much."""
    if not is_quantized(model):
        return False
    with origin_of(source, model) as origin:
        rows, _ = compare_trials(model, [Trial(arrays, found, {})], [got], origin)
    return all(row.agrees for row in rows)
