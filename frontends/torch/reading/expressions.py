"""The grammar of the expressions in a `.pt2` file, which PyTorch hands to SymPy: it runs them.

SymPy evaluates the text of a size as Python. Only calls of known functions on numbers and on
symbols pass, and powers stay small.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from nnir.errors import BadFile

from .dtypes import LONGEST

FUNCTIONS = frozenset(
    {"Abs", "Add", "And", "CeilDiv", "CeilToInt", "CleanDiv", "Equality", "ExprCondPair"}
    | {"FloatTrueDiv", "FloorDiv", "FloorToInt", "GreaterThan", "Identity", "IntTrueDiv"}
    | {"IsNonOverlappingAndDenseIndicator", "LessThan", "Max", "Min", "Mod", "ModularIndexing"}
    | {"Mul", "Not", "Or", "Piecewise", "PythonMod", "RShift", "RoundDecimal", "RoundToInt"}
    | {"StrictGreaterThan", "StrictLessThan", "ToFloat", "TruncToFloat", "TruncToInt"}
    | {"Unequality", "Where", "Xor", "ceiling", "exp", "floor", "log", "sqrt", "Tuple"}
    | {"Eq", "Ne", "Gt", "Ge", "Lt", "Le"}
)
POWERS = frozenset({"Pow", "PowByNatural", "FloatPow", "LShift"})
NUMBERS = {
    "Integer": re.compile(r"-?\d{1,20}"),
    "Rational": re.compile(r"-?\d{1,20}"),
    "Float": re.compile(r"-?\d{1,40}(\.\d{0,40})?(e[+-]?\d{1,3})?"),
}
SYMBOL = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,60}")
NAMES = frozenset({"true", "false", "oo", "Zero", "One", "NegativeOne", "Half", "int_oo"})
LARGEST_POWER = 64


def check(text: object) -> None:
    """BadFile for a text that is no expression on sizes."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise BadFile(f"a size of type {type(text).__name__}, or too long")
    _check_text(text)


@lru_cache(maxsize=1024)  # a size stands in a program as often as tensors have it
def _check_text(text: str) -> None:
    try:
        _check(ast.parse(text, mode="eval").body, LARGEST_POWER)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadFile(f"{text[:80]!r} is not a size: {error}") from None


def _check(node: ast.expr, power: int) -> None:
    """`power`: how large a power may still be here, inside of others."""
    match node:
        case ast.Constant(value=int() | float() as value) if abs(value) < 1 << 64:
            return
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="S"), attr=name) if name in NAMES:
            return
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _check(operand, power)
        case ast.Call(func=ast.Name(id="Symbol"), args=[ast.Constant(value=str(name))]):
            flags = [k.value for k in node.keywords if k.arg is not None]
            if not SYMBOL.fullmatch(name) or len(flags) != len(node.keywords):
                raise ValueError(f"a symbol {name[:40]!r}")
            if not all(isinstance(f, ast.Constant) and type(f.value) is bool for f in flags):
                raise ValueError("what is assumed of a symbol is true or false")
        case ast.Call(func=ast.Name(id=name), args=args) if name in NUMBERS:
            _check_number(name, args, node.keywords)
        case ast.Call(func=ast.Name(id=name), args=[base, exponent], keywords=[]) if name in POWERS:
            size = _exponent(exponent)
            if max(size, 1) > power:
                raise ValueError(f"a power of more than {LARGEST_POWER}")
            _check(base, power // max(size, 1))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            for argument in args:
                _check(argument, power)
        case _:
            raise ValueError(f"{ast.dump(node)[:60]} is not known")


def _check_number(name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> None:
    if not all(isinstance(k.value, ast.Constant) and k.arg == "precision" for k in keywords):
        raise ValueError(f"options of {name}")
    for argument in [*args, *(k.value for k in keywords)]:
        text = ast.unparse(argument).strip("'\"")
        if not NUMBERS[name].fullmatch(text):
            raise ValueError(f"{text[:40]!r} is no number")


def _exponent(node: ast.expr) -> int:
    """The size of an exponent, which must be a number."""
    match node:
        case ast.Call(func=ast.Name(id="Integer"), args=[inner]):
            return _exponent(inner)
        case ast.Call(func=ast.Name(id="Rational"), args=[ast.Constant(value=int(value)), _]):
            return abs(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _exponent(operand)
        case ast.Constant(value=int(value)):
            return abs(value)
        case ast.Name(id="Half") | ast.Attribute(attr="Half"):
            return 1
    raise ValueError("a power that is no number")
