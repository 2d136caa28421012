"""Nodes that were made for models, and such as nearly are: what OpenVINO says to them, and we."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
import openvino

from hal.drivers.openvino.nodes import NodeFactory
from nnir.errors import NoLowering
from nnir.formats.openvino import runtime as paper
from nnir.formats.openvino.graph import Constant, Output

KINDS = ("f32", "f16", "i64", "i32", "u8", "boolean")
SIZES = (0, 1, 2, 3, 5, 7, -1)


@dataclass(frozen=True)
class Given:
    """What a node reads: a type and the bounds of sizes, or numbers that are known."""

    kind: str
    sizes: tuple[tuple[int, int], ...]
    numbers: np.ndarray | None = None

    @classmethod
    def of(cls, output: Output) -> Given:
        """The like of an output."""
        node = output.node
        known = isinstance(node, Constant) and node.tensor.is_plain
        sizes = ((d.low, -1 if d.high == np.inf else int(d.high)) for d in output.shape)
        array = np.array(node.get_data()) if known else None  # type: ignore[attr-defined]
        return cls(output.type.name, tuple(sizes), array)

    def end(self, runtime: ModuleType, held: list[Any]) -> Any:
        """An output of it."""
        if self.numbers is not None:
            held.append(self.numbers)
            tensor = runtime.Tensor(self.numbers, shared_memory=True)
            return runtime.op.Constant(tensor, shared_memory=True).output(0)
        shape = runtime.PartialShape([runtime.Dimension(a, b) for a, b in self.sizes])
        return runtime.op.Parameter(getattr(runtime.Type, self.kind), shape).output(0)


@dataclass(frozen=True)
class Wish:
    """A node that is asked for."""

    name: str
    reads: tuple[Given, ...]
    attributes: Mapping[str, Any]

    def answers(self) -> tuple[list[Any] | None, list[Any] | None]:
        """Type and sizes of what it gives, by OpenVINO and by us; None where it is refused."""
        held: list[Any] = []
        return self._ask(openvino, held), self._ask(paper, held)

    def _ask(self, runtime: ModuleType, held: list[Any]) -> list[Any] | None:
        ends = [g.end(runtime, held) for g in self.reads]
        try:
            node = NodeFactory(runtime).create(self.name, ends, dict(self.attributes))
        except (NoLowering, RuntimeError, ValueError):
            return None
        found = node.ends if runtime is paper else node.outputs()
        return [(e.get_element_type().to_string(), _sizes(e.get_partial_shape())) for e in found]

    def variants(self, draw: random.Random, count: int) -> Iterator[Wish]:
        """It, and others in which one operand has another type, size, rank or number."""
        yield self
        for _ in range(count if self.reads else 0):
            place = draw.randrange(len(self.reads))
            other = _vary(self.reads[place], draw)
            reads = (*self.reads[:place], other, *self.reads[place + 1 :])
            yield replace(self, reads=reads)


def _sizes(shape: Any) -> Any:
    """Sizes, -1 for open ones; None where not even the rank is known."""
    if shape.rank.is_dynamic:
        return None
    return [d.get_length() if d.is_static else -1 for d in shape]


def _vary(given: Given, draw: random.Random) -> Given:
    """Another operand that is much like one."""
    if given.numbers is not None:
        if given.numbers.dtype.kind == "i":
            step = given.numbers.dtype.type(draw.choice((-1, 1, 2, 9)))
            return replace(given, numbers=np.asarray(given.numbers + step))
        return given
    sizes = list(given.sizes)
    match draw.randrange(4):
        case 0:
            return replace(given, kind=draw.choice(KINDS))
        case 1 if sizes:
            size = draw.choice(SIZES)
            sizes[draw.randrange(len(sizes))] = (max(size, 0), size)
        case 2 if sizes:
            sizes.pop()
        case _:
            sizes.insert(draw.randrange(len(sizes) + 1), (2, 2))
    return replace(given, sizes=tuple(sizes))


class Book:
    """The nodes that were made, so many different ones of each kind."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.wishes: dict[str, dict[str, Wish]] = defaultdict(dict)

    def note(self, name: str, reads: Sequence[Output], attributes: Mapping[str, Any]) -> None:
        """Keep a node."""
        kept = self.wishes[name]
        if len(kept) < self.most:
            wish = Wish(name, tuple(map(Given.of, reads)), dict(attributes))
            kept.setdefault(str([(g.kind, g.sizes) for g in wish.reads]) + str(attributes), wish)
