"""The arrays of a case, wherever they are among its inputs and attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ..case import Case

Path = tuple[Any, ...]

MODEST = 10_000
SHORT = 16


def is_leaf(given: Any) -> bool:
    """Whether it is an array, or says what an array is (`Const`, `Scaled`, `State`)."""
    return isinstance(given, np.ndarray) or (
        is_dataclass(given) and isinstance(getattr(given, "array", None), np.ndarray)
    )


def array_of(leaf: Any) -> np.ndarray:
    """The array of a leaf."""
    found: np.ndarray = leaf if isinstance(leaf, np.ndarray) else leaf.array
    return found


def with_array(leaf: Any, array: np.ndarray) -> Any:
    """The leaf with another array."""
    return array if isinstance(leaf, np.ndarray) else replace(leaf, array=array)


def map_leaves(tree: Any, change: Callable[[Path, Any], Any], path: Path = ()) -> Any:
    """The tree with every leaf and every argument that is not an array changed."""
    if isinstance(tree, dict):
        return {k: map_leaves(v, change, (*path, k)) for k, v in tree.items()}
    if type(tree) in (list, tuple) and any(is_leaf(v) for v in tree):
        return type(tree)(map_leaves(v, change, (*path, k)) for k, v in enumerate(tree))
    return change(path, tree)


def entries(case: Case) -> dict[Path, Any]:
    """Leaves and arguments by where they are; the first part says inputs or attributes."""
    found: dict[Path, Any] = {}

    def note(path: Path, given: Any) -> Any:
        found[path] = given
        return given

    for k, given in enumerate(case.inputs):
        map_leaves(given, note, ("inputs", k))
    for name, given in case.attrs.items():
        map_leaves(given, note, ("attrs", name))
    return found


def rebuilt(case: Case, new: Mapping[Path, Any], left_out: frozenset[Path] = frozenset()) -> Case:
    """The case with other entries; attributes may be new, or left out."""

    def put(path: Path, given: Any) -> Any:
        return new.get(path, given)

    inputs = tuple(map_leaves(g, put, ("inputs", k)) for k, g in enumerate(case.inputs))
    attrs = {n: map_leaves(g, put, ("attrs", n)) for n, g in case.attrs.items()}
    attrs |= {p[1]: v for p, v in new.items() if p[0] == "attrs" and p[1] not in attrs}
    attrs = {n: v for n, v in attrs.items() if ("attrs", n) not in left_out}
    return replace(case, inputs=inputs, attrs=attrs)


def arrays(case: Case) -> list[np.ndarray]:
    """Every array of a case."""
    return [array_of(v) for v in entries(case).values() if is_leaf(v)]


def same(a: Any, b: Any) -> bool:
    """Whether two cases, or parts of them, are equal: arrays to the bit, NaN like NaN."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and _same_array(a, b)
    if is_dataclass(a) and not isinstance(a, type):
        names = [x.name for x in fields(a)]
        return type(a) is type(b) and all(same(getattr(a, n), getattr(b, n)) for n in names)
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (type, np.dtype)) and isinstance(b, (type, np.dtype)):
        return a is b or np.dtype(a) == np.dtype(b)
    if isinstance(a, (float, complex)) and a != a:
        return type(a) is type(b) and repr(a) == repr(b)
    return type(a) is type(b) and bool(a == b)


def _same_array(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "fc" or a.dtype.name.startswith(("bfloat", "float")):
        wide = np.complex128 if a.dtype.kind == "c" else np.float64
        return bool(np.array_equal(a.astype(wide), b.astype(wide), equal_nan=True))
    return bool(np.array_equal(a, b))


def is_modest(case: Case) -> bool:
    """Whether no number of the case, read as a size, asks for much."""
    found = entries(case).values()
    numbers = [array_of(v) if is_leaf(v) else v for v in found]
    return all(_largest(n) <= MODEST for n in numbers)


def _largest(value: Any) -> float:
    """The largest number in an argument, or in a short array."""
    if isinstance(value, np.ndarray) and (value.dtype.kind not in "iuf" or value.size > SHORT):
        return 0.0
    if isinstance(value, (int, float, list, tuple, np.ndarray)):
        try:
            return float(np.nanmax(np.abs(np.asarray(value, np.float64)), initial=0.0))
        except (TypeError, ValueError):
            return 0.0
    return 0.0
