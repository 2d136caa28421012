"""Hash tables of numbers: what they hold, as initialisers or the checkpoint say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from nnir.errors import Unsupported
from nnir.records import dataclass

from ...source import Contents
from .effects import functions_of, reach
from .nodes import Function, Node
from .variables import CALLS

TABLES = frozenset(
    {"HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2"}
    | {"MutableHashTableOfTensors", "MutableHashTableOfTensorsV2"}
    | {"MutableDenseHashTable", "MutableDenseHashTableV2"}
)
FILLS = frozenset(
    {"InitializeTable", "InitializeTableV2", "LookupTableImport", "LookupTableImportV2"}
)
"""What gives a table its contents: a handle, keys and values."""

FINDS = frozenset({"LookupTableFind", "LookupTableFindV2"})

INIT = "__saved_model_init_op"
"""The signature of what runs once after loading."""

RESTORE = "RestoreV2"


class Restored(Protocol):
    """The tensors of a checkpoint by its keys."""

    def __contains__(self, key: str, /) -> bool: ...

    def __getitem__(self, key: str, /) -> np.ndarray: ...


@dataclass(frozen=True)
class Place:
    """Where nodes lie: those of a function, whose inputs are tensors of the main graph."""

    nodes: Mapping[str, Node]
    outside: Mapping[str, str]
    main: Mapping[str, Node]

    def source(self, tensor: str) -> tuple[Node | None, str]:
        """The node that makes a tensor, through Identity, and which of its results that is."""
        nodes, outside = self.nodes, self.outside
        for _ in range(len(self.nodes) + len(self.main) + 2):
            name, *rest = tensor.split(":")
            node = nodes.get(name)
            if node is None and name in outside:
                tensor, nodes, outside = outside[name], self.main, {}
            elif node is not None and node.op == "Identity" and node.inputs:
                tensor = node.inputs[0]
            else:
                return node, rest[-1] if rest else "0"
        return None, "0"


def filled_tables(
    nodes: Mapping[str, Node],
    functions: Mapping[str, Function],
    restored: Restored,
    roots: Sequence[str] | None = None,
) -> dict[str, Contents]:
    """The contents of tables by the names of their nodes in the main graph.

    `roots`: what initialises; without them every node of the main graph. `restored` are the
    tensors of the checkpoint by its keys.
    """
    found: dict[str, Contents] = {}
    for place, node in _fills(nodes, functions, roots):
        if len(node.inputs) != 3:
            continue
        handle, _ = place.source(node.inputs[0])
        keys, values = (_array(place, tensor, restored) for tensor in node.inputs[1:])
        if handle is None or handle.op not in TABLES or keys is None or values is None:
            continue
        if keys.ndim == 1 and values.shape[:1] == keys.shape:
            found[handle.name] = Contents(handle.name, keys, values)
    return found


def _fills(
    nodes: Mapping[str, Node], functions: Mapping[str, Function], roots: Sequence[str] | None
) -> Iterator[tuple[Place, Node]]:
    initial = set(nodes if roots is None else reach(nodes, functions, roots)[0])
    main = Place(nodes, {}, nodes)
    for node in nodes.values():
        if node.op in FILLS and node.name in initial:
            yield main, node
        function = functions.get(str(node.attributes.get("f"))) if node.op in CALLS else None
        if function is None or not any(n.op in FILLS for n in function.nodes.values()):
            continue
        if node.name in initial or any(n.op == RESTORE for n in function.nodes.values()):
            place = Place(
                function.nodes, dict(zip(function.inputs, node.inputs, strict=False)), nodes
            )
            yield from ((place, n) for n in function.nodes.values() if n.op in FILLS)


def _array(place: Place, tensor: str, restored: Restored) -> np.ndarray | None:
    """A constant, or what the checkpoint has."""
    node, port = place.source(tensor)
    if node is None:
        return None
    if node.op == "Const":
        value: Any = node.attributes.get("value")
        return value if isinstance(value, np.ndarray) else None
    if node.op == RESTORE and len(node.inputs) > 1 and port.isdecimal():
        names, _ = place.source(node.inputs[1])
        known = None if names is None else names.attributes.get("value")
        if isinstance(known, list) and int(port) < len(known) and known[int(port)] in restored:
            return restored[known[int(port)]]
    return None


def kinds_of_table(
    name: str, nodes: Mapping[str, Node], functions: Mapping[str, Function]
) -> tuple[Any, Any] | None:
    """The types of keys and values with which a graph reads the table of an input."""
    waiting: list[tuple[Mapping[str, Node], str]] = [(nodes, name)]
    seen = set()
    while waiting:
        inner, name = waiting.pop()
        for node in inner.values():
            places = [k for k, i in enumerate(node.inputs) if i.partition(":")[0] == name]
            if not places:
                continue
            if node.op in FINDS:
                return node.attributes.get("Tin"), node.attributes.get("Tout")
            before = int(node.op in ("If", "StatelessIf", "Case", "StatelessCase"))
            for called in functions_of(node):
                function = functions.get(called)
                if function is None:
                    continue
                for place in (p - before for p in places):
                    if (called, place) not in seen and 0 <= place < len(function.inputs):
                        seen.add((called, place))
                        waiting.append((function.nodes, function.inputs[place]))
    return None


def contents_of(node: Node, tables: Mapping[str, Contents]) -> Contents:
    """What a table holds; Unsupported where that is not numbers, or not in the file."""
    kinds = [node.attributes.get(k) for k in ("key_dtype", "value_dtype")]
    if "string" in kinds:
        raise Unsupported(f"{node.op} {node.name!r} is a table of strings: numbers are accepted")
    found = tables.get(node.name)
    if found is None:
        raise Unsupported(
            f"{node.op} {node.name!r}: the file does not say the numbers that the table holds"
        )
    return found
