"""Forms of what a rewrite looks for, as data, and the one engine that finds and replaces them.

A form is written as the values are, by operators and formulas:

    x = Variable("x")

    @rule(x * node(activation.sigmoid, x))
    def fuse_swish(x: Value) -> Value:
        return activation.swish(x)

An attribute that a form does not name has its default in what is found, so that no rewrite passes
over one by accident.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from enum import Enum
from functools import cache, cached_property, partial
from itertools import repeat
from operator import call
from typing import Any

from ..model import Model, Operation, Value
from ..operator import Operator
from ..ops import binary, unary
from ..records import dataclass
from .rewrite import Pass, number, only_reader, sweep


class Wildcard(Enum):
    """`ANY` attribute, all `ANY` attributes, or `ANY` operands."""

    ANY = "any"


ANY = Wildcard.ANY


@dataclass(frozen=True)
class Match:
    """What the names of a form stand for: values of variables, operations of nodes."""

    names: Mapping[str, Value | Operation] = field(default_factory=dict)

    def bind(self, name: str | None, found: Value | Operation) -> Match | None:
        """The match with one name more; None where that name stands for something else."""
        if name is None:
            return self
        if name in self.names:
            return self if self.names[name] is found else None
        return Match({**self.names, name: found})


Next = Callable[[Match], Match | None]
"""What is still to be found, once a form is: the match of all, or None to look further."""

Test = Callable[[Value | None], bool]


class Form(ABC):
    """What a value must look like."""

    @abstractmethod
    def find(self, value: Value | None, match: Match, then: Next) -> Match | None:
        """The first way in which `value` has this form and that `then` takes: what `then` makes of
        `match` with what this form adds. None where there is no such way."""

    @property
    @abstractmethod
    def roots(self) -> frozenset[Operator[Any]] | None:
        """The operators that may make such a value; None where any may."""

    @cached_property
    @abstractmethod
    def may_be(self) -> Test:
        """Whether a value has this form, whatever its names stand for: quicker than `find`."""

    @property
    def counts_readers(self) -> bool:
        """Whether it depends on who reads a value."""
        return False

    def __or__(self, other: Form) -> Form:
        mine = self.forms if isinstance(self, OneOf) else (self,)
        return OneOf((*mine, other))

    def __add__(self, other: Form | float) -> Form:
        return node(binary.add, self, _form(other))

    def __sub__(self, other: Form | float) -> Form:
        return node(binary.sub, self, _form(other))

    def __mul__(self, other: Form | float) -> Form:
        return node(binary.mul, self, _form(other))

    def __truediv__(self, other: Form | float) -> Form:
        return node(binary.div, self, _form(other))

    def __neg__(self) -> Form:
        return node(unary.neg, self)


@dataclass(frozen=True)
class Variable(Form):
    """Any value for which `where` holds; the same name stands for the same value."""

    name: str
    where: Callable[[Value], bool] = lambda value: True

    def find(self, value: Value | None, match: Match, then: Next) -> Match | None:
        if value is None or not self.where(value):
            return None
        bound = match.bind(self.name, value)
        return None if bound is None else then(bound)

    @cached_property
    def may_be(self) -> Test:
        where = self.where
        return lambda value: value is not None and where(value)

    @property
    def roots(self) -> None:
        return None


@dataclass(frozen=True)
class Number(Form):
    """A constant of one element, at most `tolerance` (relative) away from `value`."""

    value: float
    tolerance: float = 1e-3
    """Files in half precision have their constants this far off."""

    def find(self, value: Value | None, match: Match, then: Next) -> Match | None:
        return then(match) if self.may_be(value) else None

    @cached_property
    def may_be(self) -> Test:
        def is_near(value: Value | None) -> bool:
            found = number(value)
            return found is not None and math.isclose(found, self.value, rel_tol=self.tolerance)

        return is_near

    @property
    def roots(self) -> frozenset[Operator[Any]]:
        return frozenset()


@dataclass(frozen=True)
class OneOf(Form):
    """A value of one of several forms."""

    forms: tuple[Form, ...]

    def find(self, value: Value | None, match: Match, then: Next) -> Match | None:
        for form in self._candidates(value):
            found = form.find(value, match, then)
            if found is not None:
                return found
        return None

    @cached_property
    def may_be(self) -> Test:
        by_root: dict[Operator[Any], list[Test]] = {}
        every = [form.may_be for form in self.forms]

        def is_one(value: Value | None) -> bool:
            if value is None or value.producer is None:
                return any(map(call, every, repeat(value)))
            tests = by_root.get(value.producer.operator)
            if tests is None:
                tests = [form.may_be for form in self._candidates(value)]
                by_root[value.producer.operator] = tests
            return any(map(call, tests, repeat(value)))

        return is_one

    def _candidates(self, value: Value | None) -> Sequence[Form]:
        """The forms that a value may have by the operator that makes it."""
        if value is None or value.producer is None:
            return self.forms
        operator = value.producer.operator
        found = self._by_root.get(operator)
        if found is None:
            found = [f for f in self.forms if f.roots is None or operator in f.roots]
            self._by_root[operator] = found
        return found

    @cached_property
    def _by_root(self) -> dict[Operator[Any], list[Form]]:
        return {}

    @cached_property
    def roots(self) -> frozenset[Operator[Any]] | None:
        found: set[Operator[Any]] = set()
        for form in self.forms:
            if form.roots is None:
                return None
            found |= form.roots
        return frozenset(found)

    @property
    def counts_readers(self) -> bool:
        return any(f.counts_readers for f in self.forms)


@dataclass(frozen=True)
class Node(Form):
    """The only output of an operation; `node` makes one."""

    operators: frozenset[Operator[Any]] | None
    operands: tuple[Form, ...]
    has_more: bool
    name: str | None
    alone: bool
    attributes: Mapping[str, Any] | Wildcard

    @property
    def roots(self) -> frozenset[Operator[Any]] | None:
        return self.operators

    def find(self, value: Value | None, match: Match, then: Next) -> Match | None:
        made = None if value is None else value.producer
        if value is None or made is None or not self._fits(made):
            return None
        if self.alone and only_reader(value) is None:
            return None
        bound = match.bind(self.name, made)
        if bound is None:
            return None
        found = self._each(0, made.inputs, then, bound)
        if found is None and made.operator.commutes and self.operands:
            found = self._each(0, made.inputs[::-1], then, bound)
        return found

    @cached_property
    def may_be(self) -> Test:
        tests = [form.may_be for form in self.operands]

        def may_read(values: tuple[Value | None, ...]) -> bool:
            return len(values) >= len(tests) and all(map(call, tests, values))

        def may_make(value: Value | None) -> bool:
            made = None if value is None else value.producer
            if made is None or not self._fits(made):
                return False
            values = made.inputs
            return may_read(values) or (made.operator.commutes and may_read(values[::-1]))

        return may_make

    @property
    def counts_readers(self) -> bool:
        return self.alone or any(f.counts_readers for f in self.operands)

    def _each(
        self, start: int, values: tuple[Value | None, ...], then: Next, match: Match
    ) -> Match | None:
        """As `find`, of the operands from `start` on."""
        if start == len(self.operands):
            is_whole = self.has_more or all(v is None for v in values[start:])
            return then(match) if is_whole else None
        if start >= len(values):
            return None
        rest = partial(self._each, start + 1, values, then)
        return self.operands[start].find(values[start], match, rest)

    def _fits(self, operation: Operation) -> bool:
        operator = operation.operator
        if self.operators is not None and operator not in self.operators:
            return False
        if len(operation.outputs) != 1:
            return False
        wanted = self._wanted.get(operator)
        if wanted is None:
            wanted = self._wanted[operator] = self._want(operator)
        return wanted.items() <= operation.attributes.items()

    @cached_property
    def _wanted(self) -> dict[Operator[Any], Mapping[str, Any]]:
        """The attributes that operations of an operator must have, of those met so far."""
        return {}

    def _want(self, operator: Operator[Any]) -> Mapping[str, Any]:
        if isinstance(self.attributes, Wildcard):
            return {}
        all_of_it = {n: self.attributes.get(n, v) for n, v in operator.attributes.items()}
        return {n: v for n, v in all_of_it.items() if v is not ANY}


def node(
    operators: Operator[Any] | Collection[Operator[Any]] | Wildcard,
    *operands: Form | Wildcard,
    name: str | None = None,
    alone: bool = False,
    attributes: Mapping[str, Any] | Wildcard | None = None,
) -> Node:
    """The form of what one operation of `operators` makes of `operands`; a last `ANY` stands for
    whatever follows.

    Operands of an operator that commutes may stand the other way round. `alone`: nothing else
    reads it, and it is no output of the model. `attributes` that are not named have their
    defaults; each, or all of them, may be `ANY`.
    """
    named: frozenset[Operator[Any]] | None
    if isinstance(operators, Wildcard):
        named = None
    else:
        named = frozenset([operators] if isinstance(operators, Operator) else operators)
    forms = tuple(o for o in operands if isinstance(o, Form))
    given = attributes if attributes is not None else {}
    return Node(named, forms, operands[-1:] == (ANY,), name, alone, given)


def _form(given: Form | float) -> Form:
    return given if isinstance(given, Form) else Number(float(given))


def rule(
    form: Form,
    *,
    where: Callable[..., bool] | None = None,
    requires: tuple[Pass, ...] = (),
) -> Callable[[Callable[..., Value]], Pass]:
    """Decorator: a pass that puts what the function makes in place of every value of `form`.

    The parameters of the function, and of the condition `where`, are the names of the form that
    they take; `result` is the value that is replaced. The pass ensures that no value is left that
    it would replace.
    """

    def make(function: Callable[..., Value]) -> Pass:
        engine = Engine(form, where or (lambda: True), function)
        made = Pass(function.__name__, engine, lambda m: not engine.finds(m), requires)
        object.__setattr__(made, "__doc__", function.__doc__)
        return made

    return make


@cache
def _parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


class Engine:
    """Replaces the values of a form, until none is left."""

    def __init__(
        self, form: Form, where: Callable[..., bool], replacement: Callable[..., Value]
    ) -> None:
        self.form, self.where, self.replacement = form, where, replacement

    def __call__(self, model: Model) -> bool:
        changed, again = self._replace_all(model)
        while again:
            _, again = self._replace_all(model)
        return changed

    def finds(self, model: Model) -> bool:
        """Whether there is something to replace."""
        return any(self._match(o) is not None for o in self._among(model.operations))

    def _among(self, operations: list[Operation]) -> list[Operation]:
        """The operations that may give a value of the form."""
        roots = self.form.roots
        return operations if roots is None else [o for o in operations if o.operator in roots]

    def _replace_all(self, model: Model) -> tuple[bool, bool]:
        """Go through the operations once; whether something was replaced, and whether there may be
        more. Producers come first, so that only what is new, or has lost readers, may have the form
        afterwards.
        """
        changed = False
        if not any(map(self._may_match, self._among(model.operations))):
            return False, False
        before = len(model.operations)
        for operation in self._among(model.sorted()):
            match = self._match(operation)
            if match is None:
                continue
            model.origin = operation.origin
            try:
                model.replace(operation.outputs[0], self._call(self.replacement, match))
            finally:
                model.origin = None
            changed = True
        again = changed and (len(model.operations) > before or self.form.counts_readers)
        if changed:
            sweep(model)
        return changed, again

    def _may_match(self, operation: Operation) -> bool:
        return self.form.may_be(operation.outputs[0])

    def _match(self, operation: Operation) -> Match | None:
        result = operation.outputs[0]
        if not self.form.may_be(result):
            return None
        return self.form.find(result, Match({"result": result}), self._allow)

    def _allow(self, match: Match) -> Match | None:
        return match if self._call(self.where, match) else None

    def _call(self, function: Callable[..., Any], match: Match) -> Any:
        return function(**{n: match.names[n] for n in _parameters_of(function)})
