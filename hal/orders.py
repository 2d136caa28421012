"""Results that are stored in any order of their axes, for engines whose images have channels last.

A convolution gives channels last, and what follows works on that until an operation needs the order
that the model says. A TRANSPOSE of the model is no work by itself.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field, replace
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from nnir.broadcast import axes_of
from nnir.dim import Dim, Expr
from nnir.model import Value
from nnir.records import dataclass
from nnir.types import Precision

from .emission import Emission
from .formulas import Formula
from .lowering import Lowerings

Order = tuple[int, ...]
Key = tuple[object, ...]
"""What something that is remembered was made of."""


class Stored(Hashable, Protocol):
    """A tensor of an engine, as far as orders of axes know it."""

    @property
    def precision(self) -> Precision: ...
    @property
    def shape(self) -> tuple[Dim, ...]: ...
    @property
    def data(self) -> np.ndarray | None: ...


T = TypeVar("T", bound=Stored)


class Ordered(Formula):
    """A result whose axis k is axis `order[k]` of the value, as it is stored."""

    order: Order

    @property
    def rank(self) -> int:
        return len(self.order)

    def place(self, axis: int) -> int:
        """Where an axis of the value is stored."""
        return self.order.index(axis % max(self.rank, 1))

    def transposed(self, perm: Sequence[int] | None) -> Self:
        """The value whose axis k is axis `perm[k]` of this one, without `perm` from the last to the
        first: the same tensor, whose axes are called otherwise."""
        axes = axes_of(perm, self.rank) if perm else range(self.rank)[::-1]
        order = tuple(axes.index(a) for a in self.order)
        return replace(self, order=order)  # type: ignore[type-var]  # all are dataclasses

    def swapped(self) -> Self:
        """The last two axes the other way round, which is no work."""
        return self.transposed((*range(self.rank - 2), self.rank - 1, self.rank - 2))


@dataclass(frozen=True, eq=False)
class Ref(Ordered, Generic[T]):
    """A result as it is stored: axis k of `tensor` is axis `order[k]` of the value.

    `precision` is the value's; the tensor holds it in the precision that carries it. `emitter`
    makes the graph that it is in.
    """

    tensor: T
    order: Order
    precision: Precision
    emitter: OrderedEmission[T] = field(repr=False)

    @property
    def shape(self) -> tuple[Dim, ...]:
        """The sizes in the value's order."""
        sizes = self.tensor.shape
        return tuple(sizes[self.order.index(a)] for a in range(len(sizes)))

    @property
    def is_static(self) -> bool:
        """Whether all sizes are known."""
        return not any(isinstance(d, Expr) for d in self.tensor.shape)

    @property
    def constant(self) -> np.ndarray | None:
        """The data in the value's order, where it is known."""
        data = self.tensor.data
        return None if data is None else data.transpose(np.argsort(self.order))

    def stored(self, order: Order) -> Self:
        """The same tensor, which holds the axes of a value in another order."""
        return replace(self, order=order)

    def without(
        self, axes: Sequence[int], *, keepdim: bool = False
    ) -> tuple[tuple[Dim, ...], Order]:
        """The sizes as they are stored, and the order, where axes are reduced; with `keepdim` to a
        size of 1."""
        pairs = list(zip(self.order, self.tensor.shape, strict=True))
        if keepdim:
            return tuple(1 if a in axes else d for a, d in pairs), self.order
        left = [a for a in self.order if a not in axes]
        return tuple(d for a, d in pairs if a in left), tuple(sorted(left).index(a) for a in left)

    def seen_as(self, precision: Precision) -> Self:
        """The same tensor, which stands for another precision."""
        return self if precision == self.precision else replace(self, precision=precision)

    def cast(self, to: Precision) -> Ref[T]:
        """The result in another precision."""
        return self.emitter.cast(self, to)

    def apply(self, symbol: str, *operands: Value | Ref[T] | float) -> Ref[T]:
        """A step by the emitter."""
        return self.emitter.elementwise(self.emitter.SYMBOLS[symbol], *operands)


def identity(rank: int) -> Order:
    """The order of the model itself."""
    return tuple(range(rank))


def channels_last(rank: int) -> Order:
    """N, spatial axes, C; of fewer than two axes as they are."""
    return (0, *range(2, rank), 1)[:rank]


def order_with_ones(order: Order, sizes: Sequence[Dim], target: Sequence[Dim]) -> Order | None:
    """An order of `target` in which what has `sizes` and this order need not be moved.

    None where not only axes of size 1 come and go.
    """
    places = iter([k for k, d in enumerate(target) if d != 1])
    if [d for d in sizes if d != 1] != [d for d in target if d != 1]:
        return None
    renamed = {a: next(places) for a, d in enumerate(sizes) if d != 1}
    kept = [renamed[a] for a in order if a in renamed]
    if kept == sorted(kept):
        return identity(len(target))
    return (*(k for k, d in enumerate(target) if d == 1), *kept)


