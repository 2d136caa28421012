"""The page on what changed between versions, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..tables import DOCS, table
from .classify import DIES, LIVES, REAL, REFUSED, SHAPE, SIGNS, TAKEN, TYPE, VALUES
from .findings import AS_AFTER, AS_BEFORE, Change, Findings, Pair, Version
from .words import VERBS

PAGE = DOCS / "version_differences.md"
NOTE = "<!-- made by `python -m conformance.version_differences`; do not edit -->"
WORDS = {
    VALUES: "other values",
    SIGNS: "zeros of the other sign",
    TYPE: "another type",
    SHAPE: "another shape",
    DIES: "dies now",
    LIVES: "no longer dies",
}
"""Changes of answers in words."""


def page(found: Sequence[Findings]) -> str:
    """The whole page."""
    return "\n".join([_introduce(found), *map(_section, found)])


def _introduce(found: Sequence[Findings]) -> str:
    rows = []
    for one in found:
        for pair in one.pairs:
            link = f"[{pair.older} → {pair.newer}](#{anchor(heading(one, pair))})"
            counts = (
                len(pair.operators_of(*REAL)),
                len(pair.rounding),
                len(pair.operators_of(TAKEN)),
                len(pair.operators_of(REFUSED)),
            )
            rows.append((one.title, link, pair.cases, pair.operators, *counts))
    columns = ("", "versions", "cases", "operators", "answer otherwise", "round otherwise")
    return (
        f"# What changed between versions\n\n{NOTE}\n\nFor whoever updates a framework or an "
        "engine: the cases of [conformance](conformance.md), asked of several versions of each. "
        "Nothing here is written by hand. An operator *answers otherwise* where its values, their "
        "type or shape are others, or where the process dies of it; it *rounds otherwise* where "
        "the difference is within what the row of the case allows, or a few units in the last "
        "place. What an older version refuses and a newer one takes, or the reverse, is counted "
        "apart; an attribute that an older version does not know, and ignores, shows as other "
        "values. Each change was asked twice of each version, in processes of their own: what "
        "differs from time to time is named and not counted. The last version of each is the one "
        "that this project was tested with when the page was made. Frameworks are asked as "
        "[--origin](conformance.md#other-versions) asks them, on x86-64; engines run files of the "
        "cases that the last version wrote.\n\n"
        + table((*columns, "newly taken", "newly refused"), rows)
    )


def heading(found: Findings, pair: Pair) -> str:
    """The heading of two versions."""
    return f"{found.title} {pair.older} → {pair.newer}"


def anchor(title: str) -> str:
    """The place of a heading as GitHub names it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _section(found: Findings) -> str:
    asked = "; ".join(_version(v) for v in found.versions if not v.missing)
    lines = [f"## {found.title}\n", f"Asked: {found.what}. Versions: {asked}.\n"]
    lines += [f"- **{v.number} was not asked**: {v.missing}" for v in found.versions if v.missing]
    if any(v.missing for v in found.versions):
        lines.append("")
    present = found.versions[-1].number
    return "\n".join([*lines, *(_pair(found, pair, present) for pair in found.pairs)])


def _version(version: Version) -> str:
    beside = {k: v for k, v in version.beside.items() if v != version.number}
    told = ", ".join(f"{k} {v}" for k, v in beside.items())
    return f"{version.number} ({told})" if told else version.number


def _pair(found: Findings, pair: Pair, present: str) -> str:
    said = (
        f"{pair.cases} cases of {pair.operators} operators were asked of both; both refuse "
        f"{pair.refused}."
    )
    parts = [f"### {heading(found, pair)}\n", f"{said}\n", _answers(pair, present)]
    parts += [_refusals(pair, pair.newer, TAKEN, pair.whole)]
    parts += [_refusals(pair, pair.newer, REFUSED, pair.gone)]
    parts += [_rounding(pair)]
    if pair.unstable:
        names = ", ".join(f"`{n}`" for n in pair.unstable)
        parts.append(f"Otherwise from time to time, and not counted: {names}.\n")
    return "\n".join(p for p in parts if p)


def _answers(pair: Pair, present: str) -> str:
    """The operators that answer otherwise."""
    changes = sorted(pair.of(*REAL), key=lambda c: (c.op, REAL.index(c.kind)))
    if not changes:
        return "No operator answers otherwise.\n"
    columns = ["operator", "what", "asked", pair.older, pair.newer, "cases"]
    is_old = pair.newer != present
    rows = [
        (
            *(f"`{c.op}`", WORDS[c.kind], _code(c.asked), _code(c.before), _code(c.after)),
            *([_stands(c, pair)] if is_old else []),
            len(c.names),
        )
        for c in changes
    ]
    if is_old:
        columns.insert(5, f"{present}, the present one")
    count = len({c.op for c in changes})
    words = "operator answers" if count == 1 else "operators answer"
    return f"**{count} {words} otherwise:**\n\n{table(columns, rows)}"


def _stands(change: Change, pair: Pair) -> str:
    """Which of both the present version answers like."""
    return {AS_AFTER: f"as {pair.newer}", AS_BEFORE: f"as {pair.older}"}.get(
        change.present, "otherwise again"
    )


def _code(text: str) -> str:
    """An answer as code, what stands in its place in italics."""
    if text.startswith(tuple(f"{verb}: " for verb in (*VERBS.values(), "dies", "error"))):
        return f"*{text.replace('`', '').replace('*', '')}*"
    return f"`{text.replace('`', '')}`"


def _refusals(pair: Pair, version: str, kind: str, whole: Sequence[str]) -> str:
    """What is newly taken or refused: whole operators by name, single cases with the reason."""
    changes = sorted(pair.of(kind), key=lambda c: c.op)
    if not changes:
        return ""
    verb = "takes" if kind == TAKEN else "refuses"
    counts = {c.op: len(c.names) for c in changes}
    names = [f"`{op}`" + (f" ({counts[op]})" if counts[op] > 1 else "") for op in whole]
    lines = [f"{version} newly {verb} {_count(counts)}.\n"]
    if whole:
        lines.append(f"Whole operators, with their numbers of cases: {', '.join(names)}.\n")
    rows = [
        (f"`{c.op}`", _code(c.asked), _code(c.before), _code(c.after), len(c.names))
        for c in changes
        if c.op not in whole
    ]
    if rows:
        columns = ("operator", "asked", pair.older, pair.newer, "cases")
        summary = f"Operators of which {version} {verb} more cases ({len(rows)})"
        lines.append(_fold(summary, table(columns, rows)))
    return "\n".join(lines)


def _count(counts: dict[str, int]) -> str:
    return f"{_plural(sum(counts.values()), 'case')} of {_plural(len(counts), 'operator')}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _rounding(pair: Pair) -> str:
    """What rounds otherwise, by operator."""
    if not pair.rounding:
        return ""
    names = [_round(op, *found) for op, found in sorted(pair.rounding.items())]
    title = f"Rounds otherwise ({_plural(len(names), 'operator')})"
    text = "The number of cases and the largest distance in units in the last place: "
    return _fold(title, f"{text}{', '.join(names)}.\n")


def _round(op: str, cases: int, ulp: float) -> str:
    return f"`{op}` ({cases}; {ulp:g})"


def _fold(summary: str, text: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{text}\n</details>\n"


def totals(found: Iterable[Findings]) -> list[str]:
    """How many operators answer otherwise, a line for each two versions."""
    return [
        f"{heading(one, pair)}: {len(pair.operators_of(*REAL))} operators answer otherwise, "
        f"{len(pair.rounding)} round otherwise"
        for one in found
        for pair in one.pairs
    ]
