"""Plant changes and say who notices: `python -m conformance.mutants --seed 1 --count 24`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.table import Column, Table

from .places import BY_NAME, DEVICES, FRONTENDS, ROOT, Place
from .score import BY_CASES, BY_TESTS, ENVIRONMENT, EQUIVALENT, SURVIVED, Score, score


def survey(places: Sequence[Place], jobs: int) -> None:
    """Find out which case runs which lines, where that is not known."""
    wanted: dict[str, list[str]] = {}
    for place in places:
        for frontend in place.frontends:
            devices = wanted.setdefault(frontend, [])
            devices += [d for d in place.devices if d not in devices]

    def run(frontend: str) -> None:
        command = [sys.executable, "-W", "ignore", "-m", "conformance.mutants.coverage", frontend]
        env = {**os.environ, **ENVIRONMENT}
        subprocess.run([*command, *wanted[frontend]], cwd=ROOT, env=env, check=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, wanted))


def table_of(scores: Sequence[Score]) -> Table:
    """The scores, a line a place."""
    table = Table(
        Column("place", no_wrap=True),
        "mutants",
        "by cases",
        "by tests",
        "survived",
        "equivalent",
        "score",
    )
    for one in [*scores, _sum(scores)]:
        counts = one.counts
        table.add_row(
            one.place,
            str(len(one.mutants)),
            *(str(counts[by]) for by in (BY_CASES, BY_TESTS, SURVIVED, EQUIVALENT)),
            f"{100 * one.share(BY_CASES, BY_TESTS):.1f} %",
        )
    return table


def _sum(scores: Sequence[Score]) -> Score:
    return Score("all", 0, [m for one in scores for m in one.mutants])


def _keep(place: Place, frontends: Sequence[str], devices: Sequence[str]) -> Place:
    """The place with cases of some frontends on some devices; of all where none is named."""
    return replace(
        place,
        frontends=tuple(f for f in place.frontends if f in frontends or not frontends),
        devices=tuple(d for d in place.devices if d in devices or not devices),
    )


@click.command()
@click.option("--seed", type=int, default=0, help="Chooses the changes.")
@click.option("--count", type=click.IntRange(1), default=24, help="Changes in each place.")
@click.option(
    "--place", "names", multiple=True, type=click.Choice([*BY_NAME]), help="One place; several."
)
@click.option("--frontend", "frontends", multiple=True, type=click.Choice(FRONTENDS), help="Cases.")
@click.option("--device", "devices", multiple=True, type=click.Choice(DEVICES), help="Cases on it.")
@click.option("--jobs", type=click.IntRange(1), default=2, help="Processes at a time.")
@click.option("--tests/--no-tests", default=False, help="Ask tests too, where no case notices.")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Write the scores.")
@click.option("--known", is_flag=True, help="Take what is known of the lines that cases run.")
def main(
    seed: int,
    count: int,
    names: Sequence[str],
    frontends: Sequence[str],
    devices: Sequence[str],
    jobs: int,
    tests: bool,
    path: Path | None,
    known: bool,
) -> None:
    """Plant changes and say who notices them."""
    places = [_keep(BY_NAME[n], frontends, devices) for n in names or BY_NAME]
    if not known:
        survey(places, jobs)
    console = Console()
    scores = []
    for place in places:
        started = time.monotonic()
        one = Score(place.name, seed)
        scores.append(one)
        for mutant in score(place, seed, count, jobs=jobs, tests=tests):
            one.mutants.append(mutant)
            if mutant.by == SURVIVED:
                text = f"{mutant}  ({mutant.ran} of {mutant.visits} cases)"
                console.print(text, markup=False, soft_wrap=True)
        console.print(f"{place.name}: {time.monotonic() - started:.0f} s")
    console.print(table_of(scores))
    if path is not None:
        path.write_text(json.dumps([s.as_dict() for s in scores], indent=1))


if __name__ == "__main__":
    main()
