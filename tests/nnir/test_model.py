"""Models: building, rewiring, order and what a valid model is."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from nnir.check import check, extensions
from nnir.dim import symbol
from nnir.dot import dot
from nnir.errors import BadModel, BadType
from nnir.evaluate import Plan, evaluate
from nnir.model import Model, Operator, Value
from nnir.ops import activation, binary, quant, shape, unary
from nnir.types import Fuse, Precision, TensorType

F32 = Precision.FLOAT32


def chain() -> tuple[Model, Value]:
    """y = relu(x + 1) with a dynamic first axis."""
    model = Model("chain")
    x = model.input("x", TensorType(F32, (symbol("n"), 3)))
    model.outputs = [activation.relu(binary.add(x, 1.0))]
    return model, x


def test_a_reference_without_a_signature_reads_no_quantization() -> None:
    """Those of NumPy before 2.4 are such; `next` is one of Python's own."""
    with pytest.raises(ValueError, match="no signature"):
        inspect.signature(next)
    assert not Operator(activation.relu.rule, next, code=1).reads_quantization
    assert quant.dequantize.reads_quantization


def test_operators_append_and_infer() -> None:
    model, _ = chain()
    check(model)
    assert [o.operator.name for o in model.operations] == ["ADD", "RELU"]
    assert str(model.outputs[0].type) == "float32[n, 3]"


def test_a_wrong_operand_is_refused_before_anything_is_added() -> None:
    model, x = chain()
    with pytest.raises(BadType, match="one type"):
        binary.add(x, model.constant(np.zeros(3, np.int32)))
    assert len(model.operations) == 2


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: binary.add(x), "got 1 operands, it takes"),
        (lambda x: binary.add(x, x, x), "got 3 operands"),
        (lambda x: binary.add(x, x, fuse=1), "no attribute 'fuse'"),
        (lambda x: binary.add(x, x, fuse_code=9), "not one of 0 NONE, 1 RELU"),
        (lambda x: activation.leaky_relu(x), "needs alpha"),
        (lambda x: binary.add(None, x), "needs 'input0'"),
    ],
)
def test_a_wrong_call_says_what_is_right(call: object, text: str) -> None:
    _, x = chain()
    with pytest.raises(BadType, match=text):
        call(x)  # type: ignore[operator]


def test_codes_become_enums() -> None:
    _, x = chain()
    made = binary.add(x, x, fuse_code=1)
    assert made.producer.attributes["fuse_code"] is Fuse.RELU


def test_replace_and_remove() -> None:
    model, x = chain()
    add, relu = model.operations
    model.replace(add.outputs[0], x)
    assert relu.inputs == (x,)
    assert relu in x.uses
    model.remove([add])
    assert model.operations == [relu]
    assert add not in x.uses
    check(model)


def test_order_does_not_matter() -> None:
    model, _ = chain()
    model.operations.reverse()
    assert [o.operator.name for o in model.sorted()] == ["ADD", "RELU"]
    check(model)


def test_a_cycle_is_found() -> None:
    model, _ = chain()
    add, relu = model.operations
    add.inputs = (relu.outputs[0], add.inputs[1])
    relu.outputs[0].uses[add] = None
    with pytest.raises(BadModel, match="cycle"):
        check(model)


def test_check_lists_what_is_wrong() -> None:
    model, x = chain()
    model.inputs.append(x)
    model.operations[1].outputs[0].type = TensorType(F32, (7,))
    with pytest.raises(BadModel) as caught:
        check(model)
    assert "an input is listed twice" in str(caught.value)
    assert "makes float32[n, 3], not float32[7]" in str(caught.value)


def test_strict_refuses_extensions() -> None:
    model, x = chain()
    model.outputs = [unary.neg(x)]
    check(model)
    assert extensions(model) == {"NEG": 1}
    with pytest.raises(BadModel, match=r"NEG is an extension \(x1\)"):
        check(model, strict=True)


def test_buffers_are_freed_when_their_last_reader_ran() -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (2,)))
    y = x
    for _ in range(5):
        y = unary.exp(y)
    model.outputs = [y]
    plan = Plan(model)
    assert [len(dead) for dead in plan.dead] == [1, 1, 1, 1, 1]
    np.testing.assert_array_equal(
        plan.run([np.zeros(2, np.float32)])[0], evaluate(model, [np.zeros(2, np.float32)])[0]
    )


def test_shapes_stay_known_through_shape_arithmetic() -> None:
    model, x = chain()
    rows = shape.shape(x, dtype=Precision.INT64)
    doubled = binary.mul(rows, model.constant(np.array([2, 1], np.int64)))
    assert [str(d) for d in doubled.content.flat] == ["2*n", "3"]


def test_new_symbols_differ() -> None:
    model, _ = chain()
    inner = Model("inner", model)
    assert len({str(model.fresh()), str(inner.fresh()), str(model.fresh())}) == 3


def test_text_names_everything() -> None:
    model, _ = chain()
    text = str(model)
    assert text.startswith("model chain(%x: float32[n, 3]) {")
    assert "= ADD(%x, [1.0]:float32" in text or "= ADD(%x, 1.0:float32" in text
    assert text == str(model), "printing changes nothing"


def test_dot_has_every_operation() -> None:
    model, _ = chain()
    drawing = dot(model, {model.operations[0]: 0, model.operations[1]: 1})
    assert drawing.startswith('digraph "chain" {')
    assert drawing.count('label="ADD"') == drawing.count('label="RELU"') == 1
    assert drawing.endswith("}")


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({"axis": True}, "axis=True of softmax, not <class 'int'>"),
        ({"axis": (0,)}, "axis=\\(0,\\) of softmax, not <class 'int'>"),
    ],
)
def test_attributes_are_of_their_kind(attributes: dict[str, Any], text: str) -> None:
    _, x = chain()
    with pytest.raises(BadType, match=text):
        activation.softmax(x, **attributes)


def test_truth_values_may_be_written_as_numbers() -> None:
    model, x = chain()
    for value in (1, np.int64(0), True):
        binary.mod(x, 2.0, fmod=value)
    found = [o.attributes["fmod"] for o in model.operations[-3:]]
    assert found == [True, False, True]
    assert {*map(type, found)} == {bool}
    with pytest.raises(BadType, match="fmod=2 of mod, not <class 'bool'>"):
        binary.mod(x, 2.0, fmod=2)
    check(model)
