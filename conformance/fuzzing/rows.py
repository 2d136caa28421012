"""A case as Python source that can be pasted into a table of cases."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any

import ml_dtypes
import numpy as np

from nnir import errors
from nnir.types import Precision

from ..case import EXACT, ROUNDS, Case, Const, Limit, Made, Tolerance, f, i, rand, scalar

NAMES: dict[str, Any] = {
    "Case": Case,
    "Const": Const,
    "Limit": Limit,
    "Made": Made,
    "Tolerance": Tolerance,
    "EXACT": EXACT,
    "ROUNDS": ROUNDS,
    "f": f,
    "i": i,
    "scalar": scalar,
    "rand": rand,
    "np": np,
    "ml_dtypes": ml_dtypes,
    "BF16": ml_dtypes.bfloat16,
    "Precision": Precision,
    "nan": np.nan,
    "inf": np.inf,
    **{n: v for n, v in vars(errors).items() if isinstance(v, type)},
}
"""What the source of a row may use: the names that files of cases import."""

LONG = 4


def names() -> dict[str, Any]:
    """`NAMES` and those that only the cases of one frontend need."""
    from frontends.source import Contents

    from ..engines import tflite as lite

    kinds = Contents, lite.Blocked, lite.Body, lite.Scaled, lite.Sparse, lite.State
    return NAMES | {kind.__name__: kind for kind in kinds}


def row_of(case: Case) -> str:
    """The case as source."""
    words = [repr(case.op), _tuple(case.inputs)]
    if case.attrs:
        words.append(source(case.attrs))
    words += _fields(case, skipped={"op", "inputs", "attrs"})
    return f"Case({', '.join(words)})"


def source(value: Any) -> str:
    """Any part of a case as source."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Tolerance):
        known = {EXACT: "EXACT", ROUNDS: "ROUNDS"}
        return known.get(value) or f"Tolerance({', '.join(_fields(value))})"
    if isinstance(value, Const):
        return f"Const({source(value.array)})"
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if is_dataclass(value) and not isinstance(value, type):
        return f"{type(value).__name__}({', '.join(_fields(value))})"
    match value:
        case dict():
            return "{" + ", ".join(f"{k!r}: {source(v)}" for k, v in value.items()) + "}"
        case tuple():
            return _tuple(value)
        case list():
            return "[" + ", ".join(map(source, value)) + "]"
        case type() | np.dtype():
            return _dtype(value)
        case np.generic():
            return f"{_dtype(value.dtype)}({_number(value.item())})"
        case float() | complex() if not isinstance(value, bool):
            return _number(value)
    return repr(value)


def _fields(value: Any, skipped: frozenset[str] | set[str] = frozenset()) -> list[str]:
    """The fields of a dataclass that are not the default, by name."""
    words = []
    for field in fields(value):
        given = getattr(value, field.name)
        default = field.default
        if default is MISSING and field.default_factory is not MISSING:
            default = field.default_factory()
        is_default = default is not MISSING and type(given) is type(default) and given == default
        if field.name not in skipped and not is_default:
            words.append(f"{field.name}={source(given)}")
    return words


def _tuple(values: tuple[Any, ...]) -> str:
    return "(" + ", ".join(map(source, values)) + ("," if len(values) == 1 else "") + ")"


def _dtype(given: Any) -> str:
    """A dtype or a class that is one."""
    if isinstance(given, type) and not issubclass(given, np.generic):
        return given.__name__
    dtype = np.dtype(given)
    if dtype == ml_dtypes.bfloat16:
        return "BF16"
    if dtype.kind in "OU":
        return "object" if dtype.kind == "O" else repr(dtype.str)
    if dtype == np.bool_:
        return "np.bool_"
    return f"ml_dtypes.{dtype.name}" if dtype.kind == "V" or _is_extension(dtype) else (
        f"np.{dtype.name}"
    )  # fmt: skip


def _is_extension(dtype: np.dtype) -> bool:
    return dtype.type.__module__.startswith("ml_dtypes")


def _number(value: Any) -> str:
    """A Python number; NaN and infinities as the names that cases import."""
    if isinstance(value, complex):
        return f"complex({_number(value.real)}, {_number(value.imag)})"
    return repr(value)


def _array(array: np.ndarray) -> str:
    flat, dtype = array.reshape(-1), array.dtype
    if not array.size:
        return f"np.zeros({array.shape}, {_dtype(dtype)})"
    if array.size > LONG and len({_element(x) for x in flat}) == 1:
        return f"np.full({array.shape}, {_element(flat[0])}, {_dtype(dtype)})"
    if not array.ndim:
        kind = "" if dtype == np.float32 else f", {_dtype(dtype)}"
        return f"scalar({_element(array[()])}{kind})"
    elements = ", ".join(map(_element, flat))
    maker, usual = ("i", np.int64) if dtype.kind in "iu" else ("f", np.float32)
    kind = "" if dtype == usual else f", dtype={_dtype(dtype)}"
    shape = f".reshape{array.shape}" if array.ndim > 1 else ""
    return f"{maker}({elements}{kind}){shape}"


def _element(value: Any) -> str:
    """One element: the shortest digits that give it back."""
    if isinstance(value, np.generic) and value.dtype.kind not in "fcV":
        return repr(value.item())
    if isinstance(value, (np.floating, float)):
        digits = str(value)
        return digits.removesuffix(".0") if digits not in ("-0.0",) else digits
    if isinstance(value, (np.complexfloating, complex)):
        return f"complex({_element(value.real)}, {_element(value.imag)})"
    if _is_extension(np.dtype(type(value))):
        return _element(float(value)) if "int" not in np.dtype(type(value)).name else str(value)
    return repr(value)
