"""The walk over a model that all drivers share."""

from __future__ import annotations

from typing import Any

import pytest

import nnadapter as nna
from hal.drivers.litert import emitter as litert
from hal.drivers.openvino import emitter as openvino
from hal.emission import Emission, asking, decompositions, refusal, require_lowered
from hal.lowering import Lowerings, bind
from nnir.dim import Expr, symbol
from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.operator import Operator, operator
from nnir.ops import activation, shape, unary
from nnir.standard import to_standard
from nnir.types import PadMode, Precision, TensorType

table = Lowerings()


@table.lower(unary.exp, unary.square)
def plain(g: Steps, input: Value) -> str:
    return g.step("plain", input)


@table.lower(activation.relu)
def picky(g: Steps, input: Value) -> str:
    g.step("half of it", input)
    if not input.is_static:
        raise NoLowering(f"steps: relu of {input.type}")
    return g.step("relu", input)


class Steps(Emission[str]):
    """Writes down what it is told."""

    device = "steps"

    def __init__(self) -> None:
        super().__init__(table)
        self.steps: list[str] = []
        self.shapes: list[tuple[Any, ...]] = []

    def step(self, name: str, input: Value) -> str:
        self.shapes.append(input.shape)
        self.steps.append(f"{name}({self.ref(input)})")
        return self.steps[-1]

    def ref(self, operand: Value | str | None) -> str | None:
        if operand is None or isinstance(operand, str):
            return operand
        return self.names.setdefault(id(operand), operand.name or "?")

    def stand_in(self, value: Value) -> str:
        return "?"

    def mark(self) -> int:
        return len(self.steps)

    def undo(self, mark: int) -> None:
        del self.steps[mark:]


def walked(model: Model) -> Steps:
    steps = Steps()
    for operation in model.sorted():
        steps.lower(operation)
    return steps


def test_what_a_lowering_began_is_undone() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("n"),)))
    model.outputs = [unary.exp(activation.relu(unary.square(x)))]
    steps = walked(model)
    assert steps.steps == ["plain(x)", "plain(?)"]
    assert dict(steps.problems) == {"steps: relu of float32[n]": 1}
    with pytest.raises(NoLowering, match=r"relu of float32\[n\] \(x1\); device='builtin'"):
        require_lowered(steps.problems)
    reasons = [refusal(o, Steps) for o in model.operations]
    assert reasons == [None, "steps: relu of float32[n]", None]


def guessed(name: str, size: Any) -> Operator:
    """An operator whose result has a size that is only known while running."""

    def rule(input: Value) -> TensorType:
        return input.type.with_shape((input.model.fresh(),))

    rule.__name__ = name
    rule.__annotations__ = {"input": Value, "return": TensorType}
    return operator(code=9000 + size, reference=lambda input: input)(rule)


def test_new_sizes_of_a_decomposition_are_no_sizes_of_its_operands() -> None:
    inner, outer = guessed("inner", 1), guessed("outer", 2)
    outer.decomposes()(lambda input: unary.exp(inner(input)))
    table.lower(inner)(plain)
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (model.fresh(),)))
    model.outputs = [outer(x)]
    steps = walked(model)
    assert not steps.problems
    first, second = (shape[0] for shape in steps.shapes)
    assert isinstance(first, Expr)
    assert first != second
    del table.entries[inner]


@pytest.mark.parametrize("device", ["litert", "openvino"])
def test_sizes_that_are_not_known_are_refused_in_words(device: str) -> None:
    runtime = pytest.importorskip("openvino" if device == "openvino" else "ai_edge_litert")
    if device == "openvino":
        emitter: Any = openvino.Emitter(table, runtime)
    else:
        emitter = litert.Emitter(table)
    with pytest.raises(NoLowering, match=r"\[n, 2\]"):
        emitter.ints(symbol("n"), 2)


def test_a_bug_in_a_lowering_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = bind(unary.exp, lambda g, input: g.stpe("exp", input))
    monkeypatch.setitem(table.entries, unary.exp, broken)
    model = Model()
    model.outputs = [unary.exp(model.input("x", TensorType(Precision.FLOAT32, (2,))))]
    with pytest.raises(AttributeError) as caught:
        walked(model)
    assert caught.value.__notes__ == ["in the lowering of EXP on device steps"]


