"""Operator standards other than our own: their operations, run against independent origins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import import_module

from nnir.errors import Unsupported
from nnir.formats.nnapi.operations import SIGNATURES
from nnir.formats.nnrt.operations import OPERATIONS
from nnir.progress import follow

from .judging.compare import Difference
from .judging.judge import judge
from .judging.record import PLAIN
from .judging.result import REFUSED
from .oracles import nnrt_origins
from .oracles.oracle import Oracle
from .running.suite import require_suites

BUILTIN = "builtin"


@dataclass(frozen=True)
class Standard:
    """A standard: the frontend whose cases are its own, which is also the device that runs its
    models, its operations, and who answers for each."""

    name: str
    title: str
    operations: Callable[[], Sequence[str]]
    origins: Callable[[str], str]


def _origin_in_nnapi(operation: str) -> str:
    origins: Mapping[str, str] = import_module("conformance.engines.nnapi_twins").ORIGINS
    return origins.get(operation, "")


STANDARDS = {
    "nnapi": Standard(
        "nnapi",
        "Android NNAPI HAL 1.0",
        lambda: [type.name for type in SIGNATURES],
        _origin_in_nnapi,
    ),
    "nnrt": Standard("nnrt", "OpenHarmony NNRt", lambda: list(OPERATIONS), nnrt_origins.origin_of),
}
"""One row for each standard."""


@dataclass
class Row:
    """An operation: its cases, those that do otherwise than they should, and the worst error.

    `refused`: those that come back through the frontend, and that the standard's own device does
    not take from there, such as operations without a lowering.
    """

    operation: str
    origin: str = ""
    cases: int = 0
    wrong: list[str] = field(default_factory=list)
    refused: int = 0
    relative: float = 0.0
    quanta: int = 0

    @property
    def is_conformant(self) -> bool:
        return self.cases > 0 and not self.wrong

    @property
    def worst(self) -> str:
        """The worst error: of reals relative to the largest one, of integers in their steps."""
        parts = [f"{self.relative:.1e}"] if self.relative else []
        parts += [f"{self.quanta} quantum"] if self.quanta else []
        return ", ".join(parts) or "0"

    def add(self, difference: Difference, kind: str) -> None:
        """Note how far a result is from the origin's."""
        if kind == "f":
            self.relative = max(self.relative, difference.relative_to_whole or 0.0)
        else:
            self.quanta = max(self.quanta, int(difference.max_absolute))


def find_standard(name: str) -> Standard:
    """The standard of a name; Unsupported where there is none."""
    found = STANDARDS.get(name)
    if found is None:
        raise Unsupported(f"no standard {name!r}; there are {', '.join(STANDARDS)}")
    return found


def run_standard(name: str) -> list[Row]:
    """A row for each operation: all of its cases in the standard's own runtime and, through the
    frontend, in nnir's references."""
    standard = find_standard(name)
    require_suites()
    from .suites.operators import book  # of a package of its own, which may not be there

    rows = {o: Row(o, standard.origins(o)) for o in standard.operations()}
    shelf = book(standard.name)
    with ExitStack() as stack:
        oracles: dict[str, Oracle] = {}
        for engine, case in follow(list(shelf.cases.values()), "cases"):
            if engine.worker not in oracles:
                oracles[engine.worker] = stack.enter_context(Oracle(engine.worker, timeout=120))
            oracle, row = oracles[engine.worker], rows[case.op]
            row.cases += 1
            for device in (standard.name, BUILTIN):
                found = judge(engine, case, device, shelf.limits, oracle)
                if found.verdict == REFUSED and device == standard.name:
                    row.refused += 1
                elif found.verdict not in PLAIN:
                    row.wrong.append(f"{case} on {device}: {found.verdict}: {found.reason}")
                pairs = zip(found.outcome.differences, found.outcome.want, strict=False)
                for difference, want in pairs:
                    row.add(difference, want.dtype.kind)
    return list(rows.values())
