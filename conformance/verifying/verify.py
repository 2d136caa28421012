"""A model on a device against its origin framework."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hal.device import Device
from hal.runtime.program import Program
from nnir.check import all_operations
from nnir.errors import DeviceError, Unsupported, summary
from nnir.guesses import open_sizes
from nnir.model import Model
from nnir.ops import quant
from nnir.progress import follow
from nnir.stateful import make_held, user_outputs

from ..case import Tolerance
from ..judging.compare import compare, is_float
from ..judging.quantised import are_as_near, is_quantized, rounding_allowance
from ..judging.rounding import distance_of, probability_allowance, rounding_scatter
from ..judging.tolerance import largest
from ..oracles.oracle import Refused
from ..oracles.origin import BUILTIN, Origin, References, call_with_states, origin_of
from ..oracles.sessions import NotInstalled
from ..processes.worker import Lost
from .inputs import random_inputs
from .stock_engine import Stock
from .trials import Arrays, Trial, trials, weaknesses

Read = Callable[[Path], Model]
"""Reads a file again, with the options that it was written with."""

TOLERANCES = {"float64": 1e-6, "float32": 1e-4, "float16": 1e-2, "bfloat16": 4e-2}
"""Largest error relative to the largest magnitude of an output; integers and bools are exact."""

DEQUANTIZING = frozenset({quant.dequantize, quant.dequantize_linear})

FURTHER = 4
"""Of the way that roundings alone take an output: so far it may be from the origin's."""

NUDGE, NUDGES = 1e-6, 8
"""Of inputs, by how much they move to see what steps a quantised model makes of that; how often."""

MOST_SCATTER = 1e-2
"""Of the largest magnitude of an output, beyond which nothing is forgiven."""


@dataclass(frozen=True)
class Row:
    """One output: how far it is from the origin's, and where the worst element lies.

    `max_relative` and `tolerance` are relative to the largest magnitude of the output; `allowed` is
    the largest error that agrees: so much of it, or the steps by which quantised integers may
    differ.
    """

    output: str
    type: str
    agrees: bool
    max_absolute: float
    max_relative: float
    tolerance: float
    allowed: float
    max_ulp: float
    index: list[int] | None
    problem: str | None

    @property
    def share(self) -> float:
        """The largest error in terms of what is allowed."""
        if not self.max_absolute:
            return 0.0
        return self.max_absolute / self.allowed if self.allowed else math.inf


@dataclass(frozen=True)
class Report:
    """The result of a verification; true when every output agrees.

    `unproved`: what could not be asked, though it should have been: the origin that is not
    installed, the engine of a file. `notes`: why the comparison proves little.
    """

    origin: str
    device: str
    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0
    trials: int = 1
    unproved: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        return all(row.agrees for row in self.rows)

    @property
    def largest(self) -> float:
        """The largest error relative to the largest magnitude of an output."""
        return max((r.max_relative for r in self.rows), default=0.0)

    def __bool__(self) -> bool:
        return self.agrees

    def worst(self) -> str:
        """What is wrong with the first output that does not agree."""
        return next((f"{r.output}: {r.problem}" for r in self.rows if not r.agrees), "nothing")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "agrees": self.agrees}


def verify(
    source: Any,
    model: Model,
    device: str,
    inputs: Sequence[np.ndarray] | None = None,
    properties: str = "",
    *,
    tolerance: float | None = None,
    seed: int = 0,
) -> Report:
    """Run both and compare; Unsupported when there is no origin framework to ask.

    What was loaded with another order of axes is handed to the origin in the origin's own. Without
    `inputs` several random ones are tried, of several sizes where those are open.
    """
    started = time.perf_counter()
    model = make_held(model)
    with Program(model, device, properties) as program, origin_of(source, model) as origin:
        given = None if inputs is None else [np.asarray(a) for a in inputs]
        found = ask_origin(model, origin, seed, given)
        calls = follow(found, f"running on {device}")
        got = [call_with_states(program, t.arrays) for t in calls]
        rows, notes = compare_trials(model, found, got, origin, tolerance)
    if inputs is None:
        notes += weaknesses(_names_seen(model), found)
    seconds = time.perf_counter() - started
    return Report(origin.name, device, rows, seconds, len(found), notes=notes)