def test_an_engine_refuses_in_its_words_and_only_with_its_own_errors() -> None:
    words = "steps refuses Exp: RuntimeError: too hot"
    with pytest.raises(NoLowering, match=words), asking("steps", "Exp", RuntimeError):
        raise RuntimeError("too hot")
    with pytest.raises(TypeError), asking("steps", "Exp", RuntimeError):
        raise TypeError


@pytest.mark.parametrize("device", ["openvino", "litert", "torch"])
def test_what_even_the_reference_refuses_is_refused(device: str) -> None:
    """An edge of nothing, which cannot be repeated."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (0, 4)))
    model.outputs = [shape.pad(x, [1, 1, 0, 0], mode=PadMode.EDGE)]
    with pytest.raises(NoLowering, match=r"PAD failed on float32\[0, 4\]|edge of float32\[0, 4\]"):
        nna.compile(model, device)


def test_decompositions_are_counted() -> None:
    outer = guessed("counted", 3)
    outer.decomposes()(lambda input: unary.exp(input))
    model = Model()
    model.outputs = [outer(model.input("x", TensorType(Precision.FLOAT32, (2,))))]
    with decompositions() as found:
        walked(model)
    assert dict(found) == {("steps", "COUNTED"): 1}


def test_a_device_takes_the_first_decomposition_that_it_has_lowerings_for() -> None:
    outer = guessed("either", 4)
    outer.decomposes()(lambda input: unary.exp(activation.relu(unary.sin(input))))
    outer.decomposes()(lambda input: unary.square(unary.exp(input)))
    model = Model()
    model.outputs = [outer(model.input("x", TensorType(Precision.FLOAT32, (2,))))]
    with decompositions() as counts:
        steps = walked(model)
    assert not steps.problems
    assert steps.steps == ["plain(x)", "plain(?)"]
    assert dict(counts) == {("steps", "EITHER"): 1}


def test_a_decomposition_that_breaks_a_rule_is_a_bug_and_no_refusal() -> None:
    """It would be hidden behind the next one, or behind what the device lacks."""
    outer = guessed("breaking", 7)
    outer.decomposes()(lambda input: unary.exp(input.cast(Precision.INT32)))
    outer.decomposes()(lambda input: unary.exp(input))
    model = Model()
    model.outputs = [outer(model.input("x", TensorType(Precision.FLOAT32, (2,))))]
    what = "what BREAKING is written in breaks a rule: BadType: exp needs"
    with pytest.raises(TypeError, match=what) as caught:
        walked(model)
    assert "in the decomposition of BREAKING for device steps" in caught.value.__notes__
    with pytest.raises(TypeError, match=what):
        to_standard(model)


def test_what_is_missing_is_what_the_first_decomposition_lacks() -> None:
    outer = guessed("neither", 5)
    outer.decomposes()(lambda input: unary.exp(unary.sin(input)))
    outer.decomposes()(lambda input: unary.cos(input))
    model = Model()
    model.outputs = [outer(model.input("x", TensorType(Precision.FLOAT32, (2,))))]
    steps = walked(model)
    assert dict(steps.problems) == {"steps has no lowering for SIN": 1}
    assert [r.operator for r in steps.refusals] == ["NEITHER"]
    assert steps.steps == []


def test_a_lowering_may_be_written_in_values() -> None:
    outer = guessed("composed", 6)
    table.lower(outer)(lambda g, input: g.compose(lambda x: unary.exp(unary.square(x)), input))
    model = Model()
    model.outputs = [outer(model.input("x", TensorType(Precision.FLOAT32, (2,))))]
    assert walked(model).steps == ["plain(x)", "plain(?)"]
    table.entries.pop(outer)
    table.lower(outer)(lambda g, input: g.compose(unary.sin, input))
    assert dict(walked(model).problems) == {"steps has no lowering for SIN": 1}
    del table.entries[outer]
