"""The process that converts models one after the other, asked through a `Worker`:
`python -m nnadapter.batching.converting`.

It is asked {"source": path, "target": path, "options": {...}} and gives a record.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from conformance.judging.result import ERROR, REFUSED
from conformance.processes.worker_loop import serve
from conformance.verifying.verify import Report
from nnir.errors import (
    BadFile,
    BadInput,
    BadModel,
    Differs,
    NNAdapterError,
    NoDevice,
    Unsupported,
    describe,
    summary,
)
from nnir.mapping import opened_files

from .. import api, conversion
from .records import DIFFERS, UNREADABLE, VERIFIED, WRITTEN, Record, State

IDLE = 120.0
"""Seconds after which a process that nobody asks ends: nobody can stop those of other machines."""


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> dict[str, Any]:
    """One conversion."""
    source, target = Path(head["source"]), Path(head["target"])
    return convert_one(source, target, head["options"]).as_dict()


def convert_one(source: Path, target: Path, options: dict[str, Any]) -> Record:
    """Convert as `nnadapter convert` does; `options` are those of `conversion.Plan`, and under
    "loading" those of `load`. A failure is a record too."""
    started = time.perf_counter()
    loading = dict(options.get("loading", {}))
    plan = conversion.Plan(**{k: v for k, v in options.items() if k != "loading"})
    read: dict[Path, None] = {source: None}
    given: dict[str, Any] = {}
    try:
        with opened_files(lambda path: read.setdefault(path)):
            target.parent.mkdir(parents=True, exist_ok=True)
            done = conversion.convert(
                source, target, plan, lambda: api.load(source, **loading), api.load
            )
        given = _facts(done)
        verdict, reason = _judge(done.report)
    except NNAdapterError as error:
        verdict, reason = _verdict_of(error), summary(error)
    except Exception as error:  # noqa: BLE001  a bug costs one model
        verdict, reason = ERROR, summary(NNAdapterError(describe(error)))
    made = {Path(path) for path, _, _ in given.get("made", ())}
    return Record(
        *(str(source), str(target), verdict, reason),
        seconds=round(time.perf_counter() - started, 3),
        source_bytes=sum(size for _, size, _ in states_of([source])),
        read=tuple(states_of(path for path in read if path not in made)),
        **given,
    )


def _facts(done: conversion.Written) -> dict[str, Any]:
    """What is known of what was written."""
    made = tuple(states_of(done.files))
    found: dict[str, Any] = {"operations": len(done.model.operations), "made": made}
    found["target_bytes"] = sum(size for _, size, _ in made)
    found["fixed"] = tuple(map(str, done.fixed))
    if done.report is not None:
        found |= {"origin": done.report.origin, "largest": done.report.largest}
    return found


def _judge(report: Report | None) -> tuple[str, str]:
    """Whether what was written is proved, and what was not asked."""
    if report is None:
        return WRITTEN, "not verified, as asked"
    if report.unproved:
        return WRITTEN, "; ".join(f"not verified {text}" for text in report.unproved)
    return VERIFIED, "; ".join(report.notes)


def _verdict_of(error: NNAdapterError) -> str:
    if isinstance(error, Differs):
        return DIFFERS
    if isinstance(error, (Unsupported, NoDevice, BadInput)):
        return REFUSED
    return UNREADABLE if isinstance(error, (BadFile, BadModel)) else ERROR


def states_of(paths: Iterable[Path]) -> list[State]:
    """Every file of paths, those in folders too, as it is now."""
    found: list[State] = []
    for path in paths:
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            try:
                about = file.stat()
            except OSError:
                continue
            found.append((str(file), about.st_size, about.st_mtime_ns))
    return found


if __name__ == "__main__":
    serve(answer, idle=IDLE)
