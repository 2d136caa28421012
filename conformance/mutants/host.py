"""A process that plants changes in children of its own: `python -m conformance.mutants.host PLACE`.

It imports everything but what is changed once. For each job, a line of JSON on its input, it forks:
the child finds the changed module in the place of the file, runs the cases, and says on a pipe what
becomes of each; whoever hangs is ended. A line of JSON is the answer.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.util
import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, BinaryIO

from .places import BY_NAME, ENGINES, Place

SLOWEST = 20.0
"""Seconds that a case may take beyond what it takes otherwise."""

MEMORY = 6 << 30
NOTICED, SURVIVED = "noticed", "survived"


class Changed(SourceFileLoader):
    """Loads a module from other text than its file's."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        """The code of the text."""
        return compile(self._text, self.path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module, changed."""

    def __init__(self, name: str, path: str, text: str) -> None:
        self._name, self._path, self._text = name, path, text

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Of the one module what loads it."""
        if fullname != self._name:
            return None
        loader = Changed(fullname, self._path, self._text)
        folder = os.path.dirname(self._path)
        inside = [folder] if os.path.basename(self._path) == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self._path, loader=loader, submodule_search_locations=inside
        )


def prepare(place: Place) -> None:
    """Import what a change in the place does not touch."""
    for module in (*ENGINES, *place.early):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    package = place.name.replace("/", ".")
    inside = [m for m in sys.modules if m.startswith(package + ".")]
    if inside:
        raise RuntimeError(f"{place.name} is imported before it is changed: {inside[:3]}")


def run_child(job: dict[str, Any], pipe: BinaryIO) -> None:
    """In the child: run the cases, a line before and after each; then the tests."""
    if job["text"] is not None:
        sys.meta_path.insert(0, Finder(job["module"], job["path"], job["text"]))
    until = time.monotonic() + job["seconds"]

    def tell(*words: Any) -> None:
        pipe.write(json.dumps(words).encode() + b"\n")
        pipe.flush()

    if job["tests"]:
        import pytest

        tell("test", 0, job["seconds"])
        quiet = ["-q", "-x", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
        status = pytest.main([*quiet, *job["tests"]])
        tell("tested", int(status))
        return
    from .trial import Bench

    bench = Bench()
    for place, (frontend, name, device, outcome, seconds) in enumerate(job["cases"]):
        if time.monotonic() > until:
            return
        tell("case", place, seconds)
        found = bench.run(frontend, name, device)
        tell("ran", place, found)
        if found != outcome:
            return


def _limit() -> None:
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, most))


def _child(job: dict[str, Any], write: int) -> None:
    """The life of a child; it ends here."""
    status = 1
    try:
        os.setpgid(0, 0)
        _limit()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        with os.fdopen(write, "wb") as pipe:
            try:
                run_child(job, pipe)
            except BaseException as error:  # noqa: BLE001  such as an import that fails
                words = ("raised", f"{type(error).__name__}: {error}"[:300])
                pipe.write(json.dumps(words).encode() + b"\n")
        status = 0
    finally:
        os._exit(status)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Plant a change, and say who noticed it."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        _child(job, write)
    os.close(write)
    answer: dict[str, Any] = {"verdict": SURVIVED, "ran": 0}
    current: int | None = None
    try:
        for words in _lines(read, job["seconds"]):
            match words:
                case ["case" | "test", place, _]:
                    current = place
                case ["ran", place, found]:
                    current, answer["ran"] = None, place + 1
                    if found != job["cases"][place][3]:
                        answer |= {"verdict": NOTICED, "case": place, "found": found}
                case ["tested", status]:
                    current, answer["ran"] = None, 1
                    if status:
                        answer |= {"verdict": NOTICED, "found": f"tests: status {status}"}
                case ["raised", text]:
                    answer |= {"verdict": NOTICED, "case": current, "found": text}
                    current = None
                case [what]:
                    answer |= {"verdict": NOTICED, "case": current, "found": what}
                    current = None
    finally:
        os.close(read)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if current is not None:
        found = f"the process ends with status {status}"
        answer |= {"verdict": NOTICED, "case": current, "found": found}
    return answer


def _lines(read: int, most: float) -> Iterator[list[Any]]:
    """What the child says; `["hangs"]` where it says nothing for too long."""
    left, patience = b"", SLOWEST + most
    while True:
        ready, _, _ = select.select([read], [], [], patience)
        if not ready:
            yield ["hangs"]
            return
        data = os.read(read, 1 << 16)
        if not data:
            return
        *lines, left = (left + data).split(b"\n")
        for line in lines:
            words = json.loads(line)
            patience = SLOWEST + 10 * words[2] if words[0] == "case" else SLOWEST + most
            yield words


def main(name: str) -> None:
    """Answer jobs until there are none."""
    prepare(BY_NAME[name])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        job = json.loads(line)
        job["path"] = str(Path(job["path"]))
        answers.write(json.dumps(run(job)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
