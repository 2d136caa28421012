"""Written files say where their nodes, weights and facts come from."""

from __future__ import annotations

import hashlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx
import pytest
import torch
from ai_edge_litert.interpreter import Interpreter
from onnx import TensorProto, helper, numpy_helper, shape_inference

import nnadapter as nna
from nnir.formats.flatbuffer import Bytes
from nnir.formats.onnx import decode_place, encode_place
from nnir.formats.tflite.schema import BufferTable, MetadataTable, ModelTable
from nnir.provenance import Place

NAMES = "{0: 'a \"person\"', 1: 'bicycle <&>'}"
Batch = torch.export.Dim("batch")


class Block(torch.nn.Module):
    """A layer with weights, and operations of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(8)
        self.fc = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.nn.functional.gelu(self.fc(self.norm(x)))


class Net(torch.nn.Module):
    """Blocks in a list, between an embedding and a projection."""

    def __init__(self) -> None:
        super().__init__()
        self.emb = torch.nn.Embedding(10, 8)
        self.blocks = torch.nn.ModuleList([Block(), Block()])
        self.head = torch.nn.Linear(8, 10, bias=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.emb(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traces") / "net.pt2"
    ids = torch.zeros(2, 5, dtype=torch.long)
    net = Net().eval()
    torch.export.save(torch.export.export(net, (ids,), dynamic_shapes=({0: Batch},)), path)
    return path


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ONNX file that says for its users what its classes are called."""
    path = tmp_path_factory.mktemp("named") / "named.onnx"
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.producer_name = "a trainer"
    for key, value in (("names", NAMES), ("model author", "")):
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("opset", [None, 13, 21])
@pytest.mark.long
def test_nodes_of_onnx_files_say_their_modules(
    source: Path, tmp_path: Path, opset: int | None
) -> None:
    nna.convert(source, tmp_path / "net.onnx", opset=opset)
    written = onnx.load(tmp_path / "net.onnx")
    onnx.checker.check_model(written, full_check=True)
    modules = {}
    for node in written.graph.node:
        told = {p.key: p.value for p in node.metadata_props}
        place = decode_place(told)
        if place is not None:
            modules[node.name.partition("/")[0]] = place.module
            assert place.line.startswith("test_traces.py:")
    assert modules["embedding"] == "emb"
    assert modules["linear_1"] == "blocks.1.fc"
    assert modules["gelu"] == "blocks.0"
    assert nna.load(tmp_path / "net.onnx").provenance.places.keys() >= {"embedding", "gelu"}


@pytest.mark.long
def test_types_between_are_those_that_onnx_infers(source: Path, tmp_path: Path) -> None:
    nna.convert(source, tmp_path / "net.onnx")
    written = onnx.load(tmp_path / "net.onnx")
    said = {v.name: v.type for v in written.graph.value_info}
    assert {"embedding", "layer_norm", "gelu", "add_1"} <= said.keys()
    del written.graph.value_info[:]
    inferred = shape_inference.infer_shapes(written, strict_mode=True, data_prop=True)
    for value in inferred.graph.value_info:
        if value.name in said:
            assert said[value.name].tensor_type.elem_type == value.type.tensor_type.elem_type
            sizes = [
                [d.dim_value for d in t.tensor_type.shape.dim]
                for t in (said[value.name], value.type)
            ]
            assert len(sizes[0]) == len(sizes[1])
            assert all(a == b or not b for a, b in zip(*sizes, strict=True))


@pytest.mark.long
def test_weights_keep_their_names(source: Path, tmp_path: Path) -> None:
    wanted = set(torch.export.load(source).state_dict)
    nna.convert(source, tmp_path / "net.onnx")
    found = {w.name for w in onnx.load(tmp_path / "net.onnx").graph.initializer}
    assert found >= wanted
    nna.convert(tmp_path / "net.onnx", tmp_path / "back.pt2")
    nna.convert(tmp_path / "back.pt2", tmp_path / "again.pt2")  # what was transposed is folded
    for name in ("back.pt2", "again.pt2"):
        assert set(torch.export.load(tmp_path / name).state_dict) >= wanted


@pytest.mark.filterwarnings("ignore:`isinstance:FutureWarning")  # torch's own, of itself
@pytest.mark.long
def test_a_program_of_torch_has_its_modules_again(source: Path, tmp_path: Path) -> None:
    nna.convert(source, tmp_path / "net.onnx")
    nna.convert(tmp_path / "net.onnx", tmp_path / "back.pt2")
    program = torch.export.load(tmp_path / "back.pt2")
    tree = torch.export.unflatten(program)
    names = {name for name, _ in tree.named_modules()}
    assert names >= {"emb", "blocks.0", "blocks.0.fc", "blocks.1.norm", "head"}
    ids = torch.tensor([[1, 2, 3, 4, 5]])
    torch.testing.assert_close(tree(ids)[0], torch.export.load(source).module()(ids))
    text = (tmp_path / "back.pt2").read_bytes()
    assert str(Path(nna.__file__).parents[1]).encode() not in text


