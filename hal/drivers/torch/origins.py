"""What a file says of where its buffers and nodes come from: names, modules and lines."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import fx
from torch.fx.node import Argument, Target
from torch.fx.proxy import GraphAppendingTracer

from nnir.provenance import Place

NO_WORD = re.compile(r"\W+")
CARRIER = "custom"
"""The entry of a node's notes that `torch.export` carries over to what it makes of the node."""

KEY = "nnadapter"
UNSAVED = ("stack_trace", "nn_module_stack", "source_fn_stack", "from_node", "torch_fn", CARRIER)
"""Where torch says that a node comes from: other in each run, and full of paths of this machine."""

MODULE = "torch.nn.Module"
OF_GRAPHS = fx.GraphModule(torch.nn.Module(), fx.Graph())


def register(module: torch.nn.Module, name: str, tensor: torch.Tensor) -> str:
    """Make a buffer, whose name may lead through modules; its full name."""
    *parts, last = [NO_WORD.sub("_", part) for part in name.split(".") if part] or ["state"]
    place: Any = module
    path = []
    for part in parts:
        while not isinstance(getattr(place, part, None), torch.nn.Module):
            if not _is_taken(place, part):
                place.add_module(part, torch.nn.Module())
            else:
                part += "_"
        place = getattr(place, part)
        path.append(part)
    while _is_taken(place, last):
        last += "_"
    place.register_buffer(last, tensor)
    return ".".join([*path, last])


def _is_taken(place: torch.nn.Module, name: str) -> bool:
    """Whether Python or a module has something of this name, or will when it becomes one of a
    graph."""
    return keyword.iskeyword(name) or hasattr(place, name) or hasattr(OF_GRAPHS, name)


class Tracer(GraphAppendingTracer):
    """Notes on each node where it was written: `place` says so of those that are made now."""

    def __init__(self, graph: fx.Graph, place: Callable[[], Place | None]) -> None:
        super().__init__(graph)
        self.place = place

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: object | None = None,
    ) -> fx.Node:
        """A node with the place."""
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        place = self.place()
        if place is not None:
            kept = place.for_files()
            node.meta[CARRIER] = {KEY: f"{kept.module}\n{kept.line}"}
        return node


def keep_origins(program: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    """A program that says where nodes were written as far as their source does, by the names of
    modules, not where this machine traced them."""
    for module in program.graph_module.modules():
        if isinstance(module, fx.GraphModule):
            for node in module.graph.nodes:
                told = _notes_of(node.meta)
                for key in UNSAVED:
                    node.meta.pop(key, None)
                if node.op == "call_function":
                    node.meta.update(told)
    return program


def _notes_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The notes of a node that files keep: the modules around it, the outermost first, and its
    line."""
    path, _, line = str((meta.get(CARRIER) or {}).get(KEY, "")).partition("\n")
    parts = path.split(".") if path else []
    paths = ["", *(".".join(parts[: k + 1]) for k in range(len(parts)))]
    notes: dict[str, Any] = {"nn_module_stack": {p: (p, MODULE) for p in paths}}
    file, _, number = line.rpartition(":")
    return notes | ({"stack_trace": f'File "{file}", line {number}'} if file else {})
