"""Commands that prove: conform, bisect."""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nnir.errors import BadInput, NoDevice, Unsupported
from nnir.legible import legible

from .. import api
from ..terminal import (
    DEVICE,
    FILE,
    JSON,
    PROPERTIES,
    SEED,
    busy,
    loading,
    print_json,
    say,
    show,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from conformance.bisecting.finding import Finding
    from conformance.judging.result import Result, Run
    from conformance.reports.against import Comparison
    from conformance.running.conform import Done

GIGABYTE = 1 << 30
MOST = 20
Command = Callable[..., Any]
Decorator = Callable[[Command], Command]
PATH = click.Path(path_type=Path, dir_okay=False)
SUITE_NAMES = ("cases", "onnx-backend", "opinfo", "models", "fuzz")
FRONTEND_NAMES = (
    *("onnx", "torch", "tensorflow", "tflite", "paddle", "paddle-legacy", "paddle-2.6"),
)
FILTERS = ("suites", "frontends", "devices", "op", "case", "models", "samples", "dtypes")
"""Options that choose what is run: what another choice leaves out is not gone."""


class Amount(click.FloatRange):
    """Of a resource: more than nothing, and finite."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True, max=2**30)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        found: float = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value!r} is no number.", param, ctx)
        return found


AMOUNT, COUNT = Amount(), click.IntRange(1)


def many(name: str, text: str, **more: Any) -> Decorator:
    """An option that may be given several times."""
    return click.option(f"--{name}", multiple=True, help=text, **more)


@click.command()
@many("suite", f"What to run: {', '.join(SUITE_NAMES)}.", default=["cases"], show_default=True)
@many("frontend", "Only these; all by default.", type=click.Choice(FRONTEND_NAMES))
@many("device", "Where to run.", default=["builtin", "onnxruntime"], show_default=True)
@click.option("--op", default="", help="Only operators like this or these: Conv*,Add.")
@click.option("--case", default="", help="Only the case of this name, or cases with it in theirs.")
@many("models", "A folder with model folders, for --suite models.", metavar="DIR")
@click.option("--jobs", type=click.IntRange(1), help="Processes at once; one per core by default.")
@click.option(
    "--timeout", type=AMOUNT, default=60.0, show_default=True, help="Seconds for one case."
)
@click.option("--memory", type=AMOUNT, default=8.0, show_default=True, help="Gigabytes a process.")
@SEED
@click.option(
    "--examples", type=COUNT, default=50, show_default=True, help="Per operator, when fuzzing."
)
@click.option(
    "--samples", type=COUNT, default=2, show_default=True, help="Per operator, of OpInfo."
)
@many("dtype", "Precisions of OpInfo.", default=["float32"], show_default=True)
@click.option("--special", default=0, help="OpInfo with NaN and other edges, from this seed.")
@click.option("--dynamic", is_flag=True, help="OpInfo exported with open sizes.")
@click.option("--optimize", is_flag=True, help="Fold and fuse each case first.")
@click.option("--yardstick/--no-yardstick", default=True, help="Ask for float64 results too.")
@many("preload", "A module (or module:function) that every process runs first.", metavar="MODULE")
@click.option("--json", "json_path", type=PATH, help="Write the results for programs.")
@click.option("--junit", "junit_path", type=PATH, help="Write the results for CI systems.")
@click.option("--html", "html_path", type=PATH, help="Write the page for people.")
@click.option("--against", type=PATH, help="Compare with the JSON of an older run.")
@click.option(
    "--executor", type=click.Choice(["local", "dask"]), default="local", show_default=True
)
@click.option("--scheduler", help="The address of a Dask scheduler.")
def conform(
    json_path: Path | None,
    junit_path: Path | None,
    html_path: Path | None,
    against: Path | None,
    jobs: int | None,
    executor: str,
    scheduler: str | None,
    **given: Any,
) -> None:
    """Run cases of operators in their origin framework and on devices, and compare.

    Results are kept as they come beside the first file that is written; a run that was
    interrupted goes on when the same command is given again.
    """
    from conformance.running.conform import conform as run_all

    old = _older(against)
    first = next((p for p in (json_path, html_path, junit_path) if p is not None), None)
    journal = None if first is None else first.with_name(f"{first.name}.partial")
    with executor_of(executor, scheduler) as pool, progress() as done:
        run = run_all(
            options_of(given),
            executor=pool,
            jobs=jobs or os.cpu_count() or 1,
            journal=journal,
            done=done,
        )
    found = _compare_runs(old, run)
    _write(run, found, json_path, junit_path, html_path)
    if journal is not None:
        journal.unlink(missing_ok=True)
    _tell(run, found, is_same_choice=old is None or choice(old.options) == choice(run.options))
    if not run.results:
        raise Unsupported("nothing was run: " + (_reasons(run) or "no case matches"))
    sys.exit(0 if run.is_good else 1)


def options_of(given: dict[str, Any]) -> Any:
    """The options of the command line as a run takes them."""
    from conformance.running.suite import Options

    plural = {"suite": "suites", "frontend": "frontends", "device": "devices", "dtype": "dtypes"}
    given["memory"] = max(1, int(given["memory"] * GIGABYTE))
    once = {k: tuple(dict.fromkeys(v)) if isinstance(v, tuple) else v for k, v in given.items()}
    return Options.of({plural.get(k, k): v for k, v in once.items()})


@contextmanager
def executor_of(name: str, scheduler: str | None) -> Iterator[Executor | None]:
    """The executor of a name; None for processes on this machine."""
    if name == "local":
        if scheduler:
            raise click.UsageError("--scheduler is for --executor dask")
        yield None
        return
    if not scheduler:
        raise click.UsageError("--executor dask needs --scheduler ADDRESS")
    try:
        from distributed import Client
    except ImportError:
        raise Unsupported("--executor dask needs the package distributed") from None
    try:
        client = Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise NoDevice(f"no Dask scheduler at {scheduler!r}: {error}") from None
    with client, client.get_executor() as pool:
        yield pool


@contextmanager
def progress() -> Iterator[Done | None]:
    """A bar on stderr while a person waits."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bar:
        shown = bar.add_task("preparing", total=None)
        wrong = 0

        def done(count: int, total: int, results: Sequence[Result]) -> None:
            nonlocal wrong
            wrong += sum(not r.is_good for r in results)
            bar.update(shown, completed=count, total=total, description=f"{wrong} wrong")

        yield done


def _older(path: Path | None) -> Run | None:
    if path is None:
        return None
    from conformance.reports.against import load

    return load(path)


def _compare_runs(old: Run | None, new: Run) -> Comparison | None:
    if old is None:
        return None
    from conformance.reports.against import compare

    return compare(old, new)


def _write(
    run: Run,
    found: Comparison | None,
    json_path: Path | None,
    junit_path: Path | None,
    html_path: Path | None,
) -> None:
    """The files that were asked for, each whole or not at all."""
    from nnir.staging import replacing

    if json_path is not None:
        data = run.as_dict() | ({} if found is None else {"against": found.as_dict()})
        with replacing(json_path) as file:
            file.write(json.dumps(data, allow_nan=False).encode())
    if junit_path is not None:
        from conformance.reports import junit

        junit.write(run, junit_path)
    if html_path is not None:
        from conformance.reports import page

        page.write(run, html_path, found)


def choice(options: dict[str, Any]) -> dict[str, Any]:
    """What options choose, in any order."""
    found = {k: options.get(k) for k in FILTERS}
    return {k: sorted(map(str, v)) if isinstance(v, list) else v for k, v in found.items()}


def _tell(run: Run, found: Comparison | None, *, is_same_choice: bool) -> None:
    """Counts and the first failures on stdout, what was skipped on stderr."""
    from conformance.judging.result import VERDICTS

    verdicts = [v for v in VERDICTS if run.counts[v]]
    places = dict.fromkeys((r.suite, r.frontend, r.device) for r in run.results)
    rows: list[list[Any]] = []
    for place in places:
        counts = _counts(run, place)
        rows.append([*place, *(counts.get(v, 0) or "" for v in verdicts)])
    title = f"{len(run.results)} results in {run.seconds:.1f} s"
    if rows:
        show(("suite", "frontend", "device", *verdicts), rows, title)
    bad = [r for r in run.results if not r.is_good]
    for result in bad[:MOST]:
        _echo(f"{result.verdict}: {result.frontend} {result.case} on {result.device}")
        for text in (result.reason, result.command, *result.row.splitlines()):
            _echo(f"  {text}")
    if len(bad) > MOST:
        click.echo(f"and {len(bad) - MOST} more; --html or --json has all of them")
    if run.restarted:
        say("an interrupted run of other code, models or options was there: it was not continued")
    if run.resumed:
        say(f"{run.resumed} tasks were done by a run that was interrupted")
    for skip in (s for s in run.skipped if s["count"]):
        what = " ".join(str(skip[k]) for k in ("suite", "frontend", "device") if k in skip)
        say(legible(f"skipped: {what}, {skip['count']} cases: {skip['reason']}"))
    if found is not None:
        _tell_changes(found, is_same_choice=is_same_choice)


def _tell_changes(found: Comparison, *, is_same_choice: bool) -> None:
    """What changed, on stderr; cases that this run did not choose are not gone."""
    changes: dict[str, list[Any]] = {
        "new failures": found.new_failures,
        "fixed": found.fixed,
        "excused": found.excused,
        "slower": found.slower,
        "new": found.added,
    }
    if is_same_choice:
        changes["gone"] = found.gone
    say("against the older run: " + ", ".join(f"{len(v)} {k}" for k, v in changes.items()))
    if not is_same_choice:
        say(
            "the older run chose other cases: what is outside of this choice does not count as gone"
        )


def _echo(text: str) -> None:
    """A line on stdout of what comes from files."""
    click.echo(legible(text.replace("\n", " ")))


def _reasons(run: Run) -> str:
    told = [s["reason"] for s in run.skipped if s["count"] or "unlisted" in s or "device" in s]
    return "; ".join(dict.fromkeys(told))


def _counts(run: Run, place: tuple[str, str, str]) -> dict[str, int]:
    from conformance.judging.result import count

    return dict(count(r for r in run.results if (r.suite, r.frontend, r.device) == place))


@click.command()
@FILE
@loading
@DEVICE
@PROPERTIES
@SEED
@click.option("--folder", type=click.Path(path_type=Path), help="Where to put what shows it.")
@click.option("--optimize", is_flag=True, help="Look at the model as --optimize converts it.")
@click.option("--tolerance", type=float, help="Of one operation; by precision when not given.")
@JSON
def bisect(
    file: Path,
    device: str,
    properties: str,
    seed: int,
    folder: Path | None,
    optimize: bool,
    tolerance: float | None,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Find the first operation of FILE that is wrong, and put it into a folder of its own.

    The folder holds the operation as a model, its inputs, both results and a script.
    """
    place = folder or Path(f"{file.name.removesuffix(file.suffix)}.bisect")
    if place.exists():
        raise BadInput(f"{str(place)!r} is there already: choose another with --folder")
    with busy(f"looking for the first wrong operation on {device}"):
        found = api.bisect(
            file,
            device,
            properties=properties,
            folder=place,
            fuse=optimize,
            tolerance=tolerance,
            seed=seed,
            loading=how,
        )
    finding = found.finding
    if found.note:
        say(legible(f"note: {found.note}"))
    if as_json:
        data = {"agrees": found.agrees, "operations": found.total, "compared": found.known}
        print_json(data | ({} if finding is None else {"finding": finding.as_dict()}))
    elif finding is None:
        click.echo(f"every operation agrees: {found.total}, {found.known} compared by name")
    else:
        _explain(finding, place)
    sys.exit(0 if found else 1)


def _explain(finding: Finding, place: Path) -> None:
    """A finding for people."""
    from conformance.bisecting.finding import KINDS

    show(
        ("", "finding"),
        [
            *(_where(finding) if finding.operation else ()),
            ("value", finding.value),
            ("what", KINDS[finding.kind]),
            ("device", finding.device),
            ("difference", finding.reason),
        ],
    )
    if finding.model is not None:
        _echo(f"python {shlex.quote(str(place / 'show.py'))} shows it")


def _where(finding: Finding) -> list[tuple[str, str]]:
    """Which operation it is; there is none where only all of them together differ."""
    return [
        ("operation", f"{finding.operation} ({finding.position + 1} of {finding.total})"),
        ("in the source", finding.origin),
    ]
