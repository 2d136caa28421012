"""Run suites: a plan, tasks in batches on any executor, results as they come."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nnir.errors import DeviceError, summary

from .journal import Journal, Task, fingerprint
from .result import CRASH, ERROR, Result, Run
from .suite import Item, Options, command
from .worker import Lost, Worker

BATCH = 32
ATTEMPTS = 3
PLANNING = 600.0
"""Seconds that it may take to list all cases, which imports all tables."""

Done = Callable[[int, int, Sequence[Result]], None]
"""Told after each batch: how many tasks are done, of how many, and the new results."""


@dataclass(frozen=True)
class Batch:
    """Tasks that one process runs one after the other. Everything in it can be sent anywhere."""

    tasks: tuple[Task, ...]
    options: dict[str, Any]


class Hands(threading.local):
    """The runner process of a thread; it lives until the thread or the process ends."""

    def __init__(self) -> None:
        self.worker: Worker | None = None

    def of(self, options: Options) -> Worker:
        """The runner with the limits of the options."""
        if self.worker is None:
            self.worker = Worker("conformance.runner")
            _EVERY.append(self.worker)
        self.worker.timeout, memory = options.timeout, options.memory
        if self.worker.memory != memory:
            self.worker.close()
            self.worker.memory = memory
        return self.worker


_HANDS = Hands()
_EVERY: list[Worker] = []


def dismiss() -> None:
    """Stop every runner that this process has started."""
    while _EVERY:
        _EVERY.pop().close()


def work(batch: Batch) -> list[list[dict[str, Any]]]:
    """The results of each task of a batch, in a thread or process of an executor.

    A runner that crashes, hangs or takes too much memory costs one task and is replaced.
    """
    options = Options.of(batch.options)
    worker = _HANDS.of(options)
    return [[r.as_dict() for r in _results(worker, task, batch.options)] for task in batch.tasks]


def _results(worker: Worker, task: Task, options: dict[str, Any]) -> list[Result]:
    started = time.perf_counter()
    *names, device = task
    try:
        reply, _ = worker.call({"run": list(task), "options": options}, [])
    except Lost as lost:
        verdict, reason = lost.kind, summary(lost)
    else:
        if "data" in reply:
            return [Result.of(r) for r in reply["data"]["results"]]
        verdict, reason = ERROR, reply["error"]
    item = Item(*names)
    return [_failed(item, device, verdict, reason, time.perf_counter() - started, options)]


def _failed(
    item: Item, device: str, verdict: str, reason: str, seconds: float, options: dict[str, Any]
) -> Result:
    return Result(
        *(item.suite, item.frontend, item.op, item.name, device, verdict, reason),
        seconds=round(seconds, 5),
        command=command(item, device, Options.of(options)),
    )


def conform(
    options: Options,
    *,
    executor: Executor | None = None,
    jobs: int = 2,
    journal: Path | None = None,
    done: Done | None = None,
) -> Run:
    """Run everything that the options choose.

    `executor`: any of `concurrent.futures`; by default `jobs` threads, each with a process of its
    own that runs the cases. Results are appended to the file `journal` as they come; a run that
    finds the journal of an equal plan goes on where that one ended. Whoever has put the results
    somewhere else removes the journal.
    """
    started = time.perf_counter()
    plan = planned(options)
    data = options.as_dict()
    tasks = [(*i, d) for i in plan["items"] for d in plan["devices"]]
    book = Journal(journal, fingerprint(plan, data)) if journal else None
    found: dict[Task, list[Result]] = dict(book.done) if book else {}
    left = [t for t in tasks if t not in found]
    batches = [Batch(tuple(part), data) for part in parts(left, jobs)]
    pool = executor or ThreadPoolExecutor(jobs, thread_name_prefix="conform")
    try:
        for results in _run(pool, batches, data, jobs):
            found.update(results)
            if book:
                book.append(results)
            if done:
                done(len(found), len(tasks), [r for part in results.values() for r in part])
    finally:
        if executor is None:
            pool.shutdown(cancel_futures=True)
            dismiss()
        if book:
            book.close()
    ordered = [r for t in tasks for r in found[t]]
    seconds = time.perf_counter() - started
    return Run(ordered, data, plan["environment"], plan["skipped"], seconds)


def planned(options: Options) -> dict[str, Any]:
    """What there is to run, asked of a process of its own: this one imports no framework."""
    with Worker("conformance.runner", timeout=PLANNING, memory=options.memory) as worker:
        reply, _ = worker.call({"plan": options.as_dict()}, [])
    if "error" in reply:
        raise DeviceError(f"the plan cannot be made: {reply['error']}")
    plan: dict[str, Any] = reply["data"]
    plan["items"] = [tuple(i) for i in plan["items"]]
    return plan


def parts(tasks: Sequence[Task], jobs: int) -> Iterator[Sequence[Task]]:
    """Tasks in batches of one frontend; smaller ones at the end, so that all end together."""
    start = 0
    while start < len(tasks):
        size = max(1, min(BATCH, (len(tasks) - start) // (2 * jobs)))
        stop = start
        while stop < len(tasks) and stop - start < size and tasks[stop][:2] == tasks[start][:2]:
            stop += 1
        yield tasks[start:stop]
        start = stop


def _run(
    pool: Executor, batches: Iterable[Batch], options: dict[str, Any], jobs: int
) -> Iterator[dict[Task, list[Result]]]:
    """The results of batches as they come. A batch whose place is lost is run again elsewhere."""
    waiting = deque((b, 1) for b in batches)
    running: dict[Future[Any], tuple[Batch, int]] = {}
    while waiting or running:
        while waiting and len(running) < 2 * jobs:
            batch, attempt = waiting.popleft()
            running[pool.submit(work, batch)] = batch, attempt
        ready, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in ready:
            batch, attempt = running.pop(future)
            error = future.exception()
            if error is None:
                rows = zip(batch.tasks, future.result(), strict=True)
                yield {t: [Result.of(r) for r in part] for t, part in rows}
            elif attempt < ATTEMPTS:
                waiting.append((batch, attempt + 1))
            else:
                yield _given_up(batch, error, options)


def _given_up(
    batch: Batch, error: BaseException, options: dict[str, Any]
) -> dict[Task, list[Result]]:
    """A batch that no place could run."""
    reason = f"the executor failed {ATTEMPTS} times: {summary(error)}"
    return {t: [_failed(Item(*t[:4]), t[4], CRASH, reason, 0.0, options)] for t in batch.tasks}
