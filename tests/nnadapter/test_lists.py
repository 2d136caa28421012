"""Inputs and outputs that are lists of tensors, or may be left out: calls, files and metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import nnadapter as nna
from conformance.oracles.onnx import feed, tensors_of
from conformance.verifying.inputs import random_inputs
from nnir.check import check
from nnir.errors import BadInput, DeviceError, Unsupported
from nnir.lists import ListType, Side, note_lists, sides_of, types_of
from nnir.metadata import LIST_ENDS
from nnir.types import Precision

HEAD = '<ir_version: 10, opset_import: ["" : 18]>\n'
INSERT = (
    HEAD
    + """main (seq(float[N, 2]) x, float[M, 2] more, optional(float[2]) w) =>
  (seq(float[N, 2]) y, bool there, int64 n) {
  y = SequenceInsert (x, more)
  there = OptionalHasElement (w)
  n = SequenceLength (y)
}"""
)
WEIGHTED = (
    HEAD
    + """main (float[2] x, optional(float[2]) w) => (float[2] y) {
  v = OptionalGetElement (w)
  y = Mul (x, v)
}"""
)
PIECES = HEAD + "main (float[4] x) => (seq(float[2]) y) { y = SplitToSequence <axis = 0> (x) }"
ROWS = [np.full((k, 2), k, np.float32) for k in (1, 3)]
MORE = np.ones((2, 2), np.float32)
LIST = ListType(Precision.FLOAT32, (None, 2))


def model_of(text: str) -> bytes:
    return bytes(onnx.parser.parse_model(text).SerializeToString())


@pytest.fixture(scope="module")
def inserting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lists") / "insert.onnx"
    path.write_bytes(model_of(INSERT))
    return path


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "openvino", "litert", "torch"])
def test_a_program_takes_and_gives_lists(inserting: Path, device: str) -> None:
    program = nna.compile(nna.load(inserting), device=device)
    for rows in (ROWS, [], ROWS * 2):
        y, there, n = program(rows, MORE, None)
        assert [a.tolist() for a in y] == [a.tolist() for a in (*rows, MORE)]
        assert (bool(there), int(n)) == (False, len(rows) + 1)
    named = program.run({"x": ROWS, "more": MORE, "w": np.zeros(2, np.float32)})
    assert list(named) == ["y", "there", "n"]
    assert bool(named["there"])


@pytest.mark.parametrize("suffix", [".onnx", ".nnir"])
def test_a_file_of_ours_keeps_them(inserting: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"again{suffix}"
    nna.convert(inserting, path)
    program = nna.compile(nna.load(path))
    assert [a.tolist() for a in program(ROWS, MORE, None)[0]] == [a.tolist() for a in (*ROWS, MORE)]


@pytest.mark.parametrize("suffix", [".onnx", ".xml", ".tflite"])
def test_a_written_file_is_proved_on_lists(inserting: Path, tmp_path: Path, suffix: str) -> None:
    """Whose tensors its engine takes one by one; `convert` raises where they differ."""
    path = tmp_path / f"proved{suffix}"
    check(nna.convert(inserting, path))
    assert path.stat().st_size


def test_tensors_by_name_give_tensors(inserting: Path) -> None:
    program = nna.compile(nna.load(inserting))
    arrays = random_inputs(nna.load(inserting))
    names = [name for name, _ in program.inputs]
    assert names == [*(f"x.{p}" for p in ("values", "counts", "dims", "ranks")), "more",
                     "w.given", "w.value"]  # fmt: skip
    found = program.run(dict(zip(names, arrays, strict=True)))
    assert found["y.counts"].sum() == found["y.values"].size
    assert found["y.dims"].reshape(-1, 2).prod(1).tolist() == found["y.counts"].tolist()


def test_a_list_of_known_length_is_its_members() -> None:
    program = nna.compile(nna.load(model_of(PIECES)))
    assert [name for name, _ in program.outputs] == [f"y.{k}" for k in range(4)]
    (pieces,) = program(np.arange(4, dtype=np.float32))
    assert [p.tolist() for p in pieces] == [[0.0], [1.0], [2.0], [3.0]]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "openvino", "litert", "torch"])
def test_pieces_that_do_not_add_up_are_an_error(device: str, axis: int) -> None:
    text = (
        HEAD
        + f"""main (float[3, 3] x, int64[2] sizes) => (seq(float[M, N]) y) {{
      y = SplitToSequence <axis = {axis}> (x, sizes) }}"""
    )
    program = nna.compile(nna.load(model_of(text)), device=device)
    x = np.arange(9, dtype=np.float32).reshape(3, 3)
    (pieces,) = program(x, np.array([1, 2]))
    assert np.array_equal(np.concatenate(pieces, axis), x)
    with pytest.raises(nna.NNAdapterError):
        program(x, np.array([1, 1]))


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "openvino", "torch"])
def test_reading_what_is_left_out_is_an_error(device: str) -> None:
    program = nna.compile(nna.load(model_of(WEIGHTED)), device=device)
    x = np.array([1, 2], np.float32)
    assert program(x, x)[0].tolist() == [1, 4]
    with pytest.raises(nna.NNAdapterError):
        program(x, None)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ((ROWS, MORE), "2 values for 3 inputs: x (list of float32[?, 2]), more, w (optional"),
        ((MORE, MORE, None), "'x': ndarray for a value of type list of float32[?, 2]"),
        (([MORE, MORE[0]], MORE, None), "'x[1]': float32[2] in a value of type list of float32["),
        (([MORE.astype(np.int32)], MORE, None), "'x[0]': int32[2, 2] in a value of type list"),
        (
            (ROWS, MORE, np.zeros(3, np.float32)),
            "'w': float32[3] in a value of type optional float32[",
        ),
    ],
)
def test_what_is_no_such_list_is_refused(
    inserting: Path, values: tuple[Any, ...], problem: str
) -> None:
    program = nna.compile(nna.load(inserting))
    with pytest.raises(BadInput) as caught:
        program(*values)
    assert problem in str(caught.value)


def test_members_of_any_rank_cannot_be_read() -> None:
    text = HEAD + "main (seq(float) x, int64 k) => (float[N] y) { y = SequenceAt (x, k) }"
    model = onnx.parser.parse_model(text)
    member = model.graph.input[0].type.sequence_type.elem_type.tensor_type
    member.ClearField("shape")
    with pytest.raises(Unsupported, match="ranks are only known while running"):
        nna.load(model.SerializeToString())


@pytest.mark.parametrize(
    "type",
    [
        LIST,
        ListType(Precision.INT64),
        ListType(Precision.FLOAT32, (2,), is_list=False, is_optional=True),
        ListType(Precision.BOOL8, (), is_optional=True),
        ListType(Precision.FLOAT32, (2,), length=2),
    ],
)
def test_what_is_packed_comes_out_again(type: ListType) -> None:
    shapes = [[2] if type.element == (2,) else [3, 2] if type.element else []] * 2
    members = [np.ones(s, type.precision.dtype) for s in shapes]
    value: Any = members if type.is_list else members[0]
    for given in (value, None) if type.is_optional else (value,):
        again = type.unpack(type.pack(given, "x"))
        assert str(again) == str(given)
    assert ListType.of_json(json.loads(json.dumps(type.as_json()))) == type
    assert feed(["x"], type.pack(value, "x"), {"x": type}).keys() == {"x"}
    assert len(tensors_of(["x"], [value], {"x": type})) == len(type.parts)


@pytest.mark.parametrize(
    "text",
    ["", "7", "[]", "[{}]", '[{"x": 1}, {}]', '[{"x": ["FLOAT32", [-1], true, false, null]}, {}]',
     '[{"x": ["FLOAT32", null, true, false, 99999999999]}, {}]', "[" * 100_000,
     '[{"x": ["FLOAT32", null, false, false, 5]}, {}]',
     '[{"x": ["NO", null, true, false, null]}, {}]', '[{"x": [[], {}, 1, 1, 1]}, null]'],
)  # fmt: skip
def test_metadata_that_is_damaged_tells_of_nothing(text: str) -> None:
    assert types_of({LIST_ENDS: text}) == ({}, {})


POSITIONS = {
    "at": "(seq(float[N]) x, float[M] v, int64 k) => (float[K] y) { y = SequenceAt (x, k) }",
    "inserted": """(seq(float[N]) x, float[M] v, int64 k) => (seq(float[N]) y) {
      y = SequenceInsert (x, v, k) }""",
    "erased": """(seq(float[N]) x, float[M] v, int64 k) => (seq(float[N]) y) {
      y = SequenceErase (x, k) }""",
}


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "openvino", "litert", "torch"])
@pytest.mark.parametrize("what", POSITIONS)
def test_a_position_out_of_range_is_an_error(device: str, what: str) -> None:
    """Also where an engine takes what is outside of a vector for zero."""
    program = nna.compile(nna.load(model_of(HEAD + "main " + POSITIONS[what])), device=device)
    rows, v = [np.full(k, k, np.float32) for k in (1, 2)], np.zeros(3, np.float32)
    most = 2 if what == "inserted" else 1
    for k in (-2, 0, most):
        program(rows, v, np.array(k))
    for k in (-3, most + 1, 7):
        with pytest.raises(nna.NNAdapterError):
            program(rows, v, np.array(k))


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "openvino", "litert", "torch"])
@pytest.mark.parametrize("new_axis", [0, 1])
def test_members_of_other_shapes_are_not_joined(device: str, new_axis: int) -> None:
    text = (
        HEAD
        + f"""main (seq(float[N, M]) x) => (float[A, B, C] y) {{
      y = ConcatFromSequence <axis = 0, new_axis = {new_axis}> (x) }}"""
    )
    program = nna.compile(nna.load(model_of(text)), device=device)
    same, other = np.ones((2, 3), np.float32), np.ones((3, 2), np.float32)
    assert program([same, same])[0].size == 12
    with pytest.raises(nna.NNAdapterError):
        program([same, other])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ((0, np.zeros((2, 2), np.float32)), "the parts of float32"),
        ((1, np.array([3, 0])), "are not those of its members"),
        ((1, np.array([-1, 4])), "the parts of float32"),
        ((1, np.array([1.0, 2.0])), "the parts of float32"),
        ((2, np.array([3, 2])), "are not those of its members"),
        ((2, np.array([1, -2])), "are not those of its members"),
        ((3, np.array([2])), "are not those of its members"),
        ((3, np.array([1])), "the parts of int64"),
    ],
)
def test_tensors_that_do_not_belong_together_are_an_error(
    change: tuple[int, np.ndarray], problem: str
) -> None:
    """As a file whose names and metadata are made up may give."""
    type = ListType(Precision.FLOAT32, (None,))
    tensors = type.pack([np.zeros(1, np.float32), np.zeros(2, np.float32)], "x")
    assert [len(v) for v in type.unpack(tensors)] == [1, 2]
    place, array = change
    tensors[place] = array
    with pytest.raises(DeviceError, match=problem):
        type.unpack(tensors)


def test_a_file_with_ends_of_its_own_keeps_those_that_it_tells_of() -> None:
    model = nna.load(model_of(PIECES))
    note_lists(model, {"other": LIST}, {})
    assert types_of(model.metadata) == (
        {"other": LIST},
        {"y": ListType(Precision.FLOAT32, length=4)},
    )


def test_a_length_that_no_model_has_is_none() -> None:
    """And is not counted to."""
    huge = ListType(Precision.FLOAT32, length=(1 << 31) - 1)
    side = Side.of(["x.0", "x.1"], {"x": huge})
    assert (side.names, side.has_lists) == (["x.0", "x.1"], False)


def test_an_end_that_lacks_a_part_is_tensors() -> None:
    names = ["x.values", "x.counts", "x.ranks", "y"]
    side = Side.of(names, {"x": LIST})
    assert (side.names, side.has_lists, side.count) == (names, False, 4)
    assert not any(s.has_lists for s in sides_of(nna.Model()))
