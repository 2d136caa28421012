"""What ONNX has not of sorting and of extremes: positions in int32."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType
from nnir.ops import reduce, sort
from nnir.types import Precision

from ...case import Const, f, i, rand
from .direct import DirectCase


def top_k(
    input: np.ndarray,
    k: np.ndarray,
    *,
    axis: int,
    largest: bool = True,
    sorted: bool = True,
    return_indices_dtype: Precision = Precision.INT64,
) -> list[np.ndarray]:
    """Row by row with Python's stable sort; always in order."""
    rows = np.moveaxis(input, axis, -1)
    count = int(k.flat[0])
    where = np.zeros((*rows.shape[:-1], count), np.int64)
    for at in np.ndindex(*rows.shape[:-1]):
        values = rows[at].tolist()
        places = list(range(len(values)))
        places.sort(key=lambda p: -values[p] if largest else values[p])
        where[at] = places[:count]
    found = np.moveaxis(np.take_along_axis(rows, where, -1), -1, axis)
    kind = np.int32 if return_indices_dtype == Precision.INT32 else np.int64
    return [found, np.moveaxis(where, -1, axis).astype(kind)]


def arg_max(
    input: np.ndarray, *, axis: int, keepdim: bool, dtype: Precision = Precision.INT64
) -> np.ndarray:
    """The first of the largest."""
    rows = np.moveaxis(input, axis, -1)
    found = np.zeros(rows.shape[:-1], np.int32 if dtype == Precision.INT32 else np.int64)
    for at in np.ndindex(*found.shape):
        values = rows[at].tolist()
        found[at] = values.index(max(values))
    return np.expand_dims(found, axis) if keepdim else found


def arg_min(input: np.ndarray, **attrs: Any) -> np.ndarray:
    """The first of the smallest."""
    return arg_max(-input, **attrs)


def _top(input: np.ndarray, k: Any, why: str, **attrs: Any) -> DirectCase:
    return DirectCase(sort.top_k, (input, k), {"axis": -1} | attrs, top_k, why=why)


X = rand(2, 5, 3)
TIES = f(1, 3, 2, 3, 1, 2)
INT32: dict[str, Any] = {"return_indices_dtype": Precision.INT32}
CASES = [
    _top(X, Const(i(2)), "int32 positions", axis=1, **INT32),
    _top(X, i(2), "int32 positions, k at run time", axis=-2, **INT32),
    _top(TIES, Const(i(4)), "equal elements", **INT32),
    _top(TIES, Const(i(4)), "equal smallest elements", largest=False, **INT32),
    _top(X, Const(i(3)), "not asked to sort", axis=1, sorted=False),
    _top(X, Const(i(0)), "none", **INT32),
    _top(X, i(0), "none, which only a run says"),
    _top(TIES.astype(np.float16), Const(i(3)), "halves", **INT32),
    _top(TIES.astype(np.int32), Const(i(3)), "integers", **INT32),
    DirectCase(
        sort.top_k,
        (X, Const(i(2))),
        {"axis": 1, "return_indices_dtype": Precision.INT16},
        why="int16 positions",
        raises=BadType,
    ),
    *(
        DirectCase(
            operator,
            (data,),
            {"axis": axis, "keepdim": keepdim, "dtype": Precision.INT32},
            function,
            why=f"int32, axis {axis} of {data.ndim}{', kept' if keepdim else ''}",
        )
        for operator, function in ((reduce.arg_max, arg_max), (reduce.arg_min, arg_min))
        for data, axis, keepdim in ((X, 1, False), (X, -1, True), (TIES, 0, True))
    ),
]
