"""Of which nodes a written file is made, in words: kinds, versions, options and element types."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from hal.device import Device
from hal.properties import Properties
from hal.quantised import shown_to
from nnir.formats.flatbuffer import Bytes, Table
from nnir.formats.nnapi import files as nnapi_files
from nnir.formats.nnapi.structures import OperandType, constant_value
from nnir.formats.nnrt import files as nnrt_files
from nnir.formats.nnrt.enums import DataType
from nnir.formats.nnrt.model import arguments_of
from nnir.formats.tflite import schema
from nnir.formats.tflite.schema import (
    ModelTable,
    OperatorCodeTable,
    OperatorTable,
    SubGraphTable,
    TensorTable,
)
from nnir.model import Model

from .wires import wires_of, wires_of_module

if TYPE_CHECKING:
    import onnx
    import torch

FLOAT32 = "FLOAT32"
"""Not told, as most elements are of it."""

MOST = 8
"""So many nodes are told one by one."""

CONVERTING = frozenset({"DEQUANTIZE", "QUANTIZE"})
"""Nodes of which the type is told that they read."""

REPEATED = frozenset({"new_shape", "num_splits", "num", "values_count"})
"""Options that say what tensors say."""


def form_of_model(device: Device[Any, Any], model: Model, path: Path) -> tuple[str, str]:
    """The nodes of the file that a device writes of a model to `path`, and digits that stand for
    what they read; PyTorch, whose files take long to write, has those of the graph that it runs."""
    shown = shown_to(device, model)
    if device.name == "torch":
        context = device.create_context(Properties({}), None)
        module = device.create_program(context, shown, None).module
        return _join(_nodes_of_torch(module)), wires_of_module(module)
    device.export(shown, path)
    return nodes_of(path), wires_of(path)


def nodes_of(path: Path) -> str:
    """The nodes of a file, in order; of many their number and a digest."""
    return _join(READERS[path.suffix](path))


def _join(found: Iterator[str]) -> str:
    nodes = [*found]
    text = " ".join(nodes)
    return text if len(nodes) <= MOST else f"{len(nodes)} nodes, {zlib.crc32(text.encode()):08x}"


def _nodes_of_nnapi(path: Path) -> Iterator[str]:
    """With the scalars, and the types of results."""
    model = nnapi_files.load(path)
    for node in model.operations:
        given, made = ([model.operands[k] for k in ends] for ends in (node.inputs, node.outputs))
        known = (constant_value(model, x) for x in given if x.is_constant and not x.dimensions)
        types = [x.type.name for x in made if x.type != OperandType.TENSOR_FLOAT32]
        told = ",".join(str(n.item()) for n in known)
        yield ":".join([f"{node.type.name}({told})", *types])


def _nodes_of_nnrt(path: Path) -> Iterator[str]:
    """With the parameters, and the types of results."""
    model = nnrt_files.read(path.read_bytes())
    for node in model.operations:
        told = ",".join(f"{n}={_number(v)}" for n, v in arguments_of(model, node).items())
        types = [model.tensor(k).data_type for k in node.outputs]
        made = [t.name for t in types if t != DataType.FLOAT32]
        yield ":".join([f"{node.definition.name}({told})", *made])


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value).replace(" ", "")


def _nodes_of_tflite(path: Path) -> Iterator[str]:
    """Those of all graphs, one after the other."""
    model = Bytes(path.read_bytes()).root()
    codes = [_code(c) for c in model.tables(ModelTable.OPERATOR_CODES)]
    for graph in model.tables(ModelTable.SUBGRAPHS):
        types = [_type(t) for t in graph.tables(SubGraphTable.TENSORS)]
        for node in graph.tables(SubGraphTable.OPERATORS):
            name, version = codes[node.number(OperatorTable.OPCODE_INDEX, "I")]
            read, made = (
                [types[k] for k in node.integers(slot) if k >= 0]
                for slot in (OperatorTable.INPUTS, OperatorTable.OUTPUTS)
            )
            known = {"in_data_type": read[:1], "out_data_type": made[:1]}
            told = "".join(
                f"({option}={value})"
                for option, value in _options(name, node)
                if [value] != known.get(option)
            )
            source = f"<{read[0]}" if name in CONVERTING and read[0] != FLOAT32 else ""
            told = name + version + told + source
            yield ":".join([told, *(t for t in made if t != FLOAT32)])


def _code(table: Table) -> tuple[str, str]:
    """The name of an operator, and its version where that is not the first one."""
    old = table.number(OperatorCodeTable.DEPRECATED_BUILTIN_CODE, "b")
    number = table.number(OperatorCodeTable.BUILTIN_CODE, "i", old)
    version = table.number(OperatorCodeTable.VERSION, "i", 1)
    return schema.operator(number), f".{version}" if version != 1 else ""


def _type(tensor: Table) -> str:
    return schema.member("TensorType", tensor.number(TensorTable.TYPE, "b"))


def _options(name: str, node: Table) -> Iterator[tuple[str, object]]:
    """Options that are not as they are by default."""
    defaults = schema.defaults_of(name)
    for union, (kind, table) in schema.UNIONS.items():
        found = schema.options(union, node.number(kind, "B"), node.table(table))
        for option, value in found.items():
            if option not in REPEATED and value != defaults.get(option):
                yield option, getattr(value, "name", value)


OLDEST = 13
"""The operator set of ONNX that is not told."""


def _nodes_of_onnx(path: Path) -> Iterator[str]:
    """Behind the operator sets, those of all graphs, with their attributes."""
    import onnx

    model = onnx.load(path)
    sets = [f"{s.domain or 'opset'} {s.version}" for s in model.opset_import]
    if sets != [f"opset {OLDEST}"]:
        yield ", ".join(sets)
    yield from _onnx_nodes(model.graph)


def _onnx_nodes(graph: onnx.GraphProto) -> Iterator[str]:
    import onnx

    tensors = [*graph.value_info, *graph.output]
    types = {v.name: v.type.tensor_type.elem_type for v in tensors}
    for node in graph.node:
        attributes = sorted(node.attribute, key=lambda a: a.name)
        told = "".join(f"({a.name}={_onnx_value(a)})" for a in attributes if not a.HasField("g"))
        made = (onnx.TensorProto.DataType.Name(types.get(name, 0)) for name in node.output)
        yield ":".join([node.op_type + told, *(t for t in made if t not in ("FLOAT", "UNDEFINED"))])
        for attribute in attributes:
            if attribute.HasField("g"):
                yield f"{attribute.name} {{"
                yield from _onnx_nodes(attribute.g)
                yield "}"


def _onnx_value(attribute: onnx.AttributeProto) -> str:
    import onnx

    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return f"{zlib.crc32(value.SerializeToString()):08x}"
    if isinstance(value, bytes):
        return value.decode()
    return _number(value)


ENDS = frozenset({"Const", "Parameter", "Result"})
"""Layers that compute nothing."""

SINGLE = "FP32"


def _nodes_of_xml(path: Path) -> Iterator[str]:
    """Those of all graphs, with their versions and attributes."""
    root = ElementTree.fromstring(path.read_bytes())  # ours, written a moment ago
    for layer in root.iter("layer"):
        kind, version = layer.get("type", ""), layer.get("version", "")
        if kind in ENDS:
            continue
        data = layer.find("data")
        given = sorted(data.items()) if data is not None else []
        told = "".join(f"({name}={value.replace(' ', '')})" for name, value in given)
        made = (p.get("precision", "") for p in layer.findall("output/port"))
        name = f"{kind}.{version.removeprefix('opset')}{told}"
        yield ":".join([name, *(t for t in made if t != SINGLE)])


HELD = frozenset({"get_attr", "output", "placeholder"})
"""Nodes of torch.fx that compute nothing."""


def _nodes_of_torch(module: torch.nn.Module) -> Iterator[str]:
    """Those of all graphs, with the arguments that are no tensors."""
    import torch

    for part in module.modules():
        for node in part.graph.nodes if isinstance(part, torch.fx.GraphModule) else ():
            if node.op in HELD:
                continue
            kind = getattr(node.target, "__name__", str(node.target))
            named = (f"{name}={_torch_value(x)}" for name, x in node.kwargs.items())
            yield f"{kind}({','.join([*map(_torch_value, node.args), *named])})"


def _torch_value(value: object) -> str:
    """An argument; tensors and sizes, which are nodes too, are told by a line."""
    import torch

    match value:
        case torch.fx.Node():
            return "_"
        case list() | tuple():
            return f"[{','.join(map(_torch_value, value))}]"
        case slice():
            return ":".join(_torch_value(x) for x in (value.start, value.stop, value.step))
        case float():
            return f"{value:g}"
    return str(value).removeprefix("torch.").replace(" ", "")


READERS = {
    ".nnapi": _nodes_of_nnapi,
    ".nnrt": _nodes_of_nnrt,
    ".onnx": _nodes_of_onnx,
    ".tflite": _nodes_of_tflite,
    ".xml": _nodes_of_xml,
}
