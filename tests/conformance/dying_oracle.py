"""A worker that dies, hangs, wants all memory or what it may not do when it is told to."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

from conformance.processes.worker_loop import serve


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> list[np.ndarray]:
    if head["how"] == "exit":
        os._exit(3)
    if head["how"] == "fault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if head["how"] == "hang":
        time.sleep(1e6)
    if head["how"] == "eat":
        return [np.ones(100 << 30, np.uint8)]
    if head["how"] == "write":
        Path(head["path"]).write_text("")
    if head["how"] == "program":
        subprocess.run(["/bin/true"], check=True)
    return arrays


if __name__ == "__main__":
    serve(answer)
