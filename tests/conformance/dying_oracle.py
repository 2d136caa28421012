"""A worker that dies, hangs or wants all memory when it is told to."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from conformance.processes.worker_loop import serve


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> list[np.ndarray]:
    if head["how"] == "exit":
        os._exit(3)
    if head["how"] == "hang":
        time.sleep(1e6)
    if head["how"] == "eat":
        return [np.ones(100 << 30, np.uint8)]
    return arrays


if __name__ == "__main__":
    serve(answer)
