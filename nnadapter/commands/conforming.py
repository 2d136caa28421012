"""The command that runs cases: conform."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nnir.errors import NoDevice, Unsupported
from nnir.progress import stage

from ..outputs import keeping_sources
from ..progress import bar, is_shown
from ..terminal import SEED, echo, say
from .reporting import PATH, Files, choice, tell, tell_changes, writing

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from conformance.judging.result import Result, Run
    from conformance.running.conform import Done

GIGABYTE = 1 << 30
Command = Callable[..., Any]
Decorator = Callable[[Command], Command]
SUITE_NAMES = ("cases", "onnx-backend", "opinfo", "models", "fuzz", "random-models")


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
@many("frontend", "Only these, those of other packages included; all by default.")
@many("device", "Where to run.", default=["builtin", "onnxruntime"], show_default=True)
@click.option("--op", default="", help="Only these operators: SOFTMAX,aten.conv*.")
@click.option("--using", default="", help="Only cases that are converted to one of these.")
@click.option("--case", default="", help="Only the case of this name, or cases with it in theirs.")
@click.option(
    "--one-in",
    type=COUNT,
    default=1,
    help="Only one case in so many, drawn by --seed.",
)
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
@click.option(
    "--packed/--no-packed",
    default=True,
    help="Compile many cases as one where that is slow; then the times say nothing.",
)
@many("origin", "Who answers for a frontend, such as torch=PATH/bin/python.", metavar="NAME=PYTHON")
@many(
    "make-environment",
    "Install a version for --origin, such as torch==2.6.0, print its Python, and run nothing.",
    metavar="NAME==VERSION",
)
@click.option(
    "--lines",
    default="",
    metavar="FOLDER",
    help="Write down which lines run, for `python -m conformance.lines FOLDER`.",
)
@click.option(
    "--fresh", is_flag=True, help="Ask origins and devices for what they answered before, too."
)
@many("preload", "A module (or module:function) that every process runs first.", metavar="MODULE")
@click.option("--strict", is_flag=True, help="Fail for what is refused or limited too.")
@writing
@click.option("--against", type=PATH, help="Compare with the JSON of an older run.")
@click.option(
    "--executor", type=click.Choice(["local", "dask"]), default="local", show_default=True
)
@click.option("--scheduler", help="The address of a Dask scheduler.")
def conform(
    files: Files,
    against: Path | None,
    jobs: int | None,
    executor: str,
    scheduler: str | None,
    strict: bool,
    make_environment: tuple[str, ...],
    **given: Any,
) -> None:
    """Run cases of operators in their origin framework and on devices, and compare.

    Results are kept as they come beside the first file that is written; a run that was
    interrupted goes on when the same command is given again. What is refused or a known limit is
    counted apart.
    """
    if make_environment:
        make_environments(make_environment)
        return
    from conformance.reports.against import compare, load
    from conformance.running.conform import conform as run_all
    from conformance.running.versions import interpreters, versions_in

    for python in interpreters(given["origin"]).values():
        versions_in(python, ())  # one that does not answer is told before cases are listed
    first = files.first
    journal = None if first is None else first.with_name(f"{first.name}.partial")
    sources = [*([] if against is None else [against]), *_models_of(given)]
    with keeping_sources(sources, files.named | {"the journal": journal}):
        old = None if against is None else load(against)
    with executor_of(executor, scheduler) as pool, progress() as done:
        run = run_all(
            options_of(given),
            executor=pool,
            jobs=jobs or os.cpu_count() or 1,
            journal=journal,
            done=done,
        )
    run.is_strict = strict
    found = None if old is None else compare(old, run)
    files.write(run, found)
    if journal is not None:
        journal.unlink(missing_ok=True)
    if run.restarted:
        say("an interrupted run of other code, models or options was there: it was not continued")
    if run.resumed:
        say(f"{run.resumed} tasks were done by a run that was interrupted")
    tell(run)
    if old is not None and found is not None:
        tell_changes(found, is_same_choice=choice(old.options) == choice(run.options))
    if not run.results:
        raise Unsupported("nothing was run: " + (_reasons(run) or "no case matches"))
    sys.exit(0 if run.is_good else 1)


def _models_of(given: Mapping[str, Any]) -> list[Path]:
    """The folders of models that are run."""
    if "models" not in given["suite"]:
        return []
    from conformance.suites.folders import folders

    return [*folders(map(Path, given["models"])).values()]


def make_environments(wanted: Sequence[str]) -> None:
    """Print the Python of each, and on stderr what to do with it."""
    from conformance.environments.making import make_environment, tell_next
    from conformance.environments.recipes import find_recipe

    for text in wanted:
        find_recipe(text)  # a name that nobody knows is told before anything is installed
    for text in wanted:
        with stage(f"making an environment with {text}"):
            python = make_environment(text, say)
        echo(str(python))
        say(tell_next(text, python))


def options_of(given: dict[str, Any]) -> Any:
    """The options of the command line as a run takes them."""
    from conformance.running.suite import Options

    plural = {"suite": "suites", "frontend": "frontends", "device": "devices", "dtype": "dtypes"}
    plural["origin"] = "origins"
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
    if not is_shown():
        yield None
        return
    with bar() as shown:
        task = shown.add_task("preparing", total=None)
        wrong = 0

        def done(count: int, total: int, results: Sequence[Result]) -> None:
            nonlocal wrong
            wrong += sum(r.fails for r in results)
            shown.update(task, completed=count, total=total, description=f"{wrong} wrong")

        yield done


def _reasons(run: Run) -> str:
    told = [s["reason"] for s in run.skipped if s["count"] or "unlisted" in s or "device" in s]
    return "; ".join(dict.fromkeys(told))
