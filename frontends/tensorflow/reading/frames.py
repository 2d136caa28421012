"""Loops of TensorFlow 1: what is between Enter and Exit becomes a While with two functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nnir.errors import BadModel

from .flow import ENTERS, EXITS, MERGES, NEXTS, SWITCHES, Graph, needs, port
from .nodes import Function, Node
from .tensors import FunctionName

STRAY = ENTERS | NEXTS | {"LoopCond"}


def join(graph: Graph, roots: Iterable[str]) -> None:
    """Replace the outermost loops that `roots` need: each Exit is a result of a While."""
    stack = [r.partition(":")[0] for r in roots]
    seen: set[str] = set()
    ends = Ends(graph, stack)
    while stack:
        name = stack.pop()
        if name in seen or name not in graph.nodes:
            continue
        seen.add(name)
        graph.budget.spend()
        if graph.nodes[name].op in EXITS:
            Loop(graph, graph.nodes[name], ends).replace()
        node = graph.nodes[name]
        if node.op in STRAY:
            raise BadModel(f"{node.op} {name!r} is read from outside of its loop, not by an Exit")
        stack.extend(needs(node))


class Ends:
    """The Switches of each LoopCond, the Exits of each Switch, and what is read at all."""

    def __init__(self, graph: Graph, roots: Iterable[str]) -> None:
        self.switches: dict[str, list[Node]] = {}
        self.exits: dict[str, list[str]] = {}
        self.read = set(roots)
        for node in graph.nodes.values():
            inputs = [i.partition(":")[0] for i in node.inputs]
            self.read.update(inputs)
            if node.op in SWITCHES and len(inputs) == 2:
                self.switches.setdefault(inputs[1], []).append(node)
            elif node.op in EXITS and inputs:
                self.exits.setdefault(inputs[0], []).append(node.name)


class Loop:
    """The loop that an Exit leaves: what repeats by the names of the Merges."""

    def __init__(self, graph: Graph, leaving: Node, ends: Ends) -> None:
        self.graph = graph
        switch = _made_by(graph, leaving, 0, SWITCHES)
        if len(switch.inputs) != 2:
            raise BadModel(f"{switch.op} {switch.name!r} has {len(switch.inputs)} inputs, not 2")
        if port(leaving.inputs[0]):
            raise BadModel(f"{leaving.op} {leaving.name!r} leaves a loop that goes on")
        self.condition = _made_by(graph, switch, 1, frozenset({"LoopCond"}))
        self.merges: dict[str, str] = {}
        self.enters: dict[str, Node] = {}
        self.nexts: dict[str, Node] = {}
        self.exits: dict[str, str] = {}
        for node in ends.switches[self.condition.name]:
            merge = self._add(node)
            self.exits.update((name, merge) for name in ends.exits.get(node.name, ()))
        frames = {str(e.attributes.get("frame_name")) for e in self.enters.values()}
        if len(frames) > 1:
            raise BadModel(f"a loop in several frames: {', '.join(sorted(frames))[:80]}")
        (self.frame,) = frames
        self.variables = dict.fromkeys(m for name, m in self.exits.items() if name in ends.read)
        self.invariants: dict[str, Node] = {}

    def _add(self, switch: Node) -> str:
        merge = _made_by(self.graph, switch, 0, MERGES)
        if len(merge.inputs) != 2:
            raise BadModel(f"{merge.op} {merge.name!r} of {len(merge.inputs)} in a loop, not of 2")
        for position in range(2):
            node = _made_by(self.graph, merge, position, ENTERS | NEXTS)
            (self.enters if node.op in ENTERS else self.nexts)[merge.name] = node
        if merge.name not in self.enters or merge.name not in self.nexts:
            raise BadModel(f"{merge.op} {merge.name!r} joins no Enter with a NextIteration")
        self.merges[switch.name] = self.merges[merge.name] = merge.name
        return merge.name

    def replace(self) -> None:
        """Put a While into the graph."""
        inside = self._trace()
        graph = self.graph
        variables, fixed = list(self.variables), list(self.invariants)
        inputs = (*variables, *fixed)
        name = graph.unique(f"{self.condition.name}/While", "cond", "body")
        results = [_input(self.nexts[v], 0) for v in variables] + fixed
        made = {"cond": [_input(self.condition, 0)], "body": results}
        nodes = {n: self._inside(graph.nodes[n]) for n in inside}
        for part, tensors in made.items():
            function = FunctionName(f"{name}/{part}")
            called = [f"result{k}" for k in range(len(tensors))]
            wanted = dict(zip(called, map(self._argument, tensors), strict=True))
            graph.functions[function] = Function(function, inputs, tuple(called), nodes, wanted, ())
        entering = [*(self.enters[v] for v in variables), *self.invariants.values()]
        attributes = {p: FunctionName(f"{name}/{p}") for p in made} | {"T": [None] * len(entering)}
        controls = tuple(c for e in entering for c in e.controls)
        given = tuple(_input(e, 0) for e in entering)
        graph.nodes[name] = Node(name, "While", given, controls, attributes)
        for leaving, merge in self.exits.items():
            if merge in self.variables:
                result = f"{name}:{variables.index(merge)}"
                graph.nodes[leaving] = Node(leaving, "Identity", (result,), (), {})

    def _trace(self) -> list[str]:
        """What the condition and the next values are made of; finds what repeats and what not."""
        found: dict[str, None] = {}
        stack = needs(self.condition)
        waiting = list(self.variables)
        decides = True
        while stack or waiting:
            if not stack:
                stack += needs(self.nexts[waiting.pop()])
                decides = False
                continue
            name = stack.pop()
            node = self.graph.nodes.get(name)
            if node is None or name in found:
                continue
            self.graph.budget.spend()
            if name in self.merges:
                merge = self.merges[name]
                if decides and name != merge:
                    raise BadModel(f"the graph has a cycle through {self.condition.name!r}")
                if merge not in self.variables:
                    self.variables[merge] = None
                    waiting.append(merge)
            elif self._is_invariant(node):
                self._fix(node, found)
            elif name in self.exits:
                raise BadModel(f"the graph has a cycle through {name!r}: a loop reads its result")
            elif node is not self.condition:
                found[name] = None
                stack += needs(node)
            elif decides:
                raise BadModel(f"the graph has a cycle through {name!r}")
        return list(found)

    def _is_invariant(self, node: Node) -> bool:
        constant = bool(node.attributes.get("is_constant"))
        return node.op in ENTERS and constant and node.attributes.get("frame_name") == self.frame

    def _fix(self, enter: Node, found: dict[str, None]) -> None:
        """What is the same in each iteration: constants are part of the body."""
        if self.graph.constant(_input(enter, 0)) is not None:
            found[enter.name] = None
        else:
            self.invariants[enter.name] = enter

    def _inside(self, node: Node) -> Node:
        """A node as it is in the functions."""
        if self._is_invariant(node):
            constant = self.graph.constant(_input(node, 0))
            attributes = {} if constant is None else constant.attributes
            return Node(node.name, "Const", (), (), attributes)
        inputs = tuple(map(self._argument, node.inputs))
        if inputs == node.inputs:
            return node
        return Node(node.name, node.op, inputs, node.controls, node.attributes)

    def _argument(self, tensor: str) -> str:
        """A tensor as it is called in the functions: arguments by their Merge or their Enter."""
        name = tensor.partition(":")[0]
        if name in self.invariants:
            return name
        merge = self.merges.get(name)
        if merge is None:
            return tensor
        node = self.graph.nodes[name]
        if port(tensor) != (1 if node.op in SWITCHES else 0):
            raise BadModel(f"{tensor!r} is read inside of its loop")
        return merge


def _input(node: Node, position: int) -> str:
    if position >= len(node.inputs):
        raise BadModel(f"{node.op} {node.name!r} has {len(node.inputs)} inputs")
    return node.inputs[position]


def _made_by(graph: Graph, node: Node, position: int, ops: frozenset[str]) -> Node:
    """The node that makes an input, where it is one of `ops`."""
    tensor = _input(node, position)
    found = graph.producer(tensor)
    if found is None:
        name = tensor.partition(":")[0]
        raise BadModel(f"{node.op} {node.name!r} reads {name!r}, which is no {_names(ops)}")
    if found.op not in ops:
        raise BadModel(
            f"{node.op} {node.name!r} reads {found.op} {found.name!r}, which is no {_names(ops)}"
        )
    return found


def _names(ops: frozenset[str]) -> str:
    plain: Sequence[str] = sorted(o for o in ops if not o.startswith(("Ref", "_")))
    return " or ".join(plain)
