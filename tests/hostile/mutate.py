"""Damage small good files at length, and load what comes of it, under limits of time and memory.

    python -m tests.hostile.mutate --all --count 100000 --seed 1000 --jobs 2
    python -m tests.hostile.mutate --format onnx --count 50000 --seed 7
    python -m tests.hostile.mutate --format onnx --seed 7 --show 1234

The first line is the whole run: that many files of every format, a line about it every minute, a
line for each finding, and one table at the end. A file is refused with an error of ours, or it
loads: then it is checked, printed, saved in memory, loaded again and must be the same. One file may
take 5 s of the processor and 1 GB. The exit status is 1 when anything else happened. The same seed
makes the same files; without one it is drawn, and printed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from .starts import FORMATS
from .trial import FINDINGS, Outcome, Trial, generator, scratch, try_one

BATCH = 5_000
EVERY = 60.0
"""Seconds between two lines about the whole."""


def run(name: str, count: int, seed: int, seconds: float = 1e9, first: int = 0) -> Outcome:
    """Damage `count` files of a format, or as many as fit into the time."""
    return run_all([name], count, seed, seconds=seconds, first=first)[0]


def run_all(
    names: Iterable[str],
    count: int,
    seed: int,
    *,
    seconds: float = 1e9,
    first: int = 0,
    jobs: int = 1,
    say: Callable[[str], object] = lambda text: None,
) -> list[Outcome]:
    """Damage `count` files of each format in `jobs` forks at a time."""
    outcomes = {name: Outcome(name) for name in names}
    for name in outcomes:
        FORMATS[name].warm()
    last = first + count
    waiting = [
        (name, range(k, min(k + BATCH, last)))
        for k in range(first, last, BATCH)
        for name in outcomes
    ][::-1]
    running: list[Trial] = []
    end = time.monotonic() + seconds
    due = time.monotonic() + EVERY
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                name, numbers = waiting.pop()
                running.append(Trial(name, seed, numbers, end))
            for trial in list(running):
                if (left := trial.poll()) is not None:
                    running.remove(trial)
                    _add(outcomes[trial.format], trial, say)
                    if left and time.monotonic() < end:
                        waiting.append((trial.format, left))
            if time.monotonic() > due:
                say(_total(outcomes.values(), running, count))
                due += EVERY
            time.sleep(0.02)
    except KeyboardInterrupt:  # the forks have heard it too
        for trial in running:
            while trial.poll() is None:
                time.sleep(0.02)
            _add(outcomes[trial.format], trial, say)
    return [*outcomes.values()]


def _add(outcome: Outcome, trial: Trial, say: Callable[[str], object]) -> None:
    refused, loaded = trial.counts()
    outcome.refused += refused
    outcome.loaded += loaded
    outcome.seconds += time.monotonic() - trial.started
    for number, (kind, what) in sorted(trial.findings.items()):
        outcome.findings[number] = (kind, what)
        say(f"{outcome.format} number {number}: {kind}: {what}")


def _total(outcomes: Iterable[Outcome], running: Iterable[Trial], count: int) -> str:
    """How far it is."""
    outcomes, running = [*outcomes], [*running]
    tried = sum(o.tried for o in outcomes) + sum(sum(t.counts()) for t in running)
    findings = sum(len(o.findings) for o in outcomes) + sum(len(t.findings) for t in running)
    return f"{tried} of {count * len(outcomes)} files, {findings} findings"


def table(outcomes: list[Outcome]) -> Iterator[str]:
    """The rows for people."""
    columns = ("refused", "loaded", *FINDINGS)
    yield f"{'format':<12}{'files':>9}{'a second':>9}" + "".join(f"{c:>19}" for c in columns)
    total = Outcome("all", *(sum(o) for o in zip(*map(_sums, outcomes), strict=True)))
    kinds = Counter[str]()
    for o in outcomes:
        found = Counter(kind for kind, _ in o.findings.values())
        kinds += found
        yield _row(o, o.tried, found)
    yield _row(total, sum(o.tried for o in outcomes), kinds)


def _sums(outcome: Outcome) -> tuple[int, int, float]:
    return outcome.refused, outcome.loaded, outcome.seconds


def _row(o: Outcome, tried: int, kinds: Counter[str]) -> str:
    numbers = (o.refused, o.loaded, *(kinds[c] for c in FINDINGS))
    speed = tried / o.seconds if o.seconds else 0
    return f"{o.format:<12}{tried:>9}{speed:>9.0f}" + "".join(f"{n:>19}" for n in numbers)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--format", action="append", choices=[*FORMATS])
    parser.add_argument("--all", action="store_true", help="every format; also without --format")
    parser.add_argument("--count", type=int, default=1000, help="files of each format")
    parser.add_argument("--seed", type=int, help="drawn when it is not given")
    parser.add_argument("--seconds", type=float, default=1e9, help="for all together")
    parser.add_argument("--first", type=int, default=0, help="the number to begin with")
    parser.add_argument("--jobs", type=int, default=1, help="forks at a time")
    parser.add_argument("--show", type=int, help="load this one alone, with its traceback")
    given = parser.parse_args()
    names = [*FORMATS] if given.all or not given.format else given.format
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    if given.show is not None:
        with tempfile.TemporaryDirectory(dir=scratch()) as folder:
            r = generator(names[0], seed, given.show)
            click.echo("a model" if try_one(FORMATS[names[0]], Path(folder), r) else "refused")
        return 0
    click.echo(f"seed {seed}; one file alone: --format NAME --seed {seed} --show NUMBER")
    outcomes = run_all(
        names,
        given.count,
        seed,
        seconds=given.seconds,
        first=given.first,
        jobs=given.jobs,
        say=click.echo,
    )
    click.echo("\n".join(table(outcomes)))
    return int(any(o.findings for o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
