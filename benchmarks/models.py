"""The models that are measured, with random weights: written once, kept in a folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import chains

OPSET = 18


class Builder:
    """A graph in the making."""

    def __init__(self, opset: int = OPSET) -> None:
        self.opset = opset
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[TensorProto] = []
        self.rng = np.random.default_rng(0)

    def node(self, op: str, *inputs: str, **attributes: object) -> str:
        name = f"{op.lower()}{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(op, list(inputs), [name], name=f"{name}_node", **attributes)
        )
        return name

    def weight(self, *shape: int, scale: float = 0.02) -> str:
        name = f"weight{len(self.weights)}"
        data = self.rng.standard_normal(shape, np.float32) * np.float32(scale)
        self.weights.append(numpy_helper.from_array(data, name))
        return name

    def constant(self, values: object, dtype: type = np.int64) -> str:
        name = f"constant{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values, dtype), name))
        return name

    def save(self, path: Path, inputs: list[onnx.ValueInfoProto], output: str) -> None:
        end = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, path.stem, inputs, [end], self.weights)
        versions = [helper.make_opsetid("", self.opset)]
        onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=10), path)


def resnet50(path: Path) -> None:
    """ResNet-50 with batch norm, 1x3x224x224."""
    b = Builder()

    def conv(x: str, channels: tuple[int, int], size: int, stride: int = 1) -> str:
        weight = b.weight(
            channels[1], channels[0], size, size, scale=(channels[0] * size * size) ** -0.5
        )
        pad = [size // 2] * 4
        x = b.node("Conv", x, weight, kernel_shape=[size, size], strides=[stride] * 2, pads=pad)
        gain, shift, mean = (b.weight(channels[1]) for _ in range(3))
        variance = b.constant(np.ones(channels[1]), np.float32)
        return b.node("BatchNormalization", x, gain, shift, mean, variance)

    x = b.node("Relu", conv("x", (3, 64), 7, 2))
    x = b.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for width, count, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(count):
            stride = first if block == 0 else 1
            short = x if block else conv(x, (channels, 4 * width), 1, stride)
            y = b.node("Relu", conv(x, (channels, width), 1))
            y = b.node("Relu", conv(y, (width, width), 3, stride))
            x = b.node("Relu", b.node("Add", conv(y, (width, 4 * width), 1), short))
            channels = 4 * width
    x = b.node("Flatten", b.node("GlobalAveragePool", x))
    x = b.node("Gemm", x, b.weight(1000, 2048), b.weight(1000), transB=1)
    b.save(path, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 224, 224])], x)


def bert(path: Path, layers: int = 12, width: int = 768, tokens: int = 128) -> None:
    """A BERT-base encoder, 1x128 tokens, 109 million parameters."""
    b = Builder()
    heads = width // 64

    def dense(x: str, sizes: tuple[int, int]) -> str:
        return b.node("Add", b.node("MatMul", x, b.weight(*sizes)), b.weight(sizes[1]))

    def normed(x: str) -> str:
        gain = b.constant(np.ones(width), np.float32)
        return b.node("LayerNormalization", x, gain, b.weight(width), axis=-1, epsilon=1e-12)

    split = b.constant([1, tokens, heads, 64])
    join = b.constant([1, tokens, width])
    half, one, root = (b.constant(v, np.float32) for v in (0.5, 1.0, 2**0.5))
    scale = b.constant(8.0, np.float32)
    x = b.node("Gather", b.weight(30522, width), "input_ids")
    x = normed(b.node("Add", x, b.weight(tokens, width)))
    for _ in range(layers):
        q, k, v = (b.node("Reshape", dense(x, (width, width)), split) for _ in range(3))
        q, v = (b.node("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
        scores = b.node("MatMul", q, b.node("Transpose", k, perm=[0, 2, 3, 1]))
        mixed = b.node("MatMul", b.node("Softmax", b.node("Div", scores, scale), axis=-1), v)
        mixed = b.node("Reshape", b.node("Transpose", mixed, perm=[0, 2, 1, 3]), join)
        x = normed(b.node("Add", x, dense(mixed, (width, width))))
        y = dense(x, (width, 4 * width))
        gate = b.node("Add", b.node("Erf", b.node("Div", y, root)), one)
        y = b.node("Mul", b.node("Mul", y, gate), half)
        x = normed(b.node("Add", x, dense(y, (4 * width, width))))
    b.save(path, [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, tokens])], x)


def chain(path: Path, count: int) -> None:
    """`count` small nodes of eight kinds with short attributes, as in a graph of an exporter."""
    b = Builder()
    one = b.constant(np.ones(4), np.float32)
    operators: dict[str, Callable[[str], str]] = {
        "add": lambda x: b.node("Add", x, one),
        "mul": lambda x: b.node("Mul", x, one),
        "leaky_relu": lambda x: b.node("LeakyRelu", x, alpha=chains.SLOPE),
        "softmax": lambda x: b.node("Softmax", x, axis=-1),
        "transpose": lambda x: b.node("Transpose", x, perm=[0, 1]),
    }
    x = chains.walk("x", operators, count)
    b.save(path, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])], x)


def tiny(path: Path) -> None:
    """One addition of three numbers, to measure the cost of a call."""
    b = Builder()
    y = b.node("Add", "x", b.constant(np.ones(3), np.float32))
    b.save(path, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])], y)


def ensure(folder: Path, name: str, suffix: str = ".onnx") -> Path:
    """The file of a model, written on first use. `chain-N` has N nodes. Other formats are written
    of the ONNX file, or by their framework."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}{suffix}"
    if not path.exists() and suffix in chains.WRITERS:
        count = name.partition("-")[2]
        subprocess.run([sys.executable, "-m", chains.__name__, count, path], check=True)
    elif not path.exists() and suffix != ".onnx":
        import nnadapter as nna

        nna.convert(ensure(folder, name), path, verify=False)  # engines take minutes for many nodes
    elif not path.exists():
        kind, _, count = name.partition("-")
        if kind == "chain":
            chain(path, int(count))
        else:
            {"resnet50": resnet50, "bert": bert, "tiny": tiny}[kind](path)
    return path