class OrderedEmission(Emission[Ref[T]]):
    """A program whose results are stored in orders of their own.

    `memo` holds what was made of a tensor already, and `log` in which order, until it is undone.
    `sources` says of which tensor a tensor is a permutation.
    """

    def __init__(
        self, lowerings: Lowerings[Ref[T]], outer: OrderedEmission[T] | None = None
    ) -> None:
        super().__init__(lowerings, outer)
        self.memo: dict[Key, T] = {}
        self.log: list[Key] = []
        self.sources: dict[T, tuple[T, Order]] = {}

    SYMBOLS: Mapping[str, str]
    """The steps that Python's symbols stand for."""

    @abstractmethod
    def cast(self, operand: Value | Ref[T] | None, to: Precision) -> Ref[T]:
        """Another type, left out where nothing changes."""

    @abstractmethod
    def elementwise(self, name: str, *operands: Value | Ref[T] | float | None) -> Ref[T]:
        """A step on operands that broadcast; a number takes the precision beside it."""

    @abstractmethod
    def number(self, value: float, like: Value | Ref[T] | None) -> Ref[T]:
        """One element in the precision in which `like` is stored."""

    def alike(self, *operands: Value | Ref[T] | float | None) -> list[Ref[T]]:
        """Operands, of which numbers take the precision of the first that is none."""
        refs = [o if isinstance(o, (int, float)) else self.take(o) for o in operands]
        like = next(r for r in refs if isinstance(r, Ref))
        return [r if isinstance(r, Ref) else self.number(r, like) for r in refs]

    @abstractmethod
    def permute(self, tensor: T, perm: Order) -> T:
        """A tensor whose axis k is axis `perm[k]` of another."""

    @abstractmethod
    def reshape(self, operand: Value | Ref[T] | None, shape: Sequence[Dim]) -> Ref[T]:
        """The elements in the order of the model in another shape."""

    def remember(self, key: Key, tensor: T) -> None:
        """Keep what was made, until it is undone."""
        self.memo[key] = tensor
        self.log.append(key)

    def forget(self, since: int) -> None:
        """Drop what was remembered since a place in the log."""
        for key in self.log[since:]:
            self.memo.pop(key, None)
        del self.log[since:]

    def plain(self, operand: Value | Ref[T] | None) -> Ref[T]:
        """The result in the order of the model."""
        ref = self.take(operand)
        return self.ordered(ref, identity(ref.rank))

    def ordered(self, operand: Value | Ref[T] | None, order: Order) -> Ref[T]:
        """The result with its axes stored in `order`."""
        ref = self.take(operand)
        if ref.order == order:
            return ref
        perm = tuple(ref.order.index(a) for a in order)
        tensor = ref.tensor
        if tensor in self.sources:
            tensor, before = self.sources[tensor]
            perm = tuple(before[p] for p in perm)
        if perm == identity(len(perm)):
            return Ref(tensor, order, ref.precision, self)
        key = (tensor, "order", perm)
        if key not in self.memo:
            made = self.permute(tensor, perm)
            self.remember(key, made)
            self.sources[made] = (tensor, perm)
        return Ref(self.memo[key], order, ref.precision, self)

    def last(self, operand: Value | Ref[T] | None, axis: int) -> Ref[T]:
        """The result with one axis stored last, the others in any order."""
        ref = self.take(operand)
        place = axis % ref.rank
        if ref.order[-1] == place:
            return ref
        if place == ref.rank - 1:
            return self.plain(ref)
        return self.ordered(ref, (*(a for a in ref.order if a != place), place))

    def aligned(self, *operands: Value | Ref[T] | float | None) -> tuple[list[Ref[T]], Order]:
        """Operands that broadcast, all stored in one order of the axes of the result."""
        refs = self.alike(*operands)
        rank = max(r.rank for r in refs)
        order = self._common(refs, rank)
        return [self.broadcastable(r, order) for r in refs], order

    def _common(self, refs: Sequence[Ref[T]], rank: int) -> Order:
        """The order in which most elements are stored already."""
        votes: dict[Order, int] = {}
        for ref in refs:
            if ref.rank == rank and ref.tensor.data is None:
                size = math.prod(d if isinstance(d, int) else 64 for d in ref.tensor.shape)
                votes[ref.order] = votes.get(ref.order, 0) + size
        if not votes:
            return identity(rank)
        natural = channels_last(rank)
        return max(votes, key=lambda o: (votes[o], o == natural, o == identity(rank)))

    def broadcastable(self, ref: Ref[T], order: Order) -> Ref[T]:
        """An operand of fewer axes, or of as many, for a result that is stored in `order`."""
        missing = len(order) - ref.rank
        if not missing:
            return self.ordered(ref, order)
        if ref.rank == 0 or all(d == 1 for d in ref.tensor.shape):
            return self.reshape(ref, ()) if ref.rank else ref
        if order[missing:] == tuple(missing + a for a in ref.order):
            return ref
        wide = self.reshape(self.plain(ref), (1,) * missing + ref.shape)
        return self.ordered(wide, order)
