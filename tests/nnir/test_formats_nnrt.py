"""NNRt's operations as data, the rules of models, their files, and models built by calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frontends import nnrt as frontend
from nnir.errors import BadFile, BadModel, BadType
from nnir.formats.nnrt import MAGIC, files
from nnir.formats.nnrt.check import check_model
from nnir.formats.nnrt.construction import ModelBuilder, TensorDesc
from nnir.formats.nnrt.enums import DataType, Format, ReturnCode
from nnir.formats.nnrt.explicit import write_out
from nnir.formats.nnrt.model import ABSENT, Model, Operation, QuantParam, Tensor, parameter_tensor
from nnir.formats.nnrt.names import python_name
from nnir.formats.nnrt.operations import OPERATIONS, TENSOR_TYPES, find_definition
from nnir.mapping import map_file
from nnir.recipes.nnrt.assembly import assemble, parameters_of, recipes

FLOAT = DataType.FLOAT32
ADD = OPERATIONS["ADD"]


def small(**changes: Any) -> Model:
    """x + w, with a ReLU behind it."""
    weight = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensors = (
        Tensor(FLOAT, (2, 3), name="x"),
        Tensor(FLOAT, (2, 3), name="w", data=weight),
        parameter_tensor(ADD.named("activationType"), 1, DataType.INT8),
        Tensor(FLOAT, (2, 3), name="y"),
    )
    model = Model(tensors, (Operation(ADD.code, (2,), (0, 1), (3,)),), (0,), (3,), "small")
    return replace(model, **changes)


def with_tensor(number: int, **changes: Any) -> Model:
    """The small model with another tensor."""
    model = small()
    tensors = list(model.tensors)
    tensors[number] = replace(tensors[number], **changes)
    return replace(model, tensors=tuple(tensors))


def with_operation(**changes: Any) -> Model:
    """The small model with another operation."""
    model = small()
    return replace(model, operations=(replace(model.operations[0], **changes),))


def content(model: Model) -> bytes:
    file = BytesIO()
    files.write(model, file)
    return file.getvalue()


def test_there_are_108_operations_and_163_tensor_types() -> None:
    assert len(OPERATIONS) == 108
    assert sorted(d.code for d in OPERATIONS.values()) == list(range(1, 109))
    assert sorted(TENSOR_TYPES.values()) == list(range(163))


def test_every_tensor_type_belongs_to_one_parameter() -> None:
    used = [p.type for d in OPERATIONS.values() for p in d.parameters]
    assert len(used) == len(set(used))
    left = {name for name, code in TENSOR_TYPES.items() if code not in used}
    assert left == {"TENSOR", "LAYER_NORM_ELEMENTWISE_AFFINE"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_recipe_has_the_inputs_and_parameters_of_its_operation(name: str) -> None:
    definition, parameters = OPERATIONS[name], parameters_of(recipes()[name])
    keywords = {p.name: p for p in parameters if p.kind is p.KEYWORD_ONLY}
    inputs = [p.name for p in parameters if p.name not in keywords]
    assert inputs == [python_name(o.name) for o in definition.inputs]
    own = {python_name(p.name): p for p in definition.parameters}
    assert own.keys() == keywords.keys() - {"source", "target"}
    for key, parameter in own.items():
        may_be_absent = keywords[key].default is not inspect.Parameter.empty
        assert may_be_absent == (parameter.is_optional or bool(parameter.form)), key


def test_a_code_that_is_none() -> None:
    with pytest.raises(BadModel, match="operation 109: NNRt has 1 to 108"):
        find_definition(109)


def test_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    model = small()
    path = tmp_path / "m.nnrt"
    path.write_bytes(content(model))
    found = files.read(map_file(path))
    assert (found.operations, found.inputs, found.outputs) == (model.operations, (0,), (3,))
    assert [str(t) for t in found.tensors] == [str(t) for t in model.tensors]
    assert found.name == "small"
    np.testing.assert_array_equal(found.tensors[1].data, model.tensors[1].data)
    assert content(found) == content(model)
    assert found.tensors[1].data is not None
    assert not found.tensors[1].data.flags.owndata
    assert found.tensors[1].data.__array_interface__["data"][0] % 64 == 0


def test_quantisation_formats_and_absent_inputs_come_back() -> None:
    how = QuantParam((0.1, 0.25), (0, 3), 8)
    model = with_tensor(1, quantization=how)
    found = files.read(content(model))
    assert found.tensors[1].quantization == how
    image = with_tensor(0, format=Format.ND)
    assert files.read(content(image)).tensors[0].format == Format.ND


def test_weights_that_are_shared_lie_in_a_file_once() -> None:
    weight = np.zeros((64, 64), np.float32)
    tensors = tuple(Tensor(FLOAT, (64, 64), data=weight) for _ in range(2))
    first = Tensor(FLOAT, (64, 64))
    model = Model(
        (first, *tensors, small().tensors[2], first, replace(first)),
        (Operation(1, (3,), (0, 1), (4,)), Operation(1, (3,), (4, 2), (5,))),
        (0,),
        (5,),
    )
    assert len(content(model)) < 2 * weight.nbytes


@pytest.mark.parametrize("size", [0, 7, 63, 100, 300, -1])
def test_a_file_that_ends_early_is_damaged(size: int) -> None:
    with pytest.raises(BadFile) as caught:
        files.read(content(small())[:size])
    assert "\n" not in str(caught.value)


def test_a_file_of_huge_counts_allocates_nothing() -> None:
    data = bytearray(content(small()))
    data[16:20] = (0xFFFFFFFF).to_bytes(4, "little")
    with pytest.raises(BadFile):
        files.read(bytes(data))
    assert frontend.detects(bytes(data))
    assert not frontend.detects(b"no" + MAGIC)


def test_another_version_is_said() -> None:
    data = bytearray(content(small()))
    data[8] = 9
    with pytest.raises(BadFile, match="version 9: 1 is read"):
        files.read(bytes(data))


TOO_MANY = tuple(1 for _ in range(65))
RULES: list[tuple[Callable[[], Model], type[Exception], str]] = [
    (lambda: with_tensor(0, type=163), BadModel, "type 163: 0 to 162 are accepted"),
    (lambda: with_tensor(0, data_type=DataType.UNKNOWN), BadModel, "data type UNKNOWN"),
    (lambda: with_tensor(0, shape=TOO_MANY), BadModel, "65 axes: at most 64"),
    (lambda: with_tensor(0, shape=(-2, 3)), BadModel, "-1 stands for an open one"),
    (lambda: with_tensor(0, shape=(1 << 40, 1 << 40)), BadModel, "sizes"),
    (lambda: with_tensor(0, format=Format.NHWC), BadModel, "NHWC: four axes are needed"),
    (
        lambda: with_tensor(0, quantization=QuantParam((), ())),
        BadModel,
        "0 scales and 0 zero points",
    ),
    (lambda: with_tensor(0, quantization=QuantParam((-1.0,), (0,))), BadModel, "positive"),
    (lambda: with_tensor(0, quantization=QuantParam((1.0,), (0,), 64)), BadModel, "64 bits"),
    (
        lambda: with_tensor(0, data_type=DataType.INT8, quantization=QuantParam((1.0,), (200,))),
        BadModel,
        "zero point beyond INT8",
    ),
    (lambda: with_tensor(1, shape=(-1, 3)), BadModel, "has data: its sizes must be known"),
    (lambda: with_tensor(1, shape=(3, 3)), BadModel, r"has data of float32\[2, 3\]"),
    (
        lambda: with_tensor(
            1, data_type=DataType.BOOL, data=np.full((2, 3), 2, np.uint8).view(np.bool_)
        ),
        BadModel,
        "truth values beyond 0 and 1",
    ),
    (lambda: small(inputs=()), BadModel, "without inputs"),
    (lambda: small(outputs=()), BadModel, "without outputs"),
    (lambda: small(inputs=(0, 0)), BadModel, "an input 2 times"),
    (lambda: small(inputs=(2,)), BadModel, "a plain tensor is needed"),
    (lambda: small(inputs=(1,)), BadModel, "it is a constant"),
    (lambda: small(inputs=(9,)), BadModel, "tensor 9: the model has 4"),
    (lambda: small(operations=()), BadModel, "without operations"),
    (lambda: with_operation(code=0), BadModel, "operation 0"),
    (lambda: with_operation(inputs=(0,)), BadModel, "inputs are 1: 2 to 2 are accepted"),
    (lambda: with_operation(inputs=(0, 1, 1)), BadModel, "inputs are 3"),
    (lambda: with_operation(inputs=(0, 2)), BadModel, "a plain tensor is needed"),
    (lambda: with_operation(inputs=(0, ABSENT)), BadModel, "the model has 4"),
    (lambda: with_operation(outputs=(ABSENT,)), BadModel, "leaves out an output"),
    (lambda: with_operation(parameters=()), BadModel, "lacks the parameters activationType"),
    (lambda: with_operation(parameters=(2, 2)), BadModel, "twice"),
    (lambda: with_operation(parameters=(2, 1)), BadModel, "no parameter of the type of tensor 1"),
    (lambda: with_tensor(2, data=None), BadModel, "parameters are constants"),
    (
        lambda: with_tensor(2, shape=(2,), data=np.zeros(2, np.int8)),
        BadType,
        "1 elements are accepted",
    ),
    (
        lambda: with_tensor(2, data_type=FLOAT, data=np.zeros((), np.float32)),
        BadType,
        "int is accepted",
    ),
    (lambda: with_operation(outputs=(0,)), BadModel, "writes tensor 0, which is there already"),
    (lambda: small(inputs=(3,)), BadModel, "reads tensor 0, which nothing makes"),
    (
        lambda: small(tensors=(*small().tensors, Tensor(FLOAT, (2, 3))), outputs=(4,)),
        BadModel,
        "nothing makes the output 4",
    ),
]


@pytest.mark.parametrize(("make", "error", "text"), RULES, ids=[r[2][:40] for r in RULES])
def test_a_rule_that_is_broken_is_said(
    make: Callable[[], Model], error: type[Exception], text: str
) -> None:
    check_model(small())
    with pytest.raises(error, match=text):
        check_model(make())


def test_images_with_channels_first_are_refused() -> None:
    definition = OPERATIONS["SPACE_TO_DEPTH"]
    tensors = (
        Tensor(FLOAT, (1, 4, 4, 2), format=Format.NCHW),
        parameter_tensor(definition.named("blockSize"), 2, DataType.INT64),
        Tensor(FLOAT, (1, 2, 2, 8)),
    )
    model = Model(tensors, (Operation(definition.code, (1,), (0,), (2,)),), (0,), (2,))
    with pytest.raises(BadType, match="tensor 0 in NCHW: NHWC is accepted"):
        check_model(model)


def test_a_result_that_is_declared_otherwise_is_refused() -> None:
    with pytest.raises(BadType, match=r"declared float32\[3, 2\], and is float32\[2, 3\]"):
        assemble(with_tensor(3, shape=(3, 2)))
    with pytest.raises(BadType, match="declared int32"):
        frontend.load(content(with_tensor(3, data_type=DataType.INT32)))
    assert assemble(with_tensor(3, shape=(-1, 3))).outputs[0].shape == (2, 3)


def test_open_sizes_of_inputs_have_names() -> None:
    weight = Tensor(FLOAT, (3,), data=np.zeros(3, np.float32))
    tensors = (Tensor(FLOAT, (-1, 3), name="x"), weight, small().tensors[2])
    model = small(tensors=(*tensors, Tensor(FLOAT, (-1, 3), name="y")))
    assert str(frontend.load(content(model)).outputs[0].type) == "float32[batch, 3]"
    assert assemble(model, [(5, 3)]).outputs[0].shape == (5, 3)


def test_integers_with_scales_are_written_out() -> None:
    how = QuantParam((0.5,), (1,), 8)
    tensors = [replace(t, data_type=DataType.INT8, quantization=how) for t in small().tensors]
    tensors[1] = replace(tensors[1], data=np.ones((2, 3), np.int8))
    tensors[2] = small().tensors[2]
    found = write_out(small(tensors=tuple(tensors)))
    check_model(found)
    names = [o.definition.name for o in found.operations]
    assert names == ["QUANT_DTYPE_CAST", "QUANT_DTYPE_CAST", "ADD", "QUANT_DTYPE_CAST"]
    assert write_out(small()).operations == small().operations


# Built by calls


def build(*, until: str = "") -> ModelBuilder:
    """The small model, up to a call."""
    builder = ModelBuilder("small")
    model = small()
    for number, tensor in enumerate(model.tensors):
        desc = TensorDesc(tensor.data_type, tensor.shape, name=tensor.name)
        assert builder.add_tensor(desc) == ReturnCode.SUCCESS
        if tensor.type:
            assert builder.set_tensor_type(number, tensor.type) == ReturnCode.SUCCESS
        if tensor.data is not None:
            assert builder.set_tensor_data(number, tensor.data) == ReturnCode.SUCCESS
    if until == "add_operation":
        return builder
    assert builder.add_operation(1, [2], [0, 1], [3]) == ReturnCode.SUCCESS
    if until == "specify":
        return builder
    assert builder.specify_inputs_and_outputs([0], [3]) == ReturnCode.SUCCESS
    if until == "finish":
        return builder
    assert builder.finish() == ReturnCode.SUCCESS
    return builder


def test_a_model_that_is_built_by_calls_is_the_same() -> None:
    made = build().model
    assert made is not None
    assert content(made) == content(small())


FORBIDDEN, INVALID = ReturnCode.OPERATION_FORBIDDEN, ReturnCode.INVALID_PARAMETER
NULL = ReturnCode.NULL_PTR
DESC = TensorDesc(FLOAT, (2,))
MISUSE: list[tuple[str, str, Callable[[ModelBuilder], ReturnCode], ReturnCode, str]] = [
    ("no tensor", "add_operation", lambda b: b.add_tensor(None), NULL, "None"),  # type: ignore[arg-type]
    ("no data", "add_operation", lambda b: b.set_tensor_data(0, None), NULL, "None"),  # type: ignore[arg-type]
    (
        "no such type",
        "add_operation",
        lambda b: b.add_tensor(TensorDesc(99, (2,))),  # type: ignore[arg-type]
        INVALID,
        "DataType 99",
    ),
    ("no such tensor", "add_operation", lambda b: b.set_tensor_type(9, 1), INVALID, "tensor 9"),
    ("no such mark", "add_operation", lambda b: b.set_tensor_type(0, 999), INVALID, "type 999"),
    (
        "data twice",
        "add_operation",
        lambda b: b.set_tensor_data(1, np.zeros((2, 3), np.float32)),
        INVALID,
        "has data already",
    ),
    (
        "too little data",
        "add_operation",
        lambda b: b.set_tensor_data(0, b"1234"),
        INVALID,
        "data of",
    ),
    ("odd data", "add_operation", lambda b: b.set_tensor_data(0, b"12345"), INVALID, "buffer size"),
    (
        "no scales",
        "add_operation",
        lambda b: b.set_tensor_quantization(0, QuantParam((), ())),
        INVALID,
        "0 scales",
    ),
    ("a code", "add_operation", lambda b: b.add_operation(0, [], [0], [3]), INVALID, "operation 0"),
    (
        "a tensor that is not there",
        "add_operation",
        lambda b: b.add_operation(1, [2], [0, 7], [3]),
        INVALID,
        "tensor 7",
    ),
    (
        "no parameter",
        "add_operation",
        lambda b: b.add_operation(1, [], [0, 1], [3]),
        INVALID,
        "lacks the parameters",
    ),
    (
        "a tensor that is used",
        "specify",
        lambda b: b.set_tensor_type(0, 1),
        FORBIDDEN,
        "used by an operation",
    ),
    (
        "no inputs",
        "specify",
        lambda b: b.specify_inputs_and_outputs([], [3]),
        INVALID,
        "without inputs",
    ),
    ("the end before the ends", "specify", lambda b: b.finish(), FORBIDDEN, "before the inputs"),
    (
        "the ends twice",
        "finish",
        lambda b: b.specify_inputs_and_outputs([0], [3]),
        FORBIDDEN,
        "specified already",
    ),
    ("the end twice", "", lambda b: b.finish(), FORBIDDEN, "finished"),
    ("a tensor too late", "", lambda b: b.add_tensor(DESC), FORBIDDEN, "finished"),
    ("a type too late", "", lambda b: b.set_tensor_type(0, 0), FORBIDDEN, "finished"),
    (
        "an operation too late",
        "",
        lambda b: b.add_operation(1, [2], [0, 1], [3]),
        FORBIDDEN,
        "finished",
    ),
]


@pytest.mark.parametrize(
    ("why", "until", "call", "code", "text"), MISUSE, ids=[row[0] for row in MISUSE]
)
def test_a_call_that_is_wrong_says_so(
    why: str, until: str, call: Callable[[ModelBuilder], ReturnCode], code: ReturnCode, text: str
) -> None:
    builder = build(until=until)
    assert call(builder) == code, why
    assert text in builder.problem


def test_data_of_open_sizes_is_forbidden() -> None:
    builder = ModelBuilder()
    assert builder.add_tensor(TensorDesc(FLOAT, (-1, 2))) == ReturnCode.SUCCESS
    assert builder.set_tensor_data(0, np.zeros((1, 2), np.float32)) == FORBIDDEN


def test_the_end_before_an_operation_is_forbidden() -> None:
    builder = ModelBuilder()
    for _ in range(2):
        assert builder.add_tensor(DESC) == ReturnCode.SUCCESS
    assert builder.specify_inputs_and_outputs([0], [1]) == ReturnCode.SUCCESS
    assert builder.finish() == FORBIDDEN
    assert "before an operation" in builder.problem
