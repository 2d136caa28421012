"""The nodes and the functions of a TensorFlow graph, decoded where they are asked for."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property
from types import NoneType
from typing import Any

from nnir.errors import BadModel
from nnir.mapping import Buffer, Span
from nnir.records import dataclass
from nnir.types import Precision

from .messages import ATTRIBUTE, NODE, PAIR, decode
from .tensors import FunctionName, attribute

SHORT = 64
SHARED = frozenset({NoneType, bool, float, int, str, tuple, Precision, FunctionName})
"""Attributes of so many bytes, and values that nobody changes: nodes that say the same have one."""


@dataclass(frozen=True, slots=True)
class Node:
    """A NodeDef: inputs as written, control inputs apart."""

    name: str
    op: str
    inputs: tuple[str, ...]
    controls: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Function:
    """A FunctionDef: its nodes by name, and what its results are called inside."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: Mapping[str, Node]
    results: Mapping[str, str]
    effects: tuple[str, ...]


class Attributes(Mapping[str, Any]):
    """The attributes of a node. Those that begin with `_` are notes to TensorFlow itself."""

    __slots__ = ("_b", "_decoded", "_known", "_places")

    def __init__(
        self, b: Buffer, places: Sequence[Span], known: dict[bytes, tuple[str, Any]]
    ) -> None:
        """`known` are those of other nodes, by their bytes."""
        self._b = b
        self._places = places
        self._known = known
        self._decoded: dict[str, Any] | None = None

    def _all(self) -> dict[str, Any]:
        decoded = self._decoded
        if decoded is None:
            pairs = map(self._pair, self._places)
            decoded = self._decoded = {k: v for k, v in pairs if not k.startswith("_")}
        return decoded

    def _pair(self, place: Span) -> tuple[str, Any]:
        """The name and the value at a place, None for a note's."""
        start, end = place
        if end - start > SHORT:
            return self._decode(place)
        said = self._b[start:end]
        pair = self._known.get(said)
        if pair is None:
            pair = self._decode(place)
            if type(pair[1]) in SHARED:
                self._known[said] = pair
        return pair

    def _decode(self, place: Span) -> tuple[str, Any]:
        pair = decode(self._b, place, PAIR)
        name: str = pair["key"]
        if name.startswith("_"):
            return name, None
        held = pair.get("value")
        return name, attribute(self._b, decode(self._b, held, ATTRIBUTE) if held else {})

    def __getitem__(self, name: str) -> Any:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def items(self) -> ItemsView[str, Any]:
        return self._all().items()

    def values(self) -> ValuesView[Any]:
        return self._all().values()


class Body(Mapping[str, Node]):
    """The nodes of a function by name. Most functions of a file are never called."""

    def __init__(self, b: Buffer, places: Sequence[Span]) -> None:
        self._b = b
        self._places = places

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        return nodes_of(self._b, (decode(self._b, p, NODE) for p in self._places))

    def __getitem__(self, name: str) -> Node:
        return self._nodes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def may_have(self, op: str) -> bool:
        """Whether the file's bytes say the name of an operator; nothing is decoded."""
        text = op.encode()
        return any(self._b.find(text, start, end) >= 0 for start, end in self._places)


def has_op(nodes: Mapping[str, Node], op: str) -> bool:
    """Whether one of the nodes is of this operator."""
    if isinstance(nodes, Body) and not nodes.may_have(op):
        return False
    return any(n.op == op for n in nodes.values())


def nodes_of(b: Buffer, messages: Iterable[Mapping[str, Any]]) -> dict[str, Node]:
    """Decoded NodeDefs by name, their attributes not yet."""
    found: dict[str, Node] = {}
    known: dict[bytes, tuple[str, Any]] = {}
    for message in messages:
        name, op = message.get("name", ""), message.get("op", "")
        inputs = message.get("input", ())
        if name in found:
            raise BadModel(f"two nodes are called {name!r}")
        plain = tuple([i for i in inputs if i[:1] != "^"])
        controls = tuple([i[1:] for i in inputs if i[:1] == "^"])
        attributes = Attributes(b, message.get("attr", ()), known)
        found[name] = Node(name, op, plain, controls, attributes)
    return found


def functions_of(b: Buffer, messages: Iterable[Mapping[str, Any]]) -> dict[str, Function]:
    """Decoded FunctionDefs by name, their nodes not yet."""
    found = {}
    for message in messages:
        signature = message.get("signature", {})
        name = signature.get("name", "")
        found[name] = Function(
            name,
            tuple(a["name"] for a in signature.get("input_arg", ())),
            tuple(a["name"] for a in signature.get("output_arg", ())),
            Body(b, message.get("node_def", ())),
            {r["key"]: r["value"] for r in message.get("ret", ())},
            tuple(r["value"] for r in message.get("control_ret", ())),
        )
    return found
