"""Where the search starts: the rows of an operator, and what its arguments may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ..case import Case, Limit, has_several
from ..engines.engine import Engine
from .tree import Path, array_of, arrays, entries, is_leaf
from .undefined import FLAGS, POSITIONS, is_listed
from .values import is_position

LARGEST = 4096
"""Rows with more elements are too slow to change again and again."""

MOST = 12
TABLES = {"paddle-legacy": "paddle_legacy"}
NUMBERS: dict[type, tuple[Any, ...]] = {
    bool: (False, True),
    int: (1, 0, 2, -1, -2, 3, 5, 100, -100),
    float: (1.0, 0.0, 2.0, -1.0, 0.5, 1e-3),
}


@dataclass(frozen=True)
class Start:
    """An operator's rows, the simplest first, and the other values of its arguments by name.

    `optional` arguments may be left out, `flags` are true or false, if written as 1 or 0.
    `precisions` are those that may be tried, any where it is empty.
    `positions` are places of arrays that hold positions, sizes or counts, and not data.
    """

    frontend: str
    op: str
    engine: Engine[Any]
    rows: tuple[Case, ...]
    pools: dict[str, tuple[Any, ...]]
    optional: tuple[str, ...]
    flags: frozenset[str]
    precisions: frozenset[np.dtype]
    positions: frozenset[Path]
    limits: tuple[Limit, ...]

    def names(self, case: Case) -> list[str]:
        """The names of the inputs of a case, where the framework has such."""
        return names_of(self.engine, case)


def names_of(engine: Engine[Any], case: Case) -> list[str]:
    """The names of positional arguments."""
    known = getattr(engine, "names", None)
    return known(case) if known is not None else []


def operator_of(case: Case) -> str:
    """The operator's name in its framework, with its domain where that is ONNX's."""
    is_other = not case.domain or case.domain == case.op
    return case.op if is_other else f"{case.domain}::{case.op}"


@cache
def rows_of(frontend: str) -> dict[str, list[Case]]:
    """The rows that agree with their origin, by operator; without operators that draw numbers."""
    table = import_module(f"conformance.cases.{TABLES.get(frontend, frontend)}")
    found: dict[str, list[Case]] = defaultdict(list)
    draws = {c.op for c in table.CASES if c.random}
    for case in table.CASES:
        if case.raises is None and case.op not in draws and not _is_strange(case):
            op = operator_of(case) if frontend == "onnx" else case.op
            found[op].append(case)
    return found


def _is_strange(case: Case) -> bool:
    """Of several operators, too large, or with texts and other elements that are no numbers."""
    given = arrays(case)
    return (
        has_several(case)
        or sum(a.size for a in given) > LARGEST
        or any(a.dtype.kind in "OSU" for a in given)
    )


@cache
def limits_of(frontend: str) -> tuple[Limit, ...]:
    """The limits of a frontend's rows."""
    return tuple(import_module(f"conformance.cases.{TABLES.get(frontend, frontend)}").LIMITS)


@cache
def engine_of(frontend: str) -> Engine[Any]:
    """The engine of a frontend's rows."""
    name = TABLES.get(frontend, frontend)
    found: Engine[Any] = import_module(f"conformance.engines.{name}").ENGINE
    return found


@cache
def values_of(frontend: str) -> dict[str, tuple[Any, ...]]:
    """All values that rows give arguments of a name, over all operators."""
    engine = engine_of(frontend)
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for rows in rows_of(frontend).values():
        for case in rows:
            for name, value in _arguments(engine, case):
                if len(found[name]) < MOST:
                    found[name].setdefault(repr(value), value)
    return {n: tuple(v.values()) for n, v in found.items()}


def _arguments(engine: Engine[Any], case: Case) -> list[tuple[str, Any]]:
    """The arguments of a case that are not arrays, by name."""
    given = list(zip(names_of(engine, case), case.inputs, strict=False))
    given += list(case.attrs.items())
    return [(n, v) for n, v in given if not _has_array(v)]


