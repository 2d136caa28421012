"""Ends of a model that are lists of tensors, or may be left out, as a few tensors each.

A list whose length is only known while running is four tensors: the elements of all its members
one behind the other (`values`), how many each has (`counts`), their sizes one behind the other
(`dims`), and how many sizes each has (`ranks`). A list of known length is its members, and what may
be left out is whether it is there (`given`) before what it is. So every pass, device and format
sees tensors; the metadata of a model says which of its ends belong together, by the name that users
know: the tensors of `x` are `x.values`, `x.counts` and so on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .broadcast import text
from .errors import BadInput, DeviceError
from .metadata import LIST_ENDS
from .model import Model
from .records import dataclass
from .stateful import user_inputs, user_outputs
from .types import Precision

LIST = ("values", "counts", "dims", "ranks")
GIVEN, VALUE = "given", "value"

Element = tuple[int | None, ...] | None
"""The shape of a tensor: None for a size that is open, and for a shape of any rank."""


@dataclass(frozen=True)
class ListType:
    """What an end is: a list, or what may be left out, or a list that may be.

    `precision` and `element` are those of the tensors. `length` is that of a list of known length.
    """

    precision: Precision
    element: Element = None
    is_list: bool = True
    is_optional: bool = False
    length: int | None = None

    def __str__(self) -> str:
        dims = ("?" if d is None else str(d) for d in self.element or ())
        shape = "" if self.element is None else f"[{', '.join(dims)}]"
        inner = f"{self.precision.dtype.name}{shape}"
        inner = f"list of {inner}" if self.is_list else inner
        return f"optional {inner}" if self.is_optional else inner

    @property
    def parts(self) -> list[str]:
        """The names of its tensors."""
        parts: Sequence[str] = LIST if self.is_list else (VALUE,)
        if self.length is not None:
            parts = [str(k) for k in range(self.length)]
        return [GIVEN, *parts] if self.is_optional else list(parts)

    @property
    def count(self) -> int:
        """How many tensors it is; metadata of a damaged file may say any number."""
        own = len(LIST) if self.is_list else 1
        return self.is_optional + (own if self.length is None else self.length)

    def pack(self, value: Any, name: str) -> list[np.ndarray]:
        """The tensors of a value; BadInput where it is no such value."""
        if self.is_optional:
            is_given = value is not None
            rest = value if is_given else [] if self.is_list else self._stand_in()
            return [np.array(is_given), *self._pack(rest, name)]
        return self._pack(value, name)

    def _pack(self, value: Any, name: str) -> list[np.ndarray]:
        if not self.is_list:
            return [self._check(value, name)]
        if not isinstance(value, (list, tuple)):
            raise BadInput(f"{name!r}: {type(value).__name__} for a value of type {self}")
        arrays = [self._check(v, f"{name}[{k}]") for k, v in enumerate(value)]
        if self.length is not None:
            if len(arrays) != self.length:
                raise BadInput(f"{name!r} is a list of {self.length}, not of {len(arrays)}")
            return arrays
        flat = [a.reshape(-1) for a in arrays]
        return [
            np.concatenate(flat) if flat else np.zeros(0, self.precision.dtype),
            np.array([a.size for a in arrays], np.int64),
            np.array([n for a in arrays for n in a.shape], np.int64),
            np.array([a.ndim for a in arrays], np.int64),
        ]

    def unpack(self, arrays: Sequence[np.ndarray]) -> Any:
        """The value that tensors stand for; DeviceError where they do not belong together."""
        if self.is_optional:
            is_given, *arrays = arrays
            if is_given.shape:
                raise DeviceError(f"{text(is_given.shape)} instead of one word whether it is there")
            if not is_given:
                return None
        if not self.is_list:
            return arrays[0]
        if self.length is not None:
            return list(arrays)
        values, counts, dims, ranks = arrays
        parts, shapes = _cut(values, counts), _cut(dims, ranks)
        if len(parts) != len(shapes) or any(
            v.size != math.prod(map(int, s)) or min(s, default=0) < 0
            for v, s in zip(parts, shapes, strict=True)
        ):
            raise DeviceError(f"the sizes of {self} are not those of its members")
        return [v.reshape(s) for v, s in zip(parts, shapes, strict=True)]

    def _check(self, value: Any, name: str) -> np.ndarray:
        """An array of the precision and shape that members have."""
        array = np.asarray(value)
        fits = array.dtype == self.precision.dtype and (
            self.element is None
            or (
                len(self.element) == array.ndim
                and all(d in (None, n) for d, n in zip(self.element, array.shape, strict=True))
            )
        )
        if not fits:
            got = f"{array.dtype}{text(array.shape)}"
            raise BadInput(f"{name!r}: {got} in a value of type {self}")
        return array

    def _stand_in(self) -> np.ndarray:
        """For what is left out: as small as may be."""
        return np.zeros([d or 0 for d in self.element or ()], self.precision.dtype)

    def as_json(self) -> list[Any]:
        """For the metadata."""
        element = None if self.element is None else list(self.element)
        return [self.precision.name, element, self.is_list, self.is_optional, self.length]

    @classmethod
    def of_json(cls, data: Any) -> ListType | None:
        """As `as_json` wrote it; None for anything else."""
        try:
            name, element, is_list, is_optional, length = data
            shape = None if element is None else tuple(element)
            numbers = [d for d in (*(shape or ()), length) if d is not None]
            is_sound = all(type(n) is int and 0 <= n < 1 << 31 for n in numbers)
            if not is_sound or not (is_list or length is None):
                return None
            return cls(Precision[name], shape, bool(is_list), bool(is_optional), length)
        except (KeyError, TypeError, ValueError):
            return None


def _cut(whole: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """The parts of a vector, one behind the other; DeviceError where they are not all of it."""
    vectors = whole.ndim == counts.ndim == 1 and counts.dtype == np.int64
    if not vectors or np.any(counts < 0) or sum(map(int, counts)) != len(whole):
        raise DeviceError(
            f"the parts of {whole.dtype}{text(whole.shape)} are not as long as "
            f"{counts.dtype}{text(counts.shape)} says"
        )
    return np.split(whole, np.cumsum(counts)[:-1]) if len(counts) else []


Types = Mapping[str, ListType]


def note_lists(model: Model, inputs: Types, outputs: Types) -> None:
    """Say in the metadata which ends of a model are lists, or may be left out, beside those that it
    tells of already."""
    if inputs or outputs:
        known = types_of(model.metadata)
        whole = (old | dict(new) for old, new in zip(known, (inputs, outputs), strict=True))
        sides = ({n: t.as_json() for n, t in side.items()} for side in whole)
        model.metadata[LIST_ENDS] = json.dumps(list(sides))


def types_of(metadata: Mapping[str, str]) -> tuple[dict[str, ListType], dict[str, ListType]]:
    """The inputs and outputs that metadata tells of, by name; none of others."""
    try:
        sides = json.loads(metadata.get(LIST_ENDS, "[{}, {}]"))
        inputs, outputs = ({str(n): ListType.of_json(t) for n, t in s.items()} for s in sides)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}, {}
    found = ({n: t for n, t in s.items() if t is not None} for s in (inputs, outputs))
    return tuple(found)  # type: ignore[return-value]  # there are two


@dataclass(frozen=True)
class Side:
    """The inputs or the outputs of a model, as users know them: a name, and how many tensors it
    is; `type` is None for a tensor."""

    ends: Sequence[tuple[str, int, ListType | None]]

    @classmethod
    def of(cls, names: Sequence[str], types: Types) -> Side:
        """What the names of tensors are; one that lacks a part of it is a tensor."""
        possible = {n: t for n, t in types.items() if t.count <= len(names)}
        firsts = {f"{n}.{t.parts[0]}": (n, t) for n, t in possible.items() if t.count}
        ends: list[tuple[str, int, ListType | None]] = []
        empty = [(n, 0, t) for n, t in possible.items() if not t.count]
        k = 0
        while k < len(names):
            name, type = firsts.get(names[k], (names[k], None))
            parts = [] if type is None else [f"{name}.{p}" for p in type.parts]
            if type is None or list(names[k : k + len(parts)]) != parts:
                ends.append((names[k], 1, None))
                k += 1
            else:
                ends.append((name, len(parts), type))
                k += len(parts)
        return cls([*ends, *empty])

    @property
    def has_lists(self) -> bool:
        """Whether any is no tensor."""
        return any(type is not None for _, _, type in self.ends)

    @property
    def names(self) -> list[str]:
        """What users call them."""
        return [name for name, _, _ in self.ends]

    @property
    def count(self) -> int:
        """How many tensors they are."""
        return sum(count for _, count, _ in self.ends)

    def pack(self, values: Sequence[Any]) -> list[Any]:
        """The tensors of values, one for each end; BadInput where they do not fit."""
        if len(values) != len(self.ends):
            what = ", ".join(name if t is None else f"{name} ({t})" for name, _, t in self.ends)
            raise BadInput(f"{len(values)} values for {len(self.ends)} inputs: {what}")
        found: list[Any] = []
        for value, (name, _, type) in zip(values, self.ends, strict=True):
            found += [value] if type is None else type.pack(value, name)
        return found

    def unpack(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        """The values that tensors stand for."""
        found, start = [], 0
        for _, count, type in self.ends:
            part = arrays[start : start + count]
            found.append(part[0] if type is None else type.unpack(part))
            start += count
        return found

    def sample(self, arrays: Sequence[np.ndarray], generator: np.random.Generator) -> list[Any]:
        """Tensors like `arrays`, where those of a list belong together: three random members of
        sizes up to three; what may be left out is there."""
        found: list[Any] = []
        start = 0
        for name, count, type in self.ends:
            part = arrays[start : start + count]
            found += part if type is None else _sample(type, part, name, generator)
            start += count
        return found


def _sample(
    type: ListType, arrays: Sequence[np.ndarray], name: str, generator: np.random.Generator
) -> list[np.ndarray]:
    if not type.is_list or type.length is not None:
        return [np.array(True), *arrays[1:]] if type.is_optional else list(arrays)
    element = (None,) if type.element is None else type.element
    members = []
    for _ in range(3):
        shape = [int(generator.integers(1, 4)) if d is None else d for d in element]
        numbers: Any = generator.integers(0, 2, shape)
        if type.precision.is_float:
            numbers = generator.uniform(-1, 1, shape)
        members.append(np.asarray(numbers).astype(type.precision.dtype))
    return type.pack(members, name)


def sides_of(model: Model) -> tuple[Side, Side]:
    """The inputs that a caller hands in and the outputs that a caller gets."""
    inputs, outputs = types_of(model.metadata)
    names = [name for name, _ in model.named_outputs()][: len(user_outputs(model))]
    given = [value.name or "" for value in user_inputs(model)]
    return Side.of(given, inputs), Side.of(names, outputs)
