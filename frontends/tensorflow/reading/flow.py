"""What control flow of TensorFlow 1 is made of, and the graph while it is rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from nnir.errors import BadModel

from .nodes import Function, Node

SWITCHES = frozenset({"Switch", "RefSwitch", "_SwitchN"})
MERGES = frozenset({"Merge", "RefMerge"})
ENTERS = frozenset({"Enter", "RefEnter"})
EXITS = frozenset({"Exit", "RefExit"})
NEXTS = frozenset({"NextIteration", "RefNextIteration"})
DATAFLOW = SWITCHES | MERGES | ENTERS | EXITS | NEXTS | {"LoopCond"}
SAME = frozenset({"Identity", "StopGradient", "PlaceholderWithDefault"})
PORTS = {"output_false": 0, "output_true": 1, "output": 0, "value_index": 1}
"""The results of Switch and Merge as functions call them."""

MOST_STEPS = 600_000
"""So many nodes may be looked at: nested control flow repeats what it looks at."""


class Budget:
    """How many nodes of a model may still be looked at."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def spend(self) -> None:
        """One more node is looked at."""
        self.left -= 1
        if self.left < 0:
            raise BadModel("control flow that is nested so often that it has no end")


class Graph:
    """Nodes by name, and the functions that their control flow becomes."""

    def __init__(
        self, nodes: Mapping[str, Node], functions: dict[str, Function], budget: Budget
    ) -> None:
        self.nodes = dict(nodes)
        self.functions = functions
        self.budget = budget

    def producer(self, tensor: str) -> Node | None:
        """The node that makes a tensor; None for an argument."""
        return self.nodes.get(tensor.partition(":")[0])

    def unique(self, name: str, *parts: str) -> str:
        """A name that no node has, nor functions for parts of it."""
        taken = name in self.nodes or any(f"{name}/{p}" in self.functions for p in parts)
        return self.unique(f"{name}{len(self.functions)}", *parts) if taken else name

    def constant(self, tensor: str) -> Node | None:
        """The Const of one element that a tensor surely is."""
        node = self.producer(self.source(tensor, SAME))
        value = None if node is None or node.op != "Const" else node.attributes.get("value")
        return node if isinstance(value, np.ndarray) and value.size == 1 else None

    def source(self, tensor: str, same: frozenset[str] = frozenset({"Identity"})) -> str:
        """A tensor without the nodes that pass it on."""
        for _ in self.nodes:
            node = self.producer(tensor)
            if node is None or node.op not in same or not node.inputs:
                break
            tensor = node.inputs[0]
        name, _, rest = tensor.partition(":")
        return name if rest in ("", "0") else tensor

    def require_acyclic(self, roots: Iterable[str]) -> list[str]:
        """What roots need, producers first; BadModel where something needs itself."""
        order: list[str] = []
        done: dict[str, bool] = {}
        stack = [(r.partition(":")[0], False) for r in roots]
        while stack:
            name, leaving = stack.pop()
            if leaving:
                done[name] = True
                order.append(name)
            elif name in self.nodes and name not in done:
                self.budget.spend()
                done[name] = False
                stack.append((name, True))
                for needed in needs(self.nodes[name]):
                    if done.get(needed) is False:
                        raise BadModel(f"the graph has a cycle through {needed!r}")
                    stack.append((needed, False))
        return order


def port(tensor: str) -> int:
    """Which result of a Switch or a Merge a tensor is."""
    _, *rest = tensor.split(":")
    if len(rest) > 1:
        return PORTS.get(rest[0], 0) + int(rest[1]) if rest[1].isdecimal() else 0
    return int(rest[0]) if rest and rest[0].isdecimal() else 0


def needs(node: Node) -> list[str]:
    """The nodes that a node waits for."""
    return [*(i.partition(":")[0] for i in node.inputs), *node.controls]
