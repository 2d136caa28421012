"""Complex numbers as pairs of real ones, for devices that have none.

Every complex value of a model becomes a real one with an axis more, the last: real part, imaginary
part. What complex numbers were made of and what they become is real already, so that nothing is
left of VIEW_AS_COMPLEX and the like.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..broadcast import axes_of, axis_of, ints
from ..errors import NNAdapterError, NoLowering, Refusal
from ..model import Model, Operation, Value
from ..operator import Operator
from ..ops import binary, compare, complex, generate, index, linear, logic, reduce, shape, unary
from ..ops.unary import COMPLEX
from ..refusals import refusal_of
from ..state import State
from ..types import Precision, TensorType

Operands = Sequence[Any]
"""Operands of an operation after the rewrite: pairs for complex ones, None for absent ones."""

Rule = Callable[[Operation, Operands], Any]
RULES: dict[Operator[Any], Rule] = {}
LONGEST = 4
"""Operands of an EINSUM of complex numbers: as many products as two to their power."""


def _is_complex(value: Value | None) -> bool:
    return value is not None and value.precision.is_complex


def type_of_pairs(value: Value) -> TensorType:
    """The type of a value after the rewrite."""
    kind = COMPLEX.get(value.precision)
    return value.type if kind is None else TensorType(kind, (*value.shape, 2))


def parts_of(array: np.ndarray) -> np.ndarray:
    """Complex numbers as pairs of real ones; other numbers as they are."""
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


class Rewriter:
    """Builds the new model; `require_known` maps the values of the old one."""

    def __init__(self, model: Model) -> None:
        self.old = model
        self.new = Model(model.name, model.outer)
        self.new.symbols = dict(model.symbols)
        self.new.metadata = dict(model.metadata)
        self.new.provenance = replace(model.provenance, outputs={})
        self.known: dict[Value, Value] = {}
        self.problems: Counter[str] = Counter()
        self.refusals: list[Refusal] = []

    def run(self) -> Model:
        for value in self.old.inputs:
            self.known[value] = self.new.input(value.name or "", type_of_pairs(value))
        for operation in self.old.sorted():
            self.rewrite(operation)
        if self.problems:
            rows = "; ".join(f"{text} (x{n})" for text, n in self.problems.items())
            error = NoLowering(f"no pairs of real numbers for {rows}")
            error.refusals = tuple(self.refusals)
            raise error
        self.new.outputs = [self.value(v) for v in self.old.outputs]
        self.new.output_names = [n for n, _ in self.old.named_outputs()]
        self.new.states = [State(s.name, parts_of(s.initial)) for s in self.old.states]
        return self.new

    def value(self, value: Value) -> Value:
        if value not in self.known:
            array = value.constant
            if array is None:
                raise NoLowering(f"{value!r} is read before it is made")
            self.known[value] = self.new.constant(parts_of(array), name=value.name)
        return self.known[value]

    def rewrite(self, operation: Operation) -> None:
        values = [v for v in (*operation.inputs, *operation.outputs) if v is not None]
        problem = f"{operation.operator.name} of {', '.join(str(v.type) for v in values[:2])}"
        self.new.origin = operation.origin
        try:
            made = self.made(operation, values)
        except NNAdapterError as error:
            text = f"{problem} ({error})" if str(error) else problem
            self.problems[text] += 1
            self.refusals.append(refusal_of(f"no pairs of real numbers for {text}", operation))
            made = [self.stand_in(v) for v in operation.outputs]
        self.new.origin = None
        for old, new in zip(operation.outputs, made, strict=True):
            new.name = new.name or old.name
            self.known[old] = new

    def made(self, operation: Operation, values: Sequence[Value]) -> Sequence[Value]:
        inputs = tuple(None if v is None else self.value(v) for v in operation.inputs)
        if not any(map(_is_complex, values)):
            return self.new.append(operation.operator, inputs, operation.attributes)
        rule = RULES.get(operation.operator)
        if rule is None:
            raise NoLowering
        found = rule(operation, inputs)
        return found if isinstance(found, tuple) else (found,)

    def stand_in(self, value: Value) -> Value:
        """Something of the right type, so that what comes after can be looked at too."""
        return Value(self.new, type_of_pairs(value))


def rule(*operators: Operator[Any]) -> Callable[[Rule], Rule]:
    """Decorator: how operations on complex numbers are done with pairs."""

    def add(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(operators, function))
        return function

    return add


def part(pairs: Value, which: int) -> Value:
    """The real (0) or imaginary (1) parts."""
    return index.gather(pairs, pairs.model.constant(np.int64(which)), axis=-1)


def both(real: Value, imag: Value) -> Value:
    """Pairs of two tensors of one shape."""
    return shape.stack(real, imag, axis=real.rank)


def is_not_zero(pairs: Value) -> Value:
    """Whether either part is not 0."""
    real, imag = (compare.not_equal(part(pairs, k), 0) for k in (0, 1))
    return logic.or_(real, imag)


def rank_of(operation: Operation, which: int = 0) -> int:
    """The rank of an operand before the rewrite."""
    value = operation.inputs[which]
    return 0 if value is None else value.rank


def require_known(value: Value | None) -> tuple[int, ...] | None:
    """Positions or sizes that a rule must know."""
    found = ints(value)
    if value is not None and found is None:
        raise NoLowering("with axes that are only known while running")
    return found


def longer(numbers: Value, *more: int) -> Value:
    """A vector of sizes with some more at its end."""
    if numbers.known is not None:
        return numbers.model.constant(np.append(numbers.known.reshape(-1), more).astype(np.int64))
    flat = shape.reshape(numbers, [-1]) if numbers.rank != 1 else numbers
    whole = unary.cast(flat, dtype=Precision.INT64) if flat.precision != Precision.INT64 else flat
    return shape.concat(whole, flat.model.constant(np.array(more, np.int64)), axis=0)


@rule(complex.complex_to_pairs, complex.pairs_to_complex, unary.assign)
def _same(operation: Operation, x: Operands) -> Any:
    return x[0]


@rule(complex.complex_)
def _complex(operation: Operation, x: Operands) -> Any:
    if x[0].shape == x[1].shape:
        return both(x[0], x[1])
    size = operation.outputs[0]
    if not size.is_static:
        raise NoLowering("which are broadcast")
    return both(*(shape.expand(v, list(size.shape)) for v in x))


@rule(complex.polar)
def _polar(operation: Operation, x: Operands) -> Any:
    return both(*(x[0] * f(x[1]) for f in (unary.cos, unary.sin)))


@rule(complex.real)
def _real(operation: Operation, x: Operands) -> Any:
    return part(x[0], 0)


@rule(complex.imag)
def _imag(operation: Operation, x: Operands) -> Any:
    return part(x[0], 1)


@rule(complex.conj)
def _conj(operation: Operation, x: Operands) -> Any:
    return x[0] * x[0].model.constant([1, -1], x[0].dtype)


@rule(binary.add, binary.sub, unary.neg)
def _each(operation: Operation, x: Operands) -> Any:
    return operation.operator(*x)


def product(x: Value, y: Value) -> Value:
    """x * re(y) + i x * im(y)."""
    re, im = (index.gather(y, [k], axis=-1) for k in (0, 1))
    turned = index.gather(x, [1, 0], axis=-1)
    signed = im * y.model.constant([-1, 1], y.dtype)
    return x * re + turned * signed


@rule(binary.mul)
def _mul(operation: Operation, x: Operands) -> Any:
    return product(x[0], x[1])


@rule(unary.square)
def _square(operation: Operation, x: Operands) -> Any:
    return product(x[0], x[0])


@rule(unary.cast)
def _cast(operation: Operation, x: Operands) -> Any:
    """A real number has no imaginary part, and a complex one loses it."""
    to = operation.attributes["dtype"]
    kind = COMPLEX.get(to, to)
    if not _is_complex(operation.inputs[0]):
        real = unary.cast(x[0], dtype=kind)
        return both(real, generate.fill_like(real, real.model.constant(0, real.dtype)))
    if to.is_complex:
        return unary.cast(x[0], dtype=kind)
    if to == Precision.BOOL8:
        return is_not_zero(x[0])
    return unary.cast(part(x[0], 0), dtype=to)


@rule(linear.mat_mul)
def _mat_mul(operation: Operation, x: Operands) -> Any:
    (a, b), (c, d) = ([part(v, k) for k in (0, 1)] for v in x)
    p, q, r, s = (
        linear.mat_mul(left, right, **operation.attributes)
        for left, right in ((a, c), (b, d), (a, d), (b, c))
    )
    return both(p - q, r + s)


@rule(linear.einsum)
def _einsum(operation: Operation, x: Operands) -> Any:
    """The sum over all ways to take the real or the imaginary part of each operand."""
    if len(x) > LONGEST:
        raise NoLowering(f"{len(x)} operands")
    sums: list[Any] = [None, None]
    for chosen in itertools.product((0, 1), repeat=len(x)):
        parts = [part(v, k) for v, k in zip(x, chosen, strict=True)]
        term = linear.einsum(*parts, **operation.attributes)
        which, negative = sum(chosen) % 2, sum(chosen) % 4 > 1
        if sums[which] is None:
            sums[which] = -term if negative else term
        else:
            sums[which] = (binary.sub if negative else binary.add)(sums[which], term)
    return both(*sums)


@rule(shape.reshape, shape.reshape_exact, shape.expand)
def _call_with_size(operation: Operation, x: Operands) -> Any:
    return operation.operator(x[0], longer(x[1], 2))


@rule(shape.tile)
def _tile(operation: Operation, x: Operands) -> Any:
    return shape.tile(x[0], longer(x[1], 1))


@rule(shape.transpose)
def _transpose(operation: Operation, x: Operands) -> Any:
    rank = rank_of(operation)
    perm = operation.attributes["perm"] or tuple(range(rank))[::-1]
    return shape.transpose(x[0], perm=(*axes_of(perm, rank), rank))


@rule(shape.concat)
def _concat(operation: Operation, x: Operands) -> Any:
    return shape.concat(*x, axis=axis_of(operation.attributes["axis"], rank_of(operation)))


@rule(shape.stack)
def _stack(operation: Operation, x: Operands) -> Any:
    axis = axis_of(operation.attributes["axis"], rank_of(operation), extra=1)
    return shape.stack(*x, axis=axis)


@rule(shape.split)
def _split(operation: Operation, x: Operands) -> Any:
    return shape.split(*x, axis=axis_of(operation.attributes["axis"], rank_of(operation)))


@rule(shape.unstack)
def _unstack(operation: Operation, x: Operands) -> Any:
    axis = axis_of(operation.attributes["axis"], rank_of(operation))
    return shape.unstack(x[0], axis=axis, num=operation.attributes["num"])


@rule(shape.squeeze)
def _squeeze(operation: Operation, x: Operands) -> Any:
    given = operation.inputs[0]
    own = () if given is None else given.shape
    axes = require_known(x[1]) or tuple(k for k, d in enumerate(own) if d == 1)
    return shape.squeeze(x[0], list(axes_of(axes, len(own)))) if axes else x[0]


@rule(shape.unsqueeze)
def _unsqueeze(operation: Operation, x: Operands) -> Any:
    rank, axes = rank_of(operation), []
    for axis in require_known(x[1]) or ():
        axes.append(axis_of(axis, rank, extra=1))
        rank += 1
    return shape.unsqueeze(x[0], axes)


@rule(shape.flatten)
def _flatten(operation: Operation, x: Operands) -> Any:
    rank = rank_of(operation)
    if not rank:
        return shape.unsqueeze(x[0], [0])
    ends = (axis_of(operation.attributes[n], rank) for n in ("start_axis", "end_axis"))
    first, last = ends
    return shape.flatten(x[0], start_axis=first, end_axis=last)


@rule(shape.pad)
def _pad(operation: Operation, x: Operands) -> Any:
    value, mode = operation.inputs[2], operation.attributes["mode"]
    if value is None or (value.constant is not None and not np.any(value.constant)):
        return shape.pad(x[0], longer(x[1], 0, 0), mode=mode)
    return both(*(shape.pad(part(x[0], k), x[1], part(x[2], k), mode=mode) for k in (0, 1)))


@rule(index.gather)
def _gather(operation: Operation, x: Operands) -> Any:
    return index.gather(*x, axis=axis_of(operation.attributes["axis"], rank_of(operation)))


@rule(index.gather_nd, index.scatter_nd)
def _vectors(operation: Operation, x: Operands) -> Any:
    """Positions are vectors over the first axes, and so they stay."""
    if operation.attributes.get("reduction", "none") not in ("none", "add"):
        raise NoLowering(f"with reduction {operation.attributes['reduction']!r}")
    return operation.operator(*x, **operation.attributes)


@rule(index.slice_)
def _slice(operation: Operation, x: Operands) -> Any:
    axes = require_known(x[1])
    where = None if axes is None else list(axes_of(axes, rank_of(operation)))
    return index.slice_(x[0], where, *x[2:])


@rule(index.roll)
def _roll(operation: Operation, x: Operands) -> Any:
    if x[2] is None:
        raise NoLowering("without axes")
    return index.roll(x[0], x[1], list(axes_of(require_known(x[2]) or (), rank_of(operation))))


@rule(compare.where)
def _where(operation: Operation, x: Operands) -> Any:
    return compare.where(shape.unsqueeze(x[0], [x[0].rank]), x[1], x[2])


@rule(generate.fill)
def _fill(operation: Operation, x: Operands) -> Any:
    return shape.expand(shape.reshape(x[1], [2]), longer(x[0], 2))


@rule(generate.fill_like)
def _fill_like(operation: Operation, x: Operands) -> Any:
    if _is_complex(operation.inputs[0]):
        raise NoLowering("like complex numbers")
    size = shape.shape(x[0], dtype=Precision.INT64)
    return shape.expand(shape.reshape(x[1], [2]), longer(size, 2))


@rule(reduce.reduce_sum, reduce.reduce_mean)
def _reduce(operation: Operation, x: Operands) -> Any:
    rank = rank_of(operation)
    axes = axes_of(require_known(x[1]) or (), rank) or tuple(range(rank))
    if not axes:
        return x[0]
    return operation.operator(x[0], list(axes), keepdim=operation.attributes["keepdim"])
