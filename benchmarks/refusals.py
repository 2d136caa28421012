"""Does `check` refuse what `convert` refuses, in the same words? `python -m benchmarks.refusals`

Each case that the ledger says a device refuses is asked in the format of that device, and then
really converted, without the proof. It takes two minutes for all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from rich.console import Console
from rich.table import Table

import nnadapter as nna
from conformance import ledger
from conformance.engines.engine import Answer
from conformance.suites.operators import book
from nnadapter.conversion import Plan, convert, read_source
from nnadapter.readiness.checking import ask_target
from nnir.errors import NNAdapterError
from nnir.model import Model

from .agreement_worker import AGREE, VERDICTS, attempt, compare

FRONTENDS = ("nnir", "onnx", "torch", "tensorflow", "paddle")
"""Those whose cases need no other process to become models."""

FORMATS = {"onnxruntime": ".onnx", "litert": ".tflite", "openvino": ".xml", "torch": ".pt2"}
PLAN = Plan(verify=False)
WHOLE = "model-"
"""What the names of whole models begin with, which have no row of an operator."""


def main() -> int:
    """Ask, print what disagrees and the table; 1 where anything does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frontend", action="append", choices=FRONTENDS)
    parser.add_argument("--op", default="*", help="a pattern of operators, as the frontend says")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    out = Console(width=160)
    counts: Counter[tuple[str, str]] = Counter()
    for frontend in given.frontend or FRONTENDS:
        for device, name, model in refused(frontend, given.op):
            verdict, told = ask(model, FORMATS[device])
            counts[f"{frontend} as {FORMATS[device]}", verdict] += 1
            if verdict not in AGREE:
                out.print(f"{frontend} {name} {FORMATS[device]}: {verdict}: {told}", markup=False)
    show(counts, out)
    return int(any(verdict not in AGREE for _, verdict in counts))


def refused(frontend: str, pattern: str = "*") -> Iterator[tuple[str, str, Model]]:
    """Device, name and model of the cases that the ledger says a device refuses."""
    kept = ledger.read(frontend)
    for name, (engine, case) in book(frontend).cases.items():
        rows = kept.get(case.op)
        if rows is None or case.raises is not None or not fnmatchcase(case.op, pattern):
            continue
        if name.startswith(WHOLE):
            continue
        for device in FORMATS:
            if rows.of(name, device).startswith("refused"):
                try:
                    model = engine.model(case, Answer([], made=getattr(case, "outputs", 1)))
                except NNAdapterError:
                    break  # already the frontend refuses it
                yield device, name, model


def ask(model: Model, suffix: str) -> Sequence[str]:
    """The verdict on one model, and both answers where they differ."""
    with tempfile.TemporaryDirectory() as place:
        target = Path(place, f"model{suffix}")
        answer = ask_target(read_source(model, lambda: model), target, PLAN, cures=False)
        done = attempt(lambda: convert(model, target, PLAN, lambda: model, nna.load))
    return compare(answer, done)


def show(counts: Counter[tuple[str, str]], out: Console) -> None:
    """The table: a row for each frontend and format."""
    table = Table("", *VERDICTS, title=f"{counts.total()} cases that a device refuses")
    for question in dict.fromkeys(question for question, _ in counts):
        table.add_row(question, *(str(counts[question, v]) for v in VERDICTS))
    out.print(table)


if __name__ == "__main__":
    sys.exit(main())
