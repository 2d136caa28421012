"""Models in the operators of the standard alone: what is expressed, what is not, and why."""

from __future__ import annotations

import numpy as np
import pytest

import nnadapter as nna
from nnir import build
from nnir.check import check, extensions
from nnir.decomposition import Level
from nnir.dim import symbol
from nnir.errors import BadInput, Unsupported
from nnir.evaluate import evaluate
from nnir.model import Model
from nnir.ops import (
    activation,
    complex,
    control,
    index,
    logic,
    recurrent,
    reduce,
    shape,
    unary,
)
from nnir.standard import explain_beyond, to_standard
from nnir.types import Precision, TensorType


def layer() -> Model:
    model = Model("layer")
    x = model.input("x", TensorType(Precision.FLOAT32, (5, 2, 3)))
    draw = np.random.default_rng(0)
    weight, recurrence = (
        model.constant(draw.uniform(-1, 1, (1, 12, n)).astype(np.float32)) for n in (3, 3)
    )
    outputs, _, _ = recurrent.lstm(x, weight, recurrence)
    model.outputs = [outputs]
    return model


def data(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(-2, 2, shape).astype(np.float32)


def test_a_layer_is_written_out_at_the_level_that_says_so() -> None:
    model, x = layer(), data(5, 2, 3)
    with pytest.raises(Unsupported, match=r"LSTM \(x1\): level=unrolled"):
        nna.to_standard(model, level="rounding")
    result = nna.to_standard(model, level="unrolled")
    check(result)
    assert not extensions(result, "v1.1")
    assert extensions(model, "v1.1") == {"LSTM": 1}, "the model itself stays as it is"
    np.testing.assert_allclose(evaluate(result, [x])[0], evaluate(model, [x])[0], rtol=1e-5)


def test_what_stays_is_listed_with_its_reason() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (4, 3)))
    places = index.non_zero(x)
    model.outputs = [places, reduce.reduce_prod(x, [1], keepdim=False), activation.relu(x)]
    stays = {each.operator: each for each in explain_beyond(model)}
    assert set(stays) == {"NON_ZERO", "REDUCE_PROD"}
    assert (stays["REDUCE_PROD"].level, stays["REDUCE_PROD"].why) == (Level.ROUNDING, "")
    assert stays["NON_ZERO"].level is None
    assert stays["NON_ZERO"].why
    part = to_standard(model, level="rounding", partial=True)
    assert extensions(part, "v1.1") == {"NON_ZERO": 1}
    with pytest.raises(Unsupported, match="NON_ZERO"):
        to_standard(model, level="unrolled")


def test_the_first_version_has_fewer_operators() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 6, 2, 2)))
    model.outputs = [index.channel_shuffle(x, group=3)]
    older = "v1" if index.channel_shuffle.since == "v1.1" else "v1.1"
    result = to_standard(model, older)
    assert not extensions(result, older)
    np.testing.assert_array_equal(
        evaluate(result, [data(1, 6, 2, 2)])[0], evaluate(model, [data(1, 6, 2, 2)])[0]
    )


def test_complex_numbers_inside_become_pairs() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 2)))
    z = complex.pairs_to_complex(x)
    model.outputs = [complex.complex_to_pairs(z * z)]
    result = to_standard(model, level="rounding")
    assert not extensions(result, "v1.1")
    np.testing.assert_allclose(
        evaluate(result, [data(3, 2)])[0], evaluate(model, [data(3, 2)])[0], rtol=1e-6
    )


def test_a_model_of_the_standard_stays_as_it_is() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [unary.exp(x)]
    assert explain_beyond(model) == []
    assert str(to_standard(model)) == str(model)


