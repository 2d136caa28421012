"""Write a graph: its layers and edges in `.xml`, the numbers of its constants in `.bin`.

The same graph gives the same bytes. Constants of the same bytes lie in the file once, at a
multiple of 64 where they are as long as that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sized
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ...mapping import write_array
from .bodies import If, Loop, Taken
from .elements import Type
from .graph import Constant, Model, Node, Output, Parameter
from .markup import Markup

VERSION = 11
ALIGNMENT = 64
LEAST = 8
"""What shorter constants are aligned to."""

EDGE = ("from-layer", "from-port", "to-layer", "to-port")

LAYERS = {
    "Constant": "Const",
    "PRelu": "PReLU",
    "Relu": "ReLU",
    "Softmax": "SoftMax",
}
"""What files call the kinds of nodes that have another name there."""


def write(model: Model, path: Path, weights: Path) -> None:
    """Write the weights, and the file that names their places."""
    how: dict[str, Any] = {"encoding": "utf-8", "newline": "\n", "errors": "backslashreplace"}
    with weights.open("wb") as file, path.open("w", **how) as text:
        writer = Writer(Markup(text), Places(file))
        with writer.markup.inside("net", {"name": model.name, "version": VERSION}):
            writer.add_graph(model)


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
        write_array(self.file, array)
        self.end = start + array.nbytes
        return start


def _digest(array: np.ndarray) -> bytes:
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return hashlib.blake2b(flat.data, digest_size=16).digest()


class Writer:
    """A graph on its way into a file."""

    def __init__(self, markup: Markup, places: Places) -> None:
        self.markup, self.places = markup, places

    def add_graph(self, model: Model) -> None:
        """The layers and the edges of a graph."""
        numbers = number_nodes(model)
        with self.around("layers", numbers):
            for node, number in numbers.items():
                self._add_layer(node, number)
        edges = sorted(_edges(numbers))
        with self.around("edges", edges):
            for row in edges:
                self.markup.add("edge", dict(zip(EDGE, row, strict=True)))
        with self.around("rt_info", model.notes):
            for name, text in sorted(model.notes.items()):
                self.markup.add(name, {"value": text})

    def around(self, name: str, children: Sized) -> AbstractContextManager[None]:
        """An element around children, or with nothing inside where there are none."""
        if children:
            return self.markup.inside(name)
        self.markup.add(name)
        return nullcontext()

    def _add_layer(self, node: Node, number: int) -> None:
        kind = LAYERS.get(node.kind, node.kind)
        head = {"id": number, "name": node.friendly_name, "type": kind, "version": node.version}
        if node.kind == "Result" and node.output(0).names:
            head["output_names"] = _join_names(node.output(0).names)
        with self.markup.inside("layer", head):
            fields = self._fields(node)
            if fields:
                self.markup.add("data", fields)
            if isinstance(node, If):
                self._map_if(node)
            elif isinstance(node, Loop):
                self._map_loop(node)
            self._add_ports("input", node.inputs, 0)
            if node.kind != "Result":
                self._add_ports("output", node.ends, len(node.inputs))
            for name, body in bodies_of(node).items():
                with self.markup.inside(name):
                    self.add_graph(body)

    def _fields(self, node: Node) -> dict[str, str]:
        """The attributes as they are written."""
        if isinstance(node, Parameter):
            end = node.output(0)
            return {"shape": str(end.shape), "element_type": end.type.name}
        if isinstance(node, Constant):
            tensor = node.tensor
            start, size = self.places.place(tensor.array)
            about = {"element_type": tensor.type.name, "shape": text_of(tensor.shape)}
            return about | {"offset": str(start), "size": str(size)}
        return {name: text_of(value) for name, value in node.attributes.items()}

    def _add_ports(self, name: str, ends: list[Output], first: int) -> None:
        if not ends:
            return
        with self.markup.inside(name):
            for k, end in enumerate(ends):
                fields = {"id": first + k, "precision": end.type.label}
                if name == "output" and (names := end.all_names()):
                    fields["names"] = _join_names(names)
                sizes = [str(d.low) if d.is_static else "-1" for d in end.shape]
                self.markup.add_port(fields, sizes)

    def _map_inputs(self, taken: list[Taken], numbers: Mapping[Node, int]) -> None:
        for one in taken:
            inner = numbers[one.parameter]
            self.markup.add("input", {"external_port_id": one.operand, "internal_layer_id": inner})

    def _map_if(self, node: If) -> None:
        """Which port is which node of either side."""
        sides = {
            "else": (node.bodies["else_body"], node.else_inputs, node.else_results),
            "then": (node.bodies["then_body"], node.then_inputs, node.then_results),
        }
        for name, (body, taken, results) in sides.items():
            numbers = number_nodes(body)
            with self.markup.inside(f"{name}_port_map"):
                self._map_inputs(taken, numbers)
                for k, result in enumerate(results):
                    port, inner = len(node.inputs) + k, numbers[result]
                    self.markup.add(
                        "output", {"external_port_id": port, "internal_layer_id": inner}
                    )

    def _map_loop(self, node: Loop) -> None:
        """Which port is which node of the body, and what it hands on to its next run."""
        body = node.bodies["body"]
        numbers = number_nodes(body)
        with self.markup.inside("port_map"):
            self._map_inputs(node.taken, numbers)
            for k, one in enumerate(node.given):
                port, inner = len(node.inputs) + k, numbers[one.result.node]
                fields: dict[str, Any] = {"external_port_id": port, "internal_layer_id": inner}
                if one.slices is not None:
                    fields = {"axis": one.slices.axis, **fields, **one.slices.range()}
                self.markup.add("output", fields)
            inner = numbers[body.results[node.condition]]
            fields = {"external_port_id": -1, "internal_layer_id": inner}
            self.markup.add("output", fields | {"purpose": "execution_condition"})
        pairs = [(t.back.node, t.parameter) for t in node.taken if t.back is not None]
        with self.around("back_edges", pairs):
            for source, target in pairs:
                row = {"from-layer": numbers[source], "to-layer": numbers[target]}
                self.markup.add("edge", row)


def bodies_of(node: Node) -> dict[str, Model]:
    """The graphs inside a node by the names that files have for them."""
    return node.bodies if isinstance(node, (If, Loop)) else {}


def number_nodes(model: Model) -> dict[Node, int]:
    """The nodes in their order, with the numbers that files have for them."""
    return {node: k for k, node in enumerate(model.sorted())}


def _edges(numbers: Mapping[Node, int]) -> Iterator[tuple[int, int, int, int]]:
    """Each edge: layer and port that it comes from, layer and port that it leads to."""
    for node, number in numbers.items():
        for position, end in enumerate(node.inputs):
            port = len(end.node.inputs) + end.index  # behind those of what the node reads
            yield numbers[end.node], port, number, position


def _join_names(names: set[str]) -> str:
    """The names of a tensor, a comma in them behind a backslash."""
    return ",".join(sorted(n.replace(",", r"\,") for n in names))


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
