"""The page on bugs of frameworks and engines, as Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from ..tables import DOCS, table
from .bug import Bug

PAGE = DOCS / "upstream_bugs.md"
NOTE = "<!-- made by `python -m conformance.upstream`; do not edit -->"


def page(bugs: Sequence[Bug], outputs: Mapping[str, str]) -> str:
    """The whole page; `outputs` has what each program printed, by name."""
    parts = [_introduce(bugs), _list(bugs)]
    for framework, members in groupby(bugs, lambda b: b.framework):
        parts.append(f"## {framework}\n")
        parts += [_section(bug, outputs[bug.name]) for bug in members]
    return "\n".join(parts)


def _introduce(bugs: Sequence[Bug]) -> str:
    counts = Counter(b.framework for b in bugs)
    each = ", ".join(f"{n} of {name}" for name, n in counts.items())
    return (
        f"# Bugs of frameworks and engines\n\n{NOTE}\n\n{len(bugs)} bugs that this project met "
        f"while it compared frameworks with each other: {each}. Each has a program that uses the "
        "framework alone and ends with status 1 while the bug is there, 0 once it is mended, and "
        "2 where the framework is not installed. A test runs all of them and fails once one is "
        "mended. What they print is that of an x86-64 processor with AVX-512: a few kernels are "
        "others elsewhere.\n\n"
        "A bug contradicts the framework's own documentation, kills the process, loses a NaN, has "
        "a value that mathematics does not allow, or depends on the size, type or optimisation of "
        "what is computed. Where frameworks only have other conventions, "
        "[framework_differences.md](framework_differences.md) says so.\n\n"
        "```sh\n"
        "python docs/upstream_bugs/NAME.py\n"
        "python -m conformance.upstream --check --python OTHER  # all, with another Python\n"
        "```\n"
    )


def _list(bugs: Sequence[Bug]) -> str:
    rows = [(b.framework, f"[{b.title}](#{anchor(b)})", b.kind, b.seen) for b in bugs]
    return table(("framework", "what", "kind", "versions"), rows)


def anchor(bug: Bug) -> str:
    """The place of a section as GitHub names it."""
    return re.sub(r"[^\w\- ]", "", _heading(bug).lower()).replace(" ", "-")


def _heading(bug: Bug) -> str:
    return f"{bug.framework}: {bug.title}"


def _section(bug: Bug, output: str) -> str:
    return (
        f"### {_heading(bug)}\n\n{bug.says}\n\n"
        f"[{bug.name}.py](upstream_bugs/{bug.name}.py) prints\n\n"
        f"```text\n{output}\n```\n\nVersions: {bug.seen}. In this project: {bug.here}\n"
    )


def read_outputs(text: str) -> dict[str, str]:
    """What the programs printed when a page was made."""
    found = re.findall(
        r"\(upstream_bugs/(\w+)\.py\) prints\n\n```text\n(.*?)\n```", text, re.DOTALL
    )
    return dict(found)
