"""The text of dimensions: what `str` of one prints, and what frameworks call theirs."""

from __future__ import annotations

import ast
import functools
import keyword
import re
import unicodedata

from .dim import Dim, apply_call, symbol
from .errors import BadFile, Unsupported

LONGEST = 10_000
LONGEST_NAME = 1000


@functools.lru_cache(1024)  # a file says the same of thousands of values
def parse(text: str) -> Dim:
    """Read what `str` of a dimension printed; BadFile for anything else."""
    if len(text) > LONGEST:
        raise BadFile(f"a dimension of more than {LONGEST} characters")
    try:
        return _read(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, ZeroDivisionError, Unsupported):
        raise BadFile(f"{text[:80]!r} is not a dimension") from None


def name_dim(text: str) -> Dim:
    """The dimension that a framework calls `text`: an expression of ours, else one symbol."""
    if len(text) > LONGEST_NAME:
        raise BadFile(f"a dimension name of {len(text)} characters")
    try:
        return parse(text)
    except BadFile:
        name = re.sub(r"\W", "_", unicodedata.normalize("NFKC", text))
        is_name = name.isidentifier() and not keyword.iskeyword(name)
        return symbol(name if is_name else f"_{name}")


def _read(node: ast.expr) -> Dim:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            return symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _read(left) + _read(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _read(left) - _read(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _read(left) * _read(right)
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return _read(left) // _read(right)
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            return _read(left) % _read(right)
        case ast.Call(func=ast.Name(id="min" | "max" as kind), args=[left, right], keywords=[]):
            return apply_call(kind, _read(left), _read(right))
    raise ValueError(f"not a dimension: {ast.dump(node)[:80]}")
