"""`torch.vmap` as broadcasting: the axes that it hides stand in front of all others.

An export that is not decomposed keeps what functorch does: `_add_batch_dim` hides an axis, the
operators behind it see a tensor without it, and `_remove_batch_dim` brings it back. Masks of
transformers are made so, of positions that are single numbers. An operator that computes each
element by itself does the same with the hidden axes in sight: its operands are only to be aligned.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from nnir.dim import Dim
from nnir.errors import BadFile, Unsupported
from nnir.records import dataclass
from nnir.types import TensorType

from ...source import Ref, SourceGraph, SourceNode, refs
from . import schema

POINTWISE = Path(__file__).with_name("pointwise.json")
"""Operators that PyTorch says to be so; see `make_schemas.py`."""

ALIKE = (
    *("aten.to.", "aten.type_as.", "aten.alias.", "aten.detach.", "aten.contiguous."),
    *("aten.__and__.", "aten.__or__.", "aten.__xor__.", "aten.floor_divide."),
    *("aten.full_like.", "aten.ones_like.", "aten.zeros_like.", "aten.empty_like."),
)
"""Further ones, of which PyTorch does not say it."""

TYPED = ("aten.new_ones.", "aten.new_zeros.", "aten.new_full.", "aten.new_empty.")
"""Operators that read the type of their operand, and nothing else."""

ADVICE = "export after run_decompositions({})"


@dataclass(frozen=True)
class Hidden:
    """A tensor with axes in front that operators do not see: one for each level up to some, which
    is of size 1 where the tensor has none of that level. `rank` is what operators see."""

    levels: tuple[bool, ...]
    rank: int


@functools.cache
def pointwise() -> frozenset[str]:
    """The names of the operators."""
    return frozenset(json.loads(POINTWISE.read_text()))


def without_vmaps(graph: SourceGraph) -> None:
    """Rewrite a graph; Unsupported where an operator is none that computes each element."""
    if any(node.op in schema.VMAPS for node in graph.nodes):
        _Rewriter(graph).run()


class _Rewriter:
    def __init__(self, graph: SourceGraph) -> None:
        self.graph = graph
        self.nodes: list[SourceNode] = []
        self.hidden: dict[str, Hidden] = {}
        self.types = {v.name: v.type for v in graph.inputs}
        self.levels: list[int | None] = []
        self.sizes: list[Dim] = []
        self.count = 0

    def run(self) -> None:
        for node in self.graph.nodes:
            self.types.update(zip(node.outputs, node.types, strict=False))
            self.step(node)
        if self.levels:
            raise BadFile("a vmap that does not end")
        self.graph.nodes = self.nodes

    def step(self, node: SourceNode) -> None:
        match node.op.rpartition(".")[2] if node.op in schema.VMAPS else "":
            case "":
                if self.hidden.keys().isdisjoint(node.inputs):
                    self.nodes.append(node)
                else:
                    self.compute(node)
            case "_vmap_increment_nesting":
                self.levels.append(None)
                self.sizes.append(1)
            case "_vmap_decrement_nesting":
                self.levels.pop()
                self.sizes.pop()
            case "_add_batch_dim":
                self.hide(node)
            case "_remove_batch_dim":
                self.show(node)

    def hide(self, node: SourceNode) -> None:
        """An axis goes to the place of its level."""
        name, place = str(node.attributes["input"]), len(self.levels) - 1
        own = self.type(name)
        if not own.rank:
            raise BadFile(f"{node} hides an axis of {own}")
        before = self.hidden.get(name, Hidden((), own.rank))
        axis = node.attributes["axis"] % own.rank
        self.levels[place], self.sizes[place] = node.attributes["level"], own.shape[axis]
        levels = before.levels + (False,) * (place - len(before.levels))
        name = self.widen(name, before, Hidden(levels, own.rank))
        self.move(name, place + axis, place, node.outputs[0])
        self.hidden[node.outputs[0]] = Hidden((*levels, True), own.rank - 1)

    def show(self, node: SourceNode) -> None:
        """The axis of a level goes back among those that are seen."""
        name = str(node.attributes["input"])
        place = self.levels.index(node.attributes["level"])
        have = self.hidden.get(name, Hidden((), self.type(name).rank))
        if len(have.levels) > place + 1:
            raise BadFile(f"{node} brings back a level that others are in")
        axis = node.attributes["axis"] % (have.rank + 1)
        if have.levels[place:] == (False,):
            name = self.emit("aten.squeeze.dim", {"self": Ref(name), "dim": place})
            have = Hidden(have.levels[:place], have.rank)
        if have.levels[place:]:
            name = self.without_levels(name, have.levels[:place])
            place = place if any(have.levels[:place]) else 0
            self.move(name, place, place + axis, node.outputs[0])
        else:
            self.repeat(node, name, have, axis)
        if any(have.levels[:place]):
            self.hidden[node.outputs[0]] = Hidden(have.levels[:place], have.rank + 1)

    def repeat(self, node: SourceNode, name: str, have: Hidden, axis: int) -> None:
        """A tensor that has nothing of a level: PyTorch repeats it in front, to a shape in which
        the size of the level stands at `axis`."""
        sizes: list[Any] = [-1] * have.rank
        if axis:
            sizes = [*self.type(name).shape]
            if not all(isinstance(n, int) for n in sizes):
                raise Unsupported(f"{node} of open sizes: {ADVICE}")
        sizes.insert(axis, node.attributes["size"])
        wide = self.widen(name, have, Hidden(have.levels, have.rank + 1))
        given = {"self": Ref(wide), "size": [-1] * len(have.levels) + sizes}
        self.emit("aten.expand.default", given, node.outputs[0])

    def without_levels(self, name: str, levels: tuple[bool, ...]) -> str:
        """A tensor without the axes of levels, where it has nothing of any."""
        if any(levels) or not levels:
            return name
        return self.emit("aten.squeeze.dims", {"self": Ref(name), "dim": [*range(len(levels))]})

    def compute(self, node: SourceNode) -> None:
        """A node that reads hidden axes, as it is or with operands that are aligned."""
        if not node.outputs:  # an assertion about what is seen, which the export has made
            return
        if node.op.startswith(TYPED):
            self.nodes.append(node)
            return
        if node.op == "aten.expand.default":
            self.expand(node)
            return
        found, given = schema.find(node.op), node.inputs
        if node.op == "aten.index.Tensor":
            given = refs(node.attributes["indices"])
            is_plain = len(given) == len(node.attributes["indices"])
            fits = is_plain and str(node.attributes["self"]) not in self.hidden
        else:
            fits = node.op in pointwise() or node.op.startswith(ALIKE)
        if not fits or (found is not None and found.written):
            raise Unsupported(f"{node} inside of torch.vmap: {ADVICE}")
        operands = {n: self.hidden[n] for n in given if n in self.hidden}
        rank = max([h.rank for h in operands.values()] + [self.type(n).rank for n in given])
        depth = max(len(h.levels) for h in operands.values())
        levels = tuple(any(h.levels[k : k + 1] == (True,) for h in operands.values())
                       for k in range(depth))  # fmt: skip
        names = {
            name: self.widen(name, h, Hidden(h.levels + (False,) * (depth - len(h.levels)), rank))
            for name, h in operands.items()
        }
        arguments = _rename(node.attributes, names)
        types = [None if t is None else self.whole(t, levels) for t in node.types]
        made = replace(node, inputs=refs(arguments), attributes=arguments, types=types)
        self.nodes.append(made)
        for name in node.outputs:
            self.hidden[name] = Hidden(levels, self.type(name).rank)

    def expand(self, node: SourceNode) -> None:
        """Repeat what is seen, as functorch does with what lacks a level."""
        name, sizes = str(node.attributes["self"]), node.attributes["size"]
        have = self.hidden[name]
        want = Hidden(have.levels, len(sizes))
        sizes = [-1] * len(have.levels) + [*sizes]
        given = {"self": Ref(self.widen(name, have, want)), "size": sizes}
        self.emit(node.op, given, node.outputs[0])
        self.hidden[node.outputs[0]] = want

    def type(self, name: str) -> TensorType:
        """What operators see of a tensor."""
        found = self.types.get(name)
        if found is None:
            raise Unsupported(f"{name!r} inside of torch.vmap is of an unknown type: {ADVICE}")
        return found

    def whole(self, seen: TensorType, levels: Iterable[bool]) -> TensorType:
        """The type of a tensor with its hidden axes."""
        sizes = [s if has else 1 for s, has in zip(self.sizes, levels, strict=False)]
        return seen.with_shape((*sizes, *seen.shape))

    def widen(self, name: str, have: Hidden, want: Hidden) -> str:
        """A tensor with axes of size 1 behind its hidden ones: levels first, then axes seen."""
        for _ in range(len(want.levels) + want.rank - len(have.levels) - have.rank):
            given = {"self": Ref(name), "dim": len(have.levels)}
            name = self.emit("aten.unsqueeze.default", given)
        return name

    def move(self, name: str, source: int, target: int, output: str) -> None:
        """The result of a function of functorch: an axis at another place."""
        given = {"self": Ref(name), "source": source, "destination": target}
        self.emit("aten.movedim.int", given, output)

    def emit(self, op: str, given: dict[str, Any], output: str = "") -> str:
        self.count += 1
        output = output or f"vmap/{self.count}"
        self.nodes.append(SourceNode(op, refs(given), [output], given, output))
        return output


def _rename(argument: Any, names: dict[str, str]) -> Any:
    """Arguments with other names for some values."""
    if isinstance(argument, Ref):
        return Ref(names.get(argument, argument))
    if isinstance(argument, dict):
        return {k: _rename(a, names) for k, a in argument.items()}
    if isinstance(argument, (list, tuple)):
        return [_rename(a, names) for a in argument]
    return argument