@pytest.mark.long
def test_files_say_what_they_are_made_from(named: Path, tmp_path: Path) -> None:
    digest = hashlib.sha256(named.read_bytes()).hexdigest()
    facts = {"source_producer": "a trainer", "source_opset": "ai.onnx 17"}
    facts |= {"source_sha256": digest, "names": NAMES}
    for suffix in ("onnx", "xml", "tflite"):
        nna.convert(named, tmp_path / f"m.{suffix}")
    written = onnx.load(tmp_path / "m.onnx")
    told = {p.key: p.value for p in written.metadata_props}
    assert told == facts | {"model author": ""}
    root = ElementTree.parse(tmp_path / "m.xml").getroot().find("rt_info")
    assert root is not None
    assert {e.tag: e.get("value") for e in root} == facts | {"model_author": ""}
    model = Bytes((tmp_path / "m.tflite").read_bytes()).root()
    buffers = model.tables(ModelTable.BUFFERS)
    rows = model.tables(ModelTable.METADATA)
    texts = {r.text(MetadataTable.NAME): buffers[r.number(MetadataTable.BUFFER, "I")] for r in rows}
    assert {n: bytes(b.array(BufferTable.DATA, "u1")).decode() for n, b in texts.items()} == (
        facts | {"model author": ""}
    )
    interpreter = Interpreter(str(tmp_path / "m.tflite"))
    run = interpreter.get_signature_runner()
    x = np.array([[-1, 0, 1], [2, -3, 4]], np.float32)
    np.testing.assert_array_equal(run(x=x)["y"], np.maximum(x, 0))


@pytest.mark.long
def test_what_is_said_for_users_goes_through_nnir(named: Path, tmp_path: Path) -> None:
    nna.convert(named, tmp_path / "m.nnir")
    nna.convert(tmp_path / "m.nnir", tmp_path / "again.onnx")
    told = {p.key: p.value for p in onnx.load(tmp_path / "again.onnx").metadata_props}
    assert told["names"] == NAMES
    assert nna.inspect(tmp_path / "m.nnir")["properties"]["names"] == NAMES
    nna.convert(tmp_path / "again.onnx", tmp_path / "third.onnx")
    third = {p.key: p.value for p in onnx.load(tmp_path / "third.onnx").metadata_props}
    assert third["source_producer"] == "nnadapter"
    assert third["names"] == NAMES


def test_the_name_of_the_source_changes_nothing(named: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.onnx"
    other.write_bytes(named.read_bytes())
    nna.convert(named, tmp_path / "a.onnx")
    nna.convert(other, tmp_path / "b.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


@pytest.mark.parametrize(
    "place", [Place("a.b", "net.py:5"), Place("a", ""), Place("", "net.py:5"), Place("it's", "")]
)
def test_places_come_back(place: Place) -> None:
    found = decode_place(encode_place(place, "no'de"))
    kept = Place("" if "'" in place.module else place.module, place.line)
    assert found == (kept if any((kept.module, kept.line)) else None)


AWKWARD = (
    "part_0.w",
    "graph",
    "training",
    "forward.weight",
    "a/b:0",
    "0",
    "x.y.",
    "..",
    "code",
    "in.w",
)


@pytest.mark.long
def test_names_that_python_or_torch_has_are_changed(tmp_path: Path) -> None:
    """A branch is a module of the program, which must not take the place of one of a weight."""
    weights = [
        numpy_helper.from_array(np.full(3, k + 1, np.float32), n) for k, n in enumerate(AWKWARD)
    ]
    names = ["x", *(f"sum{k}" for k in range(len(AWKWARD)))]
    pairs = zip(names, names[1:], AWKWARD, strict=False)
    nodes = [helper.make_node("Add", [x, weight], [y]) for x, y, weight in pairs]
    ends = {n: helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in ("x", "y")}
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    ways = {}
    for branch, op in (("then_branch", "Exp"), ("else_branch", "Neg")):
        result = helper.make_tensor_value_info(op, TensorProto.FLOAT, [3])
        node = helper.make_node(op, [names[-1]], [op])
        ways[branch] = helper.make_graph([node], op, [], [result])
    nodes.append(helper.make_node("If", ["c"], ["y"], **ways))
    graph = helper.make_graph(nodes, "g", [ends["x"], condition], [ends["y"]], weights)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]),
        tmp_path / "m.onnx",
    )
    nna.convert(tmp_path / "m.onnx", tmp_path / "m.pt2")  # which proves it
    found = torch.export.load(tmp_path / "m.pt2").state_dict
    assert len(found) == len(AWKWARD)
    assert found.keys() >= {"part_0.w", "graph_", "training_", "forward_.weight", "in_.w", "x.y"}
