"""ONNX: what the writer encodes, the reader gives back, and the onnx package agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontends.onnx.reading.reader import read
from frontends.onnx.reading.tensor import Files, array_of, parse
from frontends.source import SourceGraph
from hal.drivers.onnxruntime import proto
from nnir.dim import Dim, symbol
from nnir.errors import BadFile, Unsupported
from nnir.formats import onnx as fields
from nnir.formats.bits import BITS, pack, stored_size, unpack
from nnir.types import Precision, TensorType

CODED = list(fields.CODES)
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
FLOATS = st.floats(width=32, allow_nan=False)
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
SCALAR = st.one_of(FLOATS, INT64, TEXT)
ATTRIBUTE = st.one_of(
    SCALAR,
    st.lists(INT64, max_size=5),
    st.lists(FLOATS, min_size=1, max_size=5),
    st.lists(TEXT, min_size=1, max_size=5),
)


def values(precision: Precision, shape: tuple[int, ...]) -> np.ndarray:
    """Some elements of a precision, all its bits in use."""
    raw = np.random.default_rng(1).integers(0, 256, (*shape, precision.dtype.itemsize), np.uint8)
    if precision == Precision.BOOL8:
        raw &= 1
    if precision in BITS:
        raw &= (1 << BITS[precision]) - 1
    codes = raw.view(precision.dtype).reshape(shape)
    signed = precision in (Precision.INT4, Precision.INT2)
    return unpack(pack(codes), precision, codes.size).reshape(shape) if signed else codes


def read_graph(graph: bytes) -> SourceGraph:
    return read(proto.model_head(len(graph), 21, 10) + graph).graph


@pytest.mark.parametrize("precision", CODED, ids=lambda p: p.name)
def test_codes(precision: Precision) -> None:
    assert fields.precision_of_code(fields.code_of(precision)) is precision


def test_codes_without_a_precision() -> None:
    with pytest.raises(Unsupported, match="string tensors"):
        fields.precision_of_code(fields.STRING)
    with pytest.raises(BadFile, match="99 does not exist"):
        fields.precision_of_code(99)


def test_a_quantised_precision_is_its_integers() -> None:
    kind = Precision.QUANT_INT8_SYMM_PER_LAYER
    assert fields.code_of(kind) == fields.code_of(Precision.INT8)


@pytest.mark.parametrize("precision", CODED, ids=lambda p: p.name)
@pytest.mark.parametrize("count", [0, 1, 5, 16])
def test_packing(precision: Precision, count: int) -> None:
    array = values(precision, (count,))
    raw = pack(array)
    assert raw.nbytes == stored_size(precision, count)
    again = unpack(raw, precision, count)
    assert again.dtype == array.dtype
    assert again.tobytes() == array.tobytes()
    assert (again.base is not None) or precision in BITS or not count


@pytest.mark.parametrize("precision", CODED, ids=lambda p: p.name)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)], ids=str)
def test_tensors(precision: Precision, shape: tuple[int, ...]) -> None:
    array = values(precision, shape)
    data = proto.tensor("w", array)
    tensor = parse(data, 0, len(data))
    again = array_of(data, tensor, Files(None))
    assert (tensor.name, again.dtype, again.shape) == ("w", array.dtype, array.shape)
    assert again.tobytes() == array.tobytes()


def test_tensors_in_another_file(tmp_path: Path) -> None:
    array = values(Precision.FLOAT32, (2, 3))
    (tmp_path / "w.data").write_bytes(bytes(8) + array.tobytes())
    data = proto.external_tensor("w", array, "w.data", 8, array.nbytes)
    assert np.array_equal(array_of(data, parse(data, 0, len(data)), Files(tmp_path)), array)


def test_a_weight_may_follow_its_head() -> None:
    array = values(Precision.INT16, (4,))
    whole = proto.initializer(proto.tensor("w", array))
    assert proto.initializer_head("w", array) + array.tobytes() == whole


@given(st.dictionaries(TEXT, ATTRIBUTE, max_size=5), TEXT, st.lists(TEXT, max_size=4))
def test_nodes(attributes: dict[str, Any], name: str, inputs: list[str]) -> None:
    node = proto.node("Op", inputs, ["y", "z"], name, "a.b", attributes)
    (found,) = read_graph(proto.graph("g", [node], [], [], [])).nodes
    assert (found.op, found.name, found.inputs) == ("a.b::Op", name, inputs)
    assert found.outputs == ["y", "z"]
    assert found.attributes == attributes


def test_arrays_and_graphs_as_attributes() -> None:
    array = values(Precision.INT4, (3,))
    inner = proto.graph("inner", [proto.node("Neg", ["x"], ["y"], "n", "", {})], [], [], [])
    attributes = {"a": array, "g": proto.Graph(inner), "b": True}
    node = proto.node("If", [], ["z"], "", "", attributes)
    (found,) = read_graph(proto.graph("g", [node], [], [], [])).nodes
    assert found.attributes["a"].tobytes() == array.tobytes()
    assert [n.op for n in found.attributes["g"].nodes] == ["Neg"]
    assert found.attributes["b"] == 1


N = symbol("n")


@pytest.mark.parametrize("precision", CODED, ids=lambda p: p.name)
@pytest.mark.parametrize("shape", [(), (3,), (N, 2), (2 * N + 1,)], ids=str)
def test_ends(precision: Precision, shape: tuple[Dim, ...]) -> None:
    info = proto.value_info("x", precision, shape)
    graph = read_graph(proto.graph("g", [], [], [info], [info]))
    assert graph.name == "g"
    for ends in (graph.inputs, graph.outputs):
        assert [(v.name, v.type) for v in ends] == [("x", TensorType(precision, shape))]


def test_an_end_of_unknown_rank() -> None:
    info = proto.value_info("x", Precision.FLOAT32, None)
    (found,) = read_graph(proto.graph("g", [], [], [info], [])).inputs
    assert (found.type, found.kind) == (None, "tensor of unknown rank")


MESSAGES = [
    m for m in vars(fields).values() if isinstance(m, type) and m.__module__ == fields.__name__
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: m.__name__)
def test_numbers_are_those_of_the_onnx_package(message: type) -> None:
    onnx = pytest.importorskip("onnx")
    numbers = {name: n for name, n in vars(message).items() if not name.startswith("_")}
    nested = {
        "TensorTypeProto": onnx.TypeProto.Tensor,
        "OptionalTypeProto": onnx.TypeProto.Optional,
        "SequenceTypeProto": onnx.TypeProto.Sequence,
        "DimensionProto": onnx.TensorShapeProto.Dimension,
    }
    if message is fields.AttributeType:
        assert numbers == {n: onnx.AttributeProto.AttributeType.Value(n) for n in numbers}
        return
    theirs = nested.get(message.__name__) or getattr(onnx, message.__name__)
    known = {f.name.upper(): f.number for f in theirs.DESCRIPTOR.fields}
    assert numbers == {name: known[name] for name in numbers}


@pytest.mark.parametrize("precision", CODED, ids=lambda p: p.name)
def test_codes_are_those_of_the_onnx_package(precision: Precision) -> None:
    onnx = pytest.importorskip("onnx")
    kind = onnx.helper.tensor_dtype_to_np_dtype(fields.code_of(precision))
    assert kind == precision.dtype
