"""Operands and attributes that do not fit: of each operator's first rows, with one thing changed.

`misfits.json` says which changes the rule refuses, and the sizes that may be open without
a difference: they are symbols in the row, so that what is wrong is all that the rule can see.
`make_misfits` writes it: its difference is what a change of a rule did.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from nnir.errors import BadType
from nnir.types import Precision

from ...case import Const
from .direct import DirectCase

FILE = Path(__file__).with_name("misfits.json")
KINDS = (np.bool_, np.int32, np.float32, np.complex64)


def first_rows(cases: Iterable[DirectCase]) -> Iterator[tuple[DirectCase, set[str]]]:
    """Of each operator the first row that works, then those that give an operand or an attribute
    that none before gave; with each the parts that are new."""
    seen: dict[str, set[str]] = {}
    for case in cases:
        if case.raises is None and not case.is_open and not case.is_turned:
            known = seen.setdefault(case.op, set())
            given = {f"operand {k}" for k, x in enumerate(case.inputs) if x is not None}
            if fresh := (given | case.attrs.keys()) - known:
                known |= fresh
                yield case, fresh


def changes(cases: Iterable[DirectCase]) -> Iterator[DirectCase]:
    """The rows with one operand or attribute changed; `why` says which and how, of each operator
    once."""
    seen = set()
    for case, parts in first_rows(cases):
        for part, other in change(case):
            if part in parts and (other.op, other.why) not in seen:
                seen.add((other.op, other.why))
                yield other


def change(case: DirectCase) -> Iterator[tuple[str, DirectCase]]:
    """The part of a row that is changed, and the row with it."""
    for place, given in enumerate(case.inputs):
        array = given.array if isinstance(given, Const) else given
        if not isinstance(array, np.ndarray):
            continue
        part, inputs = f"operand {place}", [*case.inputs]
        for how, other in change_array(array):
            inputs[place] = Const(other) if isinstance(given, Const) else other
            yield part, replace(case, inputs=tuple(inputs), why=f"{part} {how}")
        inputs[place] = None
        yield part, replace(case, inputs=tuple(inputs), why=f"{part} left out")
    yield from change_all(case)
    for name, value in case.attrs.items():
        for changed in change_attribute(value):
            shown = changed.name if isinstance(changed, Precision) else changed
            attrs = {**case.attrs, name: changed}
            yield name, replace(case, attrs=attrs, why=f"{name}={shown}")


def change_all(case: DirectCase) -> Iterator[tuple[str, DirectCase]]:
    """All operands of floats as others, which agree with each other."""
    arrays = [x.array if isinstance(x, Const) else x for x in case.inputs]
    real = [k for k, a in enumerate(arrays) if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
    for kind in KINDS if len(real) > 1 else ():
        if np.dtype(kind).kind == "f":
            continue
        inputs = [*case.inputs]
        for place in real:
            other = np.ones(arrays[place].shape, kind)
            inputs[place] = Const(other) if isinstance(inputs[place], Const) else other
        why = f"all operands of {np.dtype(kind).name}"
        yield f"operand {real[-1]}", replace(case, inputs=tuple(inputs), why=why)


def change_array(array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Of other types, with an axis more or less, and with one element more along each axis."""
    for kind in KINDS:
        if array.dtype.kind != np.dtype(kind).kind:
            yield f"of {np.dtype(kind).name}", np.ones(array.shape, kind)
    yield "with an axis more", array[None]
    if array.ndim and len(array):
        yield "with an axis less", array[0]
    for axis in range(array.ndim):
        last = array.take([-1], axis) if array.shape[axis] else array
        yield f"longer along {axis}", np.concatenate([array, last], axis)


def change_attribute(value: Any) -> Iterator[Any]:
    """Numbers that are below 0, 0 or large, alone or in front; a list too short or too long."""
    match value:
        case Precision():
            kinds = ("BOOL8", "INT32", "FLOAT32", "COMPLEX64")
            yield from (p for p in map(Precision.__getitem__, kinds) if p != value)
        case bool() | str() | None | Enum():
            return
        case int() | float():
            yield from (type(value)(v) for v in (-9, -1, 0, 99) if v != value)
        case (int() | float() as head, *rest):
            yield from (((type(head)(v)), *rest) for v in (-9, -1, 0, 99) if v != head)
            yield tuple(rest)
            yield (*value, head)


def read(rows: Iterable[DirectCase]) -> Iterator[DirectCase]:
    """The changes that are refused."""
    refused = json.loads(FILE.read_text())
    for case in changes(rows):
        known = refused.get(case.op, {})
        if case.why in known:
            yield open_sizes(case, known[case.why])


def open_sizes(case: DirectCase, sizes: Container[int]) -> DirectCase:
    """The row, which is refused, with some of its sizes as symbols."""
    known = tuple(d for d in case.sizes if d not in sizes)
    return replace(case, raises=BadType, is_open=True, known=known)
