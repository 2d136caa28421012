"""What the lines that were written down say of each function."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nnir.errors import BadInput

from .writing import NAME, PLACES, ROOT


@dataclass(frozen=True)
class Function:
    """The statements of a function, and those that no case runs: `missing`, and `refusals`,
    which raise."""

    file: str
    name: str
    statements: frozenset[int]
    missing: tuple[int, ...]
    refusals: tuple[int, ...]


@dataclass(frozen=True)
class Place:
    """A folder of converters or lowerings."""

    name: str
    functions: tuple[Function, ...]

    @property
    def total(self) -> int:
        """How many statements there are."""
        return sum(len(f.statements) for f in self.functions)

    @property
    def missing(self) -> int:
        """How many of them no case runs, those that raise aside."""
        return sum(len(f.missing) for f in self.functions)

    @property
    def refusals(self) -> int:
        """How many statements that raise no case runs."""
        return sum(len(f.refusals) for f in self.functions)

    @property
    def share(self) -> float:
        """The share of statements that some case runs, those that raise and are not run aside."""
        there = self.total - self.refusals
        return 1 - self.missing / there if there else 1.0


def read_lines(folder: Path) -> dict[Path, set[int]]:
    """The lines that ran, by file; BadInput where nothing is written."""
    found: dict[Path, set[int]] = {}
    files = sorted(folder.rglob(f"{NAME}.*.json"))
    if not files:
        raise BadInput(f"{folder} has no lines: nnadapter conform --lines {folder} writes them")
    for file in files:
        for name, lines in json.loads(file.read_text()).items():
            found.setdefault(Path(name), set()).update(lines)
    return found


def places(ran: dict[Path, set[int]]) -> list[Place]:
    """Every place: frontends and drivers one by one."""
    folders = [f for place in PLACES for f in sorted(ROOT.glob(place)) if any(f.glob("*.py"))]
    found = []
    for folder in folders:
        files = sorted(folder.rglob("*.py"))
        functions = [f for file in files for f in read_functions(file, ran.get(file, set()))]
        found.append(Place(folder.relative_to(ROOT).as_posix(), tuple(functions)))
    return found


def read_functions(file: Path, ran: set[int]) -> Iterator[Function]:
    """The functions of a file; those inside of another belong to it."""
    name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else file.name
    for title, function in _functions(ast.parse(file.read_text()).body, ""):
        statements = {s.lineno: s for s in _statements(function.body)}
        left = [line for line in sorted(statements) if not ran & _span(statements[line])]
        raising = [line for line in left if isinstance(statements[line], ast.Raise)]
        missing = tuple(line for line in left if line not in raising)
        yield Function(name, title, frozenset(statements), missing, tuple(raising))


Definition = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(body: Iterable[ast.stmt], prefix: str) -> Iterator[tuple[str, Definition]]:
    for node in body:
        if isinstance(node, Definition) and not is_for_types(node):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")


def is_for_types(node: Definition) -> bool:
    """Whether it never runs: overloads, and what an abstract class asks for."""
    words = {ast.unparse(d).rpartition(".")[2] for d in node.decorator_list}
    return bool(words & {"overload", "abstractmethod"})


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run: no documentation, no declarations."""
    for node in body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_text and not isinstance(node, (ast.Nonlocal, ast.Global, ast.Pass)):
            yield node
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, name, ()))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _statements(part.body)


def _span(node: ast.stmt) -> set[int]:
    """The lines of a statement, without those in it: a long one runs where any of them does."""
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    return {*range(node.lineno, max(first.lineno, node.lineno + 1))}
