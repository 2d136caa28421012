"""What a case is translated to, in a few digits: a needless operation shows in no result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from nnir.model import Model
from nnir.serial import Encoder

LENGTH = 5
"""So many hexadecimal digits stand for a translation."""

STEPS = 512
"""A float is told by so many steps between powers of two: processors round its last digits
differently."""

ASIDE = 0.3183
"""Moves the borders of steps away from the numbers that people write."""

DIGITS = 7
"""Of the float of an attribute."""

NUMBERS = re.compile(r"\d+")


def digest(models: Iterable[Model]) -> str:
    """A few digits that stand for the operations of models, their attributes and constants, the
    types of values, what is known of their elements, and all names; numbers in names, which
    frameworks count up, are one."""
    state = hashlib.sha256()
    for model in models:
        state.update(json.dumps(Coarse().model(model), sort_keys=True).encode())
    return state.hexdigest()[:LENGTH]


class Coarse(Encoder):
    """Encodes models to what is the same on every machine."""

    def model(self, model: Model) -> dict[str, Any]:
        graph = super().model(model)
        del graph["metadata"]  # where it comes from
        for name in ("name", "output_names"):
            graph[name] = _plain(graph[name])
        graph["values"] = [[_plain(name), *row] for name, *row in graph["values"]]
        graph["operations"] = [[*row, _plain(origin)] for *row, origin in graph["operations"]]
        graph["symbols"] = [*graph["symbols"].values()]
        graph["contents"] = [
            [v.content.shape, [*map(str, v.content.flat)]]
            for operation in model.operations
            for v in operation.outputs
            if v.content is not None
        ]
        return graph

    def weight(self, array: np.ndarray) -> Any:
        """What stands for the elements of a weight."""
        kind = f"{array.dtype.name}{array.shape}"
        return f"{kind} {hashlib.sha256(elements_of(array)).hexdigest()}"

    def attribute(self, value: Any) -> Any:
        found = super().attribute(value)
        return float(f"{found:.{DIGITS}g}") if isinstance(found, float) else found


def _plain(name: Any) -> Any:
    """A name, or several, without numbers."""
    match name:
        case list():
            return [_plain(n) for n in name]
        case str():
            return NUMBERS.sub("#", name)
    return name


def elements_of(array: np.ndarray) -> bytes:
    """Bytes for the elements of an array: for floats their first digits, for every NaN the same."""
    if array.dtype.kind == "O":
        return repr(array.tolist()).encode()
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag])
    if array.dtype.kind != "f":
        return array.tobytes()
    part, exponent = np.frexp(array.astype(np.float64))
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.ldexp(np.floor(part * STEPS + ASIDE), exponent)
    return np.where(np.isnan(found), np.nan, found + 0.0).tobytes()
