"""Quantised models with the operand types of the standard, and back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from nnir import archive
from nnir.check import check
from nnir.errors import BadFile
from nnir.evaluate import evaluate
from nnir.fingerprint import digest
from nnir.model import Model, Operation
from nnir.ops import OPERATORS, activation, binary, conv, linear, quant, shape
from nnir.passes import CLEAN, FUSIONS, apply
from nnir.quantised_types import (
    explain_kept,
    has_quantised_operations,
    to_explicit,
    to_quantised_types,
)
from nnir.quantised_types.operators import KEPT, ROLES
from nnir.standard import to_standard
from nnir.types import Fuse, Precision, Quantization, TensorType

from .quantised_models import arrays, convolution, movements, network, real, some, through, whole

F32 = Precision.FLOAT32
ASYMM = Precision.QUANT_UINT8_ASYMM_PER_LAYER

MODELS: dict[str, Callable[[], Model]] = {
    "int8": network,
    "uint8": lambda: network(np.uint8),
    "int16": lambda: network(np.int16),
    "uint16": lambda: network(np.uint16),
    "int8 at both ends": lambda: network(np.int8, ends=True),
    "uint8 at both ends": lambda: network(np.uint8, ends=True),
    "int16 at both ends": lambda: network(np.int16, ends=True),
    "movements": movements,
}


def start(*sizes: int, kind: Precision = F32) -> Model:
    model = Model()
    model.input("x", TensorType(kind, sizes))
    return model


def on_integers(model: Model) -> list[Operation]:
    return [o for o in model.operations if o.is_on_integers]


def require_same(model: Model, seed: int = 1) -> Model:
    """The view of a model, whose results and whose way back are what the model says."""
    view, explicit = to_quantised_types(model), to_explicit(model)
    check(view)
    check(explicit)
    assert digest(to_explicit(view)) == digest(explicit)
    assert str(to_explicit(view)) == str(explicit)
    assert digest(to_explicit(explicit)) == digest(explicit)
    assert digest(to_quantised_types(view)) == digest(view)
    assert not has_quantised_operations(explicit)
    given = arrays(model, seed)
    wanted = evaluate(model, given)
    for other in (view, explicit, archive.loads(archive.dumps(view))):
        for got, want in zip(evaluate(other, given), wanted, strict=True):
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            assert np.array_equal(got, want)
    return view


@pytest.mark.parametrize("name", MODELS)
def test_the_view_means_the_same_and_goes_back(name: str) -> None:
    model = MODELS[name]()
    before = digest(model)
    view = require_same(model)
    assert digest(model) == before
    assert explain_kept(model) == []
    left = Counter(o.operator.name for o in view.operations if not o.is_on_integers)
    assert set(left) <= {"QUANTIZE", "DEQUANTIZE", "DEQUANTIZE_LINEAR", "QUANTIZE_LINEAR"}


def test_what_the_operands_are() -> None:
    view = to_quantised_types(network())
    first = next(o for o in view.operations if o.operator is conv.conv_2d)
    kinds = [v.precision.name for v in (*first.inputs, *first.outputs) if v is not None]
    assert kinds == [
        "QUANT_UINT8_ASYMM_PER_LAYER",
        "QUANT_INT8_SYMM_PER_CHANNEL",
        "QUANT_INT32_SYMM_PER_CHANNEL",
        "QUANT_UINT8_ASYMM_PER_LAYER",
    ]
    assert first.attributes["fuse_code"] == Fuse.RELU
    how = first.outputs[0].type.quantization
    assert how is not None
    assert (how.scales, how.zero_points, how.stored) == (
        (float(np.float32(0.05)),),
        (0,),
        Precision.INT8,
    )
    assert "zero point 100 of int8" in str(view)


def test_ends_of_uint8_are_quantised_operands() -> None:
    view = to_quantised_types(network(np.uint8, ends=True))
    assert [v.precision for v in (*view.inputs, *view.outputs)] == [ASYMM, ASYMM]
    assert all(o.is_on_integers for o in view.operations)


def test_weights_stay_where_they_are() -> None:
    model = network()
    stored = {id(v.constant) for v in model.values() if v.constant is not None}
    view = to_quantised_types(model)
    weights = [v for v in view.values() if v.precision == Precision.QUANT_INT8_SYMM_PER_CHANNEL]
    assert weights
    assert all(id(v.constant) in stored for v in weights)
    back = [v for v in to_explicit(view).values() if v.constant is not None and v.rank == 4]
    assert back
    assert all(id(v.constant) in stored for v in back)


def test_a_model_without_integers_stays() -> None:
    model = start(2, 3)
    model.outputs = [activation.relu(model.inputs[0])]
    assert str(to_quantised_types(model)) == str(to_explicit(model)) == str(model)


def test_a_plain_model_with_the_types_of_the_standard_goes_back_and_forth() -> None:
    """QUANTIZE leaves the lowest symmetric integer out: such types stay, between borders."""
    model = Model()
    kind = Precision.QUANT_INT8_SYMM_PER_LAYER
    type = TensorType(kind, (2, 3), quantization=Quantization((0.5,)))
    x = model.input("x", type)
    bound = activation.softmax.bind_attributes({"axis": 1})
    to = TensorType(kind, (2, 3), quantization=Quantization((1 / 127,)))
    (y,) = model.append(activation.softmax, (x,), bound, [to])
    flat = shape.flatten.bind_attributes({"start_axis": 0, "end_axis": 1})
    (z,) = model.append(shape.flatten, (y,), flat, [to.with_shape((6,))])
    model.outputs = [z]
    check(model)
    explicit = to_explicit(model)
    names = [o.operator.name for o in explicit.operations]
    assert names == ["DEQUANTIZE", "SOFTMAX", "QUANTIZE", "FLATTEN"]
    data = [np.array([[-128, 3, 7], [0, 0, 1]], np.int8)]
    assert np.array_equal(evaluate(model, data)[0], evaluate(explicit, data)[0])


# What several readers, other grids and other types do


def test_several_readers_share_integers() -> None:
    model = start(1, 4, 5, 5)
    first = whole(convolution(through(model.inputs[0], 0.05, 0), 0.05, 4), 0.5, 3)
    seen = real(first, 0.5, 3)
    second = through(convolution(seen, 0.5, 4), 5.0, 0)
    total = through(binary.add(seen, second), 4.0, 1)
    model.outputs = [total, real(first, 0.5, 3), first]
    view = require_same(model)
    assert [o.operator.name for o in on_integers(view)] == ["CONV_2D", "CONV_2D", "ADD"]


def test_a_border_that_is_crossed_twice_is_none() -> None:
    model = start(2, 3)
    once = through(model.inputs[0], 0.1, 5)
    model.outputs = [through(through(activation.relu(once), 0.1, 5), 0.1, 5)]
    view = require_same(model)
    assert Counter(o.operator.name for o in view.operations) == {
        "QUANTIZE": 1,
        "RELU": 1,
        "DEQUANTIZE": 1,
    }


def test_real_numbers_that_are_only_moved_become_the_same_integers() -> None:
    model = start(2, 3, 4)
    seen = through(model.inputs[0], 0.1, 5)
    flat = shape.transpose(shape.reshape(seen, [6, 4]), perm=(1, 0))
    model.outputs = [through(activation.relu(shape.concat(flat, flat, axis=1)), 0.1, 5), flat]
    view = require_same(model)
    names = [o.operator.name for o in on_integers(view)]
    assert names == ["RESHAPE", "TRANSPOSE", "CONCAT", "RELU"]


def test_scales_whose_numbers_overflow_are_left_alone() -> None:
    model = start(2, 3)
    seen = through(model.inputs[0], 3e38, 0)
    model.outputs = [through(shape.reshape(seen, [6]), 3e38, 0)]
    view = require_same(model)
    assert not on_integers(view)


def test_a_weight_of_zero_points_is_asymmetric() -> None:
    model = start(2, 4)
    weight = real(model.constant(some(np.uint8, 3, 4)), 0.02, 131)
    dense = linear.fully_connected(
        through(model.inputs[0], 0.05, 0, np.uint8), weight, np.zeros(3, np.float32)
    )
    model.outputs = [through(dense, 0.1, 128, np.uint8)]
    (dense_made,) = on_integers(require_same(model))
    assert [v.precision for v in dense_made.inputs if v is not None] == [ASYMM, ASYMM, F32]


def test_a_bias_of_real_numbers_stays_one() -> None:
    model = start(1, 4, 5, 5)
    made = convolution(through(model.inputs[0], 0.05, 0), 0.05, 4, "float")
    model.outputs = [through(made, 1.0, 0)]
    (operation,) = on_integers(require_same(model))
    bias = operation.inputs[2]
    assert bias is not None
    assert bias.precision == F32


@pytest.mark.parametrize(("most", "count"), [((1 << 31) - 1, 1), (1 << 31, 0)])
def test_a_bias_of_int64_is_int32_where_that_holds_it(most: int, count: int) -> None:
    model = start(2, 4)
    weight = real(model.constant(some(np.int8, 3, 4)), 0.02)
    bias = real(model.constant(np.array([-5, most, 7])), np.float32(0.05) * np.float32(0.02))
    dense = linear.fully_connected(through(model.inputs[0], 0.05, 0, np.int16), weight, bias)
    model.outputs = [through(dense, 0.1, 0, np.int16)]
    assert len(on_integers(require_same(model))) == count


def test_a_constant_that_is_added_is_quantised() -> None:
    model = start(2, 3)
    other = real(model.constant(some(np.int8, 3)), 0.25, 9)
    model.outputs = [through(binary.mul(through(model.inputs[0], 0.05, 0), other), 0.5, 1)]
    (product,) = on_integers(require_same(model))
    constant = product.inputs[1]
    assert constant is not None
    assert (constant.precision, constant.dtype) == (ASYMM, np.uint8)


# What stays


def _kept(model: Model) -> list[str]:
    require_same(model)
    return [why for _, why in explain_kept(model)]


def test_a_result_that_is_read_as_it_is() -> None:
    model = start(1, 4, 5, 5)
    made = convolution(through(model.inputs[0], 0.05, 0), 0.05, 4)
    model.outputs = [through(made, 1.0, 0), activation.tanh(made)]
    assert _kept(model) == ["CONV_2D: its real result is read"]


def test_a_result_that_goes_out_as_it_is() -> None:
    model = start(2, 3)
    model.outputs = [activation.tanh(through(model.inputs[0], 0.05, 0))]
    assert _kept(model) == ["TANH: its real result is an output of the model"]


def test_an_operand_of_real_numbers() -> None:
    model = start(2, 3)
    x = model.inputs[0]
    model.outputs = [through(binary.add(through(x, 0.05, 0), x), 0.1, 0)]
    assert _kept(model) == ["ADD: it reads real numbers"]


def test_a_bias_of_other_steps() -> None:
    model = start(1, 4, 5, 5)
    made = convolution(through(model.inputs[0], 0.05, 0), 0.06, 4)
    model.outputs = [through(made, 1.0, 0)]
    assert _kept(model) == ["CONV_2D: the steps of its bias are not those of its products"]


def test_integers_that_are_read_by_another_scale() -> None:
    model = start(2, 3)
    mixed = real(whole(model.inputs[0], 0.05, 0), 0.1, 0)
    model.outputs = [through(activation.relu(mixed), 0.1, 0)]
    assert _kept(model) == ["RELU: integers are read with another scale than they are made with"]


def test_activations_with_several_scales() -> None:
    model = start(2, 3)
    scales = np.array([0.1, 0.2, 0.3], np.float32)
    constant = model.constant
    zeros = constant(np.zeros(3, np.int8))
    q = quant.quantize_linear(
        model.inputs[0], constant(scales), zeros, axis=1, dtype=Precision.INT8
    )
    d = quant.dequantize_linear(q, constant(scales), zeros, axis=1)
    model.outputs = [through(activation.relu(d), 0.1, 0)]
    (why,) = _kept(model)
    assert why.startswith("RELU: INT8 with scales along axis 1")


def test_weights_along_an_axis_that_the_standard_does_not_have() -> None:
    model = start(2, 4)
    weight = real(model.constant(some(np.int8, 4, 3)), np.array([0.1, 0.2, 0.3]), axis=1)
    product = linear.mat_mul(through(model.inputs[0], 0.05, 0), weight)
    model.outputs = [through(product, 0.5, 0)]
    assert _kept(model) == ["MAT_MUL: constants with scales along axis 1"]


def test_an_extension() -> None:
    model = start(2, 3)
    elu = activation.elu(through(model.inputs[0], 0.05, 0), alpha=1.0)
    model.outputs = [through(elu, 0.1, 0)]
    assert _kept(model) == ["ELU: no operator of the standard, but an extension"]


def test_every_operator_of_the_standard_takes_part_or_says_why_not() -> None:
    standard = {o for o in OPERATORS.values() if o.since != "ext"}
    assert {*ROLES, *KEPT} == standard
    assert not set(ROLES) & set(KEPT)
    for operator, role in ROLES.items():
        names = {*operator.tensors, *filter(None, [operator.variadic])}
        assert {*role.data, *filter(None, (role.weights, role.bias))} <= names


# The operators of the standard alone


def test_the_standard_alone_takes_quantised_operands() -> None:
    """Borders that stay explicit are written out; operations on quantised operands stay."""
    model = network(np.uint8, ends=True)
    x = model.inputs[0]
    model.outputs.append(activation.elu(real(x, 0.02, 100), alpha=1.0))
    result = to_standard(model, level="rounding", quantised_types=True)
    check(result, strict=True)
    assert len(on_integers(result)) == 8
    given = arrays(model)
    wanted = evaluate(model, given)
    for got, want in zip(evaluate(result, given), wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)
    again = to_standard(to_quantised_types(model), level="rounding")
    assert len(on_integers(again)) == 8


def test_passes_leave_quantised_operands_alone() -> None:
    """What is added to integers decides their scale, also where it is 0."""
    model = start(2, 3)
    zero = real(model.constant(np.zeros(3, np.int8)), 0.1)
    total = binary.add(through(model.inputs[0], 0.1, 0), zero)
    model.outputs = [through(total, 0.3, 2)]
    view = require_same(model)
    given = arrays(model)
    before = evaluate(view, given)
    apply(view, (*CLEAN, *FUSIONS, *CLEAN), checked=True)
    assert np.array_equal(evaluate(view, given)[0], before[0])
    assert len(on_integers(view)) == 1


# Files


def _spoil(data: bytes, row: list[object]) -> bytes:
    """A saved model whose first quantised type says something else."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    graph = json.loads(header["__metadata__"]["nnir"])
    place = next(k for k, v in enumerate(graph["values"]) if len(v[1]) > 3 and v[2] is None)
    graph["values"][place][1][3] = row
    header["__metadata__"]["nnir"] = json.dumps(graph)
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    return len(text).to_bytes(8, "little") + text + data[8 + size :]


