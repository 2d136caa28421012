"""What is varied of a row: sizes, ranks, precisions, values, arguments, what is constant.

Choices are made of single bits: so the same seed makes the same choices everywhere (what a
generator of integers gives depends on the constants in the modules that happen to be imported),
and shrinking, which prefers zeros, ends at the first option of every table. The bits come from a
plain generator (`Choices`), a tenth of what Hypothesis takes for them; `shrinking_row` gives
Hypothesis the same choices to make them fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from random import Random
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

from ..case import Case, Const
from .exclusion import matches
from .starts import Start
from .tree import Path, array_of, entries, is_leaf, rebuilt, with_array
from .undefined import FIXED
from .values import BASES, DTYPES, as_dtype, fill, kind_of, resize, special

T = TypeVar("T")
Draw = Callable[[Any], Any]
BIT = st.booleans()

LONGEST = 64
ELEMENTS = 20_000
"""An array of more is not made."""

INTEGERS = (1, 0, 2, -1, 3, -2, 4, 5, 7, -7, 100, -100)
REALS = (1.0, 0.0, -1.0, 2.0, 0.5, -0.5, 1e-3, 1e3)


def pick(draw: Draw, options: Sequence[T]) -> T:
    """One of the options; the simplest is the first."""
    index = 0
    for _ in range((len(options) - 1).bit_length()):
        index = 2 * index + draw(BIT)
    return options[index % len(options)]


def rarely(draw: Draw, one_in: int) -> bool:
    """True once in so many (a power of two); the simplest is False."""
    return pick(draw, range(one_in)) == one_in - 1


@dataclass
class Change:
    """A row that is being changed: its leaves and other arguments by place."""

    start: Start
    row: Case
    new: dict[Path, Any]

    @property
    def leaves(self) -> dict[Path, Any]:
        return {p: v for p, v in self.new.items() if is_leaf(v)}

    @property
    def is_fixed(self) -> bool:
        """Whether sizes and precisions stay: graphs among the attributes say them, or a table."""
        is_listed = matches(FIXED, self.start.op)
        inner = (v for v in self.row.attrs.values() if not is_leaf(v))
        return is_listed or any(is_dataclass(v) for v in inner)

    @property
    def data(self) -> dict[Path, Any]:
        """The leaves that are data."""
        return {p: v for p, v in self.leaves.items() if p not in self.start.positions}

    def put(self, path: Path, array: np.ndarray) -> None:
        if array.size <= ELEMENTS:
            self.new[path] = with_array(self.new[path], np.asarray(array))


@dataclass
class Choices:
    """Bits drawn from a generator, and which they were."""

    random: Random
    bits: list[bool] = field(default_factory=list)

    def draw(self, _: Any) -> bool:
        """The next bit, for whatever is asked: every choice is made of bits."""
        bit = bool(self.random.getrandbits(1))
        self.bits.append(bit)
        return bit


def change_row(draw: Draw, start: Start) -> Case:
    """A row of the operator with changes; the simplest is the first row with sizes of 1."""
    row = pick(draw, start.rows[:LONGEST])
    change = Change(start, row, entries(row))
    precisions: dict[np.dtype, np.dtype] = {}
    if not change.is_fixed:
        _sizes(draw, change)
        _ranks(draw, change)
        precisions = _precisions(draw, change)
        for path in change.leaves:
            _broadcast(draw, change, path)
    left_out = _arguments(draw, change)
    for path in change.leaves:
        _values(draw, change, path)
    for path in change.leaves:
        _constness(draw, change, path)
    case = rebuilt(row, change.new, left_out)
    results = tuple(_result(r, precisions) for r in case.results)
    return replace(case, results=results, why="found by fuzzing")


shrinking_row = st.composite(change_row)
"""The same as a strategy of Hypothesis."""


def _sizes(draw: Draw, change: Change) -> None:
    """Another size wherever the row has a size, the same for all inputs."""
    found = sorted({n for v in change.leaves.values() for n in array_of(v).shape if n > 1})
    kept: set[int] = {n for v in change.leaves.values() for n in fixed_sizes(v)}
    kept |= {n for r in change.row.results if isinstance(r, np.ndarray) for n in r.shape}
    sizes = {n: n if n in kept else _size(draw, n) for n in found}
    for path, leaf in change.leaves.items():
        array = array_of(leaf)
        change.put(path, resize(array, [sizes[n] if n > 1 else n for n in array.shape]))


def _size(draw: Draw, size: int) -> int:
    options: tuple[int, ...] = (1, 2, 3, *(size,) * 11, 0, size + 1)
    return pick(draw, options)


def fixed_sizes(leaf: Any) -> tuple[int, ...]:
    """Sizes that quanta along an axis fix."""
    scale = getattr(leaf, "scale", None)
    return (len(scale),) if isinstance(scale, tuple) else ()


def _ranks(draw: Draw, change: Change) -> None:
    """One axis more or less, in front, for all data of the largest rank."""
    by = pick(draw, (0,) * 13 + (1, -1, 0))
    most = max((array_of(v).ndim for v in change.data.values()), default=0)
    for path, leaf in change.data.items():
        array = array_of(leaf)
        if array.ndim == most and not fixed_sizes(leaf):
            change.put(path, _with_rank(array, by))


def _with_rank(array: np.ndarray, by: int) -> np.ndarray:
    if by > 0:
        return array[None]
    return array[0] if by < 0 and array.ndim and array.shape[0] else array


def _precisions(draw: Draw, change: Change) -> dict[np.dtype, np.dtype]:
    """Another precision for all data of one precision."""
    found = {}
    for dtype in dict.fromkeys(array_of(v).dtype for v in change.leaves.values()):
        if kind_of(dtype) and not any(_is_quantised(v, dtype) for v in change.leaves.values()):
            alike = [d for d in DTYPES if kind_of(d) == kind_of(dtype)]
            others = [d for d in (*DTYPES, *alike) if d in (change.start.precisions or DTYPES)]
            found[dtype] = pick(draw, (*(dtype,) * (64 - len(others)), *others))
    for path, leaf in change.leaves.items():
        array = array_of(leaf)
        to = found.get(array.dtype, array.dtype)
        is_kept = change.start.frontend == "tflite" or kind_of(to) != "int"
        if path in change.start.positions and is_kept:
            continue
        change.put(path, as_dtype(array, to))
    return found


def _is_quantised(leaf: Any, dtype: np.dtype) -> bool:
    return hasattr(leaf, "scale") and array_of(leaf).dtype == dtype


def _result(result: Any, precisions: dict[np.dtype, np.dtype]) -> Any:
    """The type of a result, which a file must say, as the inputs now have it."""
    if isinstance(result, (type, np.dtype)):
        return precisions.get(np.dtype(result), np.dtype(result))
    if isinstance(result, np.ndarray):
        return result.astype(precisions.get(result.dtype, result.dtype))
    return result


def _broadcast(draw: Draw, change: Change, path: Path) -> None:
    """Fewer axes, more, or ones, for one input alone."""
    how = pick(draw, ("",) * 11 + ("ones", "drop", "lead", "first", "last"))
    array = array_of(change.new[path])
    if fixed_sizes(change.new[path]):
        return
    match how:
        case "ones":
            array = resize(array, [min(n, 1) for n in array.shape])
        case "first" if array.ndim:
            array = array[:1]
        case "last" if array.ndim:
            array = array[..., :1]
        case "drop" if array.ndim and array.shape[0]:
            array = array[0]
        case "lead":
            array = array[None]
    change.put(path, array)


def _values(draw: Draw, change: Change, path: Path) -> None:
    """Other elements: of data, values at which operators go wrong; of positions, fewer kinds."""
    array = array_of(change.new[path])
    if not kind_of(array.dtype) or not array.size:
        return
    if path in change.start.positions:
        if rarely(draw, 8):
            own = [int(v) for v in array.reshape(-1)[:8]]
            options = (*own, 0, 1, -1, own[0] + 1, 100)
            limits = np.iinfo(array.dtype)
            value = int(np.clip(pick(draw, options), limits.min, limits.max))
            change.put(path, fill(array, "own", (value, *(None,) * pick(draw, (0, 1, 2, 3)))))
        return
    base = pick(draw, BASES)
    ordinary, edges = special(array.dtype)
    length = pick(draw, (0,) * 9 + (1, 1, 2, 3, 4, 5, 6))
    kinds = [pick(draw, ("ordinary", "own", "own", "edge")) for _ in range(length)]
    known: dict[str, tuple[Any, ...]] = {"ordinary": ordinary, "own": (None,), "edge": edges}
    pattern = [pick(draw, known[kind]) for kind in kinds]
    with np.errstate(all="ignore"):
        change.put(path, fill(array, base, pattern))


def _constness(draw: Draw, change: Change, path: Path) -> None:
    """A constant as an input or an input as a constant."""
    leaf = change.new[path]
    if change.start.frontend in ("tflite", "paddle-legacy") or not rarely(draw, 16):
        return
    change.new[path] = leaf.array if isinstance(leaf, Const) else Const(leaf)


def _arguments(draw: Draw, change: Change) -> frozenset[Path]:
    """Other values of arguments, arguments left out and given; which are left out."""
    left_out = set()
    names = change.start.names(change.row)
    others = [(p, v) for p, v in change.new.items() if not is_leaf(v)]
    for path, value in others:
        name = path[1] if path[0] == "attrs" else names[path[1]] if path[1] < len(names) else ""
        how = pick(draw, ("",) * 12 + ("out", "pool", "pool", "number"))
        pool = change.start.pools.get(name, ())
        if how == "out" and path[0] == "attrs":
            left_out.add(path)
        elif how and name in change.start.flags:
            change.new[path] = type(value)(not value)
        elif how == "pool" and pool:
            change.new[path] = pick(draw, pool)
        elif how:
            change.new[path] = _number(draw, value)
    given = {*names[: len(change.row.inputs)], *change.row.attrs}
    for name in change.start.optional:
        if name not in given and name in change.start.pools and rarely(draw, 16):
            change.new["attrs", name] = pick(draw, change.start.pools[name])
    return frozenset(left_out)


def _number(draw: Draw, value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int() if type(value) is int:
            return pick(draw, (*INTEGERS, value + 1, value - 1, -value, 2 * value))
        case float():
            return pick(draw, (*REALS, -value, 2 * value, value + 1, value / 2))
        case list() | tuple() if value:
            at = pick(draw, range(len(value)))
            how = pick(draw, ("one", "one", "one", "one", "shorter", "longer", "turned", "one"))
            if how == "shorter":
                return value[:-1]
            new = [*value, value[-1]] if how == "longer" else [*value]
            if how == "one":
                new[at] = _number(draw, new[at])
            return type(value)(reversed(new) if how == "turned" else new)
    return value
