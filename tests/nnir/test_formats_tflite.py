"""Flatbuffers and TFLite: what is built is read back, the flatbuffers package builds the same."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontends.source import SourceModel
from frontends.tflite.reading.reader import read
from hal.drivers.litert.kernels import STORED
from hal.drivers.litert.writer import Graph, Step, Tensor, Writer, join_parts
from nnir.dim import symbol
from nnir.formats.flatbuffer import Builder, Bytes
from nnir.formats.tflite import schema
from nnir.types import Precision, Quantization, TensorType

IDENTIFIER = b"TEST"
LIMITS = {"b": 7, "B": 8, "h": 15, "H": 16, "i": 31, "I": 32, "q": 63, "Q": 64}
KIND = st.sampled_from([*LIMITS, "?", "f", "d"])
FLAGS = {
    "b": "Int8",
    "B": "Uint8",
    "h": "Int16",
    "H": "Uint16",
    "i": "Int32",
    "I": "Uint32",
    "q": "Int64",
    "Q": "Uint64",
    "?": "Bool",
    "f": "Float32",
    "d": "Float64",
}


@st.composite
def scalars(draw: st.DrawFn) -> dict[int, tuple[str, Any]]:
    """Fields of a table by their slots."""
    result: dict[int, tuple[str, Any]] = {}
    for slot in draw(st.lists(st.integers(2, 9), unique=True, max_size=6)):
        kind = draw(KIND)
        if kind in LIMITS:
            low = -(1 << LIMITS[kind]) if kind.islower() else 0
            result[slot] = kind, draw(st.integers(low, (1 << LIMITS[kind]) - 1))
        else:
            real = st.floats(width=32 if kind == "f" else 64, allow_nan=False)
            result[slot] = kind, draw(st.booleans() if kind == "?" else real)
    return result


TABLES = st.lists(st.tuples(st.text(), scalars()), max_size=4)
VECTORS = st.sampled_from(["u1", "?", "<i4", "<i8", "<f4", "<f8"])


@given(TABLES, VECTORS, st.integers(0, 5))
def test_what_is_built_is_read(
    rows: list[tuple[str, dict[int, tuple[str, Any]]]], dtype: str, count: int
) -> None:
    build = Builder()
    tables = [build.table({1: build.text(text)}, fields) for text, fields in rows]
    numbers = np.arange(count).astype(dtype)
    inner = build.tables(tables)
    root = build.table({0: inner, 4: build.array(numbers), 9: build.table({})})
    data = bytes(build.finish(root, IDENTIFIER))
    assert data[4:8] == IDENTIFIER
    again = Bytes(data).root()
    assert np.array_equal(again.array(4, dtype), numbers)
    assert again.place(2) is None
    assert (empty := again.table(9)) is not None
    assert empty.place(0) is None
    found = again.tables(0)
    assert [t.text(1) for t in found] == [text for text, _ in rows]
    for table, (_, fields) in zip(found, rows, strict=True):
        for slot, (kind, value) in fields.items():
            assert table.number(slot, kind) == value
            place = table.place(slot)
            assert place is not None
            assert place % struct.calcsize(kind) == 0


@given(TABLES, VECTORS, st.integers(0, 5))
def test_bytes_are_those_of_the_flatbuffers_package(
    rows: list[tuple[str, dict[int, tuple[str, Any]]]], dtype: str, count: int
) -> None:
    flatbuffers = pytest.importorskip("flatbuffers")
    build, theirs = Builder(), flatbuffers.Builder(16)
    numbers = np.arange(count).astype(dtype)

    def table(offsets: dict[int, int], fields: dict[int, tuple[str, Any]]) -> int:
        theirs.StartObject(10)
        for slot, place in offsets.items():
            theirs.PrependUOffsetTRelativeSlot(slot, place, 0)
        for slot, (kind, value) in fields.items():
            flags = getattr(flatbuffers.number_types, f"{FLAGS[kind]}Flags")
            theirs.PrependSlot(flags, slot, value, None)
        return int(theirs.EndObject())

    ours = [build.table({1: build.text(text)}, fields) for text, fields in rows]
    places = [table({1: theirs.CreateString(text)}, fields) for text, fields in rows]
    assert ours == places
    theirs.StartVector(4, len(places), 4)
    for place in reversed(places):
        theirs.PrependUOffsetTRelative(place)
    vector = theirs.EndVector()
    root = table({0: vector, 4: theirs.CreateNumpyVector(numbers)}, {})
    theirs.Finish(root, file_identifier=IDENTIFIER)
    inner = build.tables(ours)
    mine = build.table({0: inner, 4: build.array(numbers)})
    assert build.finish(mine, IDENTIFIER) == theirs.Output()


def test_equal_layouts_are_stored_once() -> None:
    sizes = []
    for count in (1, 2, 3):
        build = Builder()
        places = [build.table({}, {0: ("i", k), 3: ("i", 1)}) for k in range(count)]
        sizes.append(len(build.finish(build.table({0: build.tables(places)}), IDENTIFIER)))
    assert sizes[2] - sizes[1] == 12 + 4  # a table and its entry, no layout
    assert sizes[1] - sizes[0] in (12 + 4, 12 + 4 + 4)  # and what aligns them


@pytest.mark.parametrize("name", schema.operators())
def test_operators(name: str) -> None:
    assert schema.operator(schema.code(name)) == name


ENUMS = json.loads(schema.FILE.read_text())["enums"]


@pytest.mark.parametrize("enum", ENUMS)
def test_enumerations(enum: str) -> None:
    for number, name in ENUMS[enum].items():
        assert schema.member(enum, schema.number_of(enum, name)) == name
        assert schema.number_of(enum, name) == int(number)


@pytest.mark.parametrize("precision", STORED, ids=lambda p: p.name)
def test_element_types(precision: Precision) -> None:
    assert schema.precision(schema.type_number(precision)) is precision


def value_of(field: schema.Field, seed: int) -> Any:
    """A value of an option that is not its default."""
    if field.kind in schema.VECTORS:
        return (seed, 2, 1)
    if field.kind == "bool":
        return not field.default
    return 0.5 if field.kind == "float32" else 1 if field.default != 1 else 2


WRITTEN = [
    name
    for name, fields in schema.tables().items()
    if all(f.kind in schema.KINDS or f.kind == "int32[]" for f in fields)
]


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("is_default", [True, False])
def test_options(name: str, is_default: bool) -> None:
    fields = schema.tables()[name]
    values = {f.name: f.default if is_default else value_of(f, 3) for f in fields}
    values = {n: () if v is None else v for n, v in values.items()}
    x = Tensor(Precision.FLOAT32, (2,))
    step = Step("ADD", [x], [y := Tensor(Precision.FLOAT32, (2,))], name, values)
    graph = Graph("main", [x], [y], [step])
    data = Bytes(join_parts(Writer(graph, ["x"], ["y"]).parts())).root()
    (operator,) = data.tables(2)[0].tables(3)
    union, number = schema.union_of(name)
    kind, table = schema.UNIONS[union]
    assert operator.number(kind, "B") == number
    found = {f.name: schema.read_field(f, operator.table(table)) for f in fields}
    assert found == values


def written(graph: Graph) -> SourceModel:
    parts = Writer(graph, ["in"], ["out"]).parts()
    return read(join_parts(parts))


@pytest.mark.parametrize("precision", STORED, ids=lambda p: p.name)
def test_graphs(precision: Precision) -> None:
    kind = precision.dtype
    weight = np.arange(6).reshape(2, 3).astype(kind)
    x = Tensor(precision, (symbol("batch"), 3))
    y = Tensor(precision, (symbol("batch"), 3))
    w = Tensor(precision, weight.shape, weight, "w")
    model = written(Graph("main", [x], [y], [Step("ADD", [x, w], [y], "AddOptions", {})]))
    (node,) = model.graph.nodes
    assert (node.op, node.attributes["fused_activation_function"]) == ("ADD", "NONE")
    assert model.graph.name == "main"
    assert model.graph.inputs[0].type == TensorType(precision, (symbol("batch"), 3))
    (found,) = model.graph.weights.values()
    assert found.dtype == kind
    assert np.array_equal(found, weight)
    assert not found.flags.owndata


def test_scales() -> None:
    x = Tensor(Precision.INT8, (2,), quantization=Quantization((0.5,), (3,)))
    y = Tensor(Precision.INT8, (2,), quantization=Quantization((0.25,), (-1,)))
    model = written(Graph("main", [x], [y], [Step("ABS", [x], [y])]))
    first, _, last = model.graph.nodes
    assert (first.attributes["scale"], last.attributes["scale"]) == (0.5, 0.25)
