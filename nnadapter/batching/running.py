"""Convert the models of a plan on any executor; what is done is not done again."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from conformance.judging.result import CRASH, ERROR, MEMORY, TIMEOUT
from conformance.processes.worker import GIGABYTE, Lost, Worker
from conformance.running.hands import Batch, Hands, hand_out
from conformance.running.journal import Journal, Task
from conformance.running.versions import PACKAGES, list_installed
from nnir.errors import DAMAGE, BadFile, BadInput, summary
from nnir.progress import note

from ..conversion import require_format
from ..net import guard
from .converting import IDLE, states_of
from .planning import make_plan
from .records import BatchRun, Record

CONVERTER = "nnadapter.batching.converting"
JOURNAL = "batch.jsonl"
"""In the folder of the targets: what became of each."""

LIMITS = (TIMEOUT, MEMORY)
"""Options, called as the verdicts on who needs more."""

_HANDS = Hands()
_HERE = threading.local()
"""`cores`: those that the process of this thread keeps to, where it has a share."""

Done = Callable[[int, int, Sequence[Record]], None]
"""Told of records as they come: how many there are, of how many."""


@guard("folder")
def batch(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    formats: str | Sequence[str] = (".onnx",),
    *,
    jobs: int | None = None,
    timeout: float = 600.0,
    memory: float = 8.0,
    executor: Executor | None = None,
    retry: bool = False,
    done: Done | None = None,
    **options: Any,
) -> BatchRun:
    """Convert many models, each in a process that may crash, hang or need too much.

    `sources`: models, and folders that are searched for them. Targets lie in `folder` as the
    sources in theirs, one for each of `formats` (suffixes). `timeout` in seconds and `memory` in
    gigabytes are the limits of one conversion. `executor`: any of `concurrent.futures`, also of
    other machines that see the same folders; by default `jobs` threads, each with a process.
    `options` are those of `convert`: sizes, opset, standard, level, precision, keep_float32,
    weights_only, verify, and under `loading` those of `load`.

    What becomes of each is written to `batch.jsonl` in `folder` at once. The same call again goes
    on: what was done of files that are as they were, and still lies there, is not done again; with
    `retry`, what was not written is tried again, as is what took too long or too much where the
    limits are larger now.

    Raises BadInput where nothing is found or two targets have one name, Unsupported for a format
    that does not exist.
    """
    place = Path(folder).absolute()
    plan = make_plan(_paths_of(sources), place, suffixes := _suffixes_of(formats))
    tasks = [(str(source), str(target)) for source, target in plan.pairs]
    place.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    workers = jobs or os.cpu_count() or 1
    sent = {**options, TIMEOUT: timeout, MEMORY: max(1, int(memory * GIGABYTE))}
    with ExitStack() as stack:
        book = Journal(place / JOURNAL, _print_of(options))
        stack.callback(book.close)
        pool = executor or _make_pool(workers)
        if executor is None:
            stack.callback(pool.shutdown, cancel_futures=True)
        run = uuid.uuid4().hex
        stack.callback(_HANDS.dismiss, run)  # first: nobody is to wait for a model that hangs
        found = _still_done(book.done, tasks, sent, retry=retry)
        resumed = len(found)
        batches = [Batch(run, (task,), sent) for task in tasks if task not in found]
        note(f"{len(tasks)} conversions, {len(batches)} to do, in {workers} processes")
        for rows in hand_out(pool, batches, workers, work, _give_up):
            book.append(rows)
            fresh = {task: Record.of(row) for task, row in rows.items()}
            found |= fresh
            if done:
                done(len(found), len(tasks), [*fresh.values()])
    seconds = time.perf_counter() - started
    records = [found[task] for task in tasks]
    asked = {"formats": suffixes, **options}
    return BatchRun(records, asked, seconds, resumed, plan.ignored, book.restarted)


def _make_pool(workers: int) -> ThreadPoolExecutor:
    """Threads that each ask a process of its own, on a share of the cores where there are enough.

    An engine has as many threads as the cores that it may use: more than one process has would
    only wait for those of others.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    shares = [cores[k::workers] for k in range(workers)] if 1 < workers <= len(cores) else []

    def keep_to_share() -> None:
        if shares:  # one for each thread, and each comes here once
            _HERE.cores = shares.pop()

    return ThreadPoolExecutor(workers, "batch", keep_to_share)


