"""Operators of TensorFlow that act on the world: files, networks, Python, and what prints to files.

Results do not need them, so that a reader that follows only results would drop them silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nnir.errors import Unsupported

from . import opdefs
from .nodes import Function, Node
from .tensors import FunctionName

ACTS = re.compile(
    r".*(File|PyFunc|Dataset|Iterator|Summary|Rpc|RemoteCall|TPU|Tpu|Debug|Queue|Barrier)"
    r".*|(Save|Restore|MergeV2Checkpoints|DistributedSave|RegisterDataset|Reader|LMDB|Delete)\w*"
    r"|\w*(Reader|ReaderV2|Send|Recv|HostCompute|CustomCall|CustomCallV2)|LoadAndRemapMatrix"
    r"|(Load|Dump)\w*Parameters|CalibrationStatisticsSaver|Stage|Unstage|Map(Stage|Unstage)\w*"
    r"|CollectiveBcast\w*|LookupTable(Import|Insert|Remove)\w*|DTensor\w*|Xla(Launch|CallModule)\w*"
)

PRINT = "PrintV2"
STREAMS = frozenset({"stdout", "stderr", "log(info)", "log(warning)", "log(error)"})


def acts(node: Node) -> bool:
    """Whether a node does more than to make its results; to print to a stream is no more.

    What TensorFlow does not have is of a library, and may do anything.
    """
    if node.op == PRINT:
        return node.attributes.get("output_stream", "stderr") not in STREAMS
    is_known = node.op.startswith("_") or opdefs.find(node.op) is not None
    return not is_known or ACTS.fullmatch(node.op) is not None


def refuse_effects(
    nodes: Mapping[str, Node], functions: Mapping[str, Function], roots: Iterable[str]
) -> None:
    """Unsupported, by name, where running `roots` acts on anything beside its results."""
    passed: set[str] = set()
    for node in running(nodes, functions, roots):
        if node.op in passed:
            continue
        if node.op != PRINT:
            passed.add(node.op)
        if acts(node):
            raise Unsupported(
                f"{node.op} {node.name!r} acts on files, devices, Python or other processes: "
                "save the model for inference, without it"
            )


def running(
    nodes: Mapping[str, Node], functions: Mapping[str, Function], roots: Iterable[str]
) -> Iterator[Node]:
    """Every node that runs for `roots`, in functions too."""
    own, called = reach(nodes, functions, roots)
    yield from (nodes[name] for name in own)
    for name in called:
        yield from functions[name].nodes.values()


def reach(
    nodes: Mapping[str, Node], functions: Mapping[str, Function], roots: Iterable[str]
) -> tuple[list[str], list[str]]:
    """The nodes of the main graph that run for `roots`, control inputs included, and the
    functions that are called, of which all nodes may run."""
    waiting = [name.partition(":")[0] for name in roots]
    own: dict[str, None] = {}
    named: list[str] = []
    while waiting:
        name = waiting.pop()
        if name in own or name not in nodes:
            continue
        own[name] = None
        waiting += [i.partition(":")[0] for i in (*nodes[name].inputs, *nodes[name].controls)]
        named += functions_of(nodes[name])
    called: dict[str, None] = {}
    while named:
        name = named.pop()
        if name not in called and name in functions:
            called[name] = None
            for node in functions[name].nodes.values():
                named += functions_of(node)
    return list(own), list(called)


def functions_of(node: Node) -> list[str]:
    """The functions that a node names; a constant, which may be large, names none."""
    return [] if node.op == "Const" else functions_in(node.attributes.values())


def functions_in(values: Iterable[Any]) -> list[str]:
    """The functions that attributes name."""
    found: list[str] = []
    for value in values:
        kind = type(value)
        if kind is FunctionName:
            found.append(str(value))
        elif kind is list:
            found += functions_in(value)
    return found
