"""What tasks give as it comes, one line of JSON each, so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from nnir.errors import BadFile

Task = tuple[str, ...]
"""What is to do: for `conform` the suite, frontend, operator and name of a case, and the device."""

SUFFIX = ".partial"


class Journal:
    """An open journal. `done` is what an earlier run of the same plan left, as data."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self.done: dict[Task, Any] = {}
        self.restarted = False
        lines = list(_lines(path))
        if lines and lines[0].get("plan") == fingerprint:
            for line in lines[1:]:
                if not (isinstance(line.get("task"), list) and "results" in line):
                    raise BadFile(f"{str(path)!r} is no journal of ours any more: remove it")
                self.done[tuple(line["task"])] = line["results"]
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

    def append(self, found: Mapping[Task, Any]) -> None:
        """Write results, which JSON can hold; they survive the end of this process."""
        self._file.write("".join(_line(t, r) for t, r in found.items()))
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def fingerprint(plan: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """What must be equal for results to belong to the same run."""
    text = json.dumps([plan, options], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _line(task: Task, results: Any) -> str:
    return json.dumps({"task": task, "results": results}) + "\n"


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
