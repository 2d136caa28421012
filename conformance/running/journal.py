"""Results as they come, one line of JSON each task, so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from nnir.errors import BadFile

from ..judging.result import Result

Task = tuple[str, str, str, str, str]
"""Suite, frontend, operator and name of a case, and the device."""

SUFFIX = ".partial"


class Journal:
    """An open journal. `done` are the results that an earlier run of the same plan left."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self.done: dict[Task, list[Result]] = {}
        self.restarted = False
        lines = list(_lines(path))
        if lines and lines[0].get("plan") == fingerprint:
            for line in lines[1:]:
                self.done[_task(line["task"])] = [Result.of(r) for r in line["results"]]
        else:
            self.restarted = bool(lines)
        self._file = self._rewritten(fingerprint)

    def _rewritten(self, fingerprint: str) -> TextIO:
        """The file with whole lines only, open at its end."""
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            with fresh.open("w") as file:
                file.write(json.dumps({"plan": fingerprint}) + "\n")
                for task, results in self.done.items():
                    file.write(_line(task, results))
            fresh.replace(self.path)
            return self.path.open("a")
        except OSError as error:
            raise BadFile(f"cannot write {str(self.path)!r}: {error.strerror}") from None

    def append(self, found: Mapping[Task, Sequence[Result]]) -> None:
        """Write results; they survive the end of this process."""
        self._file.write("".join(_line(t, r) for t, r in found.items()))
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def fingerprint(plan: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """What must be equal for results to belong to the same run."""
    text = json.dumps([plan, options], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _line(task: Task, results: Sequence[Result]) -> str:
    return json.dumps({"task": task, "results": [r.as_dict() for r in results]}) + "\n"


def _task(names: Sequence[str]) -> Task:
    suite, frontend, op, name, device = names
    return suite, frontend, op, name, device


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a file: the last one may have been cut off."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise BadFile(f"cannot read {str(path)!r}: {error}") from None
    for line in text.splitlines(keepends=True):
        try:
            found = json.loads(line) if line.endswith("\n") else None
        except ValueError:
            return
        if not isinstance(found, dict):
            return
        yield found
