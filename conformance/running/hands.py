"""Processes that work for the threads or processes of an executor, and tasks handed to these."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..processes.worker import Lost, Worker
from .journal import Task

Row = TypeVar("Row")
ATTEMPTS = 3
"""So often a batch is handed out whose place is lost."""

Make = Callable[[], Worker]


@dataclass(frozen=True)
class Batch:
    """Tasks that one process runs one after the other. Everything in it can be sent anywhere.

    `run` names the run that they belong to.
    """

    run: str
    tasks: tuple[Task, ...]
    options: dict[str, Any]


class Hands:
    """The workers of this process: one for each thread and run.

    A thread that turns to another run lets go of its worker for the one before, which may have
    other code in it. What makes a worker is handed over with each question.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: dict[int, tuple[str, Worker]] = {}
        self._planners: dict[str, Worker] = {}
        self._dismissed: set[str] = set()

    def planner(self, run: str, make: Make) -> Worker:
        """The process that plans a run; with all it has imported it then is the first worker."""
        with self._lock:
            return self._planners.setdefault(run, make())

    def of(self, run: str, make: Make) -> Worker | None:
        """The worker of this thread for a run; None when the run is over."""
        thread = threading.get_ident()
        with self._lock:
            if run in self._dismissed:
                return None
            known, worker = self._workers.get(thread, ("", None))
            if worker is not None and known != run:
                worker.close()
            if worker is None or known != run:
                fresh = make()
                worker = self._planners.pop(run, None) or fresh
                worker.timeout = fresh.timeout
                self._workers[thread] = run, worker
            return worker

    def finish(self, run: str) -> None:
        """Let the workers of a run end by themselves, so that they write what they have to."""
        with self._lock:
            workers = [w for name, w in self._workers.values() if name == run]
            workers += [w for name, w in self._planners.items() if name == run]
        for worker in workers:
            with suppress(Lost):  # one that dies at its end has run everything
                worker.finish()

    def dismiss(self, run: str) -> None:
        """Stop the workers of a run; it gets no others."""
        with self._lock:
            self._dismissed.add(run)
            mine = [k for k, (name, _) in self._workers.items() if name == run]
            workers = [self._workers.pop(k)[1] for k in mine]
            if run in self._planners:
                workers.append(self._planners.pop(run))
        for worker in workers:
            worker.retire()


def hand_out(
    pool: Executor,
    batches: Iterable[Batch],
    jobs: int,
    work: Callable[[Batch], list[Row]],
    give_up: Callable[[Task, Batch, str], Row],
) -> Iterator[dict[Task, Row]]:
    """What `work` makes of the tasks of batches, as it comes: one row each, of the first ones where
    it stops early.

    A batch whose place is lost is handed out again, and given up after several times: `give_up`
    makes the row of a task of it.
    """
    waiting = deque((b, 1) for b in batches)
    running: dict[Future[list[Row]], tuple[Batch, int]] = {}

    def given_up(batch: Batch, error: BaseException, attempts: int) -> dict[Task, Row]:
        reason = f"the executor failed ({attempts} times): {type(error).__name__}: {error}"
        return {task: give_up(task, batch, reason) for task in batch.tasks}

    while waiting or running:
        while waiting and len(running) < 2 * jobs:
            batch, attempt = waiting.popleft()
            try:
                running[pool.submit(work, batch)] = batch, attempt
            except RuntimeError as error:  # the executor is broken or shut down
                yield given_up(batch, error, attempt)
        ready, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in ready:
            batch, attempt = running.pop(future)
            try:
                rows = future.result()
            except (Exception, CancelledError) as error:  # noqa: BLE001  what places fail with
                if attempt < ATTEMPTS:
                    waiting.append((batch, attempt + 1))
                else:
                    yield given_up(batch, error, attempt)
                continue
            yield dict(zip(batch.tasks, rows, strict=False))
            if len(rows) < len(batch.tasks):
                waiting.appendleft((replace(batch, tasks=batch.tasks[len(rows) :]), 1))
