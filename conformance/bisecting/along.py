"""How far a whole model is from its origin at every value that the origin names.

Unlike the search for the wrong operation, which gives each the origin's own values, errors add up
here as they do when the model is used. That every value is kept may hinder an engine that would
have fused operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.errors import NNAdapterError, summary
from nnir.extract import extract
from nnir.model import Model, Operation, Value
from nnir.staging import temporary_folder
from nnir.stateful import make_held, with_initial

from ..judging.quantised import rounding_allowance
from ..oracles.origin import arrays_of_first_call
from ..verifying.verify import Row, compare_output, inputs_to_try
from .finding import Arrays
from .intermediate import intermediates
from .search import Walk

AT_ONCE = 1 << 30
"""So many bytes of values are kept in one run."""


@dataclass
class Along:
    """The worst result of each operation; `note` says why there are none, or not all."""

    rows: dict[Operation, Row] = field(default_factory=dict)
    note: str = ""


def errors_along(
    source: Any,
    model: Model,
    device: str,
    inputs: Sequence[np.ndarray] | None = None,
    properties: str = "",
    *,
    tolerance: float | None = None,
    seed: int = 0,
) -> Along:
    """Run `model` on the device as a whole, and compare what its operations make by name."""
    model = make_held(model)
    (arrays, *_) = (
        inputs_to_try(source, model, seed) if inputs is None else [[*map(np.asarray, inputs)]]
    )
    found = Along()
    with temporary_folder() as folder:
        known = intermediates(source, model, arrays_of_first_call(model, arrays), folder)
        found.note = known.note
        whole = with_initial(model, arrays)
        walk = Walk(model, whole, device, properties, tolerance, known)
        for values in _runs(walk):
            try:
                results = _run(walk, whole, values)
            except NNAdapterError as error:
                found.note = f"not every value can be kept on {device}: {summary(error)}"
                break
            for value, mine in zip(values, results, strict=True):
                _note(found, walk, value, mine)
    return found


def _runs(walk: Walk) -> Iterator[list[Value]]:
    """The values that the origin names, as many at once as there is room for."""
    values: list[Value] = []
    size = 0
    for operation in walk.operations:
        for value in operation.outputs:
            name = walk.names.get(value)
            if name is None or name not in walk.known or value in walk.random:
                continue
            values.append(value)
            size += walk.known[name].nbytes
            if size > AT_ONCE:
                yield values
                values, size = [], 0
    if values:
        yield values


def _run(walk: Walk, arrays: Arrays, values: Sequence[Value]) -> Arrays:
    """What the device makes of some values, in one run of all that they need."""
    part, sources = extract(walk.operations, values, walk.model.name)
    given = dict(zip(walk.model.inputs, arrays, strict=True))
    with Program(part, walk.device, walk.properties) as program:
        return list(program(*(given[v] for v in sources)))


def _note(found: Along, walk: Walk, value: Value, mine: np.ndarray) -> None:
    """Keep what is worst of an operation's results."""
    want = walk.origin_of(value, mine)
    if want is None or value.producer is None:
        return
    quanta = rounding_allowance(value) if walk.tolerance is None else 0
    row = compare_output(value.name or "", mine, want, walk.tolerance, quanta)
    known = found.rows.setdefault(value.producer, row)
    if (row.agrees, -row.share) < (known.agrees, -known.share):
        found.rows[value.producer] = row
