"""JUnit XML, as Jenkins and GitLab read it."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from nnir.staging import replacing

from ..judging.result import (
    CRASH,
    ERROR,
    GAPS,
    MEMORY,
    SKIP,
    STALE,
    TIMEOUT,
    VERDICTS,
    WRONG,
    Result,
    Run,
)

KINDS = {
    **dict.fromkeys((WRONG, STALE), "failure"),
    **dict.fromkeys((ERROR, CRASH, TIMEOUT, MEMORY), "error"),
    **dict.fromkeys((SKIP, *GAPS), "skipped"),
}
"""The element that says what became of a case; a pass has none. In a strict run, gaps fail."""

COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even as a character reference."""


def write(run: Run, path: Path) -> None:
    """Write the results of a run; the file appears whole or not at all.

    There is one testsuite for every suite, frontend and device.
    """
    kinds = {**KINDS, **dict.fromkeys(GAPS, "failure")} if run.is_strict else KINDS
    suites: dict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for r in run.results:
        suites[r.suite, r.frontend, r.device].append(r)
    root = Element("testsuites", _counts_of("nnadapter conform", run.results, run.seconds, kinds))
    for names, results in sorted(suites.items()):
        seconds = sum(r.seconds for r in results)
        suite = SubElement(root, "testsuite", _counts_of(_name(*names), results, seconds, kinds))
        for r in results:
            _add(suite, r, kinds.get(r.verdict))
    indent(root)
    with replacing(path) as file:
        ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)


def _counts_of(
    name: str, results: list[Result], seconds: float, kinds: dict[str, str]
) -> dict[str, str]:
    found = Counter(kinds.get(r.verdict, "pass") for r in results)
    counts = {key: str(found[kind]) for key, kind in COUNTS.items()}
    return {"name": name, "tests": str(len(results)), **counts, "time": _time(seconds)}


def _add(suite: Element, result: Result, kind: str | None) -> None:
    case = SubElement(
        suite,
        "testcase",
        classname=_name(result.suite, result.frontend, result.device),
        name=legal(result.case),
        time=_time(result.seconds),
    )
    if kind is None:
        return
    message = legal(result.reason or VERDICTS[result.verdict])
    found = SubElement(case, kind, type=result.verdict, message=message)
    if kind != "skipped":
        found.text = legal("\n".join(describe_failure(result)))


def describe_failure(result: Result) -> list[str]:
    """Everything that is known of a failure, in lines."""
    distances = {
        "largest difference": result.max_absolute,
        "relative": result.max_relative,
        "in the last place": result.max_ulp,
        "error": result.error,
        "the origin's own error": result.yardstick,
    }
    lines = [result.reason, *(f"input: {text}" for text in result.inputs)]
    lines += [f"{name}: {x:g}" for name, x in distances.items() if x is not None]
    if result.index is not None:
        place = list(result.index)
        lines.append(f"worst at {place}: {result.got_value} instead of {result.want_value}")
    texts = {"got": result.got, "want": result.want, "row": result.row}
    lines += [f"{name}: {text}" for name, text in texts.items() if text]
    if result.command:
        lines.append(f"reproduce: {result.command}")
    return [line for line in lines if line]


def legal(text: str) -> str:
    """Text that XML can hold: what it forbids is written as Python writes it in a string."""
    return FORBIDDEN.sub(lambda found: ascii(found[0])[1:-1], text)


def _name(*parts: str) -> str:
    return legal(".".join(parts))


def _time(seconds: float) -> str:
    return f"{seconds if math.isfinite(seconds) else 0:.3f}"
