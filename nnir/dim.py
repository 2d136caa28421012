"""Dimensions: an int, or an expression over named symbols in a canonical form.

An expression is an integer polynomial over atoms; an atom is a symbol or a floor division, a
remainder, a minimum or a maximum of two dimensions (a remainder by an int is x - n * (x // n)).
Symbols are sizes: none is negative, and none that divides is 0. Equal things compare equal, and
`str` prints what `nnir.notation` reads.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, reduce
from typing import TypeAlias

from .errors import BadInput, Unsupported
from .records import dataclass


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

    @property
    def dims(self) -> tuple[Dim, Dim]:
        return self.left, self.right

    def __str__(self) -> str:
        if self.kind in ("min", "max"):
            return f"{self.kind}({self.left}, {self.right})"
        return f"({_operand(self.left)} {self.kind} {_operand(self.right)})"


Atom: TypeAlias = Symbol | Call
Monomial: TypeAlias = tuple[Atom, ...]
LARGEST = 600
"""So many parts an expression may have: its text and every step of arithmetic stay short."""

DEEPEST = 50
FARTHEST = 1 << 64
SEARCHED = 100
DEPTH = 3
MANY = 4
"""What `is_natural` and `_quotient` try: of so many parts, so deep, so many bounds or terms."""
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "//": operator.floordiv,
    "%": operator.mod,
    "min": min,
    "max": max,
}


class Expr:
    """A polynomial with at least one symbol; made by `symbol` and by arithmetic, never directly."""

    __slots__ = ("__dict__", "depth", "size", "terms")

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        inner = [d for m, _ in terms for a in m if isinstance(a, Call) for d in a.dims]
        self.size: int = sum(1 + len(m) for m, _ in terms) + sum(map(_size, inner))
        self.depth: int = 1 + max((d.depth for d in inner if isinstance(d, Expr)), default=0)
        if self.size > LARGEST or self.depth > DEEPEST:
            raise Unsupported(f"a dimension of more than {LARGEST} parts")

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
        if type(other) is int and other == 1:
            return self
        if self.size * _size(other) > LARGEST * 20:
            raise Unsupported(f"a dimension of more than {LARGEST} parts")
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


def differ(a: Dim, b: Dim) -> bool:
    """Whether two sizes are known and not the same."""
    return type(a) is type(b) is int and a != b


def minimum(a: Dim, b: Dim) -> Dim:
    """The smaller of two sizes: just one of them where it is known which one."""
    if is_natural(b - a):
        return a
    return b if is_natural(a - b) else _call("min", *sorted((a, b), key=str))


def maximum(a: Dim, b: Dim) -> Dim:
    """The larger of two sizes: just one of them where it is known which one."""
    if is_natural(a - b):
        return a
    return b if is_natural(b - a) else _call("max", *sorted((a, b), key=str))


def ceil_div(a: Dim, b: Dim) -> Dim:
    """The quotient rounded up."""
    return (a + (b - 1)) // b if isinstance(b, int) and b > 0 else -((-a) // b)


def is_natural(dim: Dim, depth: int = DEPTH) -> bool:
    """Whether a dimension is surely not negative, given that no symbol is.

    Sums of sizes are. Otherwise each minimum, maximum, quotient and remainder is replaced by its
    bounds, at most `depth` of them, so a False only means that nothing is known.
    """
    if not isinstance(dim, Expr):
        return dim >= 0
    if all(c > 0 and all(map(_is_size, m)) for m, c in dim.terms):
        return True
    if depth == 0 or dim.size > SEARCHED or all(c < 0 for _, c in dim.terms):
        return False
    calls = [(m[0], c) for m, c in dim.terms if len(m) == 1 and isinstance(m[0], Call)]
    bounds = (less for call, c in calls for less in _below(dim, call, c))
    return len(calls) <= MANY and any(all(is_natural(d, depth - 1) for d in b) for b in bounds)


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
    try:
        for monomial, factor in dim.terms:
            parts.append(product([factor, *(_atom_value(a, sizes) for a in monomial)]))
    except ZeroDivisionError:
        raise BadInput(f"the size {dim} divides by zero") from None
    return reduce(operator.add, parts, 0)


def _term(monomial: Monomial, factor: int) -> str:
    atoms = "*".join(map(str, monomial))
    if not monomial:
        return str(factor)
    return atoms if factor == 1 else f"-{atoms}" if factor == -1 else f"{factor}*{atoms}"


def _size(dim: Dim) -> int:
    return dim.size if isinstance(dim, Expr) else 1


def _terms(dim: Dim) -> tuple[tuple[Monomial, int], ...]:
    return dim.terms if isinstance(dim, Expr) else (((), int(dim)),)


def _build(terms: Iterable[tuple[Monomial, int]]) -> Dim:
    total: dict[Monomial, int] = {}
    for monomial, factor in terms:
        key = tuple(sorted(monomial, key=str))
        total[key] = total.get(key, 0) + factor
    if any(abs(c) > FARTHEST for c in total.values()):
        raise Unsupported("a dimension with a factor of more than 64 bits")
    kept = sorted(((m, c) for m, c in total.items() if c), key=lambda t: (not t[0], str(t[0])))
    if not any(m for m, _ in kept):
        return kept[0][1] if kept else 0
    return Expr(tuple(kept))


def _operand(dim: Dim) -> str:
    """A dimension beside an operator."""
    if isinstance(dim, Expr) and len(dim.terms) == 1:
        ((atoms, factor),) = dim.terms
        if factor == 1 and len(atoms) == 1:
            return str(dim)
    return str(dim) if isinstance(dim, int) and dim >= 0 else f"({dim})"


def _is_size(atom: Atom) -> bool:
    """Whether an atom is surely not negative."""
    if isinstance(atom, Symbol):
        return True
    left, right = is_natural(atom.left, 0), is_natural(atom.right, 0)
    match atom.kind:
        case "max":
            return left or right
        case "%":
            return right
    return left and right


def _below(dim: Expr, call: Call, factor: int) -> list[tuple[Dim, ...]]:
    """Ways to show that `dim`, of which `factor * call` is a term, is not negative.

    It is not where none of the dimensions of one tuple is.
    """
    rest = dim - Expr((((call,), factor),))
    by = call.right
    if call.kind in ("min", "max"):
        left, right = rest + factor * call.left, rest + factor * by
        return [(left,), (right,)] if (call.kind == "max") == (factor > 0) else [(left, right)]
    if call.kind == "//" and isinstance(by, int) and by > 0:
        # by * call is left or up to by - 1 less, and a whole number above -1 is not negative
        least = call.left - (by - 1) if factor > 0 else call.left
        return [(rest * by + factor * least + (by - 1),)]
    if call.kind == "%" and isinstance(by, int) and by > 0:
        return [(rest + min(factor, 0) * (by - 1),)]
    return []


def _quotient(a: Dim, b: Dim) -> Dim | None:
    """`a / b` where that is a polynomial, else None; no size in `b` is 0."""
    if a == b:
        return 1
    many = len(_terms(b)) > 1
    if b == 0 or (many and _size(a) + _size(b) > SEARCHED):
        return None
    atoms = sorted({x for m, _ in (*_terms(a), *_terms(b)) for x in m}, key=str)

    def order(term: tuple[Monomial, int]) -> list[int]:
        return [term[0].count(x) for x in atoms]

    found: Dim = 0
    first, factor = max(_terms(b), key=order)
    for _ in range(MANY if many else len(_terms(a))):
        monomial, c = max(_terms(a), key=order)
        rest = _without(monomial, first)
        if c % factor or rest is None:
            return None
        part = _build([(rest, c // factor)])
        found, a = found + part, a - part * b
        if a == 0:
            return found
    return None


def _without(monomial: Monomial, atoms: Monomial) -> Monomial | None:
    """The quotient of two products of atoms, None where one does not divide the other."""
    rest = list(monomial)
    for atom in atoms:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _without_common(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """A fraction without the number and the atoms that all its terms share."""
    terms = [*_terms(a), *_terms(b)]
    shared = terms[0][0]
    for monomial, _ in terms[1:]:
        shared = tuple(
            x for x in set(shared) for _ in range(min(shared.count(x), monomial.count(x)))
        )
    number = math.gcd(*(c for _, c in terms))
    if number == 0:
        return a, b
    left, right = ([(_without(m, shared) or (), c // number) for m, c in _terms(d)] for d in (a, b))
    return _build(left), _build(right)


def _divide(a: Dim, b: Dim) -> Dim:
    whole = _quotient(a, b)
    if whole is not None:
        return whole
    a, b = _without_common(a, b)
    if not isinstance(b, int) or b <= 0:
        return _call("//", a, b)
    parts = [(m, c // b) for m, c in _terms(a) if not m or c % b == 0]
    exact = _build(parts)  # (k*b*x + r) // b is k*x + r // b
    rest = a - exact * b
    if isinstance(rest, Expr) and rest.terms[0][1] < 0:
        return exact - ceil_div(-rest, b)
    if isinstance(rest, Expr) and (inner := _inner_quotient(rest)):
        left, by, offset = inner  # (x // c + d) // b is (x + c*d) // (c*b)
        return exact + (left + by * offset) // (by * b)
    return exact + _call("//", rest, b)


def _inner_quotient(dim: Expr) -> tuple[Dim, int, int] | None:
    """x, c and d of a dimension that is x // c + d."""
    (monomial, factor), *others = dim.terms
    offset = others[0][1] if others and not others[0][0] else 0
    if factor != 1 or len(monomial) != 1 or len(others) > 1 or (others and others[0][0]):
        return None
    atom = monomial[0]
    if isinstance(atom, Call) and atom.kind == "//" and isinstance(atom.right, int):
        return (atom.left, atom.right, offset) if atom.right > 0 else None
    return None


def _remainder(a: Dim, b: Dim) -> Dim:
    if _quotient(a, b) is not None:
        return 0
    return a - b * (a // b) if isinstance(b, int) and b > 0 else _call("%", a, b)


def _call(kind: str, a: Dim, b: Dim) -> Dim:
    if not isinstance(a, Expr) and not isinstance(b, Expr):
        return OPERATIONS[kind](a, b)
    if kind in ("//", "%") and b == 0:
        raise ZeroDivisionError
    if kind in ("min", "max") and a == b:
        return a
    return Expr((((Call(kind, a, b),), 1),))


def _atom_value(atom: Atom, sizes: Mapping[str, Dim]) -> Dim:
    if isinstance(atom, Symbol):
        return sizes.get(atom.name, Expr((((atom,), 1),)))
    return apply_call(atom.kind, evaluate(atom.left, sizes), evaluate(atom.right, sizes))


def apply_call(kind: str, a: Dim, b: Dim) -> Dim:
    """A floor division, remainder, minimum or maximum."""
    match kind:
        case "//":
            return a // b
        case "%":
            return a % b
        case "min":
            return minimum(a, b)
    return maximum(a, b)