@pytest.mark.parametrize("places", [[[0, 7]], [[5, 0]], [[-9, 0]]])
def test_positions_outside_stay_an_error(places: list[list[int]]) -> None:
    """Among all elements in one row they would be elements of other rows."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 4)))
    updates = model.constant(np.float32([9]))
    model.outputs = [index.scatter_nd(x, places, updates), index.gather_nd(x, places)]
    with pytest.raises(Unsupported, match="along an axis of"):
        to_standard(model, level="unrolled")


def test_truth_values_and_slices_in_the_first_version() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.BOOL8, (2, 3)))
    first, second = shape.unstack(x, axis=0, num=2)
    model.outputs = [logic.xor(first, second)]
    result = to_standard(model, "v1")
    assert not extensions(result, "v1")
    array = np.array([[True, True, False], [True, False, False]])
    np.testing.assert_array_equal(evaluate(result, [array])[0], [False, True, False])


def test_a_branch_that_may_fail_is_not_run_where_it_is_not_taken() -> None:
    model, taken, other = Model(), Model("taken"), Model("other")
    kind = TensorType(Precision.INT32, (2,))
    for branch in (taken, other):
        a, b = (branch.input(n, kind) for n in ("a", "b"))
        branch.outputs = [a // b if branch is taken else a]
    flag = model.input("flag", TensorType(Precision.BOOL8, ()))
    x, y = (model.input(n, kind) for n in ("x", "y"))
    model.outputs = [*control.if_(flag, x, y, then_model=taken, else_model=other)]
    with pytest.raises(Unsupported, match=r"IF \(x1\): a branch that may divide by 0"):
        to_standard(model, level="unrolled")


def test_loops_in_loops_have_one_budget() -> None:
    inner, outer, model = Model("inner"), Model("outer"), Model()
    kind = TensorType(Precision.FLOAT32, (2,))
    inner.outputs = [inner.constant(np.array(True)), unary.exp(inner.input("x", kind))]
    y, go = outer.input("y", kind), outer.constant(np.array(True))
    outer.outputs = [go, *control.while_(go, y, body=inner, carried=1, trips=1000)]
    z, start = model.input("z", kind), model.constant(np.array(True))
    model.outputs = [*control.while_(start, z, body=outer, carried=1, trips=1000)]
    with pytest.raises(Unsupported, match="a loop of 1000 times 100"):
        to_standard(model, level="unrolled")


@pytest.mark.parametrize(("opset", "level"), [("v9", "exact"), ("v1.1", "approximately")])
def test_versions_and_levels_that_there_are_not(opset: str, level: str) -> None:
    with pytest.raises(BadInput, match="there are"):
        to_standard(layer(), opset, level)


def test_names_of_inputs_and_outputs_stay() -> None:
    model = layer()
    model.output_names = ["hidden"]
    result = to_standard(model, level="unrolled")
    assert [v.name for v in result.inputs] == ["x"]
    assert [name for name, _ in result.named_outputs()] == ["hidden"]


def test_open_sizes_stay_open() -> None:
    model = Model()
    n = model.fresh()
    x = model.input("x", TensorType(Precision.FLOAT32, (n, 4)))
    places = model.input("places", TensorType(Precision.INT64, (n, 2)))
    model.outputs = [index.gather_elements(x, places, axis=1)]
    result = to_standard(model)
    assert not extensions(result, "v1.1")
    for size in (1, 3):
        arrays = [data(size, 4), np.random.default_rng(2).integers(-4, 4, (size, 2))]
        np.testing.assert_array_equal(evaluate(result, arrays)[0], evaluate(model, arrays)[0])


@pytest.mark.parametrize("sizes", [(2, 3, 2), (0, 3, 2), (2, 0, 2), (2, 3, 0), (0, 0, 0)])
def test_open_sizes_of_a_new_shape_may_be_nothing(sizes: tuple[int, int, int]) -> None:
    model = Model()
    batch, length, width = (symbol(name) for name in ("batch", "length", "width"))
    x = model.input("x", TensorType(Precision.FLOAT32, (batch * length * width,)))
    like = model.input("like", TensorType(Precision.FLOAT32, (batch, length, width)))
    model.outputs = [shape.reshape_exact(x, build.shape_of(like))]
    result = to_standard(model)
    check(result)
    assert not extensions(result, "v1.1")
    given = np.arange(np.prod(sizes), dtype=np.float32), np.zeros(sizes, np.float32)
    np.testing.assert_array_equal(evaluate(result, given)[0], given[0].reshape(sizes))


def test_an_open_size_beside_one_that_is_inferred_stays() -> None:
    model = Model()
    batch, length = symbol("batch"), symbol("length")
    x = model.input("x", TensorType(Precision.FLOAT32, (2 * batch * length, 3)))
    like = model.input("like", TensorType(Precision.FLOAT32, (batch, length)))
    sizes = shape.concat(build.shape_of(like), model.constant(np.array([-1])), axis=0)
    model.outputs = [shape.reshape_exact(x, sizes)]
    with pytest.raises(Unsupported, match="sizes may be 0"):
        to_standard(model)
