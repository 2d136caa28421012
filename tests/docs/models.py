"""The files that pages name: each function puts some into the page's folder.

`sources` is a folder with what TensorFlow, LiteRT and Paddle wrote for the other tests. A function
may give names for the Python of the page.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import nnadapter
from nnadapter.commands.demo import network

from .blocks import ROOT


def model(folder: Path, sources: Path) -> None:
    """`model.onnx`: a small residual network, images to probabilities, any batch."""
    nnadapter.convert(network(), folder / "model.onnx", verify=False)


def resnet50(folder: Path, sources: Path) -> dict[str, Any]:
    """`resnet50.onnx`, small, and `x`, an image for it."""
    filters = np.random.default_rng(1).standard_normal((5, 3, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], "conv"),
        helper.make_node("Relu", ["a"], ["b"], "relu"),
        helper.make_node("GlobalAveragePool", ["b"], ["c"], "pool"),
        helper.make_node("Flatten", ["c"], ["y"], "flatten"),
    ]
    inputs, outputs = {"x": ["n", 3, 8, 8]}, {"y": ["n", 5]}
    write_onnx(folder / "resnet50.onnx", nodes, inputs, outputs, {"w": filters})
    return {"x": np.ones((1, 3, 8, 8), np.float32)}


def loaded(folder: Path, sources: Path) -> dict[str, Any]:
    """`nna`, `model`, an image `x` and memory for its result."""
    model = nnadapter.load(folder / "model.onnx")
    mine = np.empty((2, 10), np.float32)
    return {"nna": nnadapter, "model": model, "mine": mine, "Path": Path, **images(folder, sources)}


def many(folder: Path, sources: Path) -> None:
    """A folder `models` and a list `models.txt` of what is in it."""
    place = folder / "models"
    place.mkdir()
    names = [place / name for name in ("first.onnx", "second.onnx")]
    for name in names:
        shutil.copy(folder / "model.onnx", name)
    (folder / "models.txt").write_text("".join(f"{name}\n" for name in names))


def split(folder: Path, sources: Path) -> None:
    """`split.txt`: every RELU on the host."""
    (folder / "split.txt").write_text("RELU\n")


def pair(folder: Path, sources: Path) -> None:
    """`old.onnx` and `new.onnx`, which are equal, and `model.pt2`."""
    for name in ("old.onnx", "new.onnx"):
        shutil.copy(folder / "model.onnx", folder / name)
    nnadapter.convert(folder / "model.onnx", folder / "model.pt2", verify=False)


def house(folder: Path, sources: Path) -> dict[str, Any]:
    """What a module of operators imports."""
    from nnir.model import Value
    from nnir.operator import operator, require
    from nnir.ops.activation import wide
    from nnir.types import TensorType

    names: dict[str, Any] = {"np": np, "operator": operator, "require": require, "wide": wide}
    return names | {"Value": Value, "TensorType": TensorType}


def keras_network(folder: Path, sources: Path) -> dict[str, Any]:
    """`keras_model`: one in memory."""
    import keras

    layers = [keras.Input((4,)), keras.layers.Dense(3)]
    return {"keras_model": keras.Sequential(layers)}


def mobilenet(folder: Path, sources: Path) -> None:
    """`mobilenet.tflite`: a float network."""
    shutil.copy(sources / "tflite" / "cnn.tflite", folder / "mobilenet.tflite")


def legacy(folder: Path, sources: Path) -> None:
    """A program of Paddle 1 and 2, in the places and under the names that it may have."""
    from tests.frontends.paddle_legacy_bytes import Op, around, parameter, program, variable

    scaled = Op("elementwise_mul", {"X": ["x"], "Y": ["w"]}, {"Out": ["y"]})
    ends = variable("x", [-1, 3]), variable("w", [3], stored=True)
    weights = parameter(np.array([1, 2, 3], np.float32).tobytes(), [3])
    (folder / "folder").mkdir()
    names = ("old.pdmodel", "old.pdiparams"), ("__model__", "__params__")
    for model, params in (*names, ("folder/__model__", "folder/w")):
        (folder / model).write_bytes(program(around(scaled), variables=ends))
        (folder / params).write_bytes(weights)


def paddle_layer(folder: Path, sources: Path) -> dict[str, Any]:
    """`layer` and `program`, in memory."""
    import paddle

    layer = paddle.nn.Conv2D(3, 4, 3)
    return {"paddle": paddle, "layer": layer, "program": paddle.jit.load(str(folder / "inference"))}


def torch_module(folder: Path, sources: Path) -> dict[str, Any]:
    """`net.pt2` and `script.pt`, and a `module` with its input `x` and a mask `m`."""
    import warnings

    import torch

    class Masked(torch.nn.Module):
        def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
            return x if mask is None else x * mask

    module, x = Masked(), torch.ones(2, 4)
    torch.export.save(torch.export.export(module, (x,)), folder / "net.pt2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated
        script = torch.jit.trace(torch.nn.Linear(4, 2), (x,))
        torch.jit.save(torch.jit.freeze(torch.jit.script(script.eval())), folder / "script.pt")
    return {"torch": torch, "module": module, "x": x, "m": torch.ones(2, 4)}


def images(folder: Path, sources: Path) -> dict[str, Any]:
    """`x`: two images for `model.onnx`."""
    return {"x": np.random.default_rng(0).random((2, 3, 32, 32), np.float32)}


def samples(folder: Path, sources: Path) -> None:
    """`samples.npz`: calibration data for `model.onnx`."""
    inputs = nnadapter.load(folder / "model.onnx").inputs
    rng = np.random.default_rng(2)
    arrays = {v.name or "": rng.random((16, 3, 32, 32), np.float32) for v in inputs}
    np.savez(folder / "samples.npz", **arrays)  # type: ignore[arg-type]


def accelerator(folder: Path, sources: Path) -> None:
    """`examples/accelerator` and `hal/include`, as in a checkout."""
    for name in ("examples/accelerator", "hal/include"):
        (folder / name).parent.mkdir()
        (folder / name).symlink_to(ROOT / name, target_is_directory=True)


def saved_model(folder: Path, sources: Path) -> None:
    """`saved_model/`: a convolutional network of Keras."""
    shutil.copytree(sources / "tensorflow" / "cnn", folder / "saved_model")


def frozen(folder: Path, sources: Path) -> None:
    """`frozen.pb`: a graph of TensorFlow 1."""
    shutil.copy(sources / "tensorflow" / "frozen.pb", folder)


def keras_archive(folder: Path, sources: Path) -> None:
    """`model.keras`."""
    shutil.copy(sources / "tensorflow" / "archive.keras", folder / "model.keras")


def mobilenet_int8(folder: Path, sources: Path) -> None:
    """`mobilenet_int8.tflite`: a quantised network."""
    shutil.copy(sources / "tflite" / "mobile_int8.tflite", folder / "mobilenet_int8.tflite")


def inference(folder: Path, sources: Path) -> None:
    """`inference.json` and its weights: a program of Paddle 3."""
    for suffix in ("json", "pdiparams"):
        shutil.copy(sources / "paddle" / f"cnn.{suffix}", folder / f"inference.{suffix}")


def custom(folder: Path, sources: Path) -> None:
    """`custom.onnx`: two operators of a domain that nobody knows."""
    nodes = [
        helper.make_node("Rotate", ["x"], ["a"], "first", domain="my.ops"),
        helper.make_node("Relu", ["a"], ["b"], "second"),
        helper.make_node("Rotate", ["b"], ["c"], "third", domain="my.ops"),
        helper.make_node("Warp", ["c"], ["y"], "last", domain="my.ops"),
    ]
    write_onnx(folder / "custom.onnx", nodes, {"x": ["n", 3]}, {"y": ["n", 3]}, domain="my.ops")


def wide(folder: Path, sources: Path) -> None:
    """`wide.onnx`: a GELU and a determinant of FLOAT64."""
    nodes = [
        helper.make_node("Gelu", ["x"], ["a"], "gelu"),
        helper.make_node("Det", ["a"], ["y"], "det"),
    ]
    inputs, outputs = {"x": ["n", 3, 3]}, {"y": ["n"]}
    write_onnx(folder / "wide.onnx", nodes, inputs, outputs, kind=TensorProto.DOUBLE)


def sequence(folder: Path, sources: Path) -> None:
    """`sequence.onnx`: [batch, seq, 4] to [batch, 2 seq, 3]."""
    weight = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Concat", ["x", "x"], ["twice"], "twice", axis=1),
        helper.make_node("MatMul", ["twice", "w"], ["y"], "project"),
    ]
    inputs, outputs = {"x": ["batch", "seq", 4]}, {"y": ["batch", "length", 3]}
    write_onnx(folder / "sequence.onnx", nodes, inputs, outputs, {"w": weight})


def loop(folder: Path, sources: Path) -> None:
    """`loop.onnx`: a Loop whose number of iterations is an input, then an If."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["a", "step"], ["b"]),
            helper.make_node("Identity", ["go"], ["again"]),
        ],
        "body",
        [value("i", [], TensorProto.INT64), value("go", [], TensorProto.BOOL), value("a", [2])],
        [value("again", [], TensorProto.BOOL), value("b", [2])],
    )
    branches = {
        f"{name}_branch": helper.make_graph(
            [helper.make_node(op, ["last"], [name])], name, [], [value(name, [2])]
        )
        for name, op in {"then": "Neg", "else": "Abs"}.items()
    }
    nodes = [
        helper.make_node("Loop", ["trips", "", "x"], ["last"], "loop", body=body),
        helper.make_node("If", ["flag"], ["y"], "if", **branches),
    ]
    graph = helper.make_graph(
        nodes,
        "loop",
        [
            *(value("x", [2]), value("step", [2])),
            *(value("trips", [], TensorProto.INT64), value("flag", [], TensorProto.BOOL)),
        ],
        [value("y", [2])],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), folder / "loop.onnx")


