"""Dimensions: an int, or an expression over named symbols in a canonical form.

An expression is an integer polynomial over atoms; an atom is a symbol or a floor division, a
remainder, a minimum or a maximum of two dimensions. Equal things compare equal, and `str` prints
what `parse` reads.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TypeAlias

from .errors import BadFile


@dataclass(frozen=True, slots=True, order=True)
class Symbol:
    """A named size, known only while running."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Call:
    """`kind` of two dimensions, where at least one is symbolic."""

    kind: str
    left: Dim
    right: Dim

    def __str__(self) -> str:
        if self.kind in ("min", "max"):
            return f"{self.kind}({self.left}, {self.right})"
        return f"(({self.left}) {self.kind} ({self.right}))"


Atom: TypeAlias = Symbol | Call
Monomial: TypeAlias = tuple[Atom, ...]
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "//": operator.floordiv,
    "%": operator.mod,
    "min": min,
    "max": max,
}


class Expr:
    """A polynomial with at least one symbol; made by `symbol` and by arithmetic, never directly."""

    __slots__ = ("__dict__", "terms")

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms

    @cached_property
    def text(self) -> str:
        return " + ".join(_term(m, c) for m, c in self.terms).replace("+ -", "- ")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expr) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __add__(self, other: Dim) -> Dim:
        return _build([*self.terms, *_terms(other)])

    def __mul__(self, other: Dim) -> Dim:
        return _build([(m + n, c * d) for m, c in self.terms for n, d in _terms(other)])

    def __neg__(self) -> Dim:
        return self * -1

    def __sub__(self, other: Dim) -> Dim:
        return self + -other

    def __rsub__(self, other: Dim) -> Dim:
        return -self + other

    def __floordiv__(self, other: Dim) -> Dim:
        return _divide(self, other)

    def __rfloordiv__(self, other: Dim) -> Dim:
        return _divide(other, self)

    def __mod__(self, other: Dim) -> Dim:
        return _remainder(self, other)

    def __rmod__(self, other: Dim) -> Dim:
        return _remainder(other, self)

    __radd__ = __add__
    __rmul__ = __mul__


Dim: TypeAlias = int | Expr


def symbol(name: str) -> Expr:
    """The dimension called `name`."""
    return Expr((((Symbol(name),), 1),))


def minimum(a: Dim, b: Dim) -> Dim:
    """The smaller of two sizes."""
    return _call("min", *sorted((a, b), key=str))


def maximum(a: Dim, b: Dim) -> Dim:
    """The larger of two sizes."""
    return _call("max", *sorted((a, b), key=str))


