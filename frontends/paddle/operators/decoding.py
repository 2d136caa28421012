"""Paddle's operators that turn scores of steps into sequences."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Value
from nnir.ops import binary, compare, generate, index, reduce, shape
from nnir.types import Precision

from ...table import Pair, Table

table = Table()
LONGEST = 512


@table.convert("ctc_align")
def ctc_align(
    input: Value,
    input_length: Value | None,
    blank: int,
    merge_repeated: bool,
    padding_value: int,
) -> Pair:
    """Labels [N, T] without blanks and repetitions, moved to the front."""
    if input_length is None or input.rank != 2:
        raise BadType(f"ctc_align of {input.type} without lengths")
    model = input.model
    steps = build.arange_along(input, 1)
    kept = compare.not_equal(input, blank)
    kept = kept & (steps < input_length.cast(Precision.INT64))
    if merge_repeated:
        before = shape.pad(input, [0, 0, 1, -1], model.constant(-1, input.dtype))
        kept = kept & compare.not_equal(input, before)
    counts = kept.cast(Precision.INT64)
    places = reduce.cum_sum(counts, [1]) - 1
    width = build.vector(model, [build.size_of(input, 1)])
    places = compare.where(kept, places, width)
    target = build.vector(model, [build.size_of(input, 0), build.plus(build.size_of(input, 1), 1)])
    empty = generate.fill(target, model.constant(np.array(padding_value, input.dtype)))
    placed = index.scatter_elements(empty, places, input, axis=1)
    output = index.slice_(placed, [1], [0], [-1])
    lengths = reduce.reduce_sum(counts, [1], keepdim=True)
    return output, lengths.cast(input.precision)


@table.convert("viterbi_decode")
def viterbi_decode(
    potentials: Value, transition_params: Value, lengths: Value, include_bos_eos_tag: bool
) -> Pair:
    """The best path through tags, step by step and back, and its score."""
    steps, tags = potentials.shape[1:]
    if isinstance(steps, Expr) or isinstance(tags, Expr) or not 0 < steps <= LONGEST:
        raise NotConstant(f"viterbi_decode of {potentials.type}")
    left = lengths.cast(Precision.INT64)
    scores = [shape.squeeze(v, [1]) for v in shape.split(potentials, [1] * steps, axis=1)]
    start = index.gather(transition_params, np.int64(tags - 1), axis=0)
    stop = index.gather(transition_params, np.int64(tags - 2), axis=0)

    def score_of_end(alpha: Value, step: int) -> Value:
        """The score with the end where a sequence has `step` elements."""
        if not include_bos_eos_tag:
            return alpha
        last = shape.unsqueeze(compare.equal(left, np.int64(step)), [1])
        return compare.where(last, alpha + stop, alpha)

    lowest = np.finfo(potentials.dtype).min

    def better(v: Value) -> Value:
        """Paddle begins its search with the least finite number, which NaN does not exceed."""
        return compare.where(v > lowest, v, lowest)

    alpha = scores[0] + start if include_bos_eos_tag else scores[0]
    alpha = score_of_end(alpha, 1)
    history: list[Value] = []
    for step in range(1, steps):
        paths = better(shape.unsqueeze(alpha, [2]) + transition_params)  # [N, from, to]
        history.append(reduce.arg_max(paths, axis=1, keepdim=False, dtype=Precision.INT64))
        grown = reduce.reduce_max(paths, [1], keepdim=False) + scores[step]
        goes_on = shape.unsqueeze(left > np.int64(step), [1])
        alpha = compare.where(goes_on, score_of_end(grown, step + 1), alpha)
    ends = better(alpha)
    best = reduce.reduce_max(ends, [1], keepdim=False)
    tag = reduce.arg_max(ends, axis=1, keepdim=False, dtype=Precision.INT64)
    zero = potentials.model.constant(np.int64(0))
    path = [tag]
    for step in range(steps - 1, 0, -1):
        old = index.gather_elements(history[step - 1], shape.unsqueeze(path[0], [1]), axis=1)
        inside = left > np.int64(step)
        path.insert(0, compare.where(inside, shape.squeeze(old, [1]), path[0]))
    found = [compare.where(left > np.int64(k), v, zero) for k, v in enumerate(path)]
    whole = shape.stack(*found, axis=1)
    longest = reduce.reduce_max(left, [0], keepdim=True)
    return best, index.slice_(whole, [1], [0], longest)


@table.convert("edit_distance")
def edit_distance(
    hyps: Value,
    refs: Value,
    hypslength: Value | None,
    refslength: Value | None,
    normalized: bool,
) -> Pair:
    """How many insertions, deletions and replacements make one row the other."""
    rows, columns = hyps.shape[1], refs.shape[1]
    known = isinstance(rows, int) and isinstance(columns, int) and rows * columns <= LONGEST * 8
    if not known or hypslength is None or refslength is None:
        raise NotConstant(f"edit_distance of {hyps.type} and {refs.type}")
    return distances(hyps, refs, hypslength, refslength, normalized)


def distances(
    hyps: Value, refs: Value, hypslength: Value, refslength: Value, normalized: bool
) -> Pair:
    """Row by row of the table of distances [N, columns + 1], the answer picked out of all rows."""
    model, rows, columns = hyps.model, int(hyps.shape[1]), int(refs.shape[1])  # type: ignore[arg-type]
    size, other = (shape.reshape(v, [-1]).cast(Precision.INT64) for v in (hypslength, refslength))
    places = model.constant(np.arange(columns + 1, dtype=np.float32))
    count = build.vector(model, [build.size_of(hyps, 0), columns + 1])
    row = shape.expand(places, count)
    found = [row]
    for k in range(rows):
        letter = index.slice_(hyps, [1], [k], [k + 1])
        differs = compare.not_equal(refs, letter).cast(Precision.FLOAT32)
        replaced = index.slice_(row, [1], [0], [-1]) + differs
        deleted = row + np.float32(1)
        least = binary.min_(replaced, index.slice_(deleted, [1], [1], [columns + 1]))
        cells = shape.concat(index.slice_(deleted, [1], [0], [1]), least, axis=1)
        row = best_so_far(cells, places)
        found.append(row)
    table_ = shape.stack(*found, axis=1)
    where = shape.stack(size, other, axis=1)
    distance = index.gather_nd(table_, where, batch_dims=1)
    if normalized:
        distance = distance / other.cast(Precision.FLOAT32)
    number = build.vector(model, [build.size_of(hyps, 0)])
    return number, shape.unsqueeze(distance, [1])


def best_so_far(cells: Value, places: Value) -> Value:
    """min over j <= i of cells[j] + i - j: what insertions make of a row."""
    level = cells - places
    columns = level.sizes[1]
    part = index.slice_(level, [1], [0], [1])
    parts = [part]
    for k in range(1, columns):
        part = binary.min_(part, index.slice_(level, [1], [k], [k + 1]))
        parts.append(part)
    whole = shape.concat(*parts, axis=1) if columns > 1 else part
    return whole + places
