"""What the nodes of a written file read and make, and its constants, in a few digits.

Beside the words of `forms`: a transposed weight or two operands that change places show there in
nothing. Of floats the first digits count, as processors round the last ones differently.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from nnir.formats.flatbuffer import Bytes, Table
from nnir.formats.nnapi import files as nnapi_files
from nnir.formats.nnapi.structures import LifeTime, constant_value
from nnir.formats.nnrt import files as nnrt_files
from nnir.formats.tflite.schema import (
    BufferTable,
    ModelTable,
    OperatorTable,
    QuantizationTable,
    SubGraphTable,
    TensorTable,
)

from ..running.translation import LENGTH, elements_of

if TYPE_CHECKING:
    import onnx
    import torch

Parts = Iterator[object]
"""What is told of a file: arrays by their elements, anything else in words."""


def wires_of(path: Path) -> str:
    """A few digits that stand for what the nodes of a file read and make, and its constants."""
    return _digest(READERS[path.suffix](path))


def wires_of_module(module: torch.nn.Module) -> str:
    """The same of a program of torch.fx."""
    return _digest(_parts_of_torch(module))


def _digest(parts: Parts) -> str:
    state = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            state.update(elements_of(part))
        else:
            state.update(repr(part).encode())
    return state.hexdigest()[:LENGTH]


class Numbers(dict[Any, int]):
    """Numbers things as they come."""

    def __missing__(self, key: Any) -> int:
        self[key] = len(self)
        return self[key]


def _parts_of_onnx(path: Path) -> Parts:
    import onnx

    yield from _parts_of_graph(onnx.load(path).graph, Numbers())


def _parts_of_graph(graph: onnx.GraphProto, numbers: Numbers) -> Parts:
    from onnx import numpy_helper

    yield [numbers[v.name] for v in graph.input]
    for tensor in graph.initializer:
        yield numbers[tensor.name]
        yield numpy_helper.to_array(tensor)
    for node in graph.node:
        yield node.op_type, [numbers[n] if n else None for n in node.input]
        for attribute in sorted(node.attribute, key=lambda a: a.name):
            if attribute.HasField("g"):
                yield from _parts_of_graph(attribute.g, numbers)
        yield [numbers[n] for n in node.output]
    yield [numbers[v.name] for v in graph.output]


def _parts_of_tflite(path: Path) -> Parts:
    model = Bytes(path.read_bytes()).root()
    buffers = model.tables(ModelTable.BUFFERS)
    for graph in model.tables(ModelTable.SUBGRAPHS):
        for tensor in graph.tables(SubGraphTable.TENSORS):
            yield from _parts_of_tensor(tensor, buffers[tensor.number(TensorTable.BUFFER, "I")])
        for node in graph.tables(SubGraphTable.OPERATORS):
            yield node.integers(OperatorTable.INPUTS), node.integers(OperatorTable.OUTPUTS)
        yield graph.integers(SubGraphTable.INPUTS), graph.integers(SubGraphTable.OUTPUTS)


def _parts_of_tensor(tensor: Table, buffer: Table) -> Parts:
    kind = tensor.number(TensorTable.TYPE, "b")
    yield kind, tensor.integers(TensorTable.SHAPE), tensor.integers(TensorTable.SHAPE_SIGNATURE)
    quantized = tensor.table(TensorTable.QUANTIZATION)
    if quantized is not None:
        yield quantized.array(QuantizationTable.SCALE, "<f4")
        yield quantized.array(QuantizationTable.ZERO_POINT, "<i8")
        yield quantized.number(QuantizationTable.QUANTIZED_DIMENSION, "i")
    data = buffer.array(BufferTable.DATA, "u1")
    yield data.view("<f4") if kind == 0 and data.size % 4 == 0 else data


FLOATS = {"f64": np.float64, "f32": np.float32, "f16": np.float16}
"""The element types of OpenVINO whose last digits are forgiven."""


def _parts_of_xml(path: Path) -> Parts:
    data = path.with_suffix(".bin").read_bytes()
    root = ElementTree.fromstring(path.read_bytes())  # ours, written a moment ago
    for part in root.iter():
        if part.tag == "edge":
            yield sorted(part.items())
        elif part.tag == "layer":
            yield part.get("id"), part.get("type")
        elif part.tag == "data" and "offset" in part.attrib:
            first, size = int(part.attrib["offset"]), int(part.attrib["size"])
            dtype = FLOATS.get(part.attrib["element_type"], np.uint8)
            yield part.attrib["shape"]
            yield np.frombuffer(data[first : first + size], dtype)


def _parts_of_nnapi(path: Path) -> Parts:
    model = nnapi_files.load(path)
    constants = (LifeTime.CONSTANT_COPY, LifeTime.CONSTANT_REFERENCE)
    for operand in model.operands:
        yield operand.type, [*operand.dimensions], operand.zero_point
        yield np.array(operand.scale)
        if operand.lifetime in constants:
            yield constant_value(model, operand)
    for node in model.operations:
        yield node.type, [*node.inputs], [*node.outputs]
    yield [*model.input_indexes], [*model.output_indexes]


def _parts_of_nnrt(path: Path) -> Parts:
    model = nnrt_files.read(path.read_bytes())
    for tensor in model.tensors:
        yield tensor.data_type, tensor.shape, tensor.type, tensor.format
        if tensor.quantization is not None:
            yield np.array(tensor.quantization.scales)
            yield tensor.quantization.zero_points
        if tensor.data is not None:
            yield tensor.data
    for node in model.operations:
        yield node.code, node.parameters, node.inputs, node.outputs
    yield model.inputs, model.outputs


def _parts_of_torch(module: torch.nn.Module) -> Parts:
    import torch

    numbers = Numbers()
    for part in module.modules():
        for node in part.graph.nodes if isinstance(part, torch.fx.GraphModule) else ():
            yield node.op, [numbers[n] for n in node.all_input_nodes], numbers[node]
            if node.op == "get_attr":
                held: Any = part
                for name in str(node.target).split("."):
                    held = getattr(held, name)
                if isinstance(held, torch.Tensor):
                    yield _elements(held)


def _elements(tensor: torch.Tensor) -> np.ndarray:
    """Its elements; floats that NumPy has no type for, as BFLOAT16, as FLOAT32."""
    import torch

    data = tensor.detach()
    known = not data.is_floating_point() or data.dtype in (
        torch.float16,
        torch.float32,
        torch.float64,
    )
    return data.numpy() if known else data.float().numpy()


READERS = {
    ".nnapi": _parts_of_nnapi,
    ".nnrt": _parts_of_nnrt,
    ".onnx": _parts_of_onnx,
    ".tflite": _parts_of_tflite,
    ".xml": _parts_of_xml,
}
