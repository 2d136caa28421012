"""Read a SavedModel or a frozen GraphDef without TensorFlow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nnir.budget import beside
from nnir.collector import paused_collector
from nnir.errors import DAMAGE, BadFile, Unsupported, describe
from nnir.mapping import Buffer, map_file
from nnir.types import Precision, TensorType

from ...source import UNRANKED, SourceModel, SourceValue, dims
from .bundle import Bundle
from .effects import refuse_effects
from .flatten import Flattener, Library
from .hash_tables import FILLS, INIT, TABLES, Restored, filled_tables
from .messages import GRAPH, SAVED, SAVED_MODEL, decode
from .nodes import Function, Node, functions_of, has_op, nodes_of
from .rows import loosen_rows
from .tensors import precision, shape
from .variables import CALLS

VARIABLES = Path("variables") / "variables"
SERVE = "serve"
DEFAULT = "serving_default"
UNUSED = "unused_control_flow_input"
"""What TensorFlow calls the placeholders that it leaves where it takes functions apart."""


def read(folder: Path, signature: str | None = None, tags: Sequence[str] = ()) -> SourceModel:
    """A signature of the SavedModel in `folder`; weights are views into its data files."""
    try:
        with paused_collector():
            return _read(folder, signature, tags)
    except DAMAGE as error:
        raise BadFile(f"damaged SavedModel: {describe(error)}") from None


def _read(folder: Path, signature: str | None, tags: Sequence[str]) -> SourceModel:
    data = map_file(beside(folder, SAVED))
    message = decode(data, (0, len(data)), SAVED_MODEL)
    meta = graph_with(message.get("meta_graph", ()), set(tags))
    graph = meta.get("graph", {})
    nodes = nodes_of(data, graph.get("node", ()))
    functions = functions_of(data, graph.get("library", {}).get("function", ()))
    index = folder / VARIABLES.with_suffix(".index")
    values: Mapping[str, np.ndarray] = {}
    restored: Restored = {}
    if index.exists():
        restored = bundle = Bundle(folder / VARIABLES)
        values = Values(bundle, restored_keys(nodes, functions))
    elif any(n.op == "VarHandleOp" for n in nodes.values()):
        raise BadFile(f"the SavedModel has no {VARIABLES.with_suffix('.index')}")
    signatures = {s["key"]: s.get("value", {}) for s in meta.get("signature", ())}
    asked = signature_called(signatures, signature)
    chosen = signatures[asked]
    tables = {}
    if any(n.op in TABLES for n in nodes.values()):
        tables = filled_tables(nodes, functions, restored, initialising(signatures))
    flattener = Flattener(Library(nodes, functions, values, tables))
    given = [
        (info["name"].partition(":")[0], _input(key, info))
        for key, info in _sort_entries(chosen.get("inputs", ()))
    ]
    for node, value in zip(
        (n for n, _ in given), loosen_rows([v for _, v in given], data), strict=True
    ):
        flattener.bind_input(node, value)
    source = flattener.graph
    wanted = [info["name"] for _, info in _sort_entries(chosen.get("outputs", ()))]
    flattener.expect(wanted)
    refuse_effects(flattener.library.nodes, functions, wanted)
    for key, info in _sort_entries(chosen.get("outputs", ())):
        entry = flattener.tensor(info["name"])
        source.outputs.append(SourceValue(flattener.name_of(entry), called=key))
    version = meta.get("meta_info", {}).get("tensorflow_version", "")
    metadata = {"producer": f"tensorflow {version}", "signature": asked}
    if tags:
        metadata["tags"] = ",".join(tags)
    return replace(flattener.finish(), metadata=metadata)


def graph_with(metas: Sequence[Mapping[str, Any]], tags: set[str]) -> Mapping[str, Any]:
    """The graph with these tags; without any, the one to serve or the only one."""
    wanted = tags or {SERVE}
    for meta in metas:
        if set(meta.get("meta_info", {}).get("tags", ())) == wanted:
            return meta
    if len(metas) == 1 and not tags:
        return metas[0]
    known = [sorted(m.get("meta_info", {}).get("tags", ())) for m in metas]
    raise BadFile(f"no graph with the tags {sorted(wanted)}; the SavedModel has {known}")


def signature_called(signatures: Mapping[str, Any], wanted: str | None) -> str:
    """The name of the signature that is asked for, by default the usual or the only one."""
    usual = [s for s in signatures if not s.startswith("__saved_model")]
    name = wanted or (DEFAULT if DEFAULT in signatures else usual[0] if len(usual) == 1 else "")
    if name not in signatures:
        raise BadFile(f"no signature {name or DEFAULT!r}; the SavedModel has {', '.join(usual)}")
    return name


def initialising(signatures: Mapping[str, Any]) -> list[str]:
    """What runs once after the checkpoint is read."""
    ends = signatures.get(INIT, {}).get("outputs", ())
    return [info["value"]["name"] for info in ends if "name" in info.get("value", {})]


def _sort_entries(entries: Iterable[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """Maps of protobuf have no order: by name."""
    return sorted((e["key"], e.get("value", {})) for e in entries)


def _input(name: str, info: Mapping[str, Any]) -> SourceValue:
    sizes = shape(info.get("shape"))
    if sizes is None:
        return SourceValue(name, None, UNRANKED, unranked=precision(info.get("dtype", 0)))
    return SourceValue(name, TensorType(precision(info.get("dtype", 0)), dims(name, sizes)))


class Values(Mapping[str, np.ndarray]):
    """The values of variables by the names of their handles."""

    def __init__(self, bundle: Bundle, keys: Mapping[str, str]) -> None:
        self.bundle = bundle
        self.keys_ = keys

    def __getitem__(self, handle: str) -> np.ndarray:
        return self.bundle[self.keys_[handle]]

    def __iter__(self) -> Any:
        return iter(self.keys_)

    def __len__(self) -> int:
        return len(self.keys_)


def restored_keys(nodes: Mapping[str, Node], functions: Mapping[str, Function]) -> dict[str, str]:
    """The checkpoint's key of every variable, by the name of its handle.

    The function that restores the variables says so; names do not, as they are not unique.
    """
    found: dict[str, str] = {}
    for function in functions.values():
        if not has_op(function.nodes, "RestoreV2"):
            continue
        call = next(
            (n for n in nodes.values() if n.op in CALLS and n.attributes.get("f") == function.name),
            None,
        )
        if call is not None:
            handles = dict(zip(function.inputs, call.inputs, strict=False))
            found.update(_assigned_keys(function.nodes, handles))
    found.update(_assigned_keys(nodes, None))
    return found


def _assigned_keys(nodes: Mapping[str, Node], handles: Mapping[str, str] | None) -> dict[str, str]:
    """What assignments of restored tensors write where."""
    found = {}
    for node in nodes.values():
        if node.op not in ("AssignVariableOp", "Assign") or len(node.inputs) < 2:
            continue
        source = node.inputs[1].split(":")
        passed: set[str] = set()
        while source[0] in nodes and nodes[source[0]].op == "Identity":
            if source[0] in passed:
                raise BadFile(f"the Identity {source[0]!r} reads itself")
            passed.add(source[0])
            source = nodes[source[0]].inputs[0].split(":")
        restore = nodes.get(source[0])
        if restore is None or restore.op != "RestoreV2":
            continue
        target = node.inputs[0].partition(":")[0]
        names = nodes[restore.inputs[1].partition(":")[0]].attributes.get("value")
        place = int(source[-1]) if source[-1].isdecimal() else 0
        if isinstance(names, list) and place < len(names):
            found[handles[target] if handles else target] = names[place]
    return found


def read_graph(
    data: Buffer, inputs: Sequence[str] = (), outputs: Sequence[str] = ()
) -> SourceModel:
    """A frozen GraphDef; its inputs are the placeholders and its outputs the nodes that nobody
    reads, unless they are given."""
    try:
        with paused_collector():
            message = decode(data, (0, len(data)), GRAPH)
            nodes = nodes_of(data, message.get("node", ()))
            if not nodes:
                raise BadFile("no GraphDef: it has no nodes")
            functions = functions_of(data, message.get("library", {}).get("function", ()))
            return graph_model(Library(nodes, functions), inputs, outputs)
    except DAMAGE as error:
        raise BadFile(f"damaged GraphDef: {describe(error)}") from None


def graph_model(
    library: Library, inputs: Sequence[str] = (), outputs: Sequence[str] = ()
) -> SourceModel:
    """The model of a graph's nodes."""
    nodes = library.nodes
    read_by = {i.partition(":")[0] for n in nodes.values() for i in (*n.inputs, *n.controls)}
    silent = {"NoOp", "Assert"} | FILLS
    loose = [n for n in nodes.values() if n.name not in read_by and n.op not in silent]
    unused = {n.name for n in loose if n.name.startswith(UNUSED)}
    given = list(inputs) or [
        n.name for n in nodes.values() if n.op == "Placeholder" and n.name not in unused
    ]
    wanted = list(outputs) or [n.name for n in loose if n.name not in unused]
    if any(n.op in TABLES for n in nodes.values()):
        library.tables = filled_tables(nodes, library.functions, {})
    flattener = Flattener(library)
    for name in given:
        node = nodes.get(name.partition(":")[0])
        if node is None:
            raise BadFile(f"the graph has no node {name!r}")
        flattener.bind_input(node.name, _placeholder(node))
    flattener.expect(wanted)
    refuse_effects(flattener.library.nodes, library.functions, wanted)
    for name in wanted:
        entry = flattener.tensor(name)
        flattener.graph.outputs.append(SourceValue(flattener.name_of(entry), called=name))
    return flattener.finish()


def _placeholder(node: Node) -> SourceValue:
    kind, sizes = node.attributes.get("dtype"), node.attributes.get("shape")
    if not isinstance(kind, Precision):
        raise Unsupported(f"input {node.name!r} of type {kind}")
    if sizes is None:
        return SourceValue(node.name, None, UNRANKED, unranked=kind)
    return SourceValue(node.name, TensorType(kind, dims(node.name, sizes)))
