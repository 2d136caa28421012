"""Small files that ask for much: loading computes and allocates nothing large, and ends soon."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper

import nnadapter as nna
from hal.drivers.onnxruntime import proto
from nnadapter.cli import main
from nnir.check import check
from nnir.errors import BadFile, BadInput, BadModel, BadType, NNAdapterError, NoLowering

from ..conftest import info, model_of, tensor

SECONDS = 10.0
SMALL = 1 << 16
BYTES = 1 << 28
HUGE = 10**12
node = helper.make_node
INT64, BOOL = TensorProto.INT64, TensorProto.BOOL


def plus(nodes: list[onnx.NodeProto], **constants: object) -> onnx.ModelProto:
    """y = x + r where `nodes` make r of the constants."""
    weights = [tensor(k, np.asarray(v)) for k, v in constants.items()]
    nodes = [*nodes, node("Add", ["x", "r"], ["y"])]
    return model_of(nodes, [info("x", [1])], [info("y", None)], weights)


def reshaped(
    nodes: list[onnx.NodeProto], sizes: list[int | str], **more: object
) -> onnx.ModelProto:
    """x reshaped to r, which `nodes` make of constants and of x."""
    weights = [tensor(k, np.asarray(v)) for k, v in more.items()]
    nodes = [*nodes, node("Reshape", ["x", "r"], ["y"])]
    return model_of(nodes, [info("x", sizes)], [info("y", None)], weights)


def chain(op: str, first: str, last: str, length: int, width: int = 2) -> list[onnx.NodeProto]:
    """op(op(op(first, first), ...), ...)."""
    names = [first, *(f"c{k}" for k in range(length - 1)), last]
    axis = {"axis": 0} if op == "Concat" else {}
    return [node(op, [a] * width, [b], **axis) for a, b in pairwise(names)]


def calls(depth: int) -> onnx.ModelProto:
    """f0 calls f1 twice, which calls f2 twice ..."""
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)]
    functions = []
    for k in range(depth):
        nodes = [
            node(f"f{k + 1}", ["a"], ["t"], domain="local"),
            node(f"f{k + 1}", ["t"], ["b"], domain="local"),
        ]
        functions.append(helper.make_function("local", f"f{k}", ["a"], ["b"], nodes, opsets))
    last = [node("Neg", ["a"], ["b"])]
    functions.append(helper.make_function("local", f"f{depth}", ["a"], ["b"], last, opsets))
    model = model_of(
        [node("f0", ["x"], ["y"], domain="local")], [info("x", [1])], [info("y", None)]
    )
    model.functions.extend(functions)
    model.opset_import.append(helper.make_opsetid("local", 1))
    return model


def loops(depth: int) -> onnx.ModelProto:
    """Loops in loops whose state grows: each body is translated again and again."""
    made: onnx.GraphProto | None = None
    for k in range(depth):
        step = (
            node("Concat", [f"a{k}"] * 2, [f"b{k}"], axis=0)
            if made is None
            else node("Loop", ["trips", "", f"a{k}"], [f"b{k}"], body=made)
        )
        made = helper.make_graph(
            [step, node("Identity", [f"g{k}"], [f"h{k}"])],
            "body",
            [info(f"i{k}", [], INT64), info(f"g{k}", [], BOOL), info(f"a{k}", None)],
            [info(f"h{k}", [], BOOL), info(f"b{k}", None)],
        )
    nodes = [node("Loop", ["trips", "", "x"], ["y"], body=made)]
    return model_of(nodes, [info("x", [2]), info("trips", [], INT64)], [info("y", None)])


def scan_of_nothing() -> onnx.ModelProto:
    body = helper.make_graph(
        [], "body", [info("a", None), info("b", None)], [info("a", None), info("b", None)]
    )
    nodes = [node("Scan", ["", "x", "z"], ["y", "w"], body=body, num_scan_inputs=1)]
    inputs = [info("x", [HUGE, 2]), info("z", [HUGE, 3, 2])]
    return model_of(nodes, inputs, [info("y", None)], opset=8)


def sparse(dims: list[int]) -> onnx.ModelProto:
    model = plus([node("Identity", ["w"], ["r"])])
    values, where = tensor("w", np.ones(1, np.float32)), tensor("i", np.array([3]))
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, where, dims))
    return model


def with_dims(dims: list[int]) -> onnx.ModelProto:
    weight = TensorProto(name="r", data_type=1)
    weight.dims.extend(dims)
    model = plus([])
    model.graph.initializer.append(weight)
    return model


def nested_quotients(count: int) -> list[onnx.NodeProto]:
    nodes = [node("Shape", ["x"], ["q0"])]
    for k in range(count):
        nodes += [
            node("Div", [f"q{k}", "three"], [f"a{k}"]),
            node("Div", [f"q{k}", "five"], [f"b{k}"]),
            node("Mod", [f"a{k}", f"b{k}"], [f"q{k + 1}" if k + 1 < count else "r"]),
        ]
    return nodes


def pools(count: int) -> onnx.ModelProto:
    nodes = [
        node("MaxPool", [f"x{k}"], [f"x{k + 1}"], kernel_shape=[3, 3], strides=[2, 2])
        for k in range(count)
    ]
    return model_of(nodes, [info("x0", ["n", 1, "h", "w"])], [info(f"x{count}", None)])


def wide(count: int) -> onnx.ModelProto:
    """One value that everything reads, and everything is an output."""
    nodes = [node("Neg", ["x"], [f"y{k}"]) for k in range(count)]
    return model_of(nodes, [info("x", [2])], [info(f"y{k}", None) for k in range(count)])


def backwards(count: int) -> onnx.ModelProto:
    nodes = [node("Neg", [f"v{k}"], [f"v{k + 1}"]) for k in reversed(range(count))]
    return model_of(nodes, [info("v0", [2])], [info(f"v{count}", None)])


f32 = np.float32
SHAPE = node("Shape", ["x"], ["s"])
BOMBS: dict[str, Callable[[], onnx.ModelProto]] = {
    "range": lambda: plus([node("Range", ["a", "b", "c"], ["r"])], a=f32(0), b=f32(HUGE), c=f32(1)),
    "range of tiny steps": lambda: plus(
        [node("Range", ["a", "b", "c"], ["r"])], a=f32(0), b=f32(1), c=f32(1e-30)
    ),
    "range as a shape": lambda: reshaped(
        [node("Range", ["a", "b", "c"], ["r"])], [1], a=0, b=10**9, c=1
    ),
    "expand": lambda: plus([node("Expand", ["w", "s"], ["r"])], w=f32(1), s=[HUGE]),
    "expand as a shape": lambda: reshaped(
        [node("Expand", ["w", "s"], ["q"]), node("ReduceSum", ["q"], ["r"])], [1], w=1, s=[10**9]
    ),
    "fill": lambda: plus([node("ConstantOfShape", ["s"], ["r"])], s=[2**31] * 3),
    "fill of a computed shape": lambda: reshaped(
        [
            node("Cast", ["s"], ["i"], to=7),
            node("ConstantOfShape", ["i"], ["q"]),
            node("ReduceSum", ["q"], ["t"], keepdims=0),
            node("Cast", ["t"], ["r"], to=7),
        ],
        [1],
        s=np.array([2e4, 4e4], np.float32),
    ),
    "tile": lambda: plus([node("Tile", ["w", "s"], ["r"])], w=f32([1]), s=[HUGE]),
    "pad": lambda: plus([node("Pad", ["w", "s"], ["r"])], w=f32([1]), s=[HUGE, HUGE]),
    "one hot": lambda: plus([node("OneHot", ["i", "d", "v"], ["r"])], i=[0], d=HUGE, v=f32([0, 1])),
    "resize": lambda: plus(
        [node("Resize", ["w", "", "", "s"], ["r"])], w=f32([[[[1]]]]), s=[1, 1, 10**6, 10**6]
    ),
    "pool of a constant": lambda: plus(
        [node("MaxPool", ["w"], ["r"], kernel_shape=[10**6] * 2, pads=[5 * 10**5] * 4)],
        w=f32([[[[1]]]]),
    ),
    "doubling constants": lambda: plus(chain("Concat", "w", "r", 50), w=f32([1])),
    "doubling shapes": lambda: reshaped(chain("Concat", "w", "r", 50), [1], w=[1]),
    "squared numbers": lambda: reshaped(chain("Mul", "w", "r", 60), [1], w=[3]),
    "squared sizes": lambda: reshaped([SHAPE, *chain("Mul", "s", "r", 60)], ["n", "m"]),
    "squared sums": lambda: reshaped(
        [SHAPE, node("ReduceSum", ["s"], ["t"]), *chain("Mul", "t", "r", 60)],
        [f"d{k}" for k in range(50)],
    ),
    "nested quotients": lambda: reshaped(nested_quotients(60), ["n"], three=[3], five=[5]),
    "pools": lambda: pools(500),
    "rank": lambda: reshaped([], [1], r=[1] * 100_000),
    "rank while running": lambda: model_of(
        [node("Reshape", ["x", "s"], ["y"])],
        [info("x", [1]), info("s", [10**9], INT64)],
        [info("y", None)],
    ),
    "pieces": lambda: model_of(
        [node("Split", ["x"], ["y"], num_outputs=HUGE)], [info("x", [HUGE])], [info("y", None)]
    ),
    "sequence": lambda: model_of(
        [node("SplitToSequence", ["x"], ["s"]), node("SequenceAt", ["s", "i"], ["y"])],
        [info("x", [HUGE])],
        [info("y", None)],
        [tensor("i", np.array(0))],
    ),
    "channels": lambda: model_of(
        [node("Conv", ["x", "w"], ["y"])],
        [info("x", [1, 1, 4, 4]), info("w", [2**40, 1, 3, 3])],
        [info("y", None)],
    ),
    "functions": lambda: calls(40),
    "loops": lambda: loops(20),
    "scan": scan_of_nothing,
    "sparse": lambda: sparse([10**6, 10**6]),
    "negative sparse": lambda: sparse([-4, 4]),
    "overflowing dims": lambda: with_dims([2**62] * 9 + [0]),
    "many dims": lambda: with_dims([1] * 100_000),
    "one value read by all": lambda: wide(20_000),
    "unordered": lambda: backwards(20_000),
}


def load(data: bytes) -> None:
    """A refusal is as good as a model."""
    with suppress(NNAdapterError):
        check(nna.load(data))


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.long
def test_loading_is_cheap(name: str) -> None:
    data = BOMBS[name]().SerializeToString()
    started = time.process_time()
    load(data)
    assert time.process_time() - started < SECONDS
    if len(data) < SMALL:
        tracemalloc.start()
        load(data)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < BYTES


def test_functions_that_explode_are_refused() -> None:
    with pytest.raises(BadModel, match="repeat too many nodes"):
        nna.load(calls(40))


def test_honest_repetition_is_not() -> None:
    assert len(nna.load(calls(8)).operations) == 256


def test_graphs_in_graphs() -> None:
    node = proto.node("Neg", ["x"], ["y"], "", "", {})
    for _ in range(60):
        graph = proto.Graph(proto.graph("", [node], [], [], []))
        node = proto.node("If", ["c"], ["y"], "", "", {"g": graph})
    whole = proto.graph("", [node], [], [], [])
    with pytest.raises(BadFile, match="graphs in graphs"):
        nna.load(proto.model_head(len(whole), 21, 10) + whole)


@pytest.mark.parametrize("name", ["lambda", "2x", "a//0", "ﬁ", "", "min(a", "__import__('x')"])
def test_any_dimension_name_survives_an_archive(name: str, tmp_path: Path) -> None:
    nodes = [node("Neg", ["x"], ["y"])]
    model = nna.load(model_of(nodes, [info("x", [name or "_", "b"])], [info("y", None)]))
    nna.save(model, tmp_path / "m.nnir")
    assert nna.load(tmp_path / "m.nnir").inputs[0].type == model.inputs[0].type


def test_a_dimension_that_divides_by_zero() -> None:
    nodes = [node("Neg", ["x"], ["y"])]
    program = nna.compile(
        nna.load(model_of(nodes, [info("x", ["b", "a//b"])], [info("y", None)])), "builtin"
    )
    with pytest.raises(BadInput, match="divides by zero"):
        program(np.zeros((0, 1), np.float32))


def test_names_do_not_command_the_terminal(tmp_path: Path) -> None:
    name = '[/x]\n\x1b[31m"'
    model = model_of(
        [node("Neg", [name], ["y"], name=name)], [info(name, ["n"])], [info("y", ["n"])]
    )
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    for command in (["inspect"], ["inspect", "--text"], ["check"], ["run", "--device", "builtin"]):
        done = CliRunner().invoke(main, [command[0], str(path), *command[1:]])
        assert done.exit_code == 0, done.output
        assert "\x1b" not in done.output


def test_an_input_too_large_for_random_numbers(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    nodes = [node("Neg", ["x"], ["y"])]
    path.write_bytes(model_of(nodes, [info("x", [HUGE])], [info("y", None)]).SerializeToString())
    done = CliRunner().invoke(main, ["run", str(path), "--device", "builtin"])
    assert done.exit_code == 1
    assert "for random numbers" in done.output


@pytest.mark.parametrize(
    ("attrs", "text"),
    [
        ({"axis": 1.5}, "which is not int"),
        ({"axis": float("nan")}, "which is not int"),
        ({"axis": [1]}, "which is not int"),
        ({"axis": "one"}, "which is not int"),
    ],
)
def test_attributes_of_the_wrong_kind(attrs: dict[str, object], text: str) -> None:
    nodes = [node("Softmax", ["x"], ["y"], **attrs)]
    with pytest.raises(BadType, match=text):
        nna.load(model_of(nodes, [info("x", [2, 3])], [info("y", None)]))


def test_numbers_that_end_the_process_of_onnxruntime() -> None:
    nodes = [node("RandomUniform", [], ["y"], shape=[2], low=3.0, high=2.0)]
    with pytest.raises(NoLowering, match=r"between 3\.0 and 2\.0"):
        nna.compile(nna.load(model_of(nodes, [], [info("y", [2])])), "onnxruntime")


def edited(path: Path, change: Callable[[str], str]) -> bytes:
    """An archive with the text of its graph changed."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    entries = json.loads(data[8 : 8 + size])
    entries["__metadata__"]["nnir"] = change(entries["__metadata__"]["nnir"])
    header = json.dumps(entries, separators=(",", ":")).encode()
    return len(header).to_bytes(8, "little") + header + data[8 + size :]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"symbols":{', '"symbols":{"q":[NaN,null],'),
        ('"symbols":{', '"symbols":{"q":[1e999,null],'),
        ('"symbols":{', '"symbols":{"q":["0","x"],'),
        ('"symbols":{', '"symbols":{"q":[0],'),
        ('"metadata":{', '"metadata":{"q":[],'),
        ('"metadata":{', '"metadata":' + '{"a":' * 5000),
        ('"transpose_x":false', '"transpose_x":"no"'),
        ('"transpose_x":false', '"transpose_x":[0]'),
        ('"transpose_x":false', '"transpose_x":{"model":{}}'),
        ('"name":"test"', '"name":{}'),
        ('"output_names":["y"]', '"output_names":[{}]'),
        ('"values":[["x"', '"values":[[["x"]'),
        ('"FLOAT32",["batch",4]', '"FLOAT32",[1e999,4]'),
        ('"FLOAT32",["batch",4]', f'"FLOAT32",[{10**30},4]'),
        ('"FLOAT32",["batch",4]', '"FLOAT32",["a//0",4]'),
        ('"FLOAT32",["batch",4]', '"FLOAT32",["batch",4],0,[[NaN],[0],null]'),
    ],
)
def test_hostile_archives(old: str, new: str, mlp: onnx.ModelProto, tmp_path: Path) -> None:
    nna.save(nna.load(mlp), tmp_path / "m.nnir")
    assert old in edited(tmp_path / "m.nnir", lambda text: text).decode("latin-1").replace("\\", "")
    data = edited(tmp_path / "m.nnir", lambda text: text.replace(old, new, 1))
    with pytest.raises(BadFile):
        nna.load(data)
