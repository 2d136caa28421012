"""How verification chooses inputs of open sizes, and what it forgives: roundings, nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.judging.rounding import UNITS, probability_allowance, rounding_scatter
from conformance.verifying.input_ranges import range_of
from conformance.verifying.inputs import random_inputs, rank_sizes
from conformance.verifying.trials import Trial
from conformance.verifying.verify import FURTHER, forgive_rounding, rows_of
from nnir.dim import symbol
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import activation, index, linear, pool, recurrent, reduce, shape, sort
from nnir.types import Precision, TensorType


def make_input(model: Model, name: str, kind: Precision, *sizes: int | str) -> Value:
    """An input; named sizes are open."""
    for size in sizes:
        if isinstance(size, str):
            model.symbols.setdefault(size, (0, None))
    dims = tuple(symbol(s) if isinstance(s, str) else s for s in sizes)
    return model.input(name, TensorType(kind, dims))


def amplifying() -> Model:
    """Sums of numbers that nearly cancel."""
    model = Model()
    x = make_input(model, "x", Precision.FLOAT32, 8, 1000)
    model.outputs = [reduce.reduce_sum(x * 1000 - x * 999.5, [1], keepdim=False)]
    return model


@pytest.mark.parametrize(("share", "agrees"), [(0.5, True), (1.5, False)])
def test_what_roundings_explain_is_forgiven(share: float, agrees: bool) -> None:
    model = amplifying()
    arrays = random_inputs(model)
    plain = evaluate(model, arrays)
    (moved,) = rounding_scatter(model, arrays, plain) or [0.0]
    assert moved > 0
    want = [plain[0] + np.float32(share * FURTHER * moved)]
    rows = rows_of(model, plain, want, 0.0)
    assert not rows[0].agrees
    judged, notes = forgive_rounding(model, Trial(arrays, want, {}), rows)
    assert judged[0].agrees == agrees == bool(notes)


def test_what_is_far_off_is_not_forgiven_however_roundings_grow() -> None:
    model = amplifying()
    arrays = [a * 1e30 for a in random_inputs(model)]
    plain = evaluate(model, arrays)
    want = [plain[0] * np.float32(1.05)]
    judged, notes = forgive_rounding(
        model, Trial(arrays, want, {}), rows_of(model, plain, want, None)
    )
    assert not judged[0].agrees
    assert not notes


def test_small_probabilities_have_the_digits_of_1() -> None:
    model = Model()
    x = make_input(model, "x", Precision.FLOAT32, 2, 3)
    chances = shape.transpose(activation.softmax(x, axis=-1), perm=(1, 0))
    eps = float(np.finfo(np.float32).eps)
    assert probability_allowance(chances) == UNITS * eps
    assert probability_allowance(chances * 2) == 0
    assert probability_allowance(x) == 0
    model.outputs = [chances]
    want = np.full((3, 2), 1e-9, np.float32)
    (near,) = rows_of(model, [want + np.float32(1e-7)], [want], None)
    (far,) = rows_of(model, [want + np.float32(1e-6)], [want], None)
    assert near.agrees
    assert not far.agrees


def test_sizes_with_which_nothing_is_empty_come_first() -> None:
    model = Model()
    x = make_input(model, "x", Precision.FLOAT32, "n", 1, "width", "width")
    model.outputs = [
        pool.max_pool_2d(x, kernel_shape=(7, 7), strides=(7, 7), pads=None, auto_pad=0)
    ]
    (array,) = random_inputs(model)
    assert array.shape[2] >= 7
    assert random_inputs(model, sizes={"n": 1})[0].shape == (1, 1, *array.shape[2:])
    found = rank_sizes(model)
    widths = [sizes["width"] >= 7 for sizes in found]
    assert widths == sorted(widths, reverse=True)
    assert not all(widths)


def test_lengths_are_no_longer_than_the_sequences() -> None:
    model = Model()
    x = make_input(model, "x", Precision.FLOAT32, "time", 2, 4)
    lengths = make_input(model, "lengths", Precision.INT64, 2)
    ordered, _ = sort.top_k(lengths, 2, axis=0, largest=True)
    weight, again = np.ones((1, 9, 4), np.float32), np.ones((1, 9, 3), np.float32)
    hidden, _ = recurrent.gru(x, weight, again, None, ordered.cast(Precision.INT32))
    model.outputs = [hidden]
    assert range_of(lengths, {"time": 5}) == (1, 5)
    whole = Model()
    y = make_input(whole, "y", Precision.FLOAT32, 2, 6, 3)
    counts = make_input(whole, "counts", Precision.INT64, 2)
    whole.outputs = [index.reverse_sequence(y, counts, batch_axis=0, time_axis=1)]
    assert range_of(counts) == (1, 6)


def test_positions_lie_in_tables_of_open_sizes() -> None:
    model = Model()
    table = make_input(model, "table", Precision.FLOAT32, "rows", 4)
    places = make_input(model, "places", Precision.INT64, 3)
    model.outputs = [linear.mat_mul(index.gather(table, places, axis=0), np.ones((4, 1), "f"))]
    assert range_of(places, {"rows": 3}) == (0, 2)
    assert range_of(places) == (0, 9)


@pytest.mark.parametrize(("share", "agrees"), [(0.9, True), (1.1, False)])
def test_what_kernels_of_the_origin_do_is_forgiven(share: float, agrees: bool) -> None:
    model = Model()
    x = make_input(model, "x", Precision.FLOAT32, 4)
    model.outputs = [x * 2]
    arrays = random_inputs(model)
    plain = evaluate(model, arrays)
    spread = 1e-3
    want = [plain[0] + np.float32(share * spread)]
    others = [[want[0] + np.float32(spread)]]
    rows = rows_of(model, plain, want, None)
    assert not rows[0].agrees
    judged, notes = forgive_rounding(model, Trial(arrays, want, {}), rows, others)
    assert judged[0].agrees == agrees == bool(notes)
