"""Loops: written out where their conditions are known, else bodies of a WHILE."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import control, unary
from nnir.types import TensorType

from ...loops import BODY
from .functions.numbers import to_int
from .functions.table import call_plain
from .machine import LONGEST, Machine, RaisedError, Returned, describe
from .regions import (
    MEMORY,
    Path,
    Region,
    assigned_names,
    begin,
    bind,
    changed_roots,
    close,
    fresh,
    inside,
    is_number,
    is_of_graph,
    is_same,
    keep_doubts,
    leaves,
    rebuild,
    roots_in,
    share,
    stem_of,
    value_in,
)
from .things import Number, Tensor

ROUNDS = 12
"""How often a body is walked until it is known what changes from iteration to iteration."""

COUNTER = "<count>"
"""The variable that counts the iterations of a loop over range(n)."""


def count_up(machine: Machine, name: str, limit: Any, body: Sequence[ast.stmt]) -> Returned | None:
    """`for name in range(limit)`."""
    limit = to_int(machine, limit)
    names = machine.frame.names
    if isinstance(limit, int) and limit <= LONGEST:
        for k in range(limit):
            machine.spend()
            names[name] = k
            returned = machine.execute(body)
            if returned is not None:
                return returned
        return None
    loop = Loop(machine, body)

    def go() -> Any:
        return call_plain(machine, "lt", [machine.frame.names[COUNTER], limit], {})

    def step() -> None:
        inner = machine.frame.names
        inner[name] = inner[COUNTER]
        loop.walk()
        inner[COUNTER] = call_plain(machine, "add", [inner[COUNTER], 1], {})

    names[COUNTER] = 0
    loop.symbolic.add((COUNTER,))
    loop.names += [COUNTER]
    loop.convert(go, step)
    del names[COUNTER]
    names.pop(name, None)
    return None


def repeat(machine: Machine, test: ast.expr, body: Sequence[ast.stmt]) -> Returned | None:
    """`while test`: written out as long as the condition is known."""
    for _ in range(LONGEST):
        condition = machine.truth(machine.evaluate(test))
        if isinstance(condition, Number):
            break
        if not condition:
            return None
        returned = machine.execute(body)
        if returned is not None:
            return returned
    else:
        raise Unsupported(f"a while loop of more than {LONGEST} iterations")
    loop = Loop(machine, body)
    loop.convert(lambda: machine.truth(machine.evaluate(test)), loop.walk)
    return None


class Loop:
    """A loop whose number of iterations is only known while running, or is large."""

    def __init__(self, machine: Machine, body: Sequence[ast.stmt]) -> None:
        self.machine = machine
        self.body = body
        names = assigned_names(body)
        self.names = [n for n in names if n in machine.frame.names]
        self.symbolic: set[Path] = set()
        self.types: dict[Path, TensorType] = {}
        self.loose: set[tuple[Path, int]] = set()
        self.roots: list[str] = []
        self.outer: dict[str, Any] = machine.frame.names

    def walk(self) -> None:
        """One iteration."""
        if self.machine.execute(self.body) is not None:
            raise Unsupported("a return in a loop whose length is only known while running")

    def convert(self, go: Callable[[], Any], step: Callable[[], None]) -> None:
        """Append the WHILE and set the variables to what they are behind it."""
        machine = self.machine
        problems = machine.translator.problems_now()
        for _ in range(ROUNDS):
            machine.translator.spend(BODY)
            machine.translator.forget_problems(problems)
            state = self._state()
            try:
                region, changed = self._walk_body(state, go, step)
            except RaisedError as error:
                raise Unsupported(f"a loop whose body raises an error: {error}") from None
            if not changed:
                break
        else:
            raise Unsupported("a loop whose state changes its kind in every iteration")
        flag = machine.truth(go())
        if isinstance(flag, bool):
            flag = self._constant(flag)
        initial = [self._before(path, leaf) for path, leaf in state.items()]
        given = close([region])
        made: Any = control.while_(
            unary.assign(machine.value_of(flag)),
            *initial,
            *given,
            body=region.model,
            carried=len(initial),
        )
        results = list(made) if isinstance(made, (list, tuple)) else [made]
        keep_doubts(machine, [region])
        self._bind(region, state, results[: len(initial)])

    def _constant(self, flag: bool) -> Number:
        name = self.machine.memory.fresh("go")
        self.machine.translator.bind_number(name, flag)
        self.machine.memory.know(name)
        return Number(name)

    def _state(self) -> dict[Path, Any]:
        """The leaves of variables that iterations change, and tensors that they change in place."""
        found: dict[Path, Any] = {}
        for name in self.names:
            parts = leaves(self.machine.frame.names[name], (name,))
            found |= {p: v for p, v in parts if is_of_graph(v) or p in self.symbolic}
        for root in self.roots:
            found[MEMORY, root] = Tensor(root)
        return found

    def _before(self, path: Path, leaf: Any) -> Value:
        """What the state is before the first iteration."""
        value = value_in(self.machine, leaf)
        wanted = self.types.get(path)
        if wanted is not None and wanted.precision != value.precision:
            value = value.cast(wanted.precision)
        return value

    def _walk_body(
        self, state: dict[Path, Any], go: Callable[[], Any], step: Callable[[], None]
    ) -> tuple[Region, bool]:
        """The body as a model, and whether more of the state is known to change."""
        machine = self.machine
        region = begin(machine, "body")
        kinds = {path: self._type_of(path, leaf) for path, leaf in state.items()}
        memory = machine.memory
        before = memory.state()
        inner: dict[Path, Any] = {}
        for path, leaf in state.items():
            stem = str(path[1]) if path[0] == MEMORY else stem_of(machine, path[0].strip("<>"))
            name = memory.fresh(stem)
            value = region.model.input(name, kinds[path])
            value.is_number = not isinstance(leaf, Tensor)
            region.scope[name] = value
            memory.know_type(name, kinds[path])
            inner[path] = Number(name) if value.is_number else Tensor(name)
            if path[0] == MEMORY:
                memory.current[path[1]] = name
                memory.ages[path[1]] = memory.ages.get(path[1], 0) + 1
        start = memory.state()
        for name in self.names:
            region.names[name] = rebuild(
                region.names[name], (name,), inner, machine.region_count + 1
            )
        region.state = start
        try:
            with inside(machine, region):
                step()
                again = machine.truth(go())
                after = {p: v for n in self.names for p, v in self._leaves_of(n)}
                for root in self.roots:
                    after[MEMORY, root] = Tensor(root)
                changed = self._compare(state, kinds, after)
                if not changed:
                    flag = value_in(machine, again)
                    values = [value_in(machine, after[path]) for path in state]
                    region.model.outputs = fresh([flag, *values])
        finally:
            memory.restore(start)
        written = set(changed_roots(machine, [region])) - set(self.roots)
        self._refuse_changes(region, inner)
        memory.restore(before)
        self.roots += sorted(written)
        self._require_apart(region, state)
        return region, changed or bool(written)

    def _leaves_of(self, name: str) -> list[tuple[Path, Any]]:
        return list(leaves(self.machine.frame.names.get(name), (name,)))

    def _refuse_changes(self, region: Region, inner: dict[Path, Any]) -> None:
        """What a loop carries may be other tensors outside of it: those would change too."""
        state = region.state
        for path, leaf in inner.items():
            if path[0] != MEMORY and state is not None and state.ages.get(str(leaf), 0):
                raise Unsupported(
                    f"a loop that changes {path[0]!r} in place, which it also sets: clone it first"
                )

    def _require_apart(self, region: Region, state: dict[Path, Any]) -> None:
        """Unsupported where a variable may be, from one iteration to the next, a view of what the
        loop changes in place."""
        memory, ends = self.machine.memory, self._ends(region)
        for path, leaf in state.items():
            if path[0] == MEMORY or not isinstance(leaf, Tensor):
                continue
            root = memory.root(leaf)
            roots = {root, *memory.maybe.get(root, ()), *roots_in(region, ends.get(path))}
            if roots & set(self.roots):
                raise Unsupported(
                    f"a loop that sets {path[0]!r} and changes in place what may share its memory: "
                    "clone it first"
                )

    def _type_of(self, path: Path, leaf: Any) -> TensorType:
        known = self.types.get(path)
        if known is not None:
            return known
        return value_in(self.machine, leaf).type

    def _compare(
        self, state: dict[Path, Any], kinds: dict[Path, TensorType], after: dict[Path, Any]
    ) -> bool:
        """Whether an iteration changes more than what is known to change."""
        before = {
            path: leaf for name in self.names for path, leaf in leaves(self.outer[name], (name,))
        }
        if extra := {p[0] for p in before.keys() ^ {p for p in after if p[0] != MEMORY}}:
            raise Unsupported(
                f"a loop of unknown length that changes how many items {sorted(extra)} have"
            )
        changed = False
        for path, leaf in before.items():
            if path in state or is_same(leaf, after[path]):
                continue
            if not is_number(leaf):
                raise Unsupported(
                    f"a loop of unknown length that makes {describe(after[path])} of "
                    f"{describe(leaf)} in {path[0]!r}"
                )
            self.symbolic.add(path)
            changed = True
        for path in state:
            changed |= self._compare_type(path, kinds[path], after[path])
        return changed

    def _compare_type(self, path: Path, old: TensorType, leaf: Any) -> bool:
        """Whether a part of the state has another type after an iteration; then that is known."""
        if not is_of_graph(leaf) and not is_number(leaf):
            raise Unsupported(
                f"a loop of unknown length that makes {describe(leaf)} of a tensor in {path[0]!r}"
            )
        new = value_in(self.machine, leaf).type
        if old == new:
            return False
        is_scalar = not old.rank and not new.rank
        if old.precision != new.precision and is_scalar and path in self.symbolic:
            self.types[path] = new
            return True
        if old.precision != new.precision or old.rank != new.rank:
            raise Unsupported(f"a loop whose state {path[0]!r} changes from {old} to {new}")
        dims = list(old.shape)
        for axis, (a, b) in enumerate(zip(old.shape, new.shape, strict=True)):
            if a != b and (path, axis) not in self.loose:
                self.loose.add((path, axis))
                dims[axis] = self.machine.translator.model.fresh()
        self.types[path] = old.with_shape(tuple(dims))
        return dims != list(old.shape)

    def _bind(self, region: Region, state: dict[Path, Any], results: Sequence[Value]) -> None:
        """The variables behind the loop."""
        machine = self.machine
        found: dict[Path, Any] = {}
        for (path, leaf), value in zip(state.items(), results, strict=True):
            stem = str(path[1]) if path[0] == MEMORY else stem_of(machine, path[0].strip("<>"))
            made = bind(machine, value, stem, is_number=not isinstance(leaf, Tensor))
            if path[0] == MEMORY:
                machine.memory.write(path[1], str(made))
                continue
            found[path] = made
            if isinstance(leaf, Tensor):
                machine.memory.may_share(str(made), [leaf])
        ends = self._ends(region)
        share(machine, region, {str(made): ends.get(path) for path, made in found.items()})
        for name in self.names:
            value = machine.frame.names[name]
            machine.frame.names[name] = rebuild(value, (name,), found, machine.region)
        for name in assigned_names(self.body):
            if name not in self.names:
                machine.frame.names.pop(name, None)

    def _ends(self, region: Region) -> dict[Path, Any]:
        """What an iteration leaves in the variables."""
        found: dict[Path, Any] = {}
        for name in self.names:
            found |= dict(leaves(region.names.get(name), (name,)))
        return found
