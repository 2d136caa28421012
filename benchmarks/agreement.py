"""Does `check` say what `convert` and `compile` do? `python -m benchmarks.agreement FOLDER...`

Each folder holds folders with a model; each model is asked on every format and device, all of a
framework in one process. A question is the answer of `check` beside what then really happens,
without the proof of a written file: both succeed, or both are refused with the same words.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from conformance.processes.worker import GIGABYTE, Lost, Worker
from conformance.suites.folders import FILES

from .agreement_worker import AGREE, DEVICES, FORMATS, VERDICTS

WORKER = "benchmarks.agreement_worker"
MEMORY = 12 * GIGABYTE
MANY = 40
"""After so many models a process is replaced, as engines keep what they compiled."""

Answers = dict[str, list[str]]


def main() -> int:
    """Ask, print the table and what disagrees; 1 where anything does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one model")
    parser.add_argument(
        "--kept", type=Path, help="a file of answers: models that it has are not asked again"
    )
    given = parser.parse_args()
    sources = [s for folder in given.folders for p in sorted(folder.iterdir()) for s in model_in(p)]
    out = Console(width=160)
    found: dict[str, Answers] = {}
    for source, answer in answers_of(sources, given.timeout, given.kept):
        found[str(source)] = answer
        for question, (verdict, told) in answer.items():
            if verdict not in AGREE:
                out.print(f"{source} {question}: {verdict}: {told}", markup=False)
    show(found, out)
    return int(any(v not in AGREE for a in found.values() for v, _ in a.values()))


def model_in(folder: Path) -> list[Path]:
    """The model in a folder, or nothing."""
    return [folder / n for n in FILES if (folder / n).exists()][:1]


def answers_of(
    sources: list[Path], timeout: float, kept: Path | None
) -> Iterator[tuple[Path, Answers]]:
    """Each model with its answers. One process for models of one kind of file, as TensorFlow and
    Paddle do not live in one."""
    known = read_kept(kept)
    worker: Worker | None = None
    last, count = "", 0
    for source in sources:
        key = key_of(source)
        if key in known:
            yield source, known[key]
            continue
        if worker is None or source.name != last or count == MANY:
            if worker is not None:
                worker.close()
            worker = Worker(WORKER, timeout=timeout, memory=MEMORY, is_folder_trusted=True)
            last, count = source.name, 0
        count += 1
        started = time.perf_counter()
        answer = ask_worker(worker, source)
        if kept is not None:
            row = {"key": key, "source": str(source), "answers": answer}
            row["seconds"] = round(time.perf_counter() - started, 2)
            with kept.open("a") as file:
                file.write(json.dumps(row) + "\n")
        yield source, answer
    if worker is not None:
        worker.close()


def ask_worker(worker: Worker, source: Path) -> Answers:
    """The answers of a process; one row where it gives none."""
    try:
        reply, _ = worker.call({"source": str(source.resolve())}, [])
    except Lost as error:
        return {"all": [error.kind, str(error)]}
    answers: Answers = reply.get("data") or {"all": ["an error", str(reply.get("error"))]}
    return answers


def read_kept(kept: Path | None) -> dict[str, Answers]:
    """The answers of a file by what they are about, but for those of what gave none."""
    if kept is None or not kept.exists():
        return {}
    rows = map(json.loads, kept.read_text().splitlines())
    return {row["key"]: row["answers"] for row in rows if "all" not in row["answers"]}


def key_of(source: Path) -> str:
    """Changes where the model does."""
    whole = hashlib.sha256()
    for path in sorted(p for p in source.parent.rglob("*") if p.is_file()):
        whole.update(str(path.relative_to(source.parent.parent)).encode())
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()[:16]


def show(found: dict[str, Answers], out: Console) -> None:
    """The table: a row for each format and device."""
    counts = {q: Counter(a[q][0] for a in found.values() if q in a) for q in (*FORMATS, *DEVICES)}
    table = Table("", *VERDICTS, title=f"{len(found)} models")
    for question, verdicts in counts.items():
        table.add_row(question, *(str(verdicts[v]) for v in VERDICTS))
    out.print(table)


if __name__ == "__main__":
    sys.exit(main())
