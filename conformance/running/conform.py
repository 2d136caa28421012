"""Run suites: a plan, tasks in batches on any executor, results as they come."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from nnir.errors import BadInput, DeviceError, summary
from nnir.progress import note

from ..judging.result import CRASH, ERROR, Result, Run
from ..processes.worker import Lost, Worker
from .hands import Batch, Hands, hand_out
from .journal import Journal, Task, fingerprint
from .suite import IDLE, Item, Options, command, require_suites

RUNNER = "conformance.running.runner"
BATCH = 32
PACK = 32
"""Cases that are asked for at once where a device compiles theirs as one: far more of them take
longer each."""

SLOW = "openvino"
"""The device that compiles a small program as slowly as a large one."""

PACKED = "cases"
"""The suite whose cases can wait to be compiled together."""

SLICE = 2.0
"""Seconds after which a batch gives back what it has."""

PLANNING = 600.0
"""Seconds that it may take to list all cases, which imports all tables."""

Done = Callable[[int, int, Sequence[Result]], None]
"""Told after each batch: how many tasks are done, of how many, and the new results."""


_HANDS = Hands()


def runner(options: Options) -> Worker:
    """A process that runs cases, which starts when it is first asked."""
    return Worker(
        RUNNER, timeout=options.timeout, memory=options.memory, idle=IDLE, is_folder_trusted=True
    )


def work(batch: Batch) -> list[list[dict[str, Any]]]:
    """The results of the first tasks of a batch, in a thread or process of an executor.

    Stops after a while, so that what is done is soon known to whoever waits. A runner that
    crashes, hangs or takes too much memory costs one task and is replaced.
    """
    options = Options.of(batch.options)
    waits = any(t[0] == PACKED and t[-1] == SLOW for t in batch.tasks)
    if options.packed and len(batch.tasks) > 1 and waits:
        found = _run_packed(batch, options)
        if found is not None:
            return found
    until = time.monotonic() + SLICE
    done: list[list[dict[str, Any]]] = []
    for task in batch.tasks:
        worker = _HANDS.of(batch.run, partial(runner, options))
        if worker is None or (done and time.monotonic() > until):
            break
        done.append([r.as_dict() for r in _results(worker, task, batch.options)])
    return done


def _run_packed(batch: Batch, options: Options) -> list[list[dict[str, Any]]] | None:
    """The results of all tasks of a batch; None where it is not known which of them is to blame
    for what happens."""
    worker = _HANDS.of(batch.run, partial(runner, options))
    if worker is None:
        return []
    try:
        reply, _ = worker.call({"runs": batch.tasks, "options": batch.options}, [])
    except Lost:
        return None
    return reply["data"]["results"] if "data" in reply else None


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
    return [_failure(item, device, verdict, reason, time.perf_counter() - started, options)]


def _failure(
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
    require_suites()
    started = time.perf_counter()
    data = options.as_dict()
    run = uuid.uuid4().hex
    with ExitStack() as stack:
        pool = executor or ThreadPoolExecutor(jobs, thread_name_prefix="conform")
        if executor is None:
            stack.callback(pool.shutdown, cancel_futures=True)
        stack.callback(_HANDS.dismiss, run)  # first: nobody is to wait for a case that hangs
        plan = _plan(options, _HANDS.planner(run, partial(runner, options)))
        tasks = [(*i, d) for i in plan["items"] for d in plan["devices"]]
        book = Journal(journal, fingerprint(plan, data)) if journal else None
        if book:
            stack.callback(book.close)
        kept = book.done if book else {}
        found = {task: [Result.of(r) for r in rows] for task, rows in kept.items()}
        resumed = len(found)
        left = [t for t in tasks if t not in found]
        note(f"{len(tasks)} tasks, {len(left)} to do, in {jobs} processes")
        packs = options.packed and SLOW in plan["devices"]
        size = PACK * len(plan["devices"]) if packs else BATCH
        batches = [Batch(run, tuple(part), data) for part in parts(left, jobs, size)]
        for results in _run(pool, batches, jobs):
            found.update(results)
            if book:
                book.append({t: [r.as_dict() for r in rows] for t, rows in results.items()})
            if done:
                done(len(found), len(tasks), [r for part in results.values() for r in part])
        if options.lines:
            _HANDS.finish(run)
    return Run(
        results=[r for t in tasks for r in found[t]],
        options=data,
        environment=plan["environment"],
        skipped=plan["skipped"],
        seconds=time.perf_counter() - started,
        resumed=resumed,
        restarted=book is not None and book.restarted,
    )


def plan_run(options: Options) -> dict[str, Any]:
    """What there is to run, asked of a process of its own: this one imports no framework."""
    with runner(options) as planner:
        return _plan(options, planner)


def _plan(options: Options, planner: Worker) -> dict[str, Any]:
    planner.timeout = PLANNING
    reply, _ = planner.call({"plan": options.as_dict()}, [])
    if "error" in reply:
        raise DeviceError(f"the plan cannot be made: {reply['error']}")
    plan: dict[str, Any] = reply["data"]
    if plan["unknown"] is not None:
        raise BadInput(plan["unknown"])
    plan["items"] = [tuple(i) for i in plan["items"]]
    return plan


def parts(tasks: Sequence[Task], jobs: int, most: int = BATCH) -> Iterator[Sequence[Task]]:
    """Tasks in batches of one frontend; smaller ones at the end, so that all end together."""
    start = 0
    while start < len(tasks):
        size = max(1, min(most, (len(tasks) - start) // (2 * jobs)))
        stop = start
        while stop < len(tasks) and stop - start < size and tasks[stop][:2] == tasks[start][:2]:
            stop += 1
        yield tasks[start:stop]
        start = stop


def _run(pool: Executor, batches: Iterable[Batch], jobs: int) -> Iterator[dict[Task, list[Result]]]:
    """The results of batches as they come."""

    def give_up(task: Task, batch: Batch, reason: str) -> list[dict[str, Any]]:
        *names, device = task
        failed = _failure(Item(*names), device, CRASH, reason, 0.0, batch.options)
        return [failed.as_dict()]

    for found in hand_out(pool, batches, jobs, work, give_up):
        yield {task: [Result.of(r) for r in rows] for task, rows in found.items()}
