"""A worker that dies or hangs when it is told to."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from conformance.oracle import serve


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> list[np.ndarray]:
    if head["how"] == "exit":
        os._exit(3)
    if head["how"] == "hang":
        time.sleep(60)
    return arrays


if __name__ == "__main__":
    serve(answer)
