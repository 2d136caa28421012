"""Random models: a seed is the same everywhere, planted bugs are found and made small."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from conformance.case import Const, rand
from conformance.cases.nnir.found import FOUND
from conformance.cases.nnir.graph import GraphCase, Open, Step
from conformance.fuzzing.models.generate import FEWEST, generate
from conformance.fuzzing.models.growth import Growth
from conformance.fuzzing.models.noise import all_samples, allow, is_stepped, spread
from conformance.fuzzing.models.rows import case_of, row_of
from conformance.fuzzing.models.shrink import Shrinker
from conformance.fuzzing.models.trial import (
    AS_IT_IS,
    Subject,
    some_ways_of,
    subject_of,
    try_model,
    ways_of,
)
from conformance.fuzzing.models.validity import LARGEST
from conformance.judging.result import ERROR, PASS, REFUSED, WRONG
from conformance.running.conform import conform
from conformance.running.suite import Crew, Options
from nnir import archive
from nnir.check import check
from nnir.errors import BadType
from nnir.model import Model
from nnir.ops import activation, binary, quant, shape, unary
from nnir.types import Precision

from . import planted

DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")
COUNT = 30
QUICK = {"builtin": ("optimized", ".nnir"), "onnxruntime": (AS_IT_IS, "optimized")}


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    found = Crew(timeout=60, memory=8 << 30)
    yield found
    found.close()


def same(a: Model, b: Model) -> bool:
    return archive.dumps(a) == archive.dumps(b)


def test_a_seed_is_the_same_everywhere() -> None:
    for number in range(5):
        (model, arrays), (again, others) = generate(3, number), generate(3, number)
        assert same(model, again)
        assert [a.tobytes() for a in arrays] == [a.tobytes() for a in others]
    assert not same(generate(3, 0)[0], generate(4, 0)[0])


def test_models_are_valid_and_many_sided() -> None:
    models = [generate(1, number) for number in range(COUNT)]
    for model, arrays in models:
        check(model)
        assert len(model.operations) >= FEWEST or len(model.outputs)
        for samples in all_samples(model, arrays).values():
            assert np.abs(samples[0].astype(np.float64)).max() <= LARGEST
    used = {o.operator.name for model, _ in models for o in model.operations}
    assert len(used) > 60
    assert {"CONV_2D", "SOFTMAX", "QUANTIZE_LINEAR", "TRANSPOSE", "WHERE"} <= used
    is_open = [any(not v.is_static for v in model.inputs) for model, _ in models]
    assert COUNT // 6 < sum(is_open) < COUNT // 2 + 3
    assert any(len(v.uses) > 1 for model, _ in models for v in model.values())


def test_thirty_models_agree(crew: Crew) -> None:
    for number in range(COUNT):
        subject = subject_of(*generate(7, number))
        for device, ways in QUICK.items():
            for trial in try_model(subject, device, crew.oracle, ways):
                found = trial.verdict
                assert found.verdict in (PASS, REFUSED), (number, trial.way, found.reason)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", FOUND, ids=str)
def test_what_was_found_is_mended(case: GraphCase, device: str, crew: Crew) -> None:
    subject = subject_of(case.model(), case.arrays())
    ways = [w for w in ways_of(device) if not w.startswith(".pt2")]
    for trial in try_model(subject, device, crew.oracle, ways):
        found = trial.verdict
        assert found.verdict in (PASS, REFUSED), (trial.way, found.reason)


def test_names_of_what_was_found_differ() -> None:
    assert len({str(c) for c in FOUND}) == len(FOUND)


def verdict(model: Model, arrays: list[np.ndarray], crew: Crew) -> str:
    (trial,) = try_model(subject_of(model, arrays), "onnxruntime", crew.oracle, [AS_IT_IS])
    return trial.verdict.verdict


def plant(monkeypatch: pytest.MonkeyPatch, operator: Any, **changed: Any) -> None:
    """Let ONNX Runtime be told other attributes of an operator."""
    planted.lowering(
        monkeypatch.setattr, operator, lambda f, *args, **given: f(*args, **given | changed)
    )


@pytest.mark.parametrize("operator", [activation.leaky_relu, activation.elu], ids=str)
@pytest.mark.long
def test_a_planted_bug_is_found_and_made_small(
    operator: Any, monkeypatch: pytest.MonkeyPatch, crew: Crew
) -> None:
    plant(monkeypatch, operator, alpha=0.7)
    for number in range(200):
        model, arrays = generate(11, number)
        if len(model.operations) > 5 and verdict(model, arrays, crew) == WRONG:
            break
    shrinker = Shrinker(
        *(model, arrays, lambda m, a: verdict(m, a, crew) == WRONG, time.monotonic() + 60)
    )
    shrinker.run()
    assert len(shrinker.model.operations) <= 2
    assert operator in {o.operator for o in shrinker.model.operations}
    row = row_of(case_of(shrinker.model, shrinker.arrays, "planted"))
    assert operator.name.lower() in row


def small_graph() -> GraphCase:
    """A model with all that a row can hold."""
    return GraphCase(
        (Open(rand(2, 3, seed=1), ("n", 3)), rand(2, 3, seed=2)),
        (
            Step(shape.transpose, (0,), {"perm": (1, 0)}),
            Step(shape.split, (1, Const(np.array([1, 2]))), {"axis": 1}),
            Step(activation.clip, (2, Const(np.float32(-1)), Const(np.float32(1)))),
        ),
        why="all that there is",
        outputs=(5, 3),
    )


def test_a_row_gives_its_model_back() -> None:
    model, arrays = small_graph().model(), small_graph().arrays()
    case = case_of(model, arrays, "all that there is")
    assert same(case.model(), model)
    names = {"GraphCase": GraphCase, "Open": Open, "Step": Step, "Const": Const, "rand": rand}
    names |= {"shape": shape, "activation": activation, "np": np, "Precision": Precision}
    from conformance.fuzzing.rows import NAMES

    (again,) = eval(f"({row_of(case)})", {**NAMES, **names})
    assert same(again.model(), model)
    assert all(map(np.array_equal, again.arrays(), arrays))


def test_what_proves_nothing_is_taken_back() -> None:
    g = Growth(np.random.default_rng(0))
    x = g.input((2, 3), np.array([[0.5, 1.0, -1.0], [1e-5, 2.0, 3.0]], np.float32))
    for operator, operands in (
        (unary.floor, (x,)),
        (unary.reciprocal, (x,)),
        (binary.mul, (x, 0.0)),
        (binary.mul, (x, 1e3)),
        (binary.sub, (x, x)),
    ):

        def make(g: Growth, operator: Any = operator, operands: Any = operands) -> Iterator[Any]:
            yield g.apply(operator, *operands)

        assert not g.attempt(make), operator
    assert not g.model.operations
    with pytest.raises(BadType, match="no value fits"):
        g.pick_float(4)


def test_quantised_values_may_be_a_step_beside() -> None:
    case = GraphCase(
        (rand(4, 5, seed=1),),
        (
            Step(quant.quantize_linear, (0, Const(np.float32(0.02))), {"dtype": Precision.INT8}),
            Step(shape.transpose, (1,)),
            Step(quant.dequantize_linear, (2, Const(np.float32(0.02)))),
        ),
        outputs=(2, 3),
    )
    model, arrays = case.model(), case.arrays()
    samples = all_samples(model, arrays)
    whole, real = model.outputs
    assert is_stepped(whole)
    assert not is_stepped(real)
    assert allow(whole, samples[whole]).absolute >= 1
    assert 0.02 <= allow(real, samples[real]).of_steps < 0.1
    assert spread(samples[model.inputs[0]], (1, 2, 3, 4)) == 0


def test_a_step_is_no_difference_but_two_values_are(crew: Crew) -> None:
    from conformance.fuzzing.models.trial import judge

    subject = subject_of(small_graph().model(), small_graph().arrays())
    assert judge(subject, lambda: subject.wanted).verdict == PASS
    wrong = [a + np.float32(0.1) for a in subject.wanted]
    assert judge(subject, lambda: wrong).verdict == WRONG
    assert judge(subject, lambda: subject.wanted[:1]).verdict == WRONG

    def fail() -> Any:
        raise BadType("a valid model")

    assert judge(subject, fail).verdict == ERROR


def test_slow_formats_are_written_of_some_models() -> None:
    assert ".pt2 stock" in some_ways_of("torch", 0)
    assert ".pt2 stock" not in some_ways_of("torch", 1)
    assert ways_of("builtin") == ["optimized", ".nnir"]


def test_the_suite_runs_models_in_every_way() -> None:
    options = Options(
        suites=("random-models",), devices=("builtin", "litert"), seed=7, examples=2, case="7-"
    )
    run = conform(options, jobs=1)
    assert run.is_good, [r.reason for r in run.failures]
    ways = {r.case for r in run.results}
    assert {"7-0 optimized", "7-0 .nnir", "7-1 .tflite stock", "7-1 as it is"} <= ways


def test_a_subject_knows_what_is_right() -> None:
    model, arrays = generate(2, 0)
    subject = subject_of(model, arrays)
    assert isinstance(subject, Subject)
    assert len(subject.wanted) == len(model.outputs) == len(subject.allowed)
