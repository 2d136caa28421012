"""Tensors while a program is walked: what each name holds, which share memory, what changed.

Nodes are translated one by one as `reading.functional` makes functions of them. What may share
memory after a branch or a loop is remembered: a change of one makes the others unreadable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.records import dataclass
from nnir.types import TensorType

from ...source import SourceGraph, SourceNode, refs
from ..reading.functional import MAYBE, Functional, View
from .layout import Layout

SHARING = frozenset(
    f"aten.{name}"
    for name in (
        *("broadcast_tensors", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d", "sum_to_size"),
        *("cartesian_prod", "chain_matmul", "linalg_multi_dot", "channel_shuffle", "pixel_shuffle"),
        *("pixel_unshuffle", "combinations", "column_stack"),
    )
)
"""Operators whose results may be their arguments or views of these, which signatures do not say."""


class Sink(Protocol):
    """What translates a node into the current model."""

    def convert(self, node: SourceNode) -> None:
        """Convert a node; its outputs are in the current scope then."""

    def value_of(self, name: str) -> Any:
        """What a name stands for."""


@dataclass(frozen=True)
class State:
    """What is known of the memory at one point of the program."""

    current: dict[str, str]
    views: dict[str, View]
    ages: dict[str, int]
    called: dict[str, str]
    seen: dict[str, int]
    maybe: dict[str, frozenset[str]]
    lost: frozenset[str]


class Memory(Functional):
    """The tensors of a program that is walked."""

    advice = "clone it before the change, in the module"

    def __init__(self, sink: Sink) -> None:
        self.layout = Layout()
        super().__init__(SourceGraph(), self.layout)
        self.sink = sink
        self.maybe: dict[str, frozenset[str]] = {}
        self.lost: frozenset[str] = frozenset()
        self.taken: set[str] = set()
        self.outside: set[str] = set()
        """Inputs and weights, whose changes in place are seen outside of the program."""

        self.same: dict[str, str] = {}

    def state(self) -> State:
        """What is known now, to come back to."""
        seen = {name: view.age for name, view in self.views.items()}
        return State(
            dict(self.current),
            dict(self.views),
            dict(self.ages),
            dict(self.called),
            seen,
            dict(self.maybe),
            self.lost,
        )

    def restore(self, state: State) -> None:
        """Go back to what was known."""
        self.current, self.views = dict(state.current), dict(state.views)
        self.ages, self.called = dict(state.ages), dict(state.called)
        self.maybe, self.lost = dict(state.maybe), state.lost
        for name, view in self.views.items():
            view.age = state.seen[name]

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        stem = stem.partition("/")[0] or "value"
        name = stem
        while name in self.taken:
            self.count += 1
            name = f"{stem}/{self.count}"
        self.taken.add(name)
        return name

    def emit(self, node: SourceNode) -> None:
        node.inputs = node.inputs or refs(node.attributes)
        self.sink.convert(node)
        for name in node.outputs:
            self.know(name)
        self.layout.follow(node, self.types)

    def know(self, name: str) -> None:
        """Note the type of what a name stands for."""
        value = self.sink.value_of(name)
        self.types[name] = value.type if isinstance(value, Value) else None

    def know_type(self, name: str, type: TensorType) -> None:
        """Note the type of what stands for something in a sub-model."""
        self.types[name] = type

    def step(self, node: SourceNode) -> None:
        super().step(node)
        for name in node.outputs:
            self.types.setdefault(name, None)
            if node.op.rpartition(".")[0] in SHARING:
                self.may_share(name, refs(node.attributes))

    def content(self, name: str) -> str:
        root = self.root(name)
        if root in self.lost:
            raise Unsupported(
                f"{name!r} is read after something was changed in place that may share its memory: "
                "whether it does is not known while converting; clone it before the change"
            )
        return super().content(name)

    def write(self, name: str, new: str) -> None:
        if name not in self.views:
            self.lose_others(name)
        elif self._may_be_copy(name):
            self._part_from_source(name)
        super().write(name, new)
        if name in self.layout.steps:  # a change in place leaves a tensor where it lies
            self.layout.steps[new] = self.layout.steps[name]

    def _may_be_copy(self, name: str) -> bool:
        """Whether it is not known if a name shares the memory of what it was made of."""
        view = self.views[name]
        is_open = view.node.op in MAYBE and self.shares(view.node, view.source) is None
        return is_open and self.root(name) not in self.outside

    def _part_from_source(self, name: str) -> None:
        """Let a tensor be one of its own; what it may be a view of is not known from here on."""
        root = self.root(name)
        self.content(name)
        self.lose_others(root)
        self.lost |= {root}
        del self.views[name]
        self.ages[name] = max(self.ages.get(root, 0), self.ages.get(name, 0))

    def again(self, name: str, view: View) -> None:
        super().again(name, view)
        if name in self.layout.steps:
            self.layout.steps[self.current[name]] = self.layout.steps[name]

    def alias(self, name: str, target: str) -> None:
        super().alias(name, target)
        self.same[name] = target
        self.types[name] = self.types.get(target)
        if target in self.layout.steps:
            self.layout.steps[name] = self.layout.steps[target]

    def is_same(self, a: str, b: str) -> bool:
        """Whether two names are one tensor; Unsupported where that depends on a condition."""
        a, b = self._first_name(a), self._first_name(b)
        if a != b and (a in self.maybe or b in self.maybe):
            raise Unsupported("whether two tensors are the same one is only known while running")
        return a == b

    def _first_name(self, name: str) -> str:
        while name in self.same:
            name = self.same[name]
        return name

    def lose_others(self, root: str) -> None:
        """What may share memory with a tensor that changes is not known from here on."""
        pairs = [(a, b) for a, roots in self.maybe.items() for b in roots]
        near: dict[str, list[str]] = {}
        for a, b in pairs:
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
        reached, waiting = {root}, [root]
        while waiting:
            others = set(near.get(waiting.pop(), ())) - reached
            reached |= others
            waiting += others
        self.lost |= reached - {root}

    def may_share(self, name: str, others: Sequence[str]) -> None:
        """Note that a new tensor may share memory with others."""
        roots = frozenset(self.root(o) for o in others)
        roots |= frozenset(r for o in roots for r in self.maybe.get(o, ()))
        if roots - {name}:
            self.maybe[name] = self.maybe.get(name, frozenset()) | (roots - {name})

    def type_of(self, name: str) -> TensorType | None:
        """The type of what a tensor holds now."""
        return self.types.get(self.read(name))
