"""Does `check` say what `convert` and `compile` do? `python -m benchmarks.agreement FOLDER...`

Each folder holds folders with a model; each model is asked in a process of its own, on every
format and device. A question is the answer of `check` beside what then really happens, without
the proof of a written file: both succeed, or both are refused with the same words.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

import nnadapter as nna
from conformance.suites.folders import FILES
from nnadapter.readiness.report import Answer
from nnir.errors import NNAdapterError, summary

FORMATS = (".nnir", ".onnx", ".tflite", ".xml", ".pt2")
DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")

BOTH, NEITHER = "both succeed", "both are refused alike"
PROMISED, WITHHELD = "check says yes, it is refused", "check says no, it succeeds"
OTHERWISE = "both are refused, in other words"
VERDICTS = (BOTH, NEITHER, PROMISED, WITHHELD, OTHERWISE)
AGREE = frozenset({BOTH, NEITHER})


def main() -> int:
    """Ask, print the table and what disagrees; 1 where anything does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one model")
    parser.add_argument("--one", action="store_true", help="the folder is that of one model")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(ask(given.folders[0])))
        return 0
    places = [p for folder in given.folders for p in sorted(folder.iterdir()) if model_in(p)]
    out = Console()
    found: dict[str, dict[str, list[str]]] = {}
    with ThreadPoolExecutor(given.jobs) as pool:
        answers = pool.map(lambda p: ask_apart(p, given.timeout), places)
        for place, answer in zip(places, answers, strict=True):
            found[str(place)] = answer
            for question, (verdict, told) in answer.items():
                if verdict not in AGREE:
                    out.print(f"{place} {question}: {verdict}: {told}", markup=False)
    show(found, out)
    return int(any(v not in AGREE for a in found.values() for v, _ in a.values()))


def model_in(folder: Path) -> Path | None:
    """The model in a folder."""
    return next((folder / n for n in FILES if (folder / n).exists()), None)


def ask_apart(folder: Path, timeout: float) -> dict[str, list[str]]:
    """`ask` in a process of its own; one row where it does not answer."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.agreement", "--one", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True)
    except subprocess.TimeoutExpired:
        return {"all": ["no answer in time", ""]}
    except subprocess.CalledProcessError as error:
        return {"all": ["the process failed", error.stderr[-500:]]}
    answers: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return answers


def ask(folder: Path) -> dict[str, list[str]]:
    """By format and device: the verdict, and what was said."""
    warnings.simplefilter("ignore")
    source = model_in(folder)
    found = {}
    with tempfile.TemporaryDirectory() as place:
        targets = [Path(place, f"model{suffix}") for suffix in FORMATS]
        for target, answer in zip(targets, nna.check(source, targets).answers, strict=True):
            done = attempt(lambda t=target: nna.convert(source, t, verify=False))
            found[target.suffix] = compare(answer, done)
        for device in DEVICES:
            (answer,) = nna.check(source, device=device).answers
            done = attempt(lambda d=device: nna.compile(nna.load(source), d).close())
            found[device] = compare(answer, done)
    return found


def attempt(act: Callable[[], object]) -> str:
    """What an error says; empty where there is none."""
    try:
        act()
    except NNAdapterError as error:
        return summary(error)
    return ""


def compare(answer: Answer, done: str) -> list[str]:
    """The verdict on one question, with both answers where they differ."""
    if answer and not done:
        return [BOTH, ""]
    if bool(answer) == bool(done):
        return [PROMISED, done] if answer else [WITHHELD, answer.error]
    is_same = answer.error == done
    return [NEITHER, done] if is_same else [OTHERWISE, f"{answer.error} | {done}"]


def show(found: dict[str, dict[str, list[str]]], out: Console) -> None:
    """The table: a row for each format and device."""
    counts = {q: Counter(a[q][0] for a in found.values() if q in a) for q in (*FORMATS, *DEVICES)}
    table = Table("", *VERDICTS, title=f"{len(found)} models")
    for question, verdicts in counts.items():
        table.add_row(question, *(str(verdicts[v]) for v in VERDICTS))
    out.print(table)


if __name__ == "__main__":
    sys.exit(main())
