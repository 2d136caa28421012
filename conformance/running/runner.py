"""The process that runs cases: `python -m conformance.running.runner`, asked through a `Worker`.

What it is asked: {"plan": options} for every case there is, {"run": [suite, frontend, op, name,
device], "options": options} for the results of one case on one device, {"runs": [...], "options":
options} for those of several, packed.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from hal.runtime import manager
from hal.runtime.program import names_of
from nnir.collector import paused_collector
from nnir.errors import FAILURES, NNAdapterError, describe, summary

from ..judging.result import PASS, Result
from ..processes.worker_loop import serve
from ..suites import suite
from . import packs
from .journal import Task
from .suite import IDLE, Crew, Item, Options, Suite

PACKAGES = (
    *("nnadapter", "numpy", "ml_dtypes", "onnx", "onnxruntime", "torch", "tensorflow-cpu"),
    *("tensorflow", "ai-edge-litert", "paddlepaddle", "openvino", "scipy"),
)
ROOT = Path(__file__).parents[2]
SHARE = 0.8
"""Of the time that a case has, so much is for its oracle: then it is known who hangs."""


class Runner:
    """The suites of a process, opened when they are first needed."""

    def __init__(self) -> None:
        self._options: dict[str, Any] | None = None
        self._suites: dict[str, Suite] = {}
        self._crew: Crew | None = None

    def answer(self, head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> dict[str, Any]:
        """One message; see the module."""
        if "plan" in head:
            self._open(head["plan"])
            return self._plan(Options.of(head["plan"]))
        self._open(head["options"])
        if "runs" in head:
            found = self._run_packed([tuple(task) for task in head["runs"]])
            return {"results": [[r.as_dict() for r in part] for part in found]}
        return {"results": [r.as_dict() for r in self._run(tuple(head["run"]))]}

    def close(self) -> None:
        """Stop the oracles."""
        if self._crew is not None:
            self._crew.close()

    def _run(self, task: Task) -> list[Result]:
        *names, device = task
        item = Item(*names)
        return list(self._suite(item.suite).run(item, device))

    def _run_packed(self, tasks: Sequence[Task]) -> list[list[Result]]:
        """The results of each task. Those that may wait come last, together."""
        found: dict[Task, list[Result]] = {}
        waiting: list[Task] = []
        for task in tasks:
            *names, device = task
            if device == packs.DEVICE and self._suite(task[0]).can_wait(Item(*names)):
                waiting.append(task)
            else:
                found[task] = self._run(task)
        jobs = [partial(self._run, task) for task in waiting]
        found |= zip(waiting, packs.run_packed(jobs, passes) if jobs else (), strict=True)
        return [found[task] for task in tasks]

    def _open(self, options: dict[str, Any]) -> None:
        if options == self._options:
            return
        self.close()
        given = Options.of(options)
        for name in given.preload:
            preload(name)
        self._crew = Crew(given.timeout * SHARE, given.memory)
        self._options, self._suites = options, {}

    def _suite(self, name: str) -> Suite:
        if name not in self._suites:
            if self._crew is None or self._options is None:
                raise RuntimeError("a runner is opened before it is asked")
            self._suites[name] = suite(name)(Options.of(self._options), self._crew)
        return self._suites[name]

    def _plan(self, options: Options) -> dict[str, Any]:
        """Every case that is wanted, in order, and what cannot be run here."""
        items: list[Item] = []
        skipped: list[dict[str, Any]] = []
        for name in options.suites:
            for frontend in suite(name).frontends:
                if options.frontends and frontend not in options.frontends:
                    continue
                found, reason = self._list_cases(name, frontend, options)
                if reason is None:
                    items += found or []
                else:
                    what = {"suite": name, "frontend": frontend}
                    count = (
                        {"count": 0, "unlisted": True} if found is None else {"count": len(found)}
                    )
                    skipped.append({**what, **count, "reason": reason})
        devices = {d: _unavailable(d) for d in options.devices}
        for device, reason in devices.items():
            if reason is not None:
                skipped.append({"device": device, "count": len(items), "reason": reason})
        return {
            "items": [[i.suite, i.frontend, i.op, i.name] for i in items],
            "skipped": skipped,
            "devices": [d for d, reason in devices.items() if reason is None],
            "environment": environment(),
            "code": code(options),
        }

    def _list_cases(
        self, name: str, frontend: str, options: Options
    ) -> tuple[list[Item] | None, str | None]:
        """The cases of a frontend that are wanted, and why they cannot be run."""
        part = self._suite(name)
        reason = part.missing(frontend)
        try:
            found = list(_wanted_items(part.items(frontend), options))
        except (*FAILURES, ImportError):
            if reason is None:
                raise
            return None, reason  # what lists the cases needs what is not installed
        return found, reason


def passes(results: Sequence[Result]) -> bool:
    """Whether a case passes, with nothing to say of it."""
    return all(r.verdict == PASS for r in results)


def _wanted_items(items: Any, options: Options) -> Iterator[Item]:
    """The items that the filters leave: a case is named whole, or else in part."""
    chosen = [i for i in items if options.wants(i.op)]
    exact = [i for i in chosen if i.name == options.case]
    yield from exact or (i for i in chosen if options.case in i.name)


def preload(name: str) -> None:
    """Import a module, or call a function of one (`module:function`)."""
    module, _, function = name.partition(":")
    try:
        with paused_collector():
            found = import_module(module)
            if function:
                getattr(found, function)()
    except (ImportError, AttributeError) as error:
        raise NNAdapterError(f"cannot preload {name!r}: {describe(error)}") from error


def _unavailable(device: str) -> str | None:
    try:
        for name in names_of(device):  # several with commas share a model
            manager.acquire(name)
    except NNAdapterError as error:
        return summary(error)
    return None


def code(options: Options) -> str:
    """A digest of the state of what is run: results of other code or models are not continued."""
    modules = [sys.modules[n.partition(":")[0]] for n in options.preload]
    files = [Path(m.__file__) for m in modules if m.__file__]
    for package in ("nnir", "frontends", "hal", "conformance"):
        files += sorted((ROOT / package).rglob("*.py"))
    for folder in options.models:
        files += sorted(p for p in Path(folder).rglob("*") if p.is_file())
    digest = hashlib.sha256()
    for path in files:
        state = path.stat()
        digest.update(f"{path} {state.st_size} {state.st_mtime_ns}".encode())
    return digest.hexdigest()


def environment() -> dict[str, str]:
    """Versions of what takes part."""
    found = {"python": platform.python_version(), "system": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


if __name__ == "__main__":
    serve(Runner().answer, idle=IDLE)
