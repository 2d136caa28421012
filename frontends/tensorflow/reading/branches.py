"""Conditionals of TensorFlow 1: what is between Switch and Merge becomes an If or a Case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from nnir.errors import BadModel
from nnir.records import dataclass
from nnir.types import Precision

from .flow import MERGES, SAME, SWITCHES, Graph, needs, port
from .nodes import Function, Node
from .tensors import FunctionName

MOST_NESTED = 60
Facts = frozenset[tuple[str, int]]
"""Where a node is: which side of which conditions."""

NOWHERE: Facts = frozenset()


def join(graph: Graph, roots: Iterable[str]) -> None:
    """Replace the outermost conditionals that `roots` need: each Merge is a result of an If."""
    roots = list(roots)
    order = graph.require_acyclic(roots)
    if any(graph.nodes[n].op in SWITCHES | MERGES for n in order):
        Conditionals(graph, order).replace(roots)


@dataclass(frozen=True)
class Joint:
    """A Merge of live sides: the condition, and the input that each of its outcomes gives."""

    condition: str
    sides: tuple[str, ...]


class Conditionals:
    """On which side of which conditions every node is; None for what never runs."""

    def __init__(self, graph: Graph, order: list[str]) -> None:
        self.graph = graph
        self.facts: dict[str, Facts | None] = {}
        self.level: dict[str, int] = {}
        self.joints: dict[str, Joint] = {}
        self.forwarded: dict[str, str] = {}
        self.outcomes: dict[str, int] = {}
        self.cases: set[str] = set()
        self.conditions: dict[str, str] = {}
        self.decided: dict[str, int | None] = {}
        self.views: dict[tuple[str, Facts], tuple[str, bool]] = {}
        self.moved: dict[tuple[str, int], str] = {}
        for name in order:
            node = graph.nodes[name]
            inputs = [i.partition(":")[0] for i in node.inputs]
            self.level[name] = max((self.level.get(i, 0) for i in inputs), default=0)
            self.facts[name] = self._merge_facts(node) if node.op in MERGES else self._union(node)
            if node.op in SWITCHES:
                self._note(node)

    def replace(self, roots: list[str]) -> None:
        """Put an If or a Case for each group of Merges into the graph."""
        for root in roots:
            found = self.of(root)
            if found is None or found:
                sides = (
                    "never runs" if found is None else f"only runs where {_describe_facts(found)}"
                )
                raise BadModel(f"{root!r} {sides}: no Merge joins it with the other side")
        wanted = self._wanted_nodes(roots)
        groups: dict[tuple[str, int], list[str]] = {}
        for name in wanted:
            joint = self.joints.get(name)
            if joint is not None and not self.facts[name]:
                groups.setdefault((joint.condition, self.level[name]), []).append(name)
        nodes = self.graph.nodes
        names = {
            g: self.graph.unique(f"{merges[0]}/If", "side0", "side1")
            for g, merges in groups.items()
        }
        for group, merges in groups.items():
            self.moved.update(((m, 1), f"{names[group]}:{len(merges)}") for m in merges)
        made = [self._make_branches(names[g], g[0], merges) for g, merges in groups.items()]
        for name in wanted:
            node = nodes[name]
            if name in self.forwarded:
                nodes[name] = Node(name, "Identity", (self._resolve_tensor(name, NOWHERE),), (), {})
            elif self.facts[name] == NOWHERE and node.op not in MERGES | SWITCHES:
                inputs = tuple(self._resolve_tensor(i, NOWHERE) for i in node.inputs)
                nodes[name] = replace(node, inputs=inputs)
        for found_nodes in made:
            nodes.update(found_nodes)
        for name in {r.partition(":")[0] for r in roots}:
            if name in wanted and nodes[name].op in SWITCHES:  # one side of what is decided
                given = self._resolve_tensor(nodes[name].inputs[0], NOWHERE)
                nodes[name] = Node(name, "IdentityN", (given, given), (), {"T": [None, None]})

    def of(self, tensor: str) -> Facts | None:
        """On which sides a tensor is made."""
        name = tensor.partition(":")[0]
        facts = self.facts.get(name, NOWHERE)
        node = self.graph.nodes.get(name)
        if facts is None or node is None or node.op not in SWITCHES:
            return facts
        condition, side = self.condition(node), port(tensor)
        if not 0 <= side < self.outcomes[condition]:
            raise BadModel(f"{tensor!r}: {node.op} has {self.outcomes[condition]} results")
        known = self.known(condition)
        if known is not None or any(c == condition for c, _ in facts):
            alive = known == side or (condition, side) in facts
            return facts if alive else None
        return facts | {(condition, side)}

    def condition(self, switch: Node) -> str:
        """The tensor that decides, without the nodes that pass it on."""
        found = self.conditions.get(switch.name)
        if found is None:
            if len(switch.inputs) != 2:
                raise BadModel(
                    f"{switch.op} {switch.name!r} has {len(switch.inputs)} inputs, not 2"
                )
            found = self.conditions[switch.name] = self.graph.source(switch.inputs[1])
        return found

    def known(self, condition: str) -> int | None:
        """What a condition surely is."""
        if condition not in self.decided:
            flips, tensor = 0, condition
            for _ in range(MOST_NESTED):
                node = self.graph.producer(self.graph.source(tensor, SAME))
                if node is None or node.op != "LogicalNot" or not node.inputs:
                    break
                flips, tensor = 1 - flips, node.inputs[0]
            constant = self.graph.constant(tensor)
            value = None if constant is None else int(constant.attributes["value"].reshape(-1)[0])
            count = self.outcomes.get(condition, 2)
            if value is not None and condition in self.cases and not 0 <= value < count:
                value = count - 1  # the last side is for all other places
            self.decided[condition] = value if value is None or not flips else int(not value)
        return self.decided[condition]

    def _note(self, switch: Node) -> None:
        """How many outcomes a condition has."""
        count = switch.attributes.get("num_outs", 0) if switch.op == "_SwitchN" else 2
        condition = self.condition(switch)
        if not isinstance(count, int) or self.outcomes.setdefault(condition, count) != count:
            raise BadModel(f"{switch.op} {switch.name!r} of {count} sides")
        if switch.op == "_SwitchN":
            self.cases.add(condition)

    def _union(self, node: Node) -> Facts | None:
        found = NOWHERE
        for facts in (*map(self.of, node.inputs), *(self.facts.get(c) for c in self._live(node))):
            if facts is None:
                return None
            if facts is not found:
                found = found | facts if found else facts
        if len({c for c, _ in found}) < len(found):
            return None
        if len(found) > MOST_NESTED:
            raise BadModel(f"conditionals that are nested more than {MOST_NESTED} deep")
        return found

    def _live(self, node: Node) -> list[str]:
        return [c for c in node.controls if c in self.facts]

    def _merge_facts(self, merge: Node) -> Facts | None:
        """Where a Merge is: where all of its live inputs are."""
        sides = [(i, f) for i in merge.inputs if (f := self.of(i)) is not None]
        if not sides:
            return None
        if len(sides) == 1:
            ((self.forwarded[merge.name], facts),) = sides
            return facts
        common = frozenset.intersection(*(f for _, f in sides))
        found: dict[int, str] = {}
        conditions = set()
        for tensor, facts in sides:
            for condition, outcome in facts - common:
                conditions.add(condition)
                found[outcome] = tensor
        condition = next(iter(conditions), "")
        count = self.outcomes.get(condition, 2)
        if len(conditions) != 1 or len(sides) != count or sorted(found) != list(range(count)):
            raise BadModel(
                f"{merge.op} {merge.name!r} of {len(sides)} does not join the sides of one Switch"
            )
        self.joints[merge.name] = Joint(condition, tuple(found[k] for k in range(count)))
        if not common:
            self.level[merge.name] += 1
        return common

    def _wanted_nodes(self, roots: list[str]) -> list[str]:
        """The nodes whose tensors are read, without those that only are waited for."""
        found: dict[str, None] = {}
        stack = [r.partition(":")[0] for r in roots]
        while stack:
            name = stack.pop()
            if name in self.facts and name not in found:
                found[name] = None
                node = self.graph.nodes[name]
                live = [self.forwarded[name]] if name in self.forwarded else node.inputs
                stack += [i.partition(":")[0] for i in live]
        return list(found)

    def _resolve_tensor(self, tensor: str, facts: Facts) -> str:
        """A tensor without the Switches of known conditions and without dead inputs of Merges."""
        while True:
            name = tensor.partition(":")[0]
            node = self.graph.nodes.get(name)
            moved = self.moved.get((name, port(tensor)))
            if moved is not None:
                return moved
            if name in self.forwarded:
                if port(tensor):
                    raise BadModel(f"{tensor!r} tells which side of a known condition ran")
                tensor = self.forwarded[name]
            elif node is not None and node.op in SWITCHES and self._is_open(node, tensor, facts):
                tensor = node.inputs[0]
            else:
                return tensor

    def seen_from(self, tensor: str, facts: Facts) -> tuple[str, bool]:
        """A tensor as one side of a condition reads it, and whether that is made on this side."""
        found = self.views.get((tensor, facts))
        if found is None:
            resolved = self._resolve_tensor(tensor, facts)
            own = self.of(resolved)
            found = self.views[tensor, facts] = resolved, own is not None and facts <= own
        return found

    def _is_open(self, switch: Node, tensor: str, facts: Facts) -> bool:
        condition, side = self.condition(switch), port(tensor)
        return (condition, side) in facts or self.known(condition) == side

    def _make_branches(self, name: str, condition: str, merges: list[str]) -> dict[str, Node]:
        """An If or a Case that gives what Merges of one condition give, and which side ran."""
        graph = self.graph
        captured: dict[str, str] = {}
        count = self.outcomes[condition]
        called = tuple(f"result{k}" for k in range(len(merges) + 1))
        place = f"{name}/place"
        functions = [FunctionName(f"{name}/side{k}") for k in range(count)]
        sides = []
        for outcome, function in enumerate(functions):
            side = Side(self, captured, name, frozenset({(condition, outcome)}))
            results = [side.tensor(self.joints[m].sides[outcome]) for m in merges]
            number = {"value": np.array(outcome, np.int32), "dtype": Precision.INT32}
            side.nodes[place] = Node(place, "Const", (), (), number)
            wanted = dict(zip(called, [*results, place], strict=True))
            sides.append(Function(function, (), called, side.nodes, wanted, ()))
        inputs = tuple(captured.values())
        for made in sides:
            graph.functions[made.name] = replace(made, inputs=inputs)
        is_case = condition in self.cases
        attributes: dict[str, Any] = {"Tin": [None] * len(inputs), "Tout": [None] * len(called)}
        if is_case:
            attributes["branches"] = functions
        else:
            attributes |= {"else_branch": functions[0], "then_branch": functions[1]}
        given = (self._resolve_tensor(condition, NOWHERE), *captured)
        nodes = {name: Node(name, "Case" if is_case else "If", given, (), attributes)}
        for k, merge in enumerate(merges):
            nodes[merge] = Node(merge, "Identity", (f"{name}:{k}",), (), {})
        return nodes


class Side:
    """The nodes of one side of a condition; what they read from outside is captured."""

    def __init__(
        self, found: Conditionals, captured: dict[str, str], name: str, facts: Facts
    ) -> None:
        self.found = found
        self.captured = captured
        self.name = name
        self.facts = facts
        self.nodes: dict[str, Node] = {}

    def tensor(self, tensor: str) -> str:
        """A tensor as this side calls it, with all that it needs."""
        called = self._capture_of(tensor)
        found = self.found
        stack = [called.partition(":")[0]]
        while stack:
            name = stack.pop()
            if name in self.nodes or name not in found.facts:
                continue  # what is captured is no node
            found.graph.budget.spend()
            node = found.graph.nodes[name]
            inputs = tuple(map(self._capture_of, node.inputs))
            controls = tuple(c for c in node.controls if self._is_deeper(c))
            if inputs != node.inputs or controls != node.controls:
                node = Node(name, node.op, inputs, controls, node.attributes)
            self.nodes[name] = node
            stack += needs(node)
        return called

    def _capture_of(self, tensor: str) -> str:
        resolved, inside = self.found.seen_from(tensor, self.facts)
        if inside:
            return resolved
        if resolved not in self.captured:
            self.captured[resolved] = f"{self.name}/outside{len(self.captured)}"
        return self.captured[resolved]

    def _is_deeper(self, control: str) -> bool:
        facts = self.found.facts.get(control)
        return facts is not None and self.facts < facts


def _describe_facts(facts: Facts) -> str:
    return " and ".join(f"{c!r} is {bool(k)}" for c, k in sorted(facts))[:200]