def half(folder: Path, sources: Path) -> None:
    """`half.onnx`: FLOAT16, with a square that overflows for inputs above 255."""
    nodes = [
        helper.make_node("Mul", ["x", "x"], ["squares"], "square"),
        helper.make_node("ReduceMean", ["squares", "axes"], ["mean"], "mean"),
        helper.make_node("Sqrt", ["mean"], ["y"], "root"),
    ]
    inputs, outputs = {"x": ["n", 8]}, {"y": ["n", 1]}
    axes = {"axes": np.array([1], np.int64)}
    write_onnx(folder / "half.onnx", nodes, inputs, outputs, axes, kind=TensorProto.FLOAT16)


def norm(folder: Path, sources: Path) -> None:
    """`norm.onnx`: a normalisation written out, whose squares overflow in float16, and a mask."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["hidden"], "/dense"),
        helper.make_node("Mul", ["hidden", "hidden"], ["squares"], "/norm/squares"),
        helper.make_node("ReduceMean", ["squares", "axes"], ["mean"], "/norm/mean"),
        helper.make_node("Sqrt", ["mean"], ["root"], "/norm/root"),
        helper.make_node("Div", ["hidden", "root"], ["normal"], "/norm/divide"),
        helper.make_node("Add", ["normal", "mask"], ["masked"], "/attention/mask"),
        helper.make_node("Softmax", ["masked"], ["y"], "/attention/softmax"),
    ]
    far = np.finfo(np.float32).min
    weights = {
        "w": (np.random.default_rng(0).standard_normal((64, 64)) * 20).astype(np.float32),
        "axes": np.array([1], np.int64),
        "mask": np.where(np.arange(64) < 60, 0, far).astype(np.float32),
    }
    write_onnx(folder / "norm.onnx", nodes, {"x": ["batch", 64]}, {"y": ["batch", 64]}, weights)


def double(folder: Path, sources: Path) -> None:
    """`double.onnx`: a layer in float64, with a mask that no float32 holds."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["hidden"], "/dense"),
        helper.make_node("Add", ["hidden", "mask"], ["masked"], "/mask"),
        helper.make_node("Softmax", ["masked"], ["y"], "/softmax"),
    ]
    rng = np.random.default_rng(0)
    weights = {"w": rng.standard_normal((64, 8)), "mask": np.array([0] * 7 + [-1e300])}
    inputs, outputs = {"x": ["batch", 64]}, {"y": ["batch", 8]}
    kind = TensorProto.DOUBLE
    write_onnx(folder / "double.onnx", nodes, inputs, outputs, weights, kind=kind)


