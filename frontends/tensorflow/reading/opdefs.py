"""The signatures of TensorFlow's operators, as data: see `make_opdefs.py`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from nnir.errors import BadModel
from nnir.records import dataclass
from nnir.types import Precision

from ...outside import signature_outside

FILE = Path(__file__).with_name("opdefs.json")
NO_DEFAULT = object()
IGNORED = frozenset({"use_cudnn_on_gpu", "parallel_iterations", "output_shapes"})
"""Attributes that say how to compute or repeat what follows from the inputs."""

MOST = 100_000
LENGTH = "N"
"""Where custom operators have the length of their list, as most of TensorFlow's own."""
"""An operator has so many inputs or results at most."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An input or output; `count` is the attribute that says how many tensors it stands for."""

    name: str
    count: str | None = None

    def length(self, attributes: Mapping[str, Any]) -> int:
        """How many tensors it is."""
        if self.count is None:
            return 1
        given = attributes.get(self.count)
        count = len(given) if isinstance(given, (list, tuple)) else given
        if not isinstance(count, int) or not 0 <= count <= MOST:
            raise BadModel(f"{self.name!r} of {self.count}={str(given)[:40]} tensors")
        return count


@dataclass(frozen=True)
class OpDef:
    """An operator's inputs and outputs in order and the defaults of its attributes.

    `implied` are the attributes that follow from the inputs: their types and their number. What
    is not TensorFlow's own, `is_outside`, is known by the attributes that its converter takes.
    """

    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    defaults: Mapping[str, Any]
    implied: frozenset[str]
    is_outside: bool = False

    @cached_property
    def stated(self) -> dict[str, Any]:
        """The defaults that there are."""
        return {n: d for n, d in self.defaults.items() if d is not NO_DEFAULT}

    @cached_property
    def counts(self) -> frozenset[str]:
        """The attributes that say how many tensors an input or output stands for."""
        return frozenset(a.count for a in (*self.inputs, *self.outputs) if a.count is not None)

    def leaves_out(self, attribute: str, value: Any) -> bool:
        """Whether converters do not see an attribute of a node, as it follows from the inputs or
        says how to compute."""
        if attribute in self.implied or attribute in IGNORED:
            return True
        return self.is_outside and isinstance(value, Precision) and attribute not in self.defaults


@functools.cache
def _everything() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
    return found


def find(op: str) -> OpDef | None:
    """The signature of an operator, of TensorFlow or of a plug-in; None for what is not known."""
    return _find(op) or _find_outside(op)


def _find_outside(op: str) -> OpDef | None:
    found = signature_outside("tensorflow", op)
    if found is None:
        return None
    inputs = tuple(Argument(n, LENGTH if n in found.lists else None) for n in found.tensors)
    defaults = {n: found.defaults.get(n, NO_DEFAULT) for n in found.attributes}
    lengths = {LENGTH} if found.lists else ()
    outputs = tuple(map(Argument, found.results))
    return OpDef(inputs, outputs, defaults, frozenset(lengths), is_outside=True)


@functools.cache
def _find(op: str) -> OpDef | None:
    found = _everything().get(op)
    if found is None:
        return None
    defaults = {n: d[1] if len(d) > 1 else NO_DEFAULT for n, d in found["attr"].items()}
    return OpDef(
        tuple(_argument(a) for a in found["in"]),
        tuple(_argument(a) for a in found["out"]),
        defaults,
        frozenset(found.get("implied", ())),
    )


def _argument(given: Any) -> Argument:
    return Argument(given) if isinstance(given, str) else Argument(*given)
