"""What one-token changes a file offers: each is a span of its text and what takes its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from ..lines.reading import is_for_types

COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
ARITHMETIC = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
SIBLINGS = {"min": "max", "max": "min", "any": "all", "all": "any"}
COMMUTES = re.compile(
    r"add|plus|mul|multiply|times|convert|(logical|bitwise)?(and|or|xor)|(not|array)?equal|max(imum)?|min(imum)?"
    r"|gcd|hypot|lower|commonprecision|suppress"
)
"""What means the same with its operands exchanged, by the names of functions and kernels.

The names that a converter is registered under may stand in any order, too.
"""

DEMANDS = frozenset({"strict", "ulps"})
"""Arguments that demand or promise something, and change nothing where it holds."""

UNTOUCHED = frozenset({"add_note", "describe", "TYPE_CHECKING", "__repr__", "__str__"})
"""What only speaks to people, or to type checkers."""

Node = ast.expr | ast.stmt | ast.keyword | ast.pattern
Function = ast.FunctionDef | ast.AsyncFunctionDef
Offer = tuple[Any, ...]
"""Start, end, new text and kind of a change, and what it leaves out, if it does."""


@dataclass(frozen=True, order=True)
class Change:
    """`text[start:end]`, in bytes, becomes `new`.

    `lines` are the first and the last one of what runs differently: where no case comes by there,
    none can notice it. `function` is the outermost function around it. `registers`: it is in a
    decorator, which says who comes by. `left_out`: an argument that it drops, as the function that
    is called, the parameter or its number, and the value.
    """

    start: int
    end: int
    new: bytes
    kind: str
    function: str
    lines: tuple[int, int]
    registers: bool = False
    left_out: tuple[str, str, str] = ("", "", "")

    def apply(self, text: bytes) -> bytes:
        """The changed text."""
        return text[: self.start] + self.new + text[self.end :]

    def shown(self, text: bytes) -> tuple[int, str, str]:
        """The number of the line, the line before and after, joined where it is several."""
        first = text.rfind(b"\n", 0, self.start) + 1
        last = text.find(b"\n", self.end)
        before = text[first : last if last >= 0 else len(text)]
        head, tail = text[first : self.start], text[self.end : last if last >= 0 else len(text)]
        after = head + self.new + tail
        plain = [b" ".join(part.split()).decode() for part in (before, after)]
        return text.count(b"\n", 0, self.start) + 1, plain[0], plain[1]


def changes_of(text: bytes) -> list[Change]:
    """All changes that a file offers, in order; not all of them are programs."""
    return sorted(set(Source(text).changes()))


def is_another(changed: bytes, text: bytes) -> bool:
    """Whether a changed text is a program, and another one."""
    try:
        return ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text))
    except SyntaxError:
        return False


class Source:
    """A file as a tree that knows where in the text it is."""

    def __init__(self, text: bytes) -> None:
        self.text, self.tree = text, ast.parse(text)
        starts = [0, *(k + 1 for k, byte in enumerate(text) if byte == 10)]
        self._starts = starts
        self._parents = {c: p for p in ast.walk(self.tree) for c in ast.iter_child_nodes(p)}

    def changes(self) -> Iterator[Change]:
        """Every change inside of a function."""
        for name, function in self._functions(self.tree.body, ""):
            body = _body(function)
            for part in self._parts(function):
                in_body, registers = part in function.body, part in function.decorator_list
                for node, lines in _walk(part, None):
                    spans = (lines or body) if in_body else body
                    yield from (
                        Change(start, end, new, kind, name, spans, registers, *left_out)
                        for start, end, new, kind, *left_out in self._of(node)
                    )

    def _functions(self, body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
        for node in body:
            if isinstance(node, Function):
                if node.name in UNTOUCHED or is_for_types(node):
                    continue
                yield prefix + node.name, node
            elif isinstance(node, ast.ClassDef):
                yield from self._functions(node.body, f"{prefix}{node.name}.")

    def _parts(self, function: Function) -> Iterator[ast.AST]:
        """What of a function can be changed: not its documentation, nor its annotations."""
        yield from function.decorator_list
        yield from _defaults(function)
        yield from function.body

    def _of(self, node: ast.AST) -> Iterator[Offer]:
        match node:
            case ast.Compare():
                yield from self._compared(node)
            case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC:
                if not (_is_text(left) or _is_text(right)):
                    yield from self._between(left, right, *ARITHMETIC[type(operator)])
            case ast.BoolOp(operator, values):
                words = ("and", "or") if isinstance(operator, ast.And) else ("or", "and")
                for left, right in pairwise(values):
                    yield from self._between(left, right, *words)
            case ast.UnaryOp(ast.Not() | ast.USub(), operand):
                yield (*self._span(node), self._text(operand), "dropped sign")
            case ast.Constant():
                yield from self._constant(node)
            case ast.Call():
                yield from self._call(node)
            case ast.If(test) | ast.IfExp(test):
                yield (*self._span(test), b"True", "condition")
                yield (*self._span(test), b"False", "condition")
            case ast.While(test):
                yield (*self._span(test), b"False", "condition")
            case ast.comprehension(ifs=tests):
                yield from ((*self._span(t), b"True", "condition") for t in tests)
            case ast.Name(id=name) if name in SIBLINGS:
                yield (*self._span(node), SIBLINGS[name].encode(), "sibling")
            case ast.Attribute(ast.Name(id=owner), name) if name.isupper():
                if (other := _next(name, self._members.get(owner, ()))) is not None:
                    end = self._span(node)[1]
                    yield end - len(name.encode()), end, other.encode(), "sibling"

    def _compared(self, node: ast.Compare) -> Iterator[Offer]:
        operands = [node.left, *node.comparators]
        for place, operator in enumerate(node.ops):
            pair = operands[place], operands[place + 1]
            yield from self._between(*pair, *COMPARISONS[type(operator)])

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[Offer]:
        """An operator, which stands between its operands."""
        first, last = self._span(left)[1], self._span(right)[0]
        place = self.text.find(old.encode(), first, last)
        if place >= 0:
            yield place, place + len(old), new.encode(), "operator"

    def _constant(self, node: ast.Constant) -> Iterator[Offer]:
        span = self._span(node)
        match node.value:
            case bool():
                yield (*span, str(not node.value).encode(), "constant")
            case int():
                yield (*span, str(node.value + 1).encode(), "constant")
                if node.value or not isinstance(self._parents.get(node), ast.Subscript):
                    yield (*span, f"({node.value - 1})".encode(), "constant")
            case float():
                other = node.value * 2 if node.value else 1.0
                yield (*span, repr(other).encode(), "constant")
            case str() if (word := _next(node.value, self._words)) and self._is_choice(node):
                yield (*span, repr(word).encode(), "sibling")

    def _call(self, node: ast.Call) -> Iterator[Offer]:
        arguments: list[Node] = sorted([*node.args, *node.keywords], key=lambda a: self._span(a))
        previous = self._span(node.func)[1]
        for place, argument in enumerate(arguments):
            if isinstance(argument, ast.keyword) and argument.arg in DEMANDS:
                continue
            is_last_positional = bool(node.args) and argument is node.args[-1]
            if isinstance(argument, ast.keyword) or (is_last_positional and len(node.args) > 1):
                start, end = self._span(argument)
                if place:
                    start = previous
                elif len(arguments) > 1:
                    end = self._span(arguments[1])[0]
                yield start, end, b"", "dropped argument", self._left_out(node, argument)
            previous = self._span(argument)[1]
        for first, second in pairwise(node.args):
            a, b = self._span(first), self._span(second)
            texts = self._text(first), self._text(second)
            is_one = not isinstance(second, ast.Starred) and not isinstance(first, ast.Starred)
            if is_one and not self._commutes(node, first):
                yield a[0], b[1], texts[1] + self.text[a[1] : b[0]] + texts[0], "swapped"

    def _left_out(self, node: ast.Call, argument: Node) -> tuple[str, str, str]:
        """The function that is called, the parameter or its number, and the argument."""
        called = self._text(node.func).decode()
        if isinstance(argument, ast.keyword):
            return called, argument.arg or "", self._text(argument.value).decode()
        if any(isinstance(a, ast.Starred) for a in node.args):
            return "", "", ""
        return called, str(len(node.args) - 1), self._text(argument).decode()

    def _commutes(self, node: ast.Call, argument: ast.expr) -> bool:
        """Whether operands may change places: of what is called, or of the kernel it names."""
        called = _name_called(node.func)
        is_operand = called == "convert" or not (_is_text(argument) or _options(argument))
        kernels = [[called], *map(_options, node.args)]
        return is_operand and any(names and all(map(_commutes, names)) for names in kernels)

    def _is_choice(self, node: ast.AST) -> bool:
        """Whether a text is one of several values, not a message or a name that is looked up."""
        parent = self._parents.get(node)
        if isinstance(parent, (ast.Tuple, ast.List, ast.Set)):
            parent = self._parents.get(parent)
        return isinstance(parent, (ast.Compare, ast.MatchValue, ast.keyword, ast.IfExp, ast.Dict))

    @cached_property
    def _words(self) -> list[str]:
        """The texts of the file that are one of several values."""
        found = (n for n in ast.walk(self.tree) if isinstance(n, ast.Constant))
        words = {n.value for n in found if isinstance(n.value, str) and self._is_choice(n)}
        return sorted(w for w in words if w and " " not in w)

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        """The constants that the file takes from each name, such as those of an enumeration."""
        found: dict[str, set[str]] = {}
        for node in ast.walk(self.tree):
            match node:
                case ast.Attribute(ast.Name(id=owner), name) if name.isupper():
                    found.setdefault(owner, set()).add(name)
        return {owner: sorted(names) for owner, names in found.items()}

    def _span(self, node: ast.AST) -> tuple[int, int]:
        where = [getattr(node, n) for n in ("lineno", "col_offset", "end_lineno", "end_col_offset")]
        return self._starts[where[0] - 1] + where[1], self._starts[where[2] - 1] + where[3]

    def _text(self, node: ast.AST) -> bytes:
        start, end = self._span(node)
        return self.text[start:end]


def _walk(
    node: ast.AST, lines: tuple[int, int] | None
) -> Iterator[tuple[ast.AST, tuple[int, int] | None]]:
    """Everything below a node that is not text for people, with the lines of its statement."""
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)):
        return
    if isinstance(node, ast.Call) and _name_called(node.func) in UNTOUCHED:
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, (ast.stmt, ast.match_case)):
        lines = _lines(node)
    yield node, lines
    inside = _body(node) if isinstance(node, Function) else lines
    if isinstance(node, ast.keyword) and node.arg in DEMANDS:
        return
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_comment"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST) and not _is_message(node, child):
                yield from _walk(child, inside)


def _defaults(function: Function) -> Iterator[ast.expr]:
    """The defaults that something reads: of an operator all, as others read its attributes."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(
            positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True
        ),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    nodes = [n for statement in function.body for n in ast.walk(statement)]
    read = {n.id for n in nodes if isinstance(n, ast.Name)}
    is_all = "locals" in read or any(
        _name_called(d.func) == "operator"
        for d in function.decorator_list
        if isinstance(d, ast.Call)
    )
    for argument, default in pairs:
        if default is not None and (is_all or argument.arg in read):
            yield default


