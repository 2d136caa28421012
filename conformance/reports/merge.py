"""Several runs as one: of other machines, devices or versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..judging.result import Result, Run
from ..running.versions import ENGINES, ORIGINS

HERE = ("python", "system")
"""What else tells places apart."""


@dataclass(frozen=True)
class Merged:
    """The run, and how many results a later report replaced."""

    run: Run
    replaced: int


def merge(runs: Sequence[tuple[str, Run]]) -> Merged:
    """One run of the results of several, by the names of their files. Where versions differ they
    are part of the names of frontends and devices; where a result is still in several runs, that of
    the last one is kept."""
    parts = [run for _, run in runs]
    names = Names(parts)
    found: dict[tuple[str, str, str, str], Result] = {}
    total = 0
    for run in parts:
        for result in run.results:
            named = names.rename(result, run)
            found.pop(named.key, None)
            found[named.key] = named
            total += 1
    merged = Run(
        results=list(found.values()),
        options={"merged": [name for name, _ in runs]},
        environment=environment_of(runs),
        skipped=[{"report": name, **skip} for name, run in runs for skip in run.skipped],
        seconds=sum(run.seconds for run in parts),
        is_strict=any(run.is_strict for run in parts),
    )
    return Merged(merged, total - len(found))


class Names:
    """What frontends and devices are called, so that different ones have different names."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._differs = {n for n in names_in(runs) if len({r.environment.get(n) for r in runs}) > 1}
        places = Counter(tuple(r.environment.get(n) for n in HERE) for r in runs)
        self._is_apart = len(places) > 1

    def rename(self, result: Result, run: Run) -> Result:
        """The result under the names of its versions."""
        device = " ".join([result.device, *self._versions(_engines(result.device), run)])
        if self._is_apart:
            device += f" ({self._place(run)})"
        return replace(result, frontend=self._frontend(result.frontend, run), device=device)

    def _frontend(self, name: str, run: Run) -> str:
        """A frontend with the version of its origin, where that is not the same in all runs."""
        apart = f"origin {name}"
        packages = ORIGINS.get(name, ())
        if apart in self._differs:
            here = [run.environment[p] for p in packages if p in run.environment]
            return f"{name} {run.environment.get(apart) or ' '.join(here)}"
        own = [] if apart in run.environment else self._versions(packages, run)
        return " ".join([name, *own])

    def _versions(self, packages: Iterable[str], run: Run) -> list[str]:
        """The versions of packages that are not the same in all runs."""
        return [run.environment[p] for p in packages if p in self._differs & run.environment.keys()]

    def _place(self, run: Run) -> str:
        given = [run.environment.get(n, "") for n in HERE if n in self._differs]
        return ", ".join(filter(None, given))


def _engines(device: str) -> tuple[str, ...]:
    """The packages that a device runs on; several devices with commas share a model."""
    return tuple(p for name in device.split(",") for p in ENGINES.get(name, (name,)))


def names_in(runs: Iterable[Run]) -> set[str]:
    """Everything that the environments of runs name."""
    return {name for run in runs for name in run.environment}


def environment_of(runs: Sequence[tuple[str, Run]]) -> dict[str, str]:
    """The versions of all runs; where they differ, which report has which."""
    found = {}
    for name in sorted(names_in(run for _, run in runs)):
        given = {file: run.environment.get(name, "none") for file, run in runs}
        same = set(given.values())
        each = ", ".join(f"{version} in {file}" for file, version in given.items())
        found[name] = same.pop() if len(same) == 1 else each
    return found
