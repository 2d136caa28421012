"""Oracles: origin frameworks in worker processes of their own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, cast

import numpy as np

from nnir.errors import DeviceError, Unsupported

from . import channel


class Oracle:
    """A worker process that runs models of one framework; restarted after a crash or a hang.

    `module` is what the worker runs (`python -m module`); use as a context manager.
    """

    def __init__(self, module: str, *, timeout: float = 60.0) -> None:
        self.module = module
        self.timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the oracle

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._log.close()

    def ask(
        self, head: dict[str, Any], arrays: list[np.ndarray], blob: bytes = b""
    ) -> list[np.ndarray]:
        """The worker's arrays. Unsupported when the framework refuses, DeviceError when the
        worker dies or takes longer than the timeout."""
        process = self._started()
        questions, answers = cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout)
        started = time.monotonic()
        watchdog = threading.Timer(self.timeout, process.kill)  # also in the middle of a message
        watchdog.start()
        try:
            channel.send(questions, head, arrays, blob)
            reply, results, _ = channel.receive(answers)
        except (EOFError, BrokenPipeError):
            what = "hangs" if time.monotonic() - started >= self.timeout else "died"
            self.close()
            raise DeviceError(f"the worker of {self.module} {what}: {self._tail()}") from None
        finally:
            watchdog.cancel()
        if "error" in reply:
            raise Unsupported(f"the origin framework refuses: {reply['error']}")
        return results

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", self.module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
            )
        return self._process

    def _tail(self) -> str:
        self._log.seek(0)
        lines = self._log.read()[-2000:].decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "no message"

    def close(self) -> None:
        """Stop the worker."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            self._process = None


def argument(source: Any, tensors: Sequence[Any], dtype_of: Callable[[str], Any]) -> Any:
    """An argument in the framework's own terms: the inverse of `named_engine.described`."""
    if isinstance(source, list):
        return [argument(a, tensors, dtype_of) for a in source]
    if isinstance(source, dict):
        ((kind, value),) = source.items()
        match kind:
            case "tensor":
                return tensors[value]
            case "dtype":
                return dtype_of(value)
            case "float":
                return float(value)
            case "complex":
                return complex(*map(float, value))
    return source


def serve(answer: Any) -> None:
    """The worker's loop: `answer(head, arrays, blob)` gives arrays or raises."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what frameworks print must not get between the messages
    while True:
        try:
            head, arrays, blob = channel.receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            results = [np.asarray(r) for r in answer(head, arrays, blob)]
            channel.send(replies, {}, results)
        except Exception as error:  # noqa: BLE001  whatever the framework says goes to the caller
            text = " ".join(f"{type(error).__name__}: {error}".split())[:500]
            channel.send(replies, {"error": text}, [])