def ceil_div(a: Dim, b: Dim) -> Dim:
    """The quotient rounded up."""
    return -((-a) // b)


def product(dims: Iterable[Dim]) -> Dim:
    """All sizes multiplied."""
    return reduce(operator.mul, dims, 1)


def symbols_of(dim: Dim) -> set[str]:
    """The names that occur in a dimension."""
    if not isinstance(dim, Expr):
        return set()
    atoms = [a for m, _ in dim.terms for a in m]
    inner = (symbols_of(a.left) | symbols_of(a.right) for a in atoms if isinstance(a, Call))
    return {a.name for a in atoms if isinstance(a, Symbol)}.union(*inner)


def evaluate(dim: Dim, sizes: Mapping[str, Dim]) -> Dim:
    """Replace symbols by what `sizes` says; the others stay."""
    if not isinstance(dim, Expr):
        return dim
    parts: list[Dim] = []
    for monomial, factor in dim.terms:
        parts.append(product([factor, *(_atom_value(a, sizes) for a in monomial)]))
    return reduce(operator.add, parts, 0)


def parse(text: str) -> Dim:
    """Read what `str` of a dimension printed; BadFile for anything else."""
    if len(text) > 10_000:
        raise BadFile("a dimension of more than 10000 characters")
    try:
        return _read(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, ZeroDivisionError):
        raise BadFile(f"{text[:80]!r} is not a dimension") from None


def name_dim(text: str) -> Dim:
    """The dimension that a framework calls `text`: an expression of ours, else one symbol."""
    try:
        return parse(text)
    except BadFile:
        return symbol(re.sub(r"\W", "_", text) or "_")


def _term(monomial: Monomial, factor: int) -> str:
    atoms = "*".join(map(str, monomial))
    if not monomial:
        return str(factor)
    return atoms if factor == 1 else f"-{atoms}" if factor == -1 else f"{factor}*{atoms}"


def _terms(dim: Dim) -> tuple[tuple[Monomial, int], ...]:
    return dim.terms if isinstance(dim, Expr) else (((), int(dim)),)


def _build(terms: Iterable[tuple[Monomial, int]]) -> Dim:
    total: dict[Monomial, int] = {}
    for monomial, factor in terms:
        key = tuple(sorted(monomial, key=str))
        total[key] = total.get(key, 0) + factor
    if len(total) > 1000:
        raise ValueError("a dimension of more than 1000 terms")
    kept = sorted(((m, c) for m, c in total.items() if c), key=lambda t: (not t[0], str(t[0])))
    if not any(m for m, _ in kept):
        return kept[0][1] if kept else 0
    return Expr(tuple(kept))


def _cancel(dim: Dim, by: Dim) -> Dim | None:
    """`dim / by` where the one-term `by` divides every term exactly, else None."""
    divisor = _terms(by)
    if len(divisor) != 1 or not divisor[0][1]:
        return None
    (atoms, factor), result = divisor[0], []
    for monomial, c in _terms(dim):
        rest = list(monomial)
        if c % factor or any(a not in rest or rest.remove(a) for a in atoms):
            return None
        result.append((tuple(rest), c // factor))
    return _build(result)


def _divide(a: Dim, b: Dim) -> Dim:
    whole = 1 if a == b else _cancel(a, b)
    if whole is not None:
        return whole
    if isinstance(b, int) and b > 0:  # (k*b*x + r) // b is k*x + r // b
        exact = _build([(m, c // b) for m, c in _terms(a) if c % b == 0])
        rest = _build([(m, c) for m, c in _terms(a) if c % b])
        return exact + _call("//", rest, b)
    return _call("//", a, b)


def _remainder(a: Dim, b: Dim) -> Dim:
    if a == b or _cancel(a, b) is not None:
        return 0
    if isinstance(b, int) and b > 0:
        a = _build([(m, c % b) for m, c in _terms(a)])
    return _call("%", a, b)


def _call(kind: str, a: Dim, b: Dim) -> Dim:
    if not isinstance(a, Expr) and not isinstance(b, Expr):
        return OPERATIONS[kind](a, b)
    if kind in ("min", "max") and a == b:
        return a
    return Expr((((Call(kind, a, b),), 1),))


def _atom_value(atom: Atom, sizes: Mapping[str, Dim]) -> Dim:
    if isinstance(atom, Symbol):
        return sizes.get(atom.name, Expr((((atom,), 1),)))
    return _apply(atom.kind, evaluate(atom.left, sizes), evaluate(atom.right, sizes))


def _apply(kind: str, a: Dim, b: Dim) -> Dim:
    match kind:
        case "//":
            return a // b
        case "%":
            return a % b
        case "min":
            return minimum(a, b)
    return maximum(a, b)


def _read(node: ast.expr) -> Dim:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            return symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _read(left) + _read(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _read(left) - _read(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _read(left) * _read(right)
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return _read(left) // _read(right)
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            return _read(left) % _read(right)
        case ast.Call(func=ast.Name(id="min" | "max" as kind), args=[left, right], keywords=[]):
            return _apply(kind, _read(left), _read(right))
    raise ValueError(f"not a dimension: {ast.dump(node)[:80]}")