def _body(function: Function) -> tuple[int, int]:
    """The lines that run when a function is called: its defaults are noticed there."""
    return function.body[0].lineno, function.end_lineno or function.lineno


def _lines(node: ast.stmt | ast.match_case) -> tuple[int, int]:
    """The lines of a statement, without the statements in it."""
    if isinstance(node, ast.match_case):
        return node.pattern.lineno, max(node.pattern.lineno, node.body[0].lineno - 1)
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return node.lineno, node.end_lineno or node.lineno
    first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    return node.lineno, max(node.lineno, first.lineno - 1)


def _name_called(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _is_message(parent: ast.AST, node: ast.AST) -> bool:
    """Whether it is the text of a demand, or another text with spaces."""
    if isinstance(parent, ast.Call) and _name_called(parent.func) == "require":
        return node in parent.args[1:]
    return _is_text(node) and " " in str(getattr(node, "value", " "))


def _options(node: ast.expr) -> list[str]:
    """The texts that an expression gives, one of them at a time; none for any other."""
    if isinstance(node, ast.IfExp):
        sides = _options(node.body), _options(node.orelse)
        return [*sides[0], *sides[1]] if all(sides) else []
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _commutes(name: str) -> bool:
    return COMMUTES.fullmatch(name.lower().replace("_", "")) is not None


def _is_text(node: ast.AST) -> bool:
    is_constant = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_constant or isinstance(node, ast.JoinedStr)


def _next(word: str, words: Sequence[str]) -> str | None:
    """The one behind it, in a circle; None where it is the only one, or none of them."""
    if word not in words or len(words) < 2:
        return None
    return words[(words.index(word) + 1) % len(words)]