def verify_file(
    source: Any,
    model: Model,
    path: Path,
    device: Device | None,
    read: Read,
    seed: int = 0,
    tolerance: float | None = None,
) -> Report:
    """Compare what the users of a written file get with what its origin gives.

    `device` wrote the file of `model` (None for an archive); its engine opens it in a process of
    its own. Where that engine is not installed, `read` reads the file again, to run on `builtin`;
    where nobody else reads such files, `model` runs there. Where the origin cannot be asked,
    `builtin` stands in for it. The report says so. `tolerance` is relative to the largest magnitude
    of an output; by default what its precision justifies.
    """
    started = time.perf_counter()
    given, model = model, make_held(model)
    unproved: list[str] = []
    with ExitStack() as stack:
        try:
            opened: Stock | References = stack.enter_context(Stock(path, device, given))
        except Unsupported as error:
            why = f"in {device.name if device else BUILTIN}: {summary(error)}"
            is_read = device is None or device.reads_back
            about = "" if is_read else f"; nobody else reads {path.suffix}: its model is compared"
            unproved.append(f"{why}{about}")
            opened = stack.enter_context(References(read(path) if is_read else model))
        origin: Origin | References
        try:
            origin = origin_of(source, model)
            stack.enter_context(origin)
            found = ask_origin(model, origin, seed)
        except Unsupported as error:
            is_absent = isinstance(error, NotInstalled)
            unproved.append(f"against {error if is_absent else f'its origin: {summary(error)}'}")
            origin = stack.enter_context(References(model))
            found = trials(model, origin.run, seed)
        got = [opened.run(t.arrays) for t in follow(found, f"running {path.name}")]
        opened.finish()
        rows, notes = compare_trials(model, found, got, origin, tolerance)
        if isinstance(opened, Stock) and not all(row.agrees for row in rows):
            exact = _compare_exactly(opened, model, found, origin, tolerance, rows)
            rows, notes = exact or (rows, notes)
    notes += weaknesses(_names_seen(model), found)
    seconds = time.perf_counter() - started
    return Report(origin.name, opened.name, rows, seconds, len(found), unproved, notes)


def _compare_exactly(
    opened: Stock,
    model: Model,
    found: Sequence[Trial],
    origin: Origin | References,
    tolerance: float | None,
    usual: Sequence[Row],
) -> tuple[list[Row], list[str]] | None:
    """What a file gives with the settings by which its engine rounds nothing that the file does not
    round, and a note how far off its `usual` results are; None where there are no such settings or
    no weights that they are about, or it differs with them too."""
    device = opened.device
    if device is None or not device.exact_settings or not _has_integer_weights(model):
        return None
    with Stock(opened.path, device, opened.model, is_exact=True) as exact:
        got = [exact.run(t.arrays) for t in found]
        exact.finish()
    rows, notes = compare_trials(model, found, got, origin, tolerance)
    if not all(row.agrees for row in rows):
        return None
    worst = max(usual, key=lambda row: row.max_relative)
    note = (
        f"{device.name} agrees with {device.exact_settings}: without, it rounds to 8 bits what is "
        f"multiplied with weights of few bits, which moves {worst.output!r} by "
        f"{worst.max_relative:.1e} of its largest magnitude"
    )
    return rows, [*notes, note]


def _has_integer_weights(model: Model) -> bool:
    """Whether known integers become numbers while the model runs."""
    makers = (o for o in all_operations(model) if o.operator in DEQUANTIZING)
    return any(o.inputs[0] is not None and o.inputs[0].constant is not None for o in makers)


def ask_origin(
    model: Model, origin: Origin | References, seed: int, inputs: Arrays | None = None
) -> list[Trial]:
    """What the origin makes of `inputs`, else of random ones that it takes; who knows the format
    otherwise is asked where it takes none."""
    try:
        if inputs is None:
            return trials(model, origin.run, seed)
        return [Trial(inputs, origin.run(inputs), {})]
    except Refused:
        if not origin.ask_second():
            raise
        return ask_origin(model, origin, seed, inputs)


