"""Functions are named by verbs: a bare participle (`turned`, `made`) says too little."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("nnadapter", "nnir", "frontends", "hal", "conformance")
IRREGULAR = {
    *("bound", "broken", "built", "chosen", "drawn", "driven", "found", "frozen", "given", "grown"),
    *("hidden", "held", "kept", "known", "laid", "left", "made", "meant", "met", "said", "seen"),
    *("sent", "shown", "taken", "thrown", "told", "worn", "written"),
}
NOUNS = {"embed", "feed", "need", "seed", "speed"}


def is_participle(name: str) -> bool:
    """Whether a name is one word, and that a participle."""
    word = name.strip("_")
    return word in IRREGULAR or (word.endswith("ed") and "_" not in word and word not in NOUNS)


def functions(path: Path) -> list[str]:
    """Functions of a module that are no methods, with the line that they begin in.

    Decorated ones are left out: a converter is called as its framework calls the operator.
    """
    tree = ast.parse(path.read_text("utf-8"))
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and not n.decorator_list]
    return [f"{n.name}:{n.lineno}" for n in found]


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_are_no_bare_participles(package: str) -> None:
    files = sorted(p for p in (ROOT / package).rglob("*.py") if "cases" not in p.parts)
    found = [
        f"{p.relative_to(ROOT)}:{f}"
        for p in files
        for f in functions(p)
        if is_participle(f.partition(":")[0])
    ]
    assert files
    assert not found


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("turned", True),
        ("_made", True),
        ("resolve_padding", False),
        ("need", False),
        ("cut", False),
    ],
)
def test_participles_are_told_from_verbs(name: str, is_one: bool) -> None:
    assert is_participle(name) == is_one
