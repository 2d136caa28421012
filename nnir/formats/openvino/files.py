"""Write a graph: its layers and edges in `.xml`, the numbers of its constants in `.bin`.

The same graph gives the same bytes. Constants of the same bytes lie in the file once, at a
multiple of 64 where they are as long as that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .bodies import If, Loop, Taken
from .elements import Type
from .graph import Constant, Model, Node, Output, Parameter
from .markup import Element
from .shapes import PartialShape

VERSION = 11
ALIGNMENT = 64
LEAST = 8
"""What shorter constants are aligned to."""

STEP = 1 << 24
"""So many bytes of a constant are looked at at a time."""

LAYERS = {
    "Constant": "Const",
    "PRelu": "PReLU",
    "Relu": "ReLU",
    "Softmax": "SoftMax",
}
"""What files call the kinds of nodes that have another name there."""


def write(model: Model, path: Path, weights: Path) -> None:
    """Write the weights, then the file that names their places."""
    with weights.open("wb") as file:
        places = Places(file)
        root = Element("net", name=model.name, version=VERSION)
        _add_graph(root, model, places)
        root.add("rt_info")
    with path.open("w", encoding="utf-8", newline="\n", errors="backslashreplace") as text:
        text.write('<?xml version="1.0"?>\n')
        text.writelines(root.lines())


class Places:
    """Where constants lie in the file that they are written to."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.end = 0
        self.by_content: dict[tuple[bytes, int], int] = {}
        self.by_memory: dict[tuple[int, int], int] = {}

    def place(self, array: np.ndarray) -> tuple[int, int]:
        """The place and the length of a constant, which is written where it is new."""
        memory = array.ctypes.data, array.nbytes
        if memory not in self.by_memory:
            content = _digest(array), array.nbytes
            if content not in self.by_content:
                self.by_content[content] = self._append(array)
            self.by_memory[memory] = self.by_content[content]
        return self.by_memory[memory], array.nbytes

    def _append(self, array: np.ndarray) -> int:
        step = ALIGNMENT if array.nbytes >= ALIGNMENT else LEAST
        start = -(-self.end // step) * step if array.nbytes else self.end
        self.file.write(b"\0" * (start - self.end))
        for part in _parts(array):
            self.file.write(part)
        self.end = start + array.nbytes
        return start


def _parts(array: np.ndarray) -> Iterator[memoryview]:
    """The bytes of an array, a part at a time."""
    flat = memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    for start in range(0, len(flat), STEP):
        yield flat[start : start + STEP]


def _digest(array: np.ndarray) -> bytes:
    made = hashlib.blake2b(digest_size=16)
    for part in _parts(array):
        made.update(part)
    return made.digest()


def _add_graph(parent: Element, model: Model, places: Places) -> dict[Node, int]:
    """Add the layers and the edges of a graph; the numbers of its nodes."""
    order = model.sorted()
    numbers = {node: k for k, node in enumerate(order)}
    layers = parent.add("layers")
    for node in order:
        _add_layer(layers, node, numbers[node], places)
    edges = parent.add("edges")
    for source, port, target, position in sorted(_edges(order, numbers)):
        edges.add(
            "edge",
            from_layer=source,
            from_port=port,
            to_layer=target,
            to_port=position,
        )
    return numbers


def _edges(order: list[Node], numbers: Mapping[Node, int]) -> Iterator[tuple[int, int, int, int]]:
    for node in order:
        for position, end in enumerate(node.inputs):
            yield numbers[end.node], _port(end), numbers[node], position


def _port(end: Output) -> int:
    """The number of the port of an output, which are behind those of the inputs."""
    return len(end.node.inputs) + end.index


def _add_layer(layers: Element, node: Node, number: int, places: Places) -> None:
    kind = LAYERS.get(node.kind, node.kind)
    layer = layers.add(
        "layer", id=number, name=node.friendly_name, type=kind, version=node.version
    )
    if node.kind == "Result" and node.output(0).names:
        layer.fields["output_names"] = _listed(node.output(0).names)
    fields = _fields(node, places)
    if fields:
        layer.add("data", **fields)
    bodies = _BODIES.get(type(node))
    inside = bodies(layer, node, places) if bodies else []
    _add_ports(layer, "input", node.inputs, 0)
    if node.kind != "Result":
        _add_ports(layer, "output", node.ends, len(node.inputs))
    layer.children += inside


def _fields(node: Node, places: Places) -> dict[str, str]:
    """The attributes as they are written."""
    if isinstance(node, Parameter):
        end = node.output(0)
        return {"shape": str(end.shape), "element_type": end.type.name}
    if isinstance(node, Constant):
        start, size = places.place(node.tensor.array)
        about = {"element_type": node.tensor.type.name, "shape": text_of(node.tensor.shape)}
        return about | {"offset": str(start), "size": str(size)}
    return {name: text_of(value) for name, value in node.attributes.items()}


def text_of(value: Any) -> str:
    """An attribute as text, floats so that none of their bits is lost."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.17g}"
        case Type():
            return value.name
        case tuple() | list():
            return ", ".join(map(text_of, value))
    return str(value)


def _add_ports(layer: Element, name: str, ends: list[Output], first: int) -> None:
    if not ends:
        return
    ports = layer.add(name)
    for k, end in enumerate(ends):
        port = ports.add("port", id=first + k, precision=end.type.label)
        names = end.all_names()
        if names and name == "output":
            port.fields["names"] = _listed(names)
        for size in end.shape:
            port.add("dim").text = str(size.low) if size.is_static else "-1"


def _listed(names: set[str]) -> str:
    """The names of a tensor, a comma in them behind a backslash."""
    return ",".join(sorted(n.replace(",", r"\,") for n in names))


def _add_if(layer: Element, node: If, places: Places) -> list[Element]:
    """The maps of both sides; the sides themselves, which come behind the ports."""
    made = []
    sides = {
        "then": (node.then_body, node.then_inputs, node.then_results),
        "else": (node.else_body, node.else_inputs, node.else_results),
    }
    maps = {name: layer.add(f"{name}_port_map") for name in ("else", "then")}
    for name, (body, taken, results) in sides.items():
        assert body is not None
        element = Element(f"{name}_body")
        numbers = _add_graph(element, body, places)
        element.add("rt_info")
        made.append(element)
        _map_inputs(maps[name], taken, numbers)
        for k, result in enumerate(results):
            port = len(node.inputs) + k
            maps[name].add("output", external_port_id=port, internal_layer_id=numbers[result])
    return made


def _map_inputs(element: Element, taken: list[Taken], numbers: Mapping[Node, int]) -> None:
    for one in taken:
        element.add(
            "input", external_port_id=one.operand, internal_layer_id=numbers[one.parameter]
        )


def _add_loop(layer: Element, node: Loop, places: Places) -> list[Element]:
    """The map of the body and what it hands on; the body itself."""
    body = node.body
    assert body is not None
    element = Element("body")
    numbers = _add_graph(element, body, places)
    element.add("rt_info")
    ports = layer.add("port_map")
    _map_inputs(ports, node.taken, numbers)
    for k, one in enumerate(node.given):
        port, inner = len(node.inputs) + k, numbers[one.result.node]
        if one.slices is None:
            ports.add("output", external_port_id=port, internal_layer_id=inner)
            continue
        cut = one.slices
        ports.add(
            "output",
            axis=cut.axis,
            external_port_id=port,
            internal_layer_id=inner,
            start=cut.start,
            end=cut.end,
            stride=cut.stride,
            part_size=cut.part_size,
        )
    condition = numbers[body.results[node.condition]]
    ports.add(
        "output",
        external_port_id=-1,
        internal_layer_id=condition,
        purpose="execution_condition",
    )
    back = layer.add("back_edges")
    for taken in node.taken:
        if taken.back is not None:
            target = numbers[taken.parameter]
            back.add("edge", from_layer=numbers[taken.back.node], to_layer=target)
    return [element]


_BODIES: dict[type[Node], Any] = {If: _add_if, Loop: _add_loop}