def inputs_to_try(source: Any, model: Model, seed: int) -> list[Arrays]:
    """The inputs that a model is compared on: those of `verify`, where the origin may take others
    than come first. Of one that keeps states those of the first call alone."""
    first = random_inputs(model, seed)
    if not (open_sizes(model) or any(v.is_integer for v in model.inputs)):
        return [first]
    try:
        with origin_of(source, model) as origin:
            found = ask_origin(model, origin, seed)
    except (Unsupported, Lost):
        return [first]
    return [t.arrays for t in found[: 1 if model.states else None]]


def _names_seen(model: Model) -> list[str]:
    """The names of what a caller gets."""
    return [name for name, _ in model.named_outputs()][: len(user_outputs(model))]


def compare_trials(
    model: Model,
    found: Sequence[Trial],
    got: Sequence[Sequence[np.ndarray]],
    origin: Origin | References,
    tolerance: float | None = None,
) -> tuple[list[Row], list[str]]:
    """The worst of each output over all trials, and what there is to say about that."""
    worst: dict[str, Row] = {}
    notes: dict[str, str] = {}
    for number, (trial, results) in enumerate(zip(found, got, strict=True)):
        rows = rows_of(model, results, trial.wanted, tolerance)
        if not all(r.agrees for r in rows) and not model.states:  # whom another call would change
            rows, said = second_opinion(model, results, trial, rows, origin, tolerance)
            notes = said | notes
        for row in rows:
            if number and not row.agrees:
                row = replace(row, problem=f"in call {number + 1}: {row.problem}")
            old = worst.get(row.output, row)
            worst[row.output] = max(old, row, key=lambda r: (not r.agrees, r.max_absolute))
    return list(worst.values()), list(notes.values())


def second_opinion(
    model: Model,
    got: Sequence[np.ndarray],
    trial: Trial,
    rows: list[Row],
    origin: Origin | References,
    tolerance: float | None,
) -> tuple[list[Row], dict[str, str]]:
    """The rows of outputs that differ, once the other kernels of the origin are asked as well.

    The notes have the names of outputs, or of kernels. Other kernels may differ from the first
    ones as much, as the roundings of a deep quantised model add up.
    """
    answers = []
    for name, wanted in origin.others(trial.arrays):
        second = rows_of(model, got, wanted, tolerance)
        if all(r.agrees for r in second):
            said = next(r.problem for r in rows if not r.agrees)
            return second, {name: f"agrees with {name}; with its other kernels: {said}"}
        answers.append(wanted)
    if tolerance is not None:
        return rows, {}
    if not is_quantized(model):
        return forgive_rounding(model, trial, rows, answers)
    judged, notes = forgive_steps(rows, got, trial, answers)
    way = "than its other kernels are, which round differently"
    told = {n: f"{way}: {far}" for n, far in notes.items()}
    if not all(row.agrees for row in judged):
        moved = [origin.run(arrays) for arrays in nudge_inputs(trial.arrays)]
        twice = [[*map(twice_as_far, trial.wanted, found)] for found in moved]
        judged, notes = forgive_steps(judged, got, trial, twice)
        way = f"than twice as far as it moves itself with its inputs by {NUDGE}"
        told |= {n: f"{way}: {far}" for n, far in notes.items()}
    name = origin.name
    return judged, {n: f"output {n!r} is no farther from {name}'s {t}" for n, t in told.items()}


def forgive_steps(
    rows: Sequence[Row],
    got: Sequence[np.ndarray],
    trial: Trial,
    answers: Sequence[Sequence[np.ndarray]],
) -> tuple[list[Row], dict[str, str]]:
    """The rows of outputs that are no farther from the origin's than `answers`, others of its own,
    are; and both distances of those that would differ."""
    judged, notes = [], {}
    for place, row in enumerate(rows):
        others = [wanted[place] for wanted in answers]
        near = are_as_near(got[place], trial.wanted[place], others)
        if not row.agrees and near is not None:
            row = replace(row, agrees=True, problem=None)
            notes[row.output] = f"{near[0]:.1e} and {near[1]:.1e} (root mean square)"
        judged.append(row)
    return judged, notes