SPOILED: list[list[object]] = [
    [[], [0], None],
    [[0.0], [0], None],
    [[-1.0], [0], None],
    [[1e999], [0], None],
    [[0.1, 0.2], [0], None],
    [[0.1, 0.2], [0, 0], 1],
    [[0.1], [], None],
    [[0.1], [256], None],
    [[0.1], [-1], None],
    [[0.1], [1.5], "0"],
    [["a"], [0], None],
    [[0.1], [0], None, "INT16"],
    [[0.1], [0], None, "FLOAT32"],
    [[0.1], [0], None, "no precision"],
    [[0.1], [0]],
    [[0.1], [0], None, "INT8", 1],
    [None, None, None],
]


@pytest.mark.parametrize("row", SPOILED, ids=str)
def test_a_file_with_types_that_say_no_numbers_is_damaged(row: list[object]) -> None:
    data = archive.dumps(to_quantised_types(network()))
    assert archive.loads(data).name == "net"
    with pytest.raises(BadFile):
        archive.loads(_spoil(data, row))


def test_borders_behind_borders_are_no_matter_of_depth() -> None:
    model = start(2, 3)
    x = model.inputs[0]
    for k in range(1500):
        x = through(x, 0.1 + 0.001 * (k % 2), 0)
    model.outputs = [x]
    assert len(to_explicit(model).operations) == 3000