def _paths_of(sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """One path or several, whatever the current folder of a process is."""
    given = [sources] if isinstance(sources, (str, os.PathLike)) else sources
    return [Path(source).absolute() for source in given]


def _suffixes_of(formats: str | Sequence[str]) -> list[str]:
    """Each suffix once; BadInput for what is none, Unsupported for one of no format."""
    suffixes = [formats] if isinstance(formats, str) else [*dict.fromkeys(formats)]
    if wrong := [s for s in suffixes if s[:1] != "."]:
        raise BadInput(f"formats are suffixes such as .onnx, not {', '.join(wrong)}")
    for suffix in suffixes:
        require_format(suffix)
    return suffixes


def work(batch: Batch) -> list[dict[str, Any]]:
    """The record of a conversion, in a thread or process of an executor; none where the run is
    over."""
    worker = _HANDS.of(batch.run, partial(_converter, batch.options))
    return [] if worker is None else [_convert(worker, task, batch) for task in batch.tasks]


def _converter(options: Mapping[str, Any]) -> Worker:
    """A process that converts, which starts when it is first asked."""
    cores = getattr(_HERE, "cores", None)
    return Worker(
        CONVERTER, timeout=options["timeout"], memory=options["memory"], idle=IDLE, cores=cores
    )


def _convert(worker: Worker, task: Task, batch: Batch) -> dict[str, Any]:
    """The record of a conversion. What a process dies of that has converted others before may be
    their doing: a fresh one says whether it is."""
    is_fresh = worker.pid is None
    found = _convert_in(worker, task, batch)
    is_doubtful = not is_fresh and found["verdict"] in (CRASH, MEMORY)
    return _convert_in(worker, task, batch) if is_doubtful else found


def _convert_in(worker: Worker, task: Task, batch: Batch) -> dict[str, Any]:
    source, target = task
    options = {k: v for k, v in batch.options.items() if k not in LIMITS}
    started = time.perf_counter()
    try:
        reply, _ = worker.call({"source": source, "target": target, "options": options}, [])
    except Lost as lost:
        verdict, reason = lost.kind, summary(lost)
    else:
        if "data" in reply:
            found: dict[str, Any] = reply["data"]
            return found
        verdict, reason = ERROR, reply["error"]
    limit = batch.options.get(verdict) if verdict in LIMITS else None
    return _failure(task, verdict, reason, time.perf_counter() - started, limit)


def _failure(
    task: Task, verdict: str, reason: str, seconds: float, limit: float | None = None
) -> dict[str, Any]:
    source, target = task
    read = tuple(states_of([Path(source)]))
    size = sum(s for _, s, _ in read)
    spent = round(seconds, 3)
    failed = Record(source, target, verdict, reason, spent, source_bytes=size, read=read)
    return replace(failed, limit=limit).as_dict()


def _give_up(task: Task, batch: Batch, reason: str) -> dict[str, Any]:
    return _failure(task, CRASH, reason, 0.0)


def _print_of(options: Mapping[str, Any]) -> str:
    """What must be equal for earlier records to count: options and versions."""
    facts = [options, list_installed(PACKAGES)]
    text = json.dumps(facts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _record_of(data: Any) -> Record:
    """A record of a journal; BadFile for what is none."""
    try:
        return Record.of(data)
    except DAMAGE as error:
        raise BadFile(f"{JOURNAL} holds no record but {data!r:.60}: remove it") from error


def _still_done(
    known: Mapping[Task, Any], tasks: Iterable[Task], options: Mapping[str, Any], *, retry: bool
) -> dict[Task, Record]:
    """Earlier records that hold: their files are as they were, and what they had too little of is
    no more now; with `retry` those of targets that were written."""
    found: dict[Task, Record] = {}
    for task in tasks:
        if task in known:
            record = _record_of(known[task])
            files = [*record.read, *record.made]
            is_same = states_of(Path(p) for p, _, _ in files) == files
            has_more = record.limit is not None and options[record.verdict] > record.limit
            if is_same and not has_more and (record.is_good or not retry):
                found[task] = record
    return found
