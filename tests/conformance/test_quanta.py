"""Outputs of quantised models against an origin whose own kernels round differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from conformance.judging.quantised import is_quantized, rounding_allowance
from conformance.oracles.origin import References
from conformance.verifying.trials import Trial
from conformance.verifying.verify import Row, compare_trials
from nnir.model import Model
from nnir.ops import binary, quant
from nnir.types import Precision, TensorType

F32, STEP = Precision.FLOAT32, 0.5
FIRST = np.arange(-8, 8, dtype=np.float32)


class Kernels(References):
    """An origin with a second answer."""

    name = "litert"

    def __init__(self, model: Model, *answers: np.ndarray) -> None:
        super().__init__(model)
        self.answers = answers

    def others(self, arrays: Sequence[np.ndarray]) -> Iterator[tuple[str, list[np.ndarray]]]:
        yield from (("reference kernels", [a]) for a in self.answers)


def rounding() -> Model:
    """Real numbers that are rounded to steps of a half."""
    model = Model("rounding")
    x = model.input("x", TensorType(F32, (16,)))
    scale = model.constant(np.float32(STEP))
    model.outputs = [quant.dequantize_linear(quant.quantize_linear(x, scale), scale)]
    return model


def exact() -> Model:
    model = Model("exact")
    x = model.input("x", TensorType(F32, (16,)))
    model.outputs = [binary.add(x, x)]
    return model


def judge(model: Model, got: np.ndarray, *others: np.ndarray) -> tuple[Row, list[str]]:
    with Kernels(model, *others) as origin:
        rows, notes = compare_trials(model, [Trial([FIRST], [FIRST], {})], [[got]], origin)
    return rows[0], notes


def test_the_last_rounding_is_a_step() -> None:
    assert rounding_allowance(rounding().outputs[0]) == STEP
    assert rounding_allowance(exact().outputs[0]) == 0
    assert is_quantized(rounding())
    assert not is_quantized(exact())
    assert judge(rounding(), FIRST + np.float32(STEP))[0].agrees
    assert not judge(exact(), FIRST + np.float32(STEP))[0].agrees


@pytest.mark.parametrize(
    ("away", "theirs"),
    [
        pytest.param(3 * STEP, 0.5, id="farther than the other kernels"),
        pytest.param(2 * STEP, 0.0, id="the other kernels agree with each other"),
        pytest.param(2 * STEP, 8.0, id="kernels so far apart prove nothing"),
    ],
)
def test_no_is_said_where_the_other_kernels_do_not_explain_it(away: float, theirs: float) -> None:
    row, notes = judge(rounding(), FIRST + np.float32(away), FIRST - np.float32(theirs))
    assert not row.agrees
    assert not notes
    assert "elements differ" in str(row.problem)


def test_roundings_that_add_up() -> None:
    """Two elements are more than a step away; the other kernels are as far in others."""
    got, other = FIRST.copy(), FIRST.copy()
    got[:2] += 2 * STEP
    other[4:8] += 2 * STEP
    row, notes = judge(rounding(), got, other)
    assert row.agrees
    assert row.max_absolute == 2 * STEP
    assert len(notes) == 1
    assert "no farther from litert's than its other kernels" in notes[0]
    assert not judge(exact(), got, other)[0].agrees
    assert not judge(rounding(), got)[0].agrees


class Steep(Kernels):
    """An origin that makes two steps of one element where inputs move by less than a rounding."""

    def run(self, arrays: Sequence[np.ndarray], *, is_first: bool = False) -> list[np.ndarray]:
        made = FIRST.copy()
        made[3] += 2 * STEP * (arrays[0].tobytes() != FIRST.tobytes())
        return [made]


@pytest.mark.parametrize(("steps", "agrees"), [(2, True), (4, True), (5, False)])
def test_an_origin_that_moves_as_far_by_itself(steps: int, agrees: bool) -> None:
    got = FIRST.copy()
    got[0] += steps * STEP
    with Steep(rounding()) as origin:
        (row,), notes = compare_trials(rounding(), [Trial([FIRST], [FIRST], {})], [[got]], origin)
    assert row.agrees == agrees
    assert [
        "than twice as far as it moves itself with its inputs by 1e-06" in n for n in notes
    ] == [True] * agrees
