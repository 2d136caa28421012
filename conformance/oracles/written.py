"""A file that was written, opened as its users open it. Runs as a worker process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hal.properties import Properties
from hal.runtime import manager
from hal.runtime.program import Program
from nnir import archive
from nnir.serial import decode_type

from ..processes.worker_loop import serve


class Opened:
    """The program of the file that the first message names."""

    def __init__(self) -> None:
        self._run: Any = None

    def answer(self, head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> Any:
        """Open the file at `path` by the engine of `device`, or run it."""
        if "path" in head:
            self._run = open_file(head)
            return []
        return self._run(arrays)


def open_file(head: dict[str, Any]) -> Any:
    """What runs a file; an archive runs on `builtin`, as it means what the references say."""
    path = Path(head["path"])
    if not head["device"]:
        program = Program(archive.load(path), "builtin")
        return lambda arrays: program(*arrays)
    device = manager.acquire(head["device"])
    types = [[decode_type(row) for row in head[end]] for end in ("inputs", "outputs")]
    context = device.create_context(Properties({}), None)
    open_program = device.import_exact_program if head.get("exact") else device.import_program
    file = open_program(context, path, *types)
    return lambda arrays: device.execute_program(file, arrays)


if __name__ == "__main__":
    serve(Opened().answer)
