"""StableHLO's gather and scatter: slices at positions that a tensor holds, axis by axis.

Source: the StableHLO specification, sections gather and scatter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Value
from nnir.ops import activation, binary, compare, index, linear, reduce, shape
from nnir.recipes.shape import permute
from nnir.records import dataclass
from nnir.types import Precision


@dataclass(frozen=True)
class Slices:
    """Slices of `sizes` of a tensor; their places are named along the axis `vector` of indices.

    `offsets`: the axes of the slices in the result (or updates), `gone` those of the tensor that
    are not there; `axes`: which axis of the tensor each entry of a place is about.
    """

    offsets: Sequence[int]
    gone: Sequence[int]
    axes: Sequence[int]
    vector: int
    sizes: Sequence[int]

    def check(self, x: Value, indices: Value) -> None:
        """BadType for what does not fit the tensors."""
        inside = [*self.gone, *self.axes]
        if not 0 <= self.vector <= indices.rank:
            raise BadType(f"places along axis {self.vector} of {indices.type}")
        good = (
            len(self.sizes) == x.rank
            and all(0 <= a < x.rank for a in inside)
            and all(0 <= a <= x.rank + indices.rank for a in self.offsets)
            and len(set(self.axes)) == len(self.axes)
            and all(self.sizes[a] == 1 for a in self.gone)
            and len(self.offsets) == x.rank - len(self.gone)
        )
        pairs = zip(self.sizes, x.shape, strict=False)
        fits = all(isinstance(n, Expr) or 0 <= size <= n for size, n in pairs)
        entries = 1 if self.vector == indices.rank else indices.shape[self.vector]
        if not (good and fits and (entries == len(self.axes) or isinstance(entries, Expr))):
            raise BadType(f"slices of {list(self.sizes)} of {x.type} at {indices.type}")

    def places(self, indices: Value) -> Value:
        """Positions [*batch, entries] as int64."""
        where = indices.cast(Precision.INT64)
        if self.vector == where.rank:
            return shape.unsqueeze(where, [self.vector])
        others = [a for a in range(where.rank) if a != self.vector]
        return permute(where, (*others, self.vector))

    def kept(self) -> list[int]:
        """The axes of the tensor that the slices have."""
        return [a for a in range(len(self.sizes)) if a not in self.gone]

    def order(self, batch: int) -> tuple[int, ...]:
        """The permutation from [*batch, *slice] to the result's axes."""
        rank = batch + len(self.offsets)
        if len(set(self.offsets)) != rank - batch or not set(self.offsets) <= set(range(rank)):
            raise BadType(f"slices whose axes become {self.offsets} of {rank}")
        outer, inner = iter(range(batch)), iter(range(batch, rank))
        return tuple(next(inner if a in self.offsets else outer) for a in range(rank))


def _static(x: Value) -> list[int]:
    found = [d for d in x.shape if not isinstance(d, Expr)]
    if len(found) != x.rank:
        raise NotConstant(f"slices of {x.type}, whose sizes must be known")
    return found


def _flat(places: Value, whole: Sequence[int], how: Slices) -> tuple[Value, Value]:
    """The elements of slices [*batch, elements]: where each lies, axis by axis of `how.axes`, and
    its position among all elements of the tensor."""
    steps = np.array([int(np.prod(whole[a + 1 :], dtype=np.int64)) for a in range(len(whole))])
    count = math.prod(how.sizes)
    build.arange(count)
    grid = np.indices(how.sizes).reshape(len(how.sizes), count).T.astype(np.int64)
    rest = [a for a in range(len(whole)) if a not in how.axes]
    model = places.model
    lines = shape.unsqueeze(places, [places.rank - 1])
    spots = lines + model.constant(grid[:, list(how.axes)])
    weights = steps[list(how.axes)].astype(np.int64)
    first = linear.mat_mul(spots, model.constant(weights))
    return spots, first + model.constant(grid[:, rest] @ steps[rest].astype(np.int64))


def gather_slices(x: Value, indices: Value, how: Slices) -> Value:
    """Slices; a place is moved until its slice lies in the tensor."""
    how.check(x, indices)
    places = how.places(indices)
    batch = places.rank - 1
    last = [n if isinstance(n, int) else None for n in (x.shape[a] for a in how.axes)]
    if None in last:
        raise NotConstant(f"slices of {x.type}, whose sizes must be known")
    most = np.array([n - how.sizes[a] for n, a in zip(last, how.axes, strict=True)], np.int64)  # type: ignore[operator]
    model = x.model
    places = binary.max_(binary.min_(places, model.constant(most)), 0)
    whole = all(how.sizes[a] == x.shape[a] for a in range(x.rank) if a not in how.axes)
    if whole and sorted(how.axes) == sorted(how.gone):
        rest = [a for a in range(x.rank) if a not in how.axes]
        turned = shape.transpose(x, perm=(*how.axes, *rest))
        found = index.gather_nd(turned, places)
    else:
        _, at = _flat(places, _static(x), how)
        lines = index.gather(shape.reshape(x, [-1]), at, axis=0)
        outer = build.sizes_of(lines)[:batch]
        found = build.reshape(lines, [*outer, *(how.sizes[a] for a in how.kept())])
    order = how.order(batch)
    return found if order == tuple(range(found.rank)) else shape.transpose(found, perm=order)


def scatter_slices(x: Value, indices: Value, updates: Value, how: Slices, reduction: str) -> Value:
    """Updates put in; elements that do not lie in the tensor are left out."""
    how.check(x, indices)
    whole = _static(x)
    places = how.places(indices)
    batch = places.rank - 1
    model = x.model
    spots, at = _flat(places, whole, how)
    ends = model.constant(np.array([whole[a] for a in how.axes], np.int64))
    inside = (spots >= 0) & (spots < ends)
    good = reduce.reduce_min(inside.cast(Precision.INT32), [-1], keepdim=False)
    total = int(np.prod(whole, dtype=np.int64))
    spare = model.constant(np.int64(total))
    at = compare.where(compare.equal(good, model.constant(np.int32(1))), at, spare)
    order = how.order(batch)
    back = tuple(int(a) for a in np.argsort(order))
    turned = updates if back == tuple(range(len(back))) else shape.transpose(updates, perm=back)
    line = shape.concat(shape.reshape(x, [-1]), model.constant(np.zeros(1, x.dtype)), axis=0)
    rows = shape.reshape(at, [-1, 1])
    line = index.scatter_nd(line, rows, shape.reshape(turned, [-1]), reduction=reduction)
    return shape.reshape(index.slice_(line, [0], [0], [total]), whole)


def clamp_starts(x: Value, starts: Sequence[Value], sizes: Sequence[int]) -> Value:
    """Starts of a slice as one vector, moved until the slice lies in the tensor."""
    if len(starts) != x.rank or len(sizes) != x.rank:
        raise BadType(f"a slice of {list(sizes)} of {x.type} from {len(starts)} starts")
    model = x.model
    whole = _static(x)
    if any(not 0 <= n <= d for n, d in zip(sizes, whole, strict=True)):
        raise BadType(f"a slice of {list(sizes)} of {x.type}")
    parts = [shape.reshape(s.cast(Precision.INT64), [1]) for s in starts]
    where = shape.concat(*parts, axis=0) if len(parts) > 1 else parts[0]
    most = model.constant(np.array(whole, np.int64) - np.array(sizes, np.int64))
    low = activation.clip(where, np.zeros((), np.int64), np.iinfo(np.int64).max)
    return binary.min_(low, most)
