"""The process that runs cases: `python -m conformance.running.runner`, asked through a `Worker`.

What it is asked: {"plan": options} for every case there is, {"run": [suite, frontend, op, name,
device], "options": options} for the results of one case on one device, {"runs": [...], "options":
options} for those of several, packed.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hal.runtime import manager
from hal.runtime.program import names_of
from nnir.collector import paused_collector
from nnir.errors import FAILURES, NNAdapterError, describe, summary
from nnir.plugins import REGISTRY

from ..engines.runs import KeptRuns
from ..judging.result import PASS, Result
from ..lines.writing import start
from ..processes.answer_store import ORIGINS_FILE, RUNS_FILE, AnswerStore
from ..processes.cache_folder import cache_folder
from ..processes.worker_loop import serve
from ..suites import suite
from . import packs
from .choosing import choose, draw, find_unknown
from .identity import identity
from .journal import Task
from .suite import IDLE, NEEDS, Crew, Item, Options, Suite
from .versions import environment, interpreters

ROOT = Path(__file__).parents[2]
RECENT = 2
"""Days that the runs of devices are kept: they are of one state of our code."""

LARGE = "models"
"""The suite whose models are larger than what a thread costs."""

AS_USUAL = "INTEL_OPENVINO_INFERENCE_NUM_THREADS"
"""OpenVINO goes other ways with one thread than those that users see."""

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
            if device == packs.DEVICE and self._suite(task[0]).can_wait(Item(*names), device):
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
        if given.lines:
            start(given.lines)
        for name in given.preload:
            preload(name)
        if LARGE not in given.suites:
            compute_alone(given.devices)
        folder, store, runs = cache_folder("answers"), None, None
        if not given.fresh:
            store = AnswerStore(folder / ORIGINS_FILE)
        # what is preloaded or plugged in may change anything, and what is kept runs no lines
        if not (given.fresh or given.preload or given.lines or REGISTRY.plugins()):
            runs = KeptRuns(AnswerStore(folder / RUNS_FILE, days=RECENT), identity)
        self._crew = Crew(given.timeout * SHARE, given.memory, store, runs)
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
        everything: list[Item] = []
        known: list[str] = []
        for name in options.suites:
            for frontend in suite(name).list_frontends():
                known.append(frontend)
                if options.frontends and frontend not in options.frontends:
                    continue
                listed, reason = self._list_cases(name, frontend)
                everything += listed or []
                found = None if listed is None else _wanted_items(listed, options)
                if reason is None:
                    items += found or []
                else:
                    what = {"suite": name, "frontend": frontend}
                    count = (
                        {"count": 0, "unlisted": True} if found is None else {"count": len(found)}
                    )
                    skipped.append({**what, **count, "reason": reason})
        devices = {d: self._unavailable(d) for d in options.devices}
        for device, reason in devices.items():
            if reason is not None:
                skipped.append({"device": device, "count": len(items), "reason": reason})
        return {
            "unknown": self._find_unknown(options, known) or find_unknown(everything, options.op),
            "items": [[i.suite, i.frontend, i.op, i.name] for i in items],
            "skipped": skipped,
            "devices": [d for d, reason in devices.items() if reason is None],
            "environment": environment(self._origins(options, known)),
            "code": code(options),
        }

    def _unavailable(self, device: str) -> str | None:
        """Why a device cannot be run on; devices that opened before are not opened to know it."""
        runs = self._crew.runs if self._crew else None
        try:
            for name in names_of(device):  # several with commas share a model
                manager.acquire(name) if runs is None else runs.open_device(name)
        except NNAdapterError as error:
            return summary(error)
        return None

    def _find_unknown(self, options: Options, known: Sequence[str]) -> str | None:
        """What to say of frontends that no suite has."""
        names = [*options.frontends, *interpreters(options.origins)]
        strange = [n for n in names if n not in {*known, *NEEDS}]
        there = ", ".join(dict.fromkeys(known))
        return f"no frontend {strange[0]!r}: there are {there}" if strange else None

    def _origins(
        self, options: Options, known: Sequence[str]
    ) -> dict[str, tuple[str, tuple[str, ...]]]:
        """The frontends whose origins are elsewhere, or come from another package, and who is
        asked."""
        part = self._suite(options.suites[0])
        chosen = [f for f in dict.fromkeys(known) if f in (options.frontends or known)]
        elsewhere = {*interpreters(options.origins), *(f for f in chosen if f not in NEEDS)}
        return {f: part.asked(f) for f in chosen if f in elsewhere}

    def _list_cases(self, name: str, frontend: str) -> tuple[list[Item] | None, str | None]:
        """The cases of a frontend, and why they cannot be run."""
        part = self._suite(name)
        reason = part.missing(frontend)
        try:
            found = list(part.items(frontend))
        except (*FAILURES, ImportError):
            if reason is None:
                raise
            return None, reason  # what lists the cases needs what is not installed
        return found, reason


def passes(results: Sequence[Result]) -> bool:
    """Whether a case passes, with nothing to say of it."""
    return all(r.verdict == PASS for r in results)


def compute_alone(devices: Sequence[str]) -> None:
    """Let devices compute in one thread, unless the environment says how many: runners work side by
    side, and engines start and end their threads for every program."""
    for name in (part for device in devices for part in names_of(device)):
        with suppress(NNAdapterError):  # why there is no such device the plan says
            for key in manager.find(name).keys:
                if key.endswith("_NUM_THREADS") and key != AS_USUAL:
                    os.environ.setdefault(key, "1")


def _wanted_items(items: Iterable[Item], options: Options) -> list[Item]:
    """The items that the filters leave: a case is named whole, or else in part."""
    chosen = choose(items, options.op, options.using)
    exact = [i for i in chosen if i.name == options.case]
    found = exact or [i for i in chosen if options.case in i.name]
    return draw(found, options.one_in, options.seed)


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


if __name__ == "__main__":
    serve(Runner().answer, idle=IDLE)