def twice_as_far(first: np.ndarray, other: np.ndarray) -> np.ndarray:
    """What lies from `first` twice as far as `other`; other than floats stay."""
    if first.shape != other.shape or not is_float(first.dtype):
        return other
    with np.errstate(all="ignore"):
        return (2 * other.astype(np.float64) - first).astype(first.dtype)


def nudge_inputs(arrays: Arrays) -> list[Arrays]:
    """The same inputs several times, each number moved by about `NUDGE` of it; none where all are
    integers."""
    if not any(is_float(a.dtype) for a in arrays):
        return []
    numbers = np.random.default_rng(0)

    def move(array: np.ndarray) -> np.ndarray:
        if not is_float(array.dtype):
            return array
        moved = array.astype(np.float64) * (1 + NUDGE * numbers.standard_normal(array.shape))
        return moved.astype(array.dtype)

    return [[move(a) for a in arrays] for _ in range(NUDGES)]


def forgive_rounding(
    model: Model, trial: Trial, rows: list[Row], others: Sequence[Sequence[np.ndarray]] = ()
) -> tuple[list[Row], dict[str, str]]:
    """The rows of outputs that differ, once it is known how far roundings alone take them.

    Where the references in float64 lie as far from those in the model's own precision, or `others`,
    the origin's other kernels, from the first ones, the model makes roundings large: two engines
    that are right differ by so much.
    """
    with References(model) as references:
        plain = references.run(trial.arrays)
    scatter = rounding_scatter(model, trial.arrays, plain) or [0.0] * len(rows)
    judged, notes = [], {}
    for place, (row, want, moved) in enumerate(zip(rows, trial.wanted, scatter, strict=False)):
        spread = max((distance_of(other[place], want) for other in others), default=0.0)
        allowed = min(max(FURTHER * moved, spread), MOST_SCATTER * largest(want))
        if not row.agrees and row.index is not None and row.max_absolute <= allowed:
            row = replace(row, agrees=True, problem=None, allowed=allowed)
            kernels = f", and other kernels of its origin {spread:.1e}" if spread else ""
            notes[row.output] = (
                f"output {row.output!r} is off by {row.max_absolute:.1e}; roundings to "
                f"{want.dtype} alone take it {moved:.1e} from what float64 gives{kernels}"
            )
        judged.append(row)
    return judged, notes


def rows_of(
    model: Model,
    got: Sequence[np.ndarray],
    wanted: Sequence[np.ndarray],
    tolerance: float | None,
) -> list[Row]:
    """The outputs of one trial."""
    rows = []
    # whoever keeps the states by itself may not show them
    shown = min(len(got), len(wanted))
    if shown not in (len(model.outputs), len(user_outputs(model))):
        raise DeviceError(f"{shown} results, not {len(user_outputs(model))}")
    for (name, value), mine, want in zip(model.named_outputs(), got, wanted, strict=False):
        least = 0.0
        if tolerance is None:
            least = max(rounding_allowance(value), probability_allowance(value))
        rows.append(compare_output(name, mine, want, tolerance, least))
    return rows


def compare_output(
    name: str, got: np.ndarray, want: np.ndarray, tolerance: float | None, least: float
) -> Row:
    """One result against the origin's; `least`: by how much it may differ whatever its size, such
    as the steps of integers."""
    limit = TOLERANCES.get(want.dtype.name, 0.0) if tolerance is None else tolerance
    scale = largest(want)
    allowed = max(limit * scale, least)
    found = compare(got, want, Tolerance(absolute=allowed))
    return Row(
        output=name,
        type=f"{want.dtype}{list(want.shape)}",
        agrees=found.problem is None,
        max_absolute=found.max_absolute,
        max_relative=found.max_absolute / scale if scale else 0.0,
        tolerance=limit,
        allowed=allowed,
        max_ulp=found.max_ulp,
        index=None if found.index is None else list(found.index),
        problem=found.problem,
    )
