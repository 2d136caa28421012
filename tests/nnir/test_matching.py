"""Forms of rewrites: what they find, what they leave, and that operators that commute do so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nnir.errors import BadModel
from nnir.model import Model, Operation, Value
from nnir.operator import Operator
from nnir.ops import OPERATORS, activation, binary, linear, shape, unary
from nnir.passes import apply
from nnir.passes.matching import ANY, Form, Number, Variable, node, rule
from nnir.types import Fuse, Precision, TensorType

x, y = Variable("x"), Variable("y")


def replaced(form: Form, build: Callable[[Value], Value]) -> list[str]:
    """The operators of what `build` makes, once every value of `form` is the NEG of its x."""
    model = Model()
    model.outputs = [build(model.input("x", TensorType(Precision.FLOAT32, (3, 4))))]

    @rule(form)
    def step(x: Value) -> Value:
        return unary.neg(x)

    apply(model, [step], checked=True)
    return [o.operator.name for o in model.sorted()]


def read_twice(value: Value) -> Value:
    inner = unary.log(value)
    return unary.exp(inner) + inner


FOUND: dict[str, tuple[Form, Callable[[Value], Value], list[str]]] = {
    "a variable is one value": (x * x, lambda v: v * v, ["NEG"]),
    "a variable is not two values": (x * x, lambda v: v * unary.exp(v), ["EXP", "MUL"]),
    "a number on the left": (x * 2, lambda v: binary.mul(2.0, v), ["NEG"]),
    "a number on the wrong side": (x - 2, lambda v: binary.sub(2.0, v), ["SUB"]),
    "another number": (x * 2, lambda v: v * 3, ["MUL"]),
    "a number in half precision": (x * 0.7071, lambda v: v * 0.5**0.5, ["NEG"]),
    "either of two": (x + 1 | x * 2, lambda v: v + 1, ["NEG"]),
    "a quotient": (x / 2, lambda v: v / 2, ["NEG"]),
    "an attribute that is not named": (
        x + 1,
        lambda v: binary.add(v, 1.0, fuse_code=Fuse.RELU),
        ["ADD"],
    ),
    "an attribute that is any": (
        node(binary.add, x, Number(1), attributes={"fuse_code": ANY}),
        lambda v: binary.add(v, 1.0, fuse_code=Fuse.RELU),
        ["NEG"],
    ),
    "an attribute that is named": (
        node(binary.add, x, Number(1), attributes={"fuse_code": Fuse.RELU6}),
        lambda v: binary.add(v, 1.0, fuse_code=Fuse.RELU),
        ["ADD"],
    ),
    "any operands": (
        node(binary.sub, x, ANY),
        lambda v: binary.sub(v, unary.exp(v)),
        ["NEG"],
    ),
    "an operand more than the form has": (
        node(activation.clip, x),
        lambda v: activation.clip(v, 0.0, 1.0),
        ["CLIP"],
    ),
    "a chain, one after the other": (
        node(unary.exp, node(unary.neg, x)),
        lambda v: unary.exp(unary.exp(unary.exp(unary.neg(v)))),
        ["NEG"],
    ),
    "read by another too": (
        node(unary.exp, node(unary.log, x, alone=True)),
        read_twice,
        ["LOG", "EXP", "ADD"],
    ),
    "in a condition on the value": (
        node(unary.exp, Variable("x", where=lambda v: v.rank == 1)),
        unary.exp,
        ["EXP"],
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_form(name: str) -> None:
    form, build, left = FOUND[name]
    assert replaced(form, build) == left


def test_names_are_what_the_function_takes() -> None:
    @rule(
        node(binary.sub, node(unary.exp, x, name="inner"), y),
        where=lambda y, result: y.shape == result.shape,
    )
    def step(inner: Operation, x: Value, y: Value) -> Value:
        """Swap."""
        assert inner.operator is unary.exp
        assert inner.inputs == (x,)
        return y - x

    model = Model("swap")
    a = model.input("a", TensorType(Precision.FLOAT32, (2,)))
    b = model.input("b", TensorType(Precision.FLOAT32, (1,)))
    model.outputs = [unary.exp(a) - a, unary.exp(a) - b]
    assert step.name == "step"
    assert step.__doc__ == "Swap."
    assert apply(model, [step], checked=True) == ["step"]
    assert [o.operator.name for o in model.sorted()] == ["EXP", "SUB", "SUB"]
    swapped = model.outputs[0].producer
    assert swapped is not None
    assert swapped.inputs == (a, a)


def test_a_replacement_comes_from_where_the_result_came() -> None:
    model = Model()
    a = model.input("a", TensorType(Precision.FLOAT32, (2, 2)))
    model.origin = "node 7"
    made = shape.transpose(a, perm=(1, 0))
    model.origin = None
    model.outputs = [made]

    @rule(node(shape.transpose, x, attributes={"perm": ANY}))
    def step(x: Value) -> Value:
        return unary.exp(x)

    apply(model, [step])
    assert [(o.operator.name, o.origin) for o in model.operations] == [("EXP", "node 7")]
    assert model.origin is None


def test_a_pass_that_comes_too_early_is_a_bad_model() -> None:
    @rule(node(unary.exp, x))
    def first(x: Value) -> Value:
        return unary.neg(x)

    @rule(node(unary.log, x), requires=(first,))
    def second(x: Value) -> Value:
        return unary.neg(x)

    model = Model()
    model.outputs = [unary.log(unary.exp(model.input("x", TensorType(Precision.FLOAT32, (2,)))))]
    with pytest.raises(BadModel, match="second requires first"):
        apply(model, [second], checked=True)
    assert apply(model, [first, second], checked=True) == ["first", "second"]


COMMUTING = [o for o in OPERATORS.values() if o.commutes]


def test_which_operators_commute() -> None:
    assert {"ADD", "MUL", "MAX", "MIN", "EQUAL", "AND"} <= {o.name for o in COMMUTING}
    assert not any(o.commutes for o in (binary.sub, binary.div, linear.mat_mul, binary.pow_))


@pytest.mark.parametrize("operator", COMMUTING, ids=lambda o: o.name)
def test_operands_may_change_places(operator: Operator) -> None:
    numbers = np.array([-3, -1, 0, 1, 2, 7])
    left, right = (a.reshape(-1) for a in np.meshgrid(numbers, numbers))
    kinds = [np.bool_] if operator.name in ("AND", "OR", "XOR") else [np.int32, np.float32]
    for kind in kinds[:1] if operator.name.startswith("BITWISE") else kinds:
        a, b = left.astype(kind), right.astype(kind)
        defaults = operator.bind_attributes({})
        there, back = (operator.reference(*x, **defaults) for x in ((a, b), (b, a)))
        np.testing.assert_array_equal(there, back)


def test_an_operation_of_several_results_is_no_form() -> None:
    """What takes the place of one result would leave the others without a maker."""
    model = Model()
    parts = shape.split(model.input("x", TensorType(Precision.FLOAT32, (4,))), [1, 3], axis=0)
    model.outputs = [unary.exp(parts[0]), parts[1]]

    @rule(node(unary.exp, node(shape.split, x, ANY, attributes=ANY)))
    def step(x: Value) -> Value:
        return unary.neg(x)

    apply(model, [step], checked=True)
    assert [o.operator.name for o in model.sorted()] == ["SPLIT", "EXP"]
