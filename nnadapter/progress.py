"""How much the command line says while it works, and the bar that a person sees meanwhile.

`--quiet` and `--verbose` are options of every command (`add_options`). All of it goes to stderr.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import click

from nnir.legible import legible
from nnir.records import dataclass

if TYPE_CHECKING:
    from rich.progress import Progress

KEY = "nnadapter.volume"
SEPARATOR = " · "
WIDTH = 16
"""Of the bar: its text has the rest of a line of 80 columns."""


class Volume(IntEnum):
    """How much is said."""

    QUIET = -1
    NORMAL = 0
    VERBOSE = 1


def volume() -> Volume:
    """What the command that runs was asked for."""
    context = click.get_current_context(silent=True)
    return Volume.NORMAL if context is None else context.meta.get(KEY, Volume.NORMAL)


def add_options(command: click.Command) -> None:
    """Give a command `--verbose` and `--quiet`, before its `--help`."""
    option = functools.partial(
        click.Option, is_flag=True, expose_value=False, callback=_choose_volume
    )
    told = "Say on stderr what is going on: frontends, passes, processes."
    command.params += [
        option(["-v", "--verbose"], help=told),
        option(["-q", "--quiet"], help="Print results and errors, and nothing else."),
    ]


def _choose_volume(context: click.Context, option: click.Parameter, is_given: bool) -> None:
    if not is_given:
        return
    if KEY in context.meta:
        raise click.UsageError("--quiet or --verbose, not both", context)
    context.meta[KEY] = Volume[(option.name or "").upper()]


def is_shown() -> bool:
    """Whether somebody sees a bar: on a terminal, unless programs read what is printed."""
    context = click.get_current_context(silent=True)
    is_for_programs = context is not None and context.params.get("as_json")
    return sys.stderr.isatty() and volume() > Volume.QUIET and not is_for_programs


def bar() -> Progress:
    """A bar on stderr with the time that passed and the time that is left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=WIDTH),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


@dataclass
class Stage:
    """A stage that is not over."""

    text: str
    total: int | None
    done: int = 0
    started: float = field(default_factory=time.perf_counter)


class Reporter:
    """Shows stages as a bar where a person waits, and with `--verbose` says what happened."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self.started = time.perf_counter()
        self._bar: Progress | None = None
        self._task: Any = None
        self._shown: Stage | None = None

    def begin(self, text: str, total: int | None) -> None:
        """Show a stage inside of those that are not over."""
        self.stages.append(Stage(legible(text), total))
        if self._bar is None and is_shown():
            self._bar = bar()
            self._bar.start()
        self._show()

    def advance(self) -> None:
        """Move the bar."""
        last = self.stages[-1]
        last.done += 1
        if self._bar is not None and last is self._shown:
            self._bar.update(self._task, completed=last.done)

    def end(self) -> None:
        """Take a stage away; the bar too, after the outermost."""
        over = self.stages.pop()
        if over.total is None:
            self.note(f"{over.text}: {time.perf_counter() - over.started:.2f} s")
        if self.stages:
            self._show()
        else:
            self.stop()

    def note(self, text: str) -> None:
        """Say it, with the time since the command began."""
        if volume() == Volume.VERBOSE:
            passed = time.perf_counter() - self.started
            click.echo(legible(f"[{passed:7.2f} s] {'  ' * len(self.stages)}{text}"), err=True)

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = self._shown = None

    def _show(self) -> None:
        """The outermost stage of known length, whose time left can be told, else the innermost."""
        shown = next((stage for stage in self.stages if stage.total), self.stages[-1])
        if self._bar is not None and shown is not self._shown:
            self._shown = shown
            text = SEPARATOR.join(dict.fromkeys((self.stages[0].text, shown.text)))
            old = self._task  # a total cannot become unknown again
            self._task = self._bar.add_task(text, total=shown.total, completed=shown.done)
            if old is not None:  # after it: Ctrl-C may come between any two of these
                self._bar.remove_task(old)


@contextmanager
def reporting() -> Iterator[None]:
    """Report what happens in here."""
    from nnir.progress import listening

    reporter = Reporter()
    try:
        with listening(reporter):
            yield
    finally:
        reporter.stop()
