"""Look at the values of a model while it runs on data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from hal.runtime.program import Program
from nnir.dim import Expr
from nnir.extract import extract
from nnir.model import Model, Operation, Value
from nnir.ops.quant import integer_range
from nnir.progress import follow
from nnir.quantisation import (
    Extremes,
    Grid,
    Group,
    Histogram,
    Placement,
    Scheme,
    choose_grid,
    matter_for_softmax,
)
from nnir.records import dataclass
from nnir.types import Precision

from .samples import Sample

MOST_BYTES = 1 << 29
"""Values that are looked at in one run have so many bytes, as far as their sizes are known."""

Seen = Callable[[Value, np.ndarray], None]
"""Is told what a value is in one run."""


def watch(
    model: Model, values: Sequence[Value], samples: Sequence[Sample], device: str, see: Seen
) -> None:
    """Run a model on every sample, and show what `values` are; few enough at once for memory."""
    for part in _portions(values):
        given = [v for v in part if v.producer is None]
        made = [v for v in part if v.producer is not None]
        program = None
        if made:
            whole, inputs = extract(_operations_for(model, made), made, model.name)
            places = [model.inputs.index(v) for v in inputs]
            program = Program(whole, device)
        for sample in follow(samples, "running on calibration data"):
            for value in given:
                see(value, sample[model.inputs.index(value)])
            if program is not None:
                for value, array in zip(made, program(*(sample[p] for p in places)), strict=True):
                    see(value, array)
        if program is not None:
            program.close()


def _operations_for(model: Model, values: Iterable[Value]) -> list[Operation]:
    """The operations that make `values`, in order."""
    wanted = {v.producer for v in values}
    order = model.sorted()
    for operation in reversed(order):
        if operation in wanted:
            wanted.update(v.producer for v in operation.inputs if v is not None)
    return [o for o in order if o in wanted]


def _portions(values: Sequence[Value]) -> Iterator[list[Value]]:
    part: list[Value] = []
    size = 0
    for value in values:
        own = math.prod(d for d in value.shape if not isinstance(d, Expr)) * 4
        if part and size + own > MOST_BYTES:
            yield part
            part, size = [], 0
        part.append(value)
        size += own
    if part:
        yield part


@dataclass(frozen=True)
class Observed:
    """What a run over the data has shown: the grids that fit, the groups that none fits because
    they have infinities or NaN, and the averages of the channels of inputs."""

    grids: Mapping[Group, Grid]
    unfit: Sequence[Group]
    means: Mapping[Value, np.ndarray]


def observe(
    model: Model,
    placement: Placement,
    scheme: Scheme,
    samples: Sequence[Sample],
    device: str,
    averaged: Mapping[Value, int],
) -> Observed:
    """Run a model on data once for extremes and averages, and once more for histograms where the
    method needs them. `averaged`: values, and the axis of their channels."""
    groups = placement.groups
    precision = scheme.activations
    extremes = {g: Extremes() for g in groups}
    owners = {v: g for g in groups for v in g.observed}
    sums = {v: _Average(axis) for v, axis in averaged.items()}

    def look(value: Value, array: np.ndarray) -> None:
        if value in owners:
            extremes[owners[value]].add(_relevant(owners[value], array))
        if value in sums:
            sums[value].add(array)

    watch(model, [*dict.fromkeys((*owners, *sums))], samples, device, look)
    unfit = [g for g in groups if not extremes[g].is_finite]
    if precision is None:
        return Observed({}, [], {})
    known = {g: _known_grid(g, extremes[g], scheme, precision) for g in groups}
    grids = {g: grid for g, grid in known.items() if grid is not None}
    counted = {
        g: Histogram(extremes[g].low, extremes[g].high)
        for g in groups
        if g not in grids and g not in unfit
    }

    def count(value: Value, array: np.ndarray) -> None:
        counted[owners[value]].add(_relevant(owners[value], array))

    if scheme.method != "minmax":
        watch(model, [v for v, g in owners.items() if g in counted], samples, device, count)
    for group, histogram in counted.items():
        grids[group] = choose_grid(
            histogram,
            scheme.method,
            precision,
            is_symmetric=is_symmetric(scheme),
            percentile=scheme.percentile,
        )
    return Observed(grids, unfit, {v: s.mean for v, s in sums.items() if s.count})


def _relevant(group: Group, array: np.ndarray) -> np.ndarray:
    """What of a value its readers can tell apart."""
    axis = group.softmax_axis
    return array if axis is None else matter_for_softmax(array, axis)


def is_symmetric(scheme: Scheme) -> bool:
    """Whether 0 is in the middle: as asked for, and always of 16 bits, as kernels have it."""
    return scheme.is_symmetric or scheme.activations == Precision.INT16


def _known_grid(
    group: Group, extremes: Extremes, scheme: Scheme, precision: Precision
) -> Grid | None:
    """The grid that needs no data, or where there was none."""
    if extremes.is_empty and extremes.is_finite:
        return Grid(1.0, 0, precision)
    if group.fixed is None or precision == Precision.INT16 or scheme.is_symmetric:
        return None
    scale, zero = group.fixed
    return Grid(scale, zero + integer_range(precision)[0] + 128, precision)


class _Average:
    """The average of each channel."""

    def __init__(self, axis: int) -> None:
        self.axis, self.count = axis, 0
        self._total: np.ndarray | float = 0.0

    def add(self, array: np.ndarray) -> None:
        rows = np.moveaxis(array, self.axis, -1).reshape(-1, array.shape[self.axis])
        self._total = self._total + rows.sum(axis=0, dtype=np.float64)
        self.count += len(rows)

    @property
    def mean(self) -> np.ndarray:
        return np.asarray(self._total / self.count)
