"""NNAPI 1.0 as a format: every rule, files, mutations of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnir.errors import BadFile, BadModel
from nnir.formats.nnapi import files
from nnir.formats.nnapi.check import check
from nnir.formats.nnapi.operations import SIGNATURES
from nnir.formats.nnapi.requests import check_request
from nnir.formats.nnapi.rules import RULES, require, rule_of
from nnir.formats.nnapi.structures import (
    DataLocation,
    LifeTime,
    Model,
    Operand,
    OperandType,
    OperationType,
    Request,
    RequestArgument,
    constant_value,
)

from .nnapi_models import ALL, build, one

FLOAT, QUANT = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM


def change(model: Model, place: int, **fields: Any) -> Model:
    """A model with another operand."""
    operands = list(model.operands)
    operands[place] = replace(operands[place], **fields)
    return replace(model, operands=tuple(operands))


def change_operation(model: Model, **fields: Any) -> Model:
    """A model whose first operation is another one."""
    first, *rest = model.operations
    return replace(model, operations=(replace(first, **fields), *rest))


def with_two_results(model: Model) -> Model:
    """A model whose operation has one result more."""
    more = (*model.operands, Operand(FLOAT, (2,)))
    (operation,) = model.operations
    outputs = (*operation.outputs, len(model.operands))
    return replace(model, operands=more, operations=(replace(operation, outputs=outputs),))


ADD = one("ADD", [(2, 3), (2, 3)], {"fuse_code": 0})
X, Y, CODE, OUT = 0, 1, 2, 3
REFERENCE = build(
    "ADD", [(1, 2, 3), np.arange(60, dtype=np.float32).reshape(10, 2, 3)], {"fuse_code": 0}
)
CHANGES: dict[str, Callable[[], Model]] = {
    "oem": lambda: change(ADD, X, type=OperandType.TENSOR_OEM_BYTE),
    "operand-type": lambda: change(ADD, X, type=77),
    "scalar-dimensions": lambda: change(ADD, CODE, dimensions=(1,)),
    "tensor-dimensions": lambda: change(ADD, X, dimensions=()),
    "lifetime": lambda: change(ADD, X, lifetime=9),
    "scale": lambda: change(ADD, X, scale=0.5),
    "zero-point": lambda: change(ADD, X, zero_point=3),
    "constant-dimensions": lambda: change(REFERENCE, 1, dimensions=(0, 2, 3)),
    "no-location": lambda: change(ADD, X, location=DataLocation(0, 0, 4)),
    "copy-pool": lambda: change(ADD, CODE, location=DataLocation(1, 0, 4)),
    "constant-location": lambda: change(ADD, CODE, location=DataLocation(0, 2, 4)),
    "constant-length": lambda: change(ADD, CODE, location=DataLocation(0, 0, 3)),
    "operand-index": lambda: change_operation(ADD, inputs=(X, Y, 99)),
    "inputs": lambda: replace(ADD, input_indexes=()),
    "outputs": lambda: replace(ADD, output_indexes=()),
    "input-lifetime": lambda: replace(ADD, input_indexes=(X,)),
    "output-lifetime": lambda: change(ADD, OUT, lifetime=LifeTime.TEMPORARY_VARIABLE),
    "input-and-output": lambda: replace(ADD, output_indexes=(X,)),
    "consumers": lambda: change(ADD, X, number_of_consumers=2),
    "one-producer": lambda: replace(ADD, operations=ADD.operations * 2),
    "no-producer": lambda: change_operation(ADD, outputs=(X,)),
    "execution-order": lambda: change_operation(ADD, inputs=(OUT, Y, CODE)),
    "operation-type": lambda: change_operation(ADD, type=40),
    "input-count": lambda: change_operation(
        change(ADD, CODE, number_of_consumers=2), inputs=(X, Y, CODE, CODE)
    ),
    "output-count": lambda: with_two_results(one("RELU", [(2,)])),
    "input-type": lambda: one("FLOOR", [("q", 2)]),
    "output-type": lambda: change(ADD, OUT, type=QUANT, scale=1.0),
    "rank": lambda: one("RELU", [(1, 1, 1, 1, 2)]),
    "no-value": lambda: change(ADD, CODE, lifetime=LifeTime.NO_VALUE, location=DataLocation()),
    "together": lambda: ALL["LSTM without a weight"](),
    "fused-activation": lambda: one("ADD", [(2,), (2,)], {"fuse_code": 4}),
    "padding-scheme": lambda: ALL["pool"](padding_scheme=3),
    "padding": lambda: ALL["explicit pool"](padding_left=2),
    "stride": lambda: ALL["pool"](stride_width=0),
    "filter-size": lambda: ALL["pool"](filter_width=0),
    "window": lambda: ALL["pool"](filter_height=9),
    "block-size": lambda: one("DEPTH_TO_SPACE", [(1, 2, 2, 6)], {"block_size": 2}),
    "axis": lambda: one("CONCATENATION", [(2, 3), (2, 3)], {"axis": 2}),
    "beta": lambda: one("SOFTMAX", [(2, 3)], {"beta": -1.0}),
    "lrn-bias": lambda: ALL["lrn"](bias=0.0),
    "radius": lambda: ALL["lrn"](radius=-1),
    "new-size": lambda: one("RESIZE_BILINEAR", [(1, 2, 2, 1)], {"new_height": 0, "new_width": 1}),
    "clip": lambda: ALL["lstm"](cell_clip=-1.0),
    "cell-activation": lambda: ALL["lstm"](activation=2),
    "lsh-type": lambda: one("LSH_PROJECTION", [(2, 3), (4,), None], {"type": 0}),
    "lsh-bits": lambda: one("LSH_PROJECTION", [(2, 33), (4,), None], {"type": 1}),
    "svdf-rank": lambda: ALL["svdf"](rank=4),
    "depth-multiplier": lambda: ALL["depthwise"](depth_multiplier=3),
    "shape": lambda: ALL["dense"](width=4),
    "broadcast": lambda: one("ADD", [(2, 3), (2, 4)], {"fuse_code": 0}),
    "elements": lambda: one("RESHAPE", [(2, 3), np.array([7], np.int32)]),
    "output-dimensions": lambda: change(ADD, OUT, dimensions=(2, 4)),
    "bias-scale": lambda: ALL["quantised conv"](bias=0.5),
    "product-scale": lambda: ALL["quantised conv"](out=0.0002),
    "equal-scales": lambda: change(
        one("CONCATENATION", [("q", 2, 3), ("q", 2, 3)], {"axis": 0}), X, scale=0.25
    ),
    "fixed-scale": lambda: one("LOGISTIC", [("q", 3)]),
    "hit-scale": lambda: change(
        one("HASHTABLE_LOOKUP", [("i", 2), ("i", 3), (3, 2)]), 4, scale=2.0
    ),
}
"""A model that breaks each rule."""

POOL = np.zeros(72, np.uint8)
REQUEST = Request(
    (
        RequestArgument(False, DataLocation(0, 0, 24)),
        RequestArgument(False, DataLocation(0, 24, 24)),
    ),
    (RequestArgument(False, DataLocation(0, 48, 24), (2, 3)),),
    (POOL,),
)
OPEN = one("ADD", [(0, 3), (2, 3)], {"fuse_code": 0})


def first(**fields: Any) -> Request:
    """A request whose first input is another one."""
    return replace(REQUEST, inputs=(replace(REQUEST.inputs[0], **fields), REQUEST.inputs[1]))


NONE = {"has_no_value": True, "location": DataLocation()}
REQUESTS: dict[str, tuple[Model, Request]] = {
    "argument-count": (ADD, replace(REQUEST, inputs=REQUEST.inputs[:1])),
    "argument-pool": (ADD, first(location=DataLocation(0, 60, 24))),
    "no-value-argument": (ADD, first(has_no_value=True)),
    "omitted-input": (ADD, first(**NONE)),
    "omitted-output": (ADD, replace(REQUEST, outputs=(RequestArgument(True),))),
    "argument-rank": (ADD, first(dimensions=(6,))),
    "argument-dimensions": (ADD, first(dimensions=(3, 2))),
    "open-dimensions": (OPEN, REQUEST),
    "argument-length": (ADD, first(location=DataLocation(0, 0, 20))),
    "overlap": (
        ADD,
        replace(REQUEST, outputs=(RequestArgument(False, DataLocation(0, 12, 24), (2, 3)),)),
    ),
}


@pytest.mark.parametrize("rule", CHANGES)
def test_each_rule_refuses_what_breaks_it(rule: str) -> None:
    with pytest.raises(BadModel) as caught:
        check(CHANGES[rule]())
    assert rule_of(caught.value) == rule
    assert str(caught.value).endswith(RULES[rule])


@pytest.mark.parametrize("rule", REQUESTS)
def test_each_rule_of_requests_refuses_what_breaks_it(rule: str) -> None:
    model, request = REQUESTS[rule]
    check(model)
    with pytest.raises(BadModel) as caught:
        check_request(model, request)
    assert rule_of(caught.value) == rule


def test_every_rule_has_a_model_that_breaks_it() -> None:
    assert {*CHANGES, *REQUESTS} == set(RULES)


def test_a_rule_that_nobody_knows_is_no_name() -> None:
    assert rule_of(BadModel("something: else")) == ""
    with pytest.raises(KeyError):
        require(False, "something", "else")


def test_the_29_operations_have_signatures() -> None:
    assert set(SIGNATURES) == set(OperationType) - {OperationType.OEM_OPERATION}
    two = {t.name for t, s in SIGNATURES.items() if len(s.forms) == 2}
    assert two == {"AVERAGE_POOL_2D", "CONV_2D", "DEPTHWISE_CONV_2D", "L2_POOL_2D", "MAX_POOL_2D"}


def test_dimensions_of_results_are_deduced() -> None:
    found = check(change(ADD, OUT, dimensions=(0, 0)))
    assert found[OUT] == (2, 3)
    assert check(OPEN)[OUT] == (2, 3)  # one row is repeated, or there are two
    assert check(ALL["pool"]())[-1] == (1, 3, 3, 2)


def test_a_file_comes_back_and_is_a_view(tmp_path: Path) -> None:
    content = files.dumps(REFERENCE)
    path = tmp_path / "add.nnapi"
    with path.open("wb") as file:
        files.write(file, REFERENCE)
    assert path.read_bytes() == content == files.dumps(files.load(content))
    read = files.load(path)
    assert (read.operands, read.operations) == (REFERENCE.operands, REFERENCE.operations)
    value = constant_value(read, read.operands[1])
    assert np.array_equal(value, np.arange(60, dtype=np.float32).reshape(10, 2, 3))
    assert not value.flags.owndata
    assert not value.flags.writeable
    start = content.index(value.tobytes())
    assert start % files.ALIGNMENT == 0


def test_values_begin_at_multiples_of_64() -> None:
    content = files.dumps(ADD)
    assert (len(content) - len(ADD.operand_values)) % files.ALIGNMENT == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "does not begin"),
        (b"NNAPI1.0", "does not begin"),
        (b"NNAPI1.0" + bytes(56), "version 0"),
        (files.dumps(ADD)[:70], "truncated"),
        (files.dumps(ADD)[:-1], "truncated"),
        (files.dumps(ADD) + b"\0", "are described"),
    ],
)
def test_damaged_files_are_refused(content: bytes, says: str) -> None:
    with pytest.raises(BadFile, match=says):
        files.load(content)


def test_every_bit_of_a_file_may_be_wrong() -> None:
    """What is read is valid; everything else is BadFile."""
    content = files.dumps(ADD)
    refused = 0
    for place in range(8 * len(content)):
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        try:
            model = files.load(bytes(damaged))
        except BadFile:
            refused += 1
        else:
            check(model)
    assert refused > 4 * len(content)


def test_a_small_file_asks_for_little() -> None:
    head = files.HEADER.pack(files.MAGIC, 1, 2**32 - 1, 1, 1, 1, 1, 2**63, 2**63)
    with pytest.raises(BadFile, match="tables"):
        files.load(head)
    head = files.HEADER.pack(files.MAGIC, 1, 2**32 - 1, 1, 1, 1, 1, 64, 0)
    with pytest.raises(BadFile, match="truncated"):
        files.load(head + bytes(64))


def test_an_operand_without_a_value_is_of_any_type() -> None:
    model = one("RNN", [(1, 2), (3, 2), (3, 3), (3,), (1, 3)], {"fuse_code": None})
    assert any(o.lifetime == LifeTime.NO_VALUE for o in model.operands)
    assert check(model)


def test_operands_are_fully_specified_or_not() -> None:
    assert Operand(FLOAT, (2, 3)).is_fully_specified
    assert not Operand(FLOAT, (2, 0)).is_fully_specified
