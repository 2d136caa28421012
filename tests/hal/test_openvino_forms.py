"""Annotations of lowerings on openvino: operands and axes come as they say."""

from __future__ import annotations

import openvino
import pytest

from hal.drivers.openvino.emitter import Emitter, Ref
from hal.drivers.openvino.forms import Single, Sizes, Table
from hal.operands import Axis
from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.operator import Operator
from nnir.ops import activation, index, shape
from nnir.types import Precision, TensorType

F16, F32 = Precision.FLOAT16, Precision.FLOAT32


def lower(table: Table, operator: Operator[Value], *kinds: TensorType, **attributes: int) -> None:
    """Emit one operation by a table; NoLowering where it refuses."""
    model = Model("one")
    values = [model.input(f"x{k}", kind) for k, kind in enumerate(kinds)]
    model.outputs = [operator(*values, **attributes)]
    emitter = Emitter(table, openvino)
    for value in values:
        emitter.names[value] = emitter.stand_in(value)
    emitter.lower_all(model)
    emitter.require_lowered()


def test_operands_and_axes_are_read_in_their_forms() -> None:
    table, seen = Table(), []

    @table.lower(index.gather)
    def gather(g: Emitter, input: Single, indices: Sizes, *, axis: Axis) -> Ref:
        seen.append((input.precision, indices.precision, indices.rank, axis))
        return g.gather(input, indices, axis)

    lower(table, index.gather, TensorType(F16, (2, 3)), TensorType(Precision.INT32, (1,)), axis=-1)
    assert seen == [(F32, Precision.INT64, 1, 1)]


def test_all_operands_may_have_a_form_and_what_is_left_out_has_none() -> None:
    table, seen = Table(), []

    @table.lower(shape.concat)
    def concat(g: Emitter, *input: Single, axis: Axis) -> Ref:
        seen.append([i.precision for i in input])
        return g.concat(*input, axis=axis)

    @table.lower(shape.squeeze)
    def squeeze(g: Emitter, input: Value, axes: Sizes | None) -> Ref:
        seen.append(axes)
        return g.squeeze(input, 0)

    lower(table, shape.concat, *[TensorType(F16, (1,))] * 2, axis=0)
    lower(table, shape.squeeze, TensorType(F32, (1,)))
    assert seen == [[F32] * 2, None]


def test_integers_are_no_single_numbers() -> None:
    table = Table()

    @table.each({activation.relu: "Relu"})
    def rectify(g: Emitter, name: str, input: Single) -> Ref:
        return g.node(name, input)

    lower(table, activation.relu, TensorType(F32, (2,)))
    with pytest.raises(NoLowering, match="has RELU of floats, not int32"):
        lower(table, activation.relu, TensorType(Precision.INT32, (2,)))


def test_functions_compute_narrow_integers_in_32_bits() -> None:
    table, seen = Table(), []

    def twice(g: Emitter, x: Ref) -> Ref:
        seen.append(x.precision)
        return x + x

    table.formulas({activation.relu: twice})
    lower(table, activation.relu, TensorType(Precision.INT8, (2,)))
    assert seen == [Precision.INT32]
