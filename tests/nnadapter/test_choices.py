"""Shapes, sizes and values that a caller gives before translation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from click.testing import CliRunner
from onnx import TensorProto, helper

import nnadapter as nna
from nnadapter.cli import main
from nnir.dim import symbol
from nnir.errors import BadInput, Unsupported

FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64


def write(path: Path, nodes: list, inputs: list, outputs: list, weights: list = ()) -> Path:
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(weights))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 9
    onnx.save(model, path)
    return path


@pytest.fixture
def unranked(tmp_path: Path) -> Path:
    """Two inputs of which the file says the precision alone."""
    ends = [helper.make_tensor_value_info(n, FLOAT, None) for n in ("x", "y", "z")]
    return write(tmp_path / "unranked.onnx", [helper.make_node("Add", ["x", "y"], ["z"])],
                 ends[:2], ends[2:])  # fmt: skip


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    """One of two branches, whose results differ in rank, by an input."""
    one, two = (
        helper.make_graph(
            [helper.make_node(op, ["x", *more], [f"{op}_result"])],
            op,
            [],
            [helper.make_tensor_value_info(f"{op}_result", FLOAT, None)],
        )
        for op, more in (("Squeeze", []), ("Neg", []))
    )
    nodes = [
        helper.make_node("Equal", ["sr", "wide"], ["is_wide"]),
        helper.make_node("If", ["is_wide"], ["y"], then_branch=one, else_branch=two),
    ]
    inputs = [
        helper.make_tensor_value_info("sr", INT, []),
        helper.make_tensor_value_info("x", FLOAT, ["batch", 1, 3]),
    ]
    output = helper.make_tensor_value_info("y", FLOAT, None)
    wide = helper.make_tensor("wide", INT, [], [16000])
    return write(tmp_path / "rates.onnx", nodes, inputs, [output], [wide])


def test_a_rank_that_the_file_does_not_say(unranked: Path, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"inputs of unknown rank: 'x', 'y'; give their shapes"):
        nna.load(unranked)
    shapes = {"x": [2, "length"], "y": [2, "length"]}
    model = nna.load(unranked, shapes=shapes)
    assert model.inputs[0].shape == (2, symbol("length"))
    assert nna.verify(unranked, "onnxruntime", loading={"shapes": shapes}).agrees
    target = tmp_path / "ranked.tflite"
    words = ["convert", str(unranked), str(target), "--shape", "x=2,3", "--shape", "y=2,3"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert [v.shape for v in nna.load(target).inputs] == [(2, 3), (2, 3)]


def test_a_value_chooses_a_branch(rates: Path, tmp_path: Path) -> None:
    for rate, rank in ((16000, 2), (8000, 3)):
        loading = {"values": {"sr": rate}, "shapes": {"x": [5, 1, None]}}
        model = nna.load(rates, **loading)
        assert [v.name for v in model.inputs] == ["x"]
        assert "IF" not in {o.operator.name for o in model.operations}
        assert model.outputs[0].rank == rank
        assert nna.verify(rates, "onnxruntime", loading=loading).agrees
        assert nna.bisect(rates, "builtin", loading=loading).finding is None
    words = ["--value", "sr=16000", "--shape", "x=5,1,3"]
    done = CliRunner().invoke(main, ["convert", str(rates), str(tmp_path / "y.onnx"), *words])
    assert done.exit_code == 0, done.output


@pytest.mark.long
def test_sizes_of_a_program(tmp_path: Path) -> None:
    path = tmp_path / "open.pt2"
    batch = torch.export.Dim("batch", min=3, max=9)
    program = torch.export.export(
        torch.nn.Linear(3, 2), (torch.ones(4, 3),), dynamic_shapes=({0: batch},)
    )
    torch.export.save(program, path)
    (size,) = nna.load(path).symbols
    assert nna.load(path, sizes={size: 5}).inputs[0].shape == (5, 3)
    assert nna.load(path, shapes={"input": [6, 3]}).outputs[0].shape == (6, 2)
    assert nna.verify(path, loading={"sizes": {size: 5}}).agrees
    with pytest.raises(BadInput, match=f"dimension {size}=10 is not between 3 and 9"):
        nna.load(path, sizes={size: 10})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"shapes": {"a": [1]}}, "no input 'a'; there are sr, x"),
        ({"shapes": {"x": [1, 1]}}, "input 'x' has 3 axes, not 2"),
        ({"shapes": {"x": [1, 2, 3]}}, "axis 1 of input 'x' has the size 1, not 2"),
        ({"shapes": {"x": [1, "n", 3]}}, "has the size 1, it is not open"),
        ({"shapes": {"x": [-1, 1, 3]}}, "of size -1: a number, a name or None"),
        ({"sizes": {"length": 1}}, "no dimension 'length'; there are batch"),
        ({"values": {"b": 1}}, "no input 'b'"),
        ({"values": {"sr": 0.5}}, r"input 'sr' is int64 of \[\], and float64\[\] is given"),
        ({"values": {"x": np.zeros((1, 2, 3), np.float32)}}, r"float32\[1, 2, 3\] is given"),
    ],
)
def test_what_does_not_fit(given: dict, said: str, rates: Path) -> None:
    with pytest.raises(BadInput, match=said):
        nna.load(rates, **given)


def test_archives_are_translated_already(rates: Path, tmp_path: Path) -> None:
    nna.save(nna.load(rates, values={"sr": 8000}), tmp_path / "m.nnir")
    with pytest.raises(BadInput, match="this source does not take them"):
        nna.load(tmp_path / "m.nnir", sizes={"batch": 2})


def test_a_shape_closes_dimensions_of_the_same_name(tmp_path: Path) -> None:
    ends = [
        helper.make_tensor_value_info("x", FLOAT, ["batch", "length"]),
        helper.make_tensor_value_info("y", FLOAT, ["batch", 1]),
    ]
    output = helper.make_tensor_value_info("z", FLOAT, None)
    file = write(
        tmp_path / "pair.onnx", [helper.make_node("Add", ["x", "y"], ["z"])], ends, [output]
    )
    shapes = [v.shape for v in nna.load(file, shapes={"x": [3, None]}).inputs]
    assert shapes == [(3, symbol("length")), (3, 1)]
    shapes = [v.shape for v in nna.load(file, shapes={"x": [3, 4], "y": [1, 1]}).inputs]
    assert shapes == [(3, 4), (1, 1)]
