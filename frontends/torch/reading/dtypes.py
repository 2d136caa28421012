"""Element types and dimensions as PyTorch's files write them."""

from __future__ import annotations

import ast
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from nnir.dim import Dim, apply_call, symbol
from nnir.errors import BadFile, Unsupported
from nnir.notation import name_dim
from nnir.types import Precision

PRECISIONS: dict[int, Precision] = {
    1: Precision.UINT8,
    2: Precision.INT8,
    3: Precision.INT16,
    4: Precision.INT32,
    5: Precision.INT64,
    6: Precision.FLOAT16,
    7: Precision.FLOAT32,
    8: Precision.FLOAT64,
    10: Precision.COMPLEX64,
    11: Precision.COMPLEX128,
    12: Precision.BOOL8,
    13: Precision.BFLOAT16,
    28: Precision.UINT16,
    29: Precision.FLOAT8E4M3FN,
    30: Precision.FLOAT8E5M2,
    31: Precision.FLOAT8E4M3FNUZ,
    32: Precision.FLOAT8E5M2FNUZ,
    33: Precision.FLOAT8E8M0FNU,
    34: Precision.UINT32,
    35: Precision.UINT64,
}
"""ScalarType of torch/_export/serde/schema.py; not the numbers of c10."""

STRIDED = 7
LONGEST = 10_000


def precision(code: Any) -> Precision:
    """The precision of a ScalarType; Unsupported for another."""
    if not isinstance(code, int) or code not in PRECISIONS:
        raise Unsupported(f"elements of PyTorch's serialised type {code!r}")
    return PRECISIONS[code]


@lru_cache(maxsize=1024)
def dimension(text: str) -> Dim:
    """A size from SymPy's `srepr`; nothing in the text is run. BadFile where it is not one."""
    if len(text) > LONGEST:
        raise BadFile(f"a size of {len(text)} characters")
    try:
        return _read(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, ZeroDivisionError) as error:
        raise BadFile(f"{text[:80]!r} is not a size: {error}") from None


def _read(node: ast.expr) -> Dim:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand)
        case ast.Call(func=function, args=args):
            kind = function.id if isinstance(function, ast.Name) else _last(function)
            if kind == "Symbol":
                return _symbol(args)
            if kind in ROUNDED:
                return _floor_of_fraction(kind, args)
            return _combine(kind, [_read(a) for a in args])
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in SINGLETONS:
            return SINGLETONS[name]
    raise ValueError(f"cannot read {ast.dump(node)[:60]}")


ROUNDED = frozenset({"TruncToInt", "FloorToInt", "CeilToInt", "RoundToInt"})
"""Integers made of floats, as a resize by a factor has them."""


def _floor_of_fraction(kind: str, args: list[ast.expr]) -> Dim:
    """floor(c * n) where c is a small fraction, which float64 holds exactly; else a new symbol."""
    match args:
        case [
            ast.Call(
                func=ast.Name(id="Mul"),
                args=[
                    ast.Call(func=ast.Name(id="Float"), args=[ast.Constant(value=str(factor))]),
                    ast.Call(func=ast.Name(id="ToFloat"), args=[size]),
                ],
            )
        ] if kind in ("TruncToInt", "FloorToInt"):
            upper, lower = float(factor).as_integer_ratio()
            if 0 < upper <= 1 << 16 and lower <= 1 << 10:
                return _read(size) * upper // lower
    text = "".join(map(ast.dump, args))
    return symbol(f"_f{zlib.crc32(text.encode())}")


SINGLETONS = {"Zero": 0, "One": 1, "NegativeOne": -1}


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    raise ValueError(f"cannot read {ast.dump(node)[:60]}")


def _symbol(args: list[ast.expr]) -> Dim:
    match args:
        case [ast.Constant(value=str(name))]:
            found = name_dim(name)
            return found if not isinstance(found, int) else symbol(f"_{name}")
    raise ValueError("a symbol without a name")


def _combine(kind: str, dims: list[Dim]) -> Dim:
    if kind == "Pow" and len(dims) == 2 and isinstance(dims[1], int) and 0 <= dims[1] <= 8:
        return _fold(lambda a, b: a * b, [dims[0]] * dims[1] or [1])
    if kind not in CALLS or not dims:
        raise ValueError(f"{kind} is not an operation on sizes")
    return _fold(CALLS[kind], dims)


def _fold(function: Callable[[Dim, Dim], Dim], dims: list[Dim]) -> Dim:
    result = dims[0]
    for d in dims[1:]:
        result = function(result, d)
    return result


CALLS: dict[str, Callable[[Dim, Dim], Dim]] = {
    "Integer": lambda a, b: a,
    "Add": lambda a, b: a + b,
    "Mul": lambda a, b: a * b,
    "FloorDiv": lambda a, b: a // b,
    "CleanDiv": lambda a, b: a // b,
    "Mod": lambda a, b: a % b,
    "PythonMod": lambda a, b: a % b,
    "Min": lambda a, b: apply_call("min", a, b),
    "Max": lambda a, b: apply_call("max", a, b),
}