def external(folder: Path, sources: Path) -> None:
    """`big.onnx` with its weights in `big.data`."""
    weight = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], "product")]
    path = folder / "whole.onnx"
    write_onnx(path, nodes, {"x": ["n", 64]}, {"y": ["n", 64]}, {"w": weight})
    how: dict[str, Any] = {"save_as_external_data": True, "location": "big.data"}
    onnx.save(onnx.load(path), folder / "big.onnx", size_threshold=0, **how)
    path.unlink()


def write_onnx(
    path: Path,
    nodes: list[onnx.NodeProto],
    inputs: dict[str, list[int | str]],
    outputs: dict[str, list[int | str]],
    weights: dict[str, np.ndarray] | None = None,
    *,
    kind: int = TensorProto.FLOAT,
    domain: str = "",
) -> None:
    """Write a model of one type of elements."""
    graph = helper.make_graph(
        nodes,
        path.stem,
        [value(name, shape, kind) for name, shape in inputs.items()],
        [value(name, shape, kind) for name, shape in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()],
    )
    opsets = [helper.make_opsetid("", 20)]
    opsets += [helper.make_opsetid(domain, 1)] if domain else []
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


def value(name: str, shape: list[int | str], kind: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    """An input or output of a graph."""
    return helper.make_tensor_value_info(name, kind, shape)