def _has_array(value: Any) -> bool:
    parts = value if isinstance(value, (list, tuple)) else [value]
    return any(is_leaf(p) or isinstance(p, dict) for p in parts)


def start(frontend: str, op: str, device: str) -> Start:
    """Where to start with an operator on a device; rows under a limit are left out."""
    engine, limits = engine_of(frontend), limits_of(frontend)
    mine = tuple(x for x in limits if x.op == op.rpartition("::")[2])
    rows = [c for c in rows_of(frontend)[op] if not any(x.matches(c, device) for x in mine)]
    rows.sort(key=lambda c: (sum(a.size for a in arrays(c)), len(c.inputs) + len(c.attrs)))
    pools, optional = _pools(frontend, op, engine, rows)
    known = tuple(x for x in mine if x.device in (None, device))
    return Start(
        *(frontend, op, engine, tuple(rows), pools, optional),
        flags=_flags(frontend, op),
        precisions=_precisions(rows) if frontend == "tflite" else frozenset(),
        positions=_positions(frontend, op, rows),
        limits=known,
    )


def _pools(
    frontend: str, op: str, engine: Engine[Any], rows: Sequence[Case]
) -> tuple[dict[str, tuple[Any, ...]], tuple[str, ...]]:
    """Values of arguments by name: from the rows, other operators and the signature."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for case in rows:
        for name, value in _arguments(engine, case):
            found[name].setdefault(repr(value), value)
    elsewhere = values_of(frontend)
    optional = []
    for name, hint, default in _signature(frontend, op):
        kind = type(next(iter(found[name].values()), default))
        for value in (default, *NUMBERS.get(hint, ())):
            if value is not None:
                found[name].setdefault(repr(value), value)
        for value in elsewhere.get(name, ()):
            is_word = frontend == "tflite" and isinstance(value, str)  # kernels ignore some
            if not is_word and (type(value) is kind or kind is type(None)):
                found[name].setdefault(repr(value), value)
        optional.append(name)
    pools = {n: tuple(v.values())[: 2 * MOST] for n, v in found.items()}
    return {n: v for n, v in pools.items() if v}, tuple(optional)


def _signature(frontend: str, op: str) -> list[tuple[str, Any, Any]]:
    """Name, annotation and default of the converter's arguments that may be left out."""
    converter = _converter(frontend, op)
    given = () if converter is None else converter.parameters.items()
    return [
        (n, q.hint, q.default)
        for n, (p, q) in given
        if q.default is not p.empty and not q.is_value and not q.is_items
        if n not in converter.services and p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]


def _flags(frontend: str, op: str) -> frozenset[str]:
    """Arguments that the converter takes as truth values."""
    converter = _converter(frontend, op)
    given = {} if converter is None else converter.parameters
    return FLAGS | frozenset(n for n, (_, q) in given.items() if q.hint is bool)


def _converter(frontend: str, op: str) -> Any:
    """The newest converter of an operator; None for legacy ones, which none is written for."""
    if frontend == "paddle-legacy":
        return None
    return import_module(f"frontends.{frontend}").TABLE.find(op, 10_000)


def _precisions(rows: Sequence[Case]) -> frozenset[np.dtype]:
    """Those of the rows: LiteRT does not look at others, but reads what is not there."""
    given = (v for case in rows for v in entries(case).values() if is_leaf(v))
    return frozenset(array_of(v).dtype for v in given if not hasattr(v, "scale"))


def _positions(frontend: str, op: str, rows: Sequence[Case]) -> frozenset[Path]:
    """Places that hold integers in every row, where other places hold something else."""
    kinds: dict[Path, set[bool]] = defaultdict(set)
    for case in rows:
        for path, given in entries(case).items():
            if is_leaf(given):
                kinds[path].add(is_position(np.dtype(array_of(given).dtype)))
    whole = frozenset(p for p, k in kinds.items() if k == {True})
    is_all = is_listed(POSITIONS, frontend, op)
    return whole if is_all or len(whole) < len(kinds) else frozenset()
