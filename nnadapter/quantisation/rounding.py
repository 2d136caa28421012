"""Round weights by what they are multiplied with on data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np

from nnir.model import Model, Operation, Value
from nnir.progress import follow
from nnir.quantisation import (
    Integers,
    Placement,
    Scheme,
    input_to_sum,
    range_of,
    read_instead,
    round_nearest,
    round_second_order,
)
from nnir.quantisation.roles import filter_axis, summed_axis, weights_of
from nnir.specialise import fix_sizes

from .calibration import watch
from .samples import Sample

Source = tuple[Value, int]
"""What is multiplied with weights, and the axis that is summed."""


def round_by_inputs(
    model: Model, placement: Placement, scheme: Scheme, samples: Sequence[Sample], device: str
) -> dict[Operation, Integers]:
    """The weights of all products with a matrix, as integers.

    One product after the other: what later ones read is made with the weights that are rounded
    already. Operations that share weights share their integers, which are for the inputs of all of
    them.
    """
    working = fix_sizes(model, {})
    originals = dict(zip(working.operations, model.sorted(), strict=True))
    wanted = [o for o in working.operations if originals[o] in placement.integer]
    sharing = _share_weights(o for o in wanted if input_to_sum(o) is not None)
    found: dict[Operation, Integers] = {}
    stages = [list(part) for _, part in groupby(sharing, _sources_of)]
    for stage in follow(stages, "rounding weights"):
        gram = _multiply_inputs(working, _sources_of(stage[0]), samples, device)
        for operations in stage:
            made = _round(operations[0], gram, scheme)
            if made is None:
                continue
            for operation in operations:
                found[originals[operation]] = made
                _put_weights(working, operation, made.real())
    return found


def _share_weights(operations: Iterable[Operation]) -> list[list[Operation]]:
    """The operations that have their weights and the meaning of their axes in common."""
    found: dict[tuple[Value | None, int | None], list[Operation]] = {}
    for operation in operations:
        weights = weights_of(operation)
        axis = None if weights is None else filter_axis(operation, weights)
        found.setdefault((weights, axis), []).append(operation)
    return list(found.values())


def _sources_of(operations: Iterable[Operation]) -> list[Source]:
    sources = (input_to_sum(o) for o in operations)
    return list(dict.fromkeys(s for s in sources if s is not None))


def _multiply_inputs(
    model: Model, sources: Sequence[Source], samples: Sequence[Sample], device: str
) -> np.ndarray:
    """X^T X over all samples and sources, in FLOAT64."""
    total: np.ndarray | float = 0.0
    axes = dict(sources)

    def add(value: Value, array: np.ndarray) -> None:
        nonlocal total
        rows = np.moveaxis(array, axes[value], -1).reshape(-1, array.shape[axes[value]])
        exact = rows.astype(np.float64)
        total = total + exact.T @ exact

    watch(model, list(axes), samples, device, add)
    return np.asarray(total)


def _round(operation: Operation, gram: np.ndarray, scheme: Scheme) -> Integers | None:
    """The integers of an operation's weights; None where their inputs are no help."""
    weights = weights_of(operation)
    axis = None if weights is None else summed_axis(operation, weights)
    if weights is None or weights.constant is None or axis is None or not weights.constant.size:
        return None
    if gram.shape != (weights.shape[axis],) * 2 or not np.isfinite(gram).all():
        return None
    start = round_nearest(operation, weights.constant, scheme)
    return round_second_order(weights.constant, axis, gram, start, range_of(scheme))


def _put_weights(model: Model, operation: Operation, array: np.ndarray) -> None:
    """Let an operation read other weights."""
    old = weights_of(operation)
    new = model.constant(array)
    if old is not None:
        read_instead(operation, old, new)
