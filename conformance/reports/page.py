"""A run as one HTML page for people: it needs no network, only a browser."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nnir.errors import Unsupported
from nnir.staging import replacing

from ..judging.result import GAPS, LARGEST, LIMIT, PASS, SKIP, VERDICTS, Result, Run
from . import summary
from .against import Comparison

HERE = Path(__file__).parent
SCRIPTS = ("page.js", "plots.js")
"""What makes up the script of the page, one behind the other."""

ROOM = 1_600_000
"""Characters for what is said of single cases; the worst come first, the rest is only counted."""

LONGEST, LONGEST_CODE = 4000, 40_000
"""Longer texts are cut; longer rows are left out, as half a row cannot be pasted."""

PARTS = ("pass", "limit", "skip", "fail")
"""What bars show: passes, gaps (limits and refusals), what was not run, and the rest together."""


def write(run: Run, path: Path, against: Comparison | None = None) -> None:
    """Write the page; the file appears whole or not at all."""
    text = render(run, against)
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def render(run: Run, against: Comparison | None = None) -> str:
    """The text of the page."""
    environment = environment_of(HERE)
    environment.filters.update(number="{:,}".format, duration=duration, text=_text)
    script = "\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    digest = hashlib.sha256(script.encode()).digest()
    return environment.get_template("page.html").render(
        run=run,
        against=against,
        counts=run.counts,
        verdicts=VERDICTS,
        kinds=kinds_of(run),
        headline=summary.headline(run),
        scope=_scope(run),
        parts=_parts(run, run.counts),
        totals={k: _parts(run, c) for k, c in summary.totals(run.results).items()},
        slowest=summary.slowest(run.results),
        columns=_columns(run.skipped),
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        script=script,
        script_hash=base64.b64encode(digest).decode(),
        data=_json(data_of(run)),
    )


def require_templates() -> None:
    """Unsupported where pages cannot be made: commands ask before they work for one."""
    if find_spec("jinja2") is None:
        raise Unsupported("the HTML report needs Jinja2: pip install 'nnadapter[report]'")


def environment_of(folder: Path) -> Any:
    """The templates of a folder, in which what is put in is text unless it says otherwise."""
    require_templates()
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def data_of(run: Run) -> dict[str, Any]:
    """What the page's script works with; names stand once, and are numbers elsewhere."""
    keys = ("suites", "frontends", "devices", "ops", "rows", "dtypes", "reasons")
    names = {k: Names() for k in keys}
    for key, kind in (("suites", "suite"), ("frontends", "frontend"), ("devices", "device")):
        names[key].take(sorted({getattr(r, kind) for r in run.results}))
    cells = [_cell(names, *item) for item in summary.matrix(run.results).items()]
    cases = _cases(names, run)
    data = {
        "verdicts": list(VERDICTS),
        "kinds": list(kinds_of(run).values()),
        "cells": cells,
        "cases": cases,
        "unlisted": len(summary.by_severity(run.results)) - len(cases),
        "bins": summary.LABELS,
        "ulps": _bars(names, run.results, summary.ulp),
        "ratios": _bars(names, run.results, summary.ratio),
    }
    return data | {key: list(found.numbers) for key, found in names.items()}


class Names:
    """Texts that occur often, by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __getitem__(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def take(self, names: Iterable[str]) -> None:
        for name in names:
            self[name]


def _cell(names: dict[str, Names], cell: summary.Cell, counts: Counter[str]) -> list[Any]:
    found = [n for k, v in enumerate(VERDICTS) if counts[v] for n in (k, counts[v])]
    return [*_place(names, cell), names["ops"][cell.op], names["rows"][cell.standard], found]


def _place(
    names: dict[str, Names], where: summary.Cell | summary.Group | Result
) -> tuple[int, int, int]:
    return (
        names["suites"][where.suite],
        names["frontends"][where.frontend],
        names["devices"][where.device],
    )


def _cases(names: dict[str, Names], run: Run) -> list[list[Any]]:
    """What is no plain pass, the worst first, as far as there is room; failures in full."""
    order, room = list(VERDICTS), ROOM
    rows = summary.row_names(run.results)
    reasons = names["reasons"]
    found = []
    for r in summary.by_severity(run.results):
        reason = _clip(r.reason)
        details = [_details(r)] if r.verdict in run.failing else []
        size = len(_json([r.case, details])) + 30
        if reason not in reasons.numbers:
            size += len(_json(reason))
        if size > room:
            continue
        room -= size
        place = [*_place(names, r), names["ops"][r.op], names["rows"][rows(r)]]
        place.append(order.index(r.verdict))
        found.append([*place, reasons[reason], r.case, *details])
    return found


def _details(result: Result) -> dict[str, Any]:
    """A failure in words."""
    numbers = ("seconds", "max_absolute", "max_relative", "max_ulp", "error", "yardstick")
    found = {k: getattr(result, k) for k in numbers}
    details: dict[str, Any] = {k: _digits(v) for k, v in found.items() if v is not None}
    texts = ("dtype", "got_value", "want_value", "got", "want")
    details |= {k: _clip(getattr(result, k)) for k in texts if getattr(result, k)}
    code = {k: getattr(result, k) for k in ("row", "command")}
    details |= {k: v for k, v in code.items() if 0 < len(v) <= LONGEST_CODE}
    if result.index is not None:
        details["index"] = str(list(result.index))
    if result.inputs:
        details["inputs"] = [_clip(text) for text in result.inputs]
    return details


def _digits(value: float) -> str:
    return "infinite" if value >= LARGEST else f"{value:.4g}"


def _bars(
    names: dict[str, Names],
    results: Iterable[Result],
    measure: Callable[[Result], float | None],
) -> list[list[Any]]:
    found = []
    for group, histogram in summary.histograms(results, measure).items():
        used = sorted(histogram.passing.keys() | histogram.failing.keys())
        bins = [[k, histogram.passing[k], histogram.failing[k]] for k in used]
        found.append([*_place(names, group), names["dtypes"][group.dtype], bins])
    return found


def _parts(run: Run, counts: Counter[str]) -> dict[str, int]:
    """How many results there are of each kind."""
    parts = dict.fromkeys(PARTS, 0)
    for verdict, kind in kinds_of(run).items():
        parts[kind] += counts[verdict]
    return parts


def kinds_of(run: Run) -> dict[str, str]:
    """The part of the bars that each verdict belongs to."""
    named = {v: v for v in (PASS, SKIP)} | dict.fromkeys(GAPS, LIMIT)
    return {v: "fail" if v in run.failing else named[v] for v in VERDICTS}


def _scope(run: Run) -> list[str]:
    """How much was run, in words."""
    rows = summary.row_names(run.results)
    ran = [r for r in run.results if r.verdict != SKIP]
    counts = {
        "operator": len({rows(r) for r in ran}),
        "spelling": len({(r.frontend, r.op) for r in ran}),
    }
    counts |= {"framework": len({r.frontend for r in ran}), "device": len({r.device for r in ran})}
    counts["suite"] = len({r.suite for r in ran})
    found = []
    for word, count in counts.items():
        found.append(f"{count:,} {word}{'' if count == 1 else 's'}")
    return [*found, duration(run.seconds)]


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if not 0 <= seconds < 1e9:
        return f"{seconds} s"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _columns(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The keys of dictionaries, each once, in order."""
    return list(dict.fromkeys(key for row in rows for key in row))


def _text(value: object) -> str:
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(map(_text, value))
    return str(value)


def _clip(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … ({len(text) - LONGEST:,} characters more)"


def _json(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
