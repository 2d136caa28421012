"""`python -m benchmarks.house`: how much code a meaning takes, and where the house leaks.

Tokens are those of Python's own tokenizer without comments and line ends. Those of a frontend or
a driver are counted over the files that hold its converters or lowerings, helpers included, and
shared by the operators that these define: a table entry counts as one operator.
"""

from __future__ import annotations

import ast
import importlib
import io
import re
import statistics
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
PACKAGES = ("nnir", "frontends", "hal", "conformance", "nnadapter")
FRONTENDS = ("onnx", "torch", "tensorflow", "tflite", "paddle", "nnapi", "nnrt")
DRIVERS = ("builtin", "onnxruntime", "openvino", "litert", "torch", "nnapi", "nnrt")
SILENT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
}
ENTRY = re.compile(r"^@?\w*table\.(convert|same|lower)\(|^table = ", re.MULTILINE)


def files(*parts: str) -> list[Path]:
    """The modules of a package, cases left out."""
    found = ROOT.joinpath(*parts).rglob("*.py")
    return sorted(p for p in found if "cases" not in p.parts)


def tokens(source: str) -> int:
    """How many tokens a source has."""
    found = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(t.type not in SILENT for t in found)


def lines(source: str) -> int:
    """Lines of code: no empty ones, no comments, no docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    hidden: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if isinstance(node, documented) and body and ast.get_docstring(node, clean=False):
            hidden.update(range(body[0].lineno, (body[0].end_lineno or 0) + 1))
    rows = enumerate(source.splitlines(), 1)
    return sum(n not in hidden and bool(r.strip()) and r.strip()[0] != "#" for n, r in rows)


def entry_files(folder: Path) -> list[Path]:
    """The modules of a folder that hold converters or lowerings."""
    return [p for p in sorted(folder.rglob("*.py")) if ENTRY.search(p.read_text("utf-8"))]


def functions(source: str, method: str) -> Iterator[int]:
    """Lines of the bodies of what `table.convert` or `table.lower` decorates."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            called = (d.func for d in node.decorator_list if isinstance(d, ast.Call))
            if any(isinstance(f, ast.Attribute) and f.attr == method for f in called):
                first = node.body[0]
                yield (node.end_lineno or first.lineno) - first.lineno + 1


def operators_of(package: str) -> int:
    """How many operators a frontend converts or a driver lowers."""
    if package.startswith("frontends"):
        return len(importlib.import_module(package).TABLE.entries)
    folder = ROOT / package.replace(".", "/")
    found = set()
    for path in entry_files(folder):
        module = importlib.import_module(f"{package}.{path.stem}")
        found.update(getattr(getattr(module, "table", None), "entries", ()))
    return len(found)


def density(package: str, method: str) -> tuple[int, float, float]:
    """Operators, the median of lines a function, tokens an operator."""
    sources = [p.read_text("utf-8") for p in entry_files(ROOT / package.replace(".", "/"))]
    count = operators_of(package)
    bodies = [n for s in sources for n in functions(s, method)]
    return count, statistics.median(bodies or [0]), sum(map(tokens, sources)) / max(count, 1)


def modules() -> dict[str, Path]:
    """Every module by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def nodes_of(text: str) -> list[ast.AST]:
    """All nodes of a file's text, which many rules look at."""
    return list(ast.walk(ast.parse(text)))


def imports(known: dict[str, Path]) -> dict[str, set[str]]:
    """What each module imports of ours, lazily or for typing too."""
    return {name: set(_imported(name, path, known)) - {name} for name, path in known.items()}


def _imported(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    for node in nodes_of(path.read_text("utf-8")):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in known)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                is_package = path.name == "__init__.py"
                parts = name.split(".")[: len(name.split(".")) - node.level + is_package]
                base = ".".join([*parts, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                if inner in known:
                    yield inner
                elif base in known:
                    yield base


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            place = stack.index(name)
            group = stack[place:]
            del stack[place:]
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in index:
            visit(name)
    return sorted(found, key=len, reverse=True)


def frontend_of(module: str) -> str | None:
    """The frontend that a module belongs to."""
    parts = module.split(".")
    return (
        parts[1] if parts[0] == "frontends" and len(parts) > 1 and parts[1] in FRONTENDS else None
    )


def siblings(graph: dict[str, set[str]]) -> dict[tuple[str, str], int]:
    """How many modules of a frontend import one of another frontend."""
    found: dict[tuple[str, str], int] = {}
    for name, others in graph.items():
        one = frontend_of(name)
        for another in map(frontend_of, others):
            if one and another and one != another:
                found[one, another] = found.get((one, another), 0) + 1
    return found


def says_any(source: str) -> tuple[int, int]:
    """Public functions whose signature says Any, and all public ones."""
    public = _public(source)
    return len(hollow(source)), len(public)


def hollow(source: str) -> list[str]:
    """The names of the public functions whose signature says Any."""
    found = []
    for node in _public(source):
        given = node.args
        hints = [a.annotation for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        hints += [node.returns, *(a.annotation for a in (given.vararg, given.kwarg) if a)]
        if any("Any" in ast.unparse(h) for h in hints if h is not None):
            found.append(node.name)
    return found


def _public(source: str) -> list[ast.FunctionDef]:
    nodes = ast.walk(ast.parse(source))
    return [n for n in nodes if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]


def main() -> None:
    """Print the tables."""
    out = Console(width=110)
    size = Table("package", "files", "lines of code", title="Size (without cases and tests)")
    total = 0
    for package in PACKAGES:
        count = sum(lines(p.read_text("utf-8")) for p in files(package))
        total += count
        size.add_row(package, str(len(files(package))), f"{count:,}")
    size.add_row("all", "", f"{total:,}")
    out.print(size)
    dense = Table("", "operators", "median lines", "tokens an operator", title="Density")
    kinds = [(f"frontends.{f}", "convert") for f in FRONTENDS]
    kinds += [(f"hal.drivers.{d}", "lower") for d in DRIVERS if d != "builtin"]
    for package, method in kinds:
        count, median, share = density(package, method)
        dense.add_row(package, str(count), f"{median:g}", f"{share:.0f}")
    out.print(dense)
    graph = imports(modules())
    pairs = siblings(graph)
    rings = circles(graph)
    counts = [says_any(p.read_text("utf-8")) for p in files("hal")]
    keys = sum(len(re.findall(r"\bid\(", p.read_text("utf-8"))) for k in PACKAGES for p in files(k))
    leaks = Table("what", "how many", title="Leaks")
    told = ", ".join(f"{a} of {b}: {n}" for (a, b), n in sorted(pairs.items()))
    leaks.add_row("imports between frontends", f"{sum(pairs.values())} ({told})" if told else "0")
    sizes = f" (of {', '.join(str(len(r)) for r in rings)})" if rings else ""
    leaks.add_row("circles of files", f"{len(rings)}{sizes}")
    leaks.add_row("calls of id()", str(keys))
    said, public = (sum(column) for column in zip(*counts, strict=True))
    leaks.add_row("public functions of hal that say Any", f"{said} of {public}")
    out.print(leaks)


if __name__ == "__main__":
    main()
