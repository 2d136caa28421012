"""The gate of SavedModels and frozen graphs: what a signature needs of them, byte for byte.

TensorFlow runs initialisers, restores whatever a checkpoint's operators name, and in a graph any
operator: `WriteFile`, `PyFunc`, `PrintV2` to a file. So a SavedModel is handed on with one
signature, the nodes and functions that it and its variables need, and only operators that are on
the list. Objects, collections, assets, optimisers and other signatures stay behind; TensorFlow
then loads the rest as it loads models of version 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frontends.tensorflow import is_saved
from frontends.tensorflow.converters import TABLE
from frontends.tensorflow.reading.effects import acts, functions_of, reach
from frontends.tensorflow.reading.flatten import HANDLES
from frontends.tensorflow.reading.flow import DATAFLOW
from frontends.tensorflow.reading.hash_tables import FILLS, INIT, TABLES
from frontends.tensorflow.reading.messages import GRAPH, META_GRAPH, SAVED, decode
from frontends.tensorflow.reading.nodes import Function, Node, nodes_of
from frontends.tensorflow.reading.nodes import functions_of as decoded_functions
from frontends.tensorflow.reading.saved_model import graph_with, initialising, signature_called
from frontends.tensorflow.reading.variables import CALLS, GATHERS, READS, REFERENCES, WRITES
from nnir.errors import DAMAGE, BadFile, Unsupported, describe
from nnir.formats.protobuf import inner, one
from nnir.formats.wire import fields, span
from nnir.mapping import Buffer, Span, map_file

PLAIN = (
    CALLS | HANDLES | TABLES | READS | GATHERS.keys() | DATAFLOW | (WRITES - REFERENCES)
    | {"Assert", "CheckNumerics", "Const", "NoOp", "Placeholder", "PlaceholderWithDefault"}
    | {"IdentityN", "PreventGradient", "StopGradient", "Print", "PrintV2", "VarIsInitializedOp"}
    | {"DisableCopyOnRead", "EnsureShape", "TensorListStack", "ResourceGather", "Snapshot"}
)  # fmt: skip
"""Operators without a converter that only move values, in variables too, or say something."""

RESTORING = frozenset(
    {"AssignVariableOp", "Assign", "Cast", "Const", "Identity", "IdentityN", "NoOp"}
    | {"Placeholder", "PlaceholderWithDefault", "ReadVariableOp", "Reshape", "RestoreV2"}
    | CALLS
    | HANDLES
    | FILLS
    | TABLES
)
"""What gives variables and tables the values of the checkpoint."""

FILLING = frozenset({"Const", "Identity", "NoOp"} | CALLS | FILLS | TABLES)
"""What gives tables of numbers the contents that the model says."""

DATA = re.compile(r"variables\.(index|data-\d{5}-of-\d{5})")
FOLDER = "variables"
"""Folder of a SavedModel with the checkpoint."""

RESTORE = "RestoreV2"
KEY = {1: one("key")}
NODE_NAME = {1: one("name")}
FUNCTION_HEAD = {1: inner("signature", {1: one("name")})}
SAVER_DEF = {1: one("filename"), 3: one("restore")}

META, GRAPH_OF, SAVER, SIGNATURE = 1, 2, 3, 5
"""Fields of a MetaGraphDef; those that are not named here are left behind."""

NODE, LIBRARY, VERSIONS, FUNCTION = 1, 2, 4, 1
"""Fields of a GraphDef, and of its library."""


def admit(source: Path, folder: Path, **about: Any) -> Path:
    """A SavedModel in `folder` of one signature, or a graph that was looked through.

    `about`: `signature` and `tags` of the first, `outputs` of the second.
    """
    try:
        if is_saved(source):
            place = source if source.is_dir() else source.parent
            return _admit_saved_model(place, folder, about.get("signature"), about.get("tags"))
        return _admit_graph(source, folder, about.get("outputs") or ())
    except DAMAGE as error:
        raise BadFile(f"damaged TensorFlow file: {describe(error)}") from None


@dataclass(frozen=True)
class Contents:
    """A graph and its functions."""

    nodes: Mapping[str, Node]
    functions: Mapping[str, Function]

    @classmethod
    def of(cls, data: Buffer, message: Mapping[str, Any]) -> Contents:
        """Decoded; BadFile where two functions have one name."""
        messages = message.get("library", {}).get("function", ())
        functions = decoded_functions(data, messages)
        if len(functions) != len(messages):
            raise BadFile("two functions of the graph have one name")
        return cls(nodes_of(data, message.get("node", ())), functions)

    def running(self, roots: Iterable[str], allowed: Callable[[Node], bool]) -> set[str]:
        """What runs for `roots`: nodes by name, functions with `()`; Unsupported where an
        operator is not allowed."""
        own, called = reach(self.nodes, self.functions, roots)
        inside = (n for name in called for n in self.functions[name].nodes.values())
        for node in (*(self.nodes[name] for name in own), *inside):
            if not allowed(node):
                raise Unsupported(
                    f"{node.op} {node.name!r} is not on the list of operators that TensorFlow "
                    "is given"
                )
        return {*own, *(f"{name}()" for name in called)}


def computes(node: Node) -> bool:
    """Whether an operator only makes its results."""
    known = node.op in PLAIN or TABLE.find(node.op, 1) is not None
    return known and not acts(node)


def _admit_graph(source: Path, folder: Path, outputs: Iterable[str]) -> Path:
    """A graph of the nodes that its outputs need."""
    data = map_file(source)
    place = 0, len(data)
    _once(data, place, {LIBRARY, VERSIONS})
    contents = Contents.of(data, decode(data, place, GRAPH))
    kept = contents.running(list(outputs) or contents.nodes, computes)
    target = folder / "graph.pb"
    target.write_bytes(_graph(data, place, kept))
    return target


def _admit_saved_model(source: Path, folder: Path, signature: str | None, tags: str | None) -> Path:
    """A folder with the file of the model, and links to its variables."""
    data = map_file(source / SAVED)
    metas = [
        decode(data, span(place), META_GRAPH) | {"place": span(place)}
        for number, place in fields(data, 0, len(data))
        if number == 2
    ]
    meta = graph_with(metas, set((tags or "").split(",")) - {""})
    _once(data, meta["place"], {META, GRAPH_OF, SAVER})
    signatures = meta.get("signature", ())
    asked = signature_called({s["key"]: s for s in signatures}, signature)
    (ends,) = (s.get("value", {}) for s in signatures if s["key"] == asked)
    graph = next((span(p) for n, p in fields(data, *meta["place"]) if n == GRAPH_OF), (0, 0))
    _once(data, graph, {LIBRARY, VERSIONS})
    contents = Contents.of(data, meta.get("graph", {}))
    roots = [info["value"]["name"] for k in ("inputs", "outputs") for info in ends.get(k, ())]
    kept = contents.running(roots, computes)
    has_variables = (source / FOLDER / "variables.index").is_file()
    if has_variables:
        kept |= _restoring(contents, _saver(data, meta["place"]))
        _link(source / FOLDER, folder / FOLDER)
    signed = {asked}
    if any(contents.nodes[n].op in TABLES for n in kept & contents.nodes.keys()):
        kept |= contents.running(_initialising(signatures), lambda node: node.op in FILLING)
        signed.add(INIT)
    kept_fields = {META, SAVER} if has_variables else {META}
    content = b""
    for number, value in fields(data, *meta["place"]):
        if number == GRAPH_OF:
            content += _field(number, _graph(data, span(value), kept))
        elif number in kept_fields or (number == SIGNATURE and _key(data, value) in signed):
            content += _field(number, data[slice(*span(value))])
    (folder / SAVED).write_bytes(_field(1, 1) + _field(2, content))
    return folder


def _initialising(signatures: Iterable[Mapping[str, Any]]) -> list[str]:
    """What runs once after loading."""
    named = {s["key"]: s.get("value", {}) for s in signatures}
    return initialising(named)


def _saver(data: Buffer, place: Span) -> dict[str, Any]:
    found = (span(p) for n, p in fields(data, *place) if n == SAVER)
    return next((decode(data, p, SAVER_DEF) for p in found), {})


def _restoring(contents: Contents, saver: Mapping[str, Any]) -> set[str]:
    """What restores the variables: only operators that do, of the checkpoint beside the model."""
    restore, given = (saver.get(k, "").partition(":")[0] for k in ("restore", "filename"))
    kept = contents.running([restore, given], lambda node: node.op in RESTORING)
    calls = [contents.nodes[n] for n in kept & contents.nodes.keys()]
    sources = {given}
    _check_names(contents.nodes, [n for n in calls if n.op == RESTORE], sources)
    for call in calls:
        for name in functions_of(call):
            function = contents.functions[name]
            files = {
                argument
                for argument, entry in zip(function.inputs, call.inputs, strict=False)
                if _source(contents.nodes, entry) in sources
            }
            restores = [n for n in function.nodes.values() if n.op == RESTORE]
            _check_names(function.nodes, restores, files)
            if any(n.op in CALLS for n in function.nodes.values()):
                raise Unsupported("a checkpoint that is restored by functions in functions")
    return kept


def _check_names(nodes: Mapping[str, Node], restores: Iterable[Node], files: set[str]) -> None:
    for node in restores:
        if not node.inputs or _source(nodes, node.inputs[0]) not in files:
            raise Unsupported(f"RestoreV2 {node.name!r} reads another file than the checkpoint")


def _source(nodes: Mapping[str, Node], entry: str) -> str:
    """The node that a tensor comes from, through Identity."""
    name = entry.partition(":")[0]
    for _ in range(len(nodes)):
        if name not in nodes or nodes[name].op != "Identity":
            break
        name = nodes[name].inputs[0].partition(":")[0]
    return name


def _link(source: Path, target: Path) -> None:
    """The files of a checkpoint at another place; links elsewhere are not followed."""
    target.mkdir()
    for file in source.iterdir():
        if DATA.fullmatch(file.name):
            if not file.resolve().is_relative_to(source.parent.resolve()) or not file.is_file():
                raise BadFile(f"{file.name!r} lies outside of the SavedModel")
            (target / file.name).symlink_to(file.resolve())


def _graph(data: Buffer, place: Span, kept: set[str]) -> bytes:
    """The graph at a place with the nodes and functions that are kept."""
    parts = []
    for number, value in fields(data, *place):
        if number == LIBRARY:
            parts.append(_field(number, _library(data, span(value), kept)))
        elif number == VERSIONS or (number == NODE and _name(data, value) in kept):
            parts.append(_field(number, data[slice(*span(value))]))
    return b"".join(parts)


def _key(data: Buffer, value: int | Span) -> str | None:
    return decode(data, span(value), KEY).get("key")


def _name(data: Buffer, value: int | Span) -> str | None:
    return decode(data, span(value), NODE_NAME).get("name")


def _library(data: Buffer, place: Span, kept: set[str]) -> bytes:
    parts = []
    for number, value in fields(data, *place):
        if number == FUNCTION:
            name = decode(data, span(value), FUNCTION_HEAD).get("signature", {}).get("name")
            if f"{name}()" in kept:
                parts.append(_field(number, data[slice(*span(value))]))
    return b"".join(parts)


def _once(data: Buffer, place: Span, numbers: set[int]) -> None:
    """BadFile where a part is there twice: protobuf joins them, and we do not."""
    found = [number for number, _ in fields(data, *place) if number in numbers]
    if len(found) != len(set(found)):
        raise BadFile("damaged TensorFlow file: a part of it is there twice")


def _field(number: int, content: bytes | int) -> bytes:
    if isinstance(content, int):
        return _varint(number << 3) + _varint(content)
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
