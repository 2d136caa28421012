"""Reports of runs of cases: what `conform` prints and writes, and the command `report`."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nnir.legible import legible
from nnir.records import dataclass

from ..drawing import page_option
from ..outputs import keeping_sources
from ..terminal import echo, say, show

if TYPE_CHECKING:
    from conformance.judging.result import Run
    from conformance.reports.against import Comparison

MOST = 20
REASONS = 8
"""So many failures, and reasons of gaps, are printed; the files have all of them."""

FILTERS = ("suites", "frontends", "devices", "op", "using", "case", "models", "samples", "dtypes")
"""Options that choose what is run: what another choice leaves out is not gone."""

PATH = click.Path(path_type=Path, dir_okay=False)
WRITING = (
    click.option("--json", "json_path", type=PATH, help="Write the results for programs."),
    click.option("--junit", "junit_path", type=PATH, help="Write the results for CI systems."),
    page_option("Write the page for people.", "html_path", PATH),
)


@dataclass(frozen=True)
class Files:
    """The reports that are asked for."""

    json: Path | None
    junit: Path | None
    html: Path | None

    @property
    def first(self) -> Path | None:
        """One of them; None where none is asked for."""
        return next((p for p in (self.json, self.html, self.junit) if p is not None), None)

    @property
    def named(self) -> dict[str, Path | None]:
        """Each by its option."""
        return {"--json": self.json, "--junit": self.junit, "--html": self.html}

    def write(self, run: Run, found: Comparison | None = None) -> None:
        """Write them, each whole or not at all."""
        from nnir.staging import replacing

        if self.json is not None:
            data = run.as_dict() | ({} if found is None else {"against": found.as_dict()})
            with replacing(self.json) as file:
                file.write(json.dumps(data, allow_nan=False).encode())
        if self.junit is not None:
            from conformance.reports import junit

            junit.write(run, self.junit)
        if self.html is not None:
            from conformance.reports import page

            page.write(run, self.html, found)


def writing(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: options for the reports, which the command receives as `files`."""

    @functools.wraps(command)
    def wrapped(
        json_path: Path | None, junit_path: Path | None, html_path: Path | None, **given: Any
    ) -> None:
        command(files=Files(json_path, junit_path, html_path), **given)

    for option in reversed(WRITING):
        wrapped = option(wrapped)
    return wrapped


@click.command()
@click.argument("reports", nargs=-1, required=True, type=PATH)
@click.option("--diff", is_flag=True, help="What changed from the first to the second; 1 if worse.")
@writing
def report(reports: tuple[Path, ...], *, diff: bool, files: Files) -> None:
    """Merge the JSON REPORTS of several runs of `conform`, or compare two of them.

    Where the runs had other versions of a framework or a device, these stand in its name.
    """
    from conformance.reports.against import compare, load

    with keeping_sources(reports, files.named):
        runs = [load(path) for path in reports]
    if diff:
        if len(runs) != 2:
            raise click.UsageError(f"--diff takes two reports, OLD and NEW, not {len(runs)}")
        old, new = runs
        found = compare(old, new)
        files.write(new, found)
        tell_versions(old, new)
        tell_changes(found, is_same_choice=choice(old.options) == choice(new.options), out=echo)
        tell_every_change(found)
        sys.exit(1 if found.is_worse else 0)
    from conformance.reports.merge import merge

    merged = merge([(path.name, run) for path, run in zip(reports, runs, strict=True)])
    files.write(merged.run)
    tell(merged.run)
    if merged.replaced:
        say(f"{merged.replaced} results stand in several reports: those of the last one are kept")


def tell(run: Run) -> None:
    """Counts, the first failures and what is not supported; on stderr, what was skipped."""
    from conformance.judging.result import VERDICTS, count

    verdicts = [v for v in VERDICTS if run.counts[v]]
    places: dict[tuple[str, str, str], list[Any]] = {}
    for r in run.results:
        places.setdefault((r.suite, r.frontend, r.device), []).append(r)
    rows: list[list[Any]] = []
    for place, results in places.items():
        counts = count(results)
        rows.append([*place, *(counts.get(v, 0) or "" for v in verdicts)])
    if rows:
        title = f"{len(run.results)} results in {run.seconds:.1f} s"
        show(("suite", "frontend", "device", *verdicts), rows, title)
    bad = run.failures
    for result in bad[:MOST]:
        echo(f"{result.verdict}: {result.frontend} {result.case} on {result.device}")
        for text in (result.reason, result.command, *result.row.splitlines()):
            echo(f"  {text}")
    if len(bad) > MOST:
        echo(f"and {len(bad) - MOST} more; --html or --json has all of them")
    if not run.is_strict:
        tell_gaps(run)
    for skip in (s for s in run.skipped if s["count"]):
        what = " ".join(str(skip[k]) for k in ("suite", "frontend", "device") if k in skip)
        say(legible(f"skipped: {what}, {skip['count']} cases: {skip['reason']}"))


def tell_gaps(run: Run) -> None:
    """How much is not supported, by the most frequent reasons."""
    from conformance.judging.result import GAPS
    from conformance.reports.summary import by_kind_of_reason

    for verdict in GAPS:
        reasons = by_kind_of_reason(run.results, verdict)
        if not reasons:
            continue
        total = sum(len(results) for results in reasons.values())
        echo(f"{verdict}: {total} results, which fail a run with --strict only")
        for reason, results in list(reasons.items())[:REASONS]:
            devices = ", ".join(sorted({r.device for r in results}))
            echo(f"  {len(results)} on {devices}: {reason[:160]}")
        if len(reasons) > REASONS:
            echo(f"  and {len(reasons) - REASONS} other reasons")


def tell_versions(old: Run, new: Run) -> None:
    """Which versions differ between two runs."""
    from conformance.running.versions import version_of

    names = sorted({*old.environment, *new.environment})
    for name in names:
        was, now = version_of(name, old.environment), version_of(name, new.environment)
        if was != now:
            echo(f"{name}: {was} -> {now}")


def tell_changes(
    found: Comparison, *, is_same_choice: bool, out: Callable[[str], None] = say
) -> None:
    """How much changed; cases that this run did not choose are not gone."""
    lists = {k: v for k, v in found.lists().items() if is_same_choice or k != "gone"}
    out("against the older run: " + ", ".join(f"{len(v)} {k}" for k, v in lists.items()))
    if not is_same_choice:
        say(
            "the older run chose other cases: what is outside of this choice does not count as gone"
        )


def tell_every_change(found: Comparison) -> None:
    """A line for each result that changed, but for those that are only new or gone."""
    for change in found.changes:
        echo(change.text)


def choice(options: dict[str, Any]) -> dict[str, Any]:
    """What options choose, in any order."""
    found = {k: options.get(k) for k in FILTERS}
    return {k: sorted(map(str, v)) if isinstance(v, list) else v for k, v in found.items()}
