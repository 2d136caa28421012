"""Branches whose condition is only known while running: both sides become models of an IF."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import control

from .machine import Machine, RaisedError, Returned
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
    share,
    stem_of,
    value_in,
    zeros,
)
from .things import Number, Tensor, Uninitialized, Withheld

RESULT = "<result>"
"""The variable that a `return` in a branch sets."""

ABSENT = Uninitialized()


def branch(
    machine: Machine,
    condition: Number,
    then_body: Sequence[ast.stmt],
    else_body: Sequence[ast.stmt],
) -> Returned | None:
    """An IF of two sides; one that raises an error is taken to be never taken."""
    regions = []
    for name, body in (("then", then_body), ("else", else_body)):
        region = _walk(machine, name, body)
        if region is None:  # the other side is what the program does
            return machine.execute(else_body if name == "then" else then_body)
        regions.append(region)
    first, second = regions
    if (first.returned is None) != (second.returned is None):
        raise Unsupported(
            "a return in one branch alone, of a condition that is only known while running"
        )
    names = assigned_names([*then_body, *else_body])
    if first.returned is not None:
        for region in regions:
            region.names[RESULT] = region.returned.value
        names = [RESULT]
    Join(machine, condition, first, second).run(names)
    if first.returned is not None:
        return Returned(machine.frame.names.pop(RESULT))
    return None


def _walk(machine: Machine, name: str, body: Sequence[ast.stmt]) -> Region | None:
    """One side as a sub-model; None where it raises an error."""
    problems = machine.translator.problems_now()
    region = begin(machine, name)
    try:
        with inside(machine, region):
            region.returned = machine.execute(body)
    except RaisedError:
        machine.translator.forget_problems(problems)
        return None
    return region


class Join:
    """Variables after an IF: what both sides leave in them, as its outputs where that differs."""

    def __init__(self, machine: Machine, condition: Number, first: Region, second: Region) -> None:
        self.machine = machine
        self.condition = condition
        self.sides = (first, second)
        self.pairs: dict[Path, tuple[Any, Any]] = {}
        self.values: dict[Path, Any] = {}

    def run(self, names: Sequence[str]) -> None:
        """Set the variables that the sides set, and what they changed in place."""
        machine = self.machine
        templates = {}
        for name in names:
            if all(name in side.names for side in self.sides):
                templates[name] = self._pair(name, *(side.names[name] for side in self.sides))
            # else one side alone sets it, and nothing reads it behind
        for root in changed_roots(machine, self.sides):
            self.pairs[MEMORY, root] = (Tensor(root), Tensor(root))
        self._fill_gaps()
        keep_doubts(machine, self.sides)
        outputs = [self._outputs(k) for k in range(2)]
        made = self._make_if(outputs) if self.pairs else []
        for (path, pair), value in zip(self.pairs.items(), made, strict=True):
            self._bind(path, pair, value)
        for k, side in enumerate(self.sides):
            leaves_made = {p: v for p, v in self.values.items() if p in self.pairs}
            ends = {str(leaf): self.pairs[path][k] for path, leaf in leaves_made.items()}
            share(machine, side, ends)
        for name, template in templates.items():
            found = rebuild(template, (name,), self.values, machine.region)
            if not isinstance(found, Uninitialized):
                machine.frame.names[name] = found

    def _bind(self, path: Path, pair: tuple[Any, Any], value: Value) -> None:
        """One output: the new value of a variable, or new contents of a tensor."""
        machine, is_tensor = self.machine, any(isinstance(v, Tensor) for v in pair)
        stem = str(path[1]) if path[0] == MEMORY else stem_of(machine, path[0].strip("<>"))
        leaf = bind(machine, value, stem, is_number=not is_tensor)
        if path[0] == MEMORY:
            machine.memory.write(str(path[1]), str(leaf))
            return
        self.values[path] = leaf

    def _pair(self, name: str, a: Any, b: Any) -> Any:
        """What a variable is afterwards; leaves that differ become outputs."""
        if isinstance(a, Uninitialized):
            return self._pair_gap(name, b, is_first=False)
        if isinstance(b, Uninitialized):
            return self._pair_gap(name, a, is_first=True)
        left, right = (dict(leaves(v, (name,))) for v in (a, b))
        is_alike = type(a) is type(b) or (is_of_graph(a) and is_of_graph(b))
        if left.keys() != right.keys() or not (is_alike or is_number(a) or is_number(b)):
            return Withheld(
                f"{name!r} is something else in each of two branches, of a condition that is only "
                "known while running"
            )
        for path, x in left.items():
            y = right[path]
            if is_of_graph(x) and x == y and type(x) is type(y):
                continue
            if is_same(x, y) and not is_of_graph(x):
                continue
            self._pair_leaf(path, x, y)
        return a

    def _pair_leaf(self, path: Path, x: Any, y: Any) -> None:
        is_tensor = isinstance(x, Tensor) and isinstance(y, Tensor)
        plain = (is_number(x) or isinstance(x, Number)) and (is_number(y) or isinstance(y, Number))
        if is_tensor or plain:
            self.pairs[path] = (x, y)
            return
        if isinstance(x, Uninitialized) or isinstance(y, Uninitialized):
            found = y if isinstance(x, Uninitialized) else x
            if is_of_graph(found):
                self.pairs[path] = (x, y)
            else:
                self.values[path] = found
            return
        self.values[path] = Withheld(
            f"{path[0]!r} is {type(x).__name__} in one branch and {type(y).__name__} in the other, "
            "of a condition that is only known while running"
        )

    def _pair_gap(self, name: str, value: Any, *, is_first: bool) -> Any:
        """A variable that one side alone sets; nothing reads it after the other."""
        for path, leaf in leaves(value, (name,)):
            if is_of_graph(leaf):
                self.pairs[path] = (leaf, ABSENT) if is_first else (ABSENT, leaf)
        return value

    def _fill_gaps(self) -> None:
        """Values for leaves that one side does not have, of the type of the other's."""
        for path, pair in list(self.pairs.items()):
            for k in range(2):
                if isinstance(pair[k], Uninitialized):
                    with inside(self.machine, self.sides[1 - k]):
                        kind = self.machine.type_of(pair[1 - k])
                        word = self.machine.kind_of(pair[1 - k])
                    filler: Any
                    if word == "Tensor":
                        with inside(self.machine, self.sides[k]):
                            filler = zeros(self.machine, kind)
                    else:
                        filler = {"bool": False, "int": 0}.get(word, 0.0)
                    self.pairs[path] = (filler, pair[1]) if k == 0 else (pair[0], filler)
                    pair = self.pairs[path]

    def _outputs(self, k: int) -> list[Value]:
        with inside(self.machine, self.sides[k]):
            values = [value_in(self.machine, pair[k]) for pair in self.pairs.values()]
            self.sides[k].model.outputs = fresh(values)
            return self.sides[k].model.outputs

    def _make_if(self, outputs: Sequence[Sequence[Value]]) -> list[Value]:
        for x, y in zip(*outputs, strict=True):
            if x.precision != y.precision or x.rank != y.rank:
                raise Unsupported(
                    f"branches that give {x.type} and {y.type}, of a condition that is only known "
                    "while running"
                )
        given = close(self.sides)
        flag = self.machine.value_of(self.condition)
        then_model, else_model = (side.model for side in self.sides)
        made: Any = control.if_(flag, *given, then_model=then_model, else_model=else_model)
        return list(made) if isinstance(made, (list, tuple)) else [made]
