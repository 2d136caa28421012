"""Every type rule against what its reference really returns, with sizes and with symbols."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from conformance.case import Case
from conformance.cases.nnir import CASES as DIRECT
from conformance.cases.nnir import DirectCase
from conformance.cases.onnx import CASES
from conformance.cases.tensorflow import CASES as TENSORFLOW
from conformance.cases.torch import CASES as TORCH
from conformance.engines import tensorflow as tensorflow_engine
from conformance.engines import torch as torch_engine
from conformance.engines.onnx import convert, run_inputs
from conformance.judging.type_rules import problem, trace
from hal.runtime.program import Program
from nnir.check import check
from nnir.evaluate import Plan
from nnir.model import Model
from nnir.ops import OPERATORS, quant
from nnir.types import Precision, TensorType

DEVICES = ("builtin", "onnxruntime")
RIGHT = [c for c in DIRECT if c.raises is None]


def test_defaults_are_said_once() -> None:
    """Attributes come bound: a default of a reference would be one that nobody asks for."""
    for operator in OPERATORS.values():
        function = inspect.unwrap(operator.reference)
        if inspect.isfunction(function):  # NumPy's own have defaults of theirs
            named = {n: inspect.signature(function).parameters.get(n) for n in operator.attributes}
            second = [n for n, p in named.items() if p is not None and p.default is not p.empty]
            assert not second, f"{operator.name}: {second}"


@pytest.mark.parametrize("case", [c for c in CASES if not c.raises], ids=str)
def test_onnx_case(case: Case) -> None:
    model = convert(case)
    check(model)
    for operation, arrays, results in trace(model, run_inputs(case)):
        assert problem(operation, arrays, results) is None


@pytest.mark.parametrize("case", [c for c in TORCH if not c.raises], ids=str)
def test_torch_case(case: Case) -> None:
    model = torch_engine.convert(case, [None] * case.outputs)
    check(model)
    for operation, arrays, results in trace(model, torch_engine.run_inputs(case)):
        assert problem(operation, arrays, results) is None


@pytest.mark.parametrize("case", RIGHT, ids=str)
def test_direct_case(case: DirectCase) -> None:
    model = case.model()
    check(model)
    inputs = case.arrays()
    before = [a.tobytes() for a in inputs]
    for operation, arrays, results in trace(model, inputs):
        assert problem(operation, arrays, results) is None
    case.compare(Plan(model).run(inputs))
    assert before == [a.tobytes() for a in inputs], "input changed"


@pytest.mark.parametrize("case", [c for c in DIRECT if c.raises is not None], ids=str)
def test_direct_case_fails(case: DirectCase) -> None:
    assert case.raises is not None
    with pytest.raises(case.raises):
        Plan(case.model()).run(case.arrays())


def test_quantize_gives_what_dequantize_takes() -> None:
    steps = {1: np.float32([0.25]), 3: np.float32([0.25, 0.5, 2])}
    zeros = (None, np.int32([0]), np.int32([9]))
    for count, zero in ((1, zeros[0]), (1, zeros[1]), (1, zeros[2]), (3, zeros[0])):
        model = Model()
        x = model.input("x", TensorType(Precision.FLOAT32, (3, 2)))
        offset = 0 if zero is None else model.constant(zero)
        q = quant.quantize(x, model.constant(steps[count]), offset, axis=0)
        model.outputs = [quant.dequantize(q)]
        exact = np.float32([[0.5, -1], [1, 2.5], [-2, 4]])
        for device in DEVICES:
            with Program(model, device) as program:
                assert (program(exact)[0] == exact).all()


def test_direct_case_names_differ() -> None:
    names = [str(c) for c in DIRECT]
    assert sorted(names) == sorted(set(names))


def test_every_operator_has_a_case() -> None:
    reached = {c.operator.name for c in RIGHT}
    models = [convert(c) for c in CASES if not c.raises]
    models += [torch_engine.convert(c, [None] * c.outputs) for c in TORCH if not c.raises]
    flows = [c for c in TENSORFLOW if not c.raises]
    models += [tensorflow_engine.convert(c, [None] * c.outputs) for c in flows]
    for model in models:
        for operation in model.operations:
            reached.add(operation.operator.name)
            reached.update(o.operator.name for m in operation.models for o in m.operations)
    assert not set(OPERATORS) - reached
