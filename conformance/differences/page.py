"""The page on where frameworks differ, as Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from nnir.ops import OPERATORS

from ..tables import table
from .ask import DEVICES, STANDARD, Heard
from .finding import NAMES, finding, who
from .mapping import Entry
from .question import FRAMEWORKS
from .words import spoken

PACKAGES = {
    "ONNX": ("onnx",),
    "ONNX Runtime": ("onnxruntime",),
    "PyTorch": ("torch",),
    "TensorFlow": ("tensorflow", "tensorflow-cpu"),
    "LiteRT": ("ai-edge-litert",),
    "Paddle": ("paddlepaddle",),
}
NOTE = "<!-- made by `python -m conformance.differences`; do not edit -->"
MAPPING = "## Which operators are which"
MOST = 6
"""So many source operators are named in a cell, the others counted."""


def page(heard: Sequence[Heard], families: Iterable[ModuleType], known: Mapping[str, Entry]) -> str:
    """The whole page."""
    return f"{findings(heard, families)}\n{mapping(known)}"


def findings(heard: Sequence[Heard], families: Iterable[ModuleType]) -> str:
    """Everything but the table of operators."""
    by_title = {h.question.title: h for h in heard}
    sections = [
        (heading_of(module), [by_title[q.title] for q in module.QUESTIONS if q.title in by_title])
        for module in families
    ]
    parts = [introduction(heard), contents(sections)]
    for heading, members in sections:
        differing = [h for h in members if h.differs]
        if differing:
            parts.append(f"## {heading}\n")
            parts += map(finding, differing)
    parts.append(agreements([h for h in heard if not h.differs]))
    return "\n".join(parts)


def heading_of(family: ModuleType) -> str:
    """ "Questions about pooling." as "Pooling"."""
    text = (family.__doc__ or "").strip().rstrip(".").removeprefix("Questions about ")
    return text[:1].upper() + text[1:]


def introduction(heard: Sequence[Heard]) -> str:
    """What the page is and how to read it."""
    differing = sum(h.differs for h in heard)
    loud = sum(bool(h.stray) for h in heard)
    versions = ", ".join(f"{name} {version_of(found)}" for name, found in PACKAGES.items())
    return (
        f"# Where frameworks differ\n\n{NOTE}\n\nFor whoever moves a model from one framework to "
        "another: the same operator on the same numbers, asked of every framework. Nothing here is "
        f"written by hand but the questions and the notes: of {len(heard)} questions, {differing} "
        f"have more than one answer ({versions}).\n\n"
        "*ONNX* is its reference evaluator, *ONNX Runtime* another reading of the same model, "
        "*TFLite* is LiteRT, *the standard* is this project's definition of the operator. Whoever "
        "gives the same answer (to a few units in the last place) stands in one row. Axes of size "
        "1 are left out, so that layouts do not matter.\n\n"
        "A model that was converted has to behave as it did where it comes from: *our devices "
        "follow* says that it does, on `builtin` and on `onnxruntime`. "
        f"**Does not follow** ({loud} questions) is said where it does not, and why.\n\n"
        "[framework_differences.html](framework_differences.html) is the same with filters by pair "
        "of frameworks, operator and kind, a search, and a link to each question.\n"
    )


def version_of(packages: Iterable[str]) -> str:
    """The version of the first of some packages that is installed."""
    for name in packages:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return "not installed"


def contents(sections: Iterable[tuple[str, Sequence[Heard]]]) -> str:
    """The findings by family, with links."""
    lines = ["## Contents\n"]
    for heading, members in sections:
        differing = [h.question.title for h in members if h.differs]
        if differing:
            lines.append(f"- [{heading}](#{anchor(heading)})")
            lines += [f"  - [{title}](#{anchor(title)})" for title in differing]
    lines.append("- [What all agree on](#what-all-agree-on)")
    lines.append(f"- [{MAPPING[3:]}](#{anchor(MAPPING[3:])})\n")
    return "\n".join(lines)


def anchor(title: str) -> str:
    """The place of a heading as GitHub names it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def agreements(heard: Iterable[Heard]) -> str:
    """The questions with one answer, as a table."""
    rows = []
    for one in heard:
        replies = [r for v, r in one.replies.items() if v != STANDARD]
        refuse = all(r.refusal for r in replies)
        text = "all refuse" if refuse else f"`{spoken(replies[0])}`"
        names = who(v for v in one.replies if v != STANDARD)
        rows.append((one.question.title, f"`{one.question.operator}`", text, names, _short(one)))
    columns = ("question", "operator", "answer", "who", "our devices")
    return "## What all agree on\n\n" + table(columns, rows)


def _short(heard: Heard) -> str:
    """Whether our devices follow, in a cell."""
    if not heard.stray:
        return "follow"
    reasons = {heard.question.strays.get(w, "a bug") for w in heard.stray}
    places = sorted({w.split()[1] for w in heard.stray})
    return f"**{', '.join(f'`{p}`' for p in places)} does not**: {'; '.join(sorted(reasons))}"


def mapping(known: Mapping[str, Entry]) -> str:
    """The table of standard operators with the source operators of every framework."""
    rows = []
    for name, entry in known.items():
        cells = [
            _names(entry.maps.get(fw, Counter()), entry.uses.get(fw, Counter()))
            for fw in FRAMEWORKS
        ]
        scores = [f"{entry.agreeing[d]} of {entry.cases}" for d in DEVICES]
        rows.append((f"`{name}`", *cells, *scores))
    absent = ", ".join(f"`{n}`" for n in sorted(set(OPERATORS) - set(known)))
    columns = ("operator", *(NAMES[fw] for fw in FRAMEWORKS), *(f"`{d}`" for d in DEVICES))
    return (
        f"{MAPPING}\n\nFound by converting every case of `conformance/cases`. A source operator "
        "is named where it becomes this one operator and nothing else, for some of its arguments "
        f"(the {MOST} with the most cases; *more* counts the others); *use it* counts those that "
        "need it beside others. PyTorch's overload `default` is left out of names. The last "
        "columns: in how many of these cases the device gives what the framework gives, within the "
        "tolerance of the case; what is missing is a limit that is listed in the framework's "
        "page.\n\n" + table(columns, rows) + f"\nNo case of a framework needs: {absent}.\n"
    )


def _names(maps: Counter[str], uses: Counter[str]) -> str:
    """Source operators in a cell."""
    ranked = sorted(maps, key=lambda n: (-maps[n], n))
    parts = [", ".join(f"`{n.removesuffix('.default')}`" for n in ranked[:MOST])] if ranked else []
    if len(ranked) > MOST:
        parts.append(f"{len(ranked) - MOST} more")
    others = len(set(uses) - set(maps))
    if others:
        parts.append(f"*{others} {'use' if others > 1 else 'uses'} it*")
    return ", ".join(parts)
