"""A warm process that runs commands of nnadapter, each in a fork of its own on two terminals.

`python -m tests.hostile.server` reads one request a line (JSON) and answers each with one line.
A command costs a fork and not an import, and what it does to its process is gone with it.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import json
import os
import resource
import select
import signal
import struct
import sys
import tempfile
import termios
import time
import traceback
from collections.abc import Mapping
from typing import Any

WARM = (
    *(
        "nnadapter.cli",
        "conformance.verifying.verify",
        "conformance.bisecting.bisect",
        "conformance.verifying.inputs",
    ),
    *("frontends.onnx.converters", "frontends.torch.converters", "frontends.tflite.converters"),
    *("frontends.tensorflow.converters", "frontends.paddle.converters", "nnir.passes"),
    *(
        "frontends.onnx.reading.reader",
        "frontends.torch.reading.reader",
        "frontends.tflite.reading.reader",
        "frontends.paddle.reading.legacy.reader",
        "frontends.tensorflow.reading.saved_model",
        "frontends.tensorflow.reading.keras_archive",
        "rich.console",
    ),
    *(
        "nnadapter.conversion",
        "hal.drivers.onnxruntime.proto",
        "hal.drivers.builtin",
        "hal.runtime.program",
        "rich.table",
        "rich.status",
    ),
)
FRAMEWORKS = ("torch", "tensorflow", "keras", "paddle", "onnx", "onnxruntime", "openvino")
OPTIONS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TERM": "dumb"}
"""One thread, because forks of processes with threads hang; on a dumb terminal the spinner writes
no control sequences of its own, so that all that are seen come from the file."""

MOST = 1 << 20
COLUMNS = 500


def main() -> None:
    """Answer requests until the input ends."""
    import importlib

    for module in WARM:
        importlib.import_module(module)
    importlib.import_module("hal.runtime.manager").classes()
    importlib.import_module("nnadapter.sources").frontends()
    loaded = [name for name in FRAMEWORKS if name in sys.modules]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps({"frameworks": loaded}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Run one command; its status, what it wrote, and how long it took."""
    out, err = os.openpty(), os.openpty()
    started = time.monotonic()
    child = os.fork()
    if not child:
        _run(request, out, err)
    os.close(out[1])
    os.close(err[1])
    texts, timed_out = _listen([out[0], err[0]], started + request["seconds"])
    if timed_out:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # whatever it left
    os.close(out[0])
    os.close(err[0])
    return {
        "status": os.waitstatus_to_exitcode(status),
        "stdout": texts[0],
        "stderr": texts[1],
        "seconds": time.monotonic() - started,
        "cpu": usage.ru_utime + usage.ru_stime,
        "timed_out": timed_out,
        "peak": usage.ru_maxrss * 1024,
    }


def _listen(terminals: list[int], deadline: float) -> tuple[list[str], bool]:
    """What is written to terminals until all writers have closed them."""
    heard = dict.fromkeys(terminals, b"")
    waiting = set(terminals)
    while waiting:
        left = deadline - time.monotonic()
        ready = select.select(list(waiting), [], [], max(left, 0))[0] if left > 0 else []
        if not ready:
            break
        for terminal in ready:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # how Linux says that nobody has the other end
                data = b""
            if not data:
                waiting.discard(terminal)
            elif len(heard[terminal]) < MOST:
                heard[terminal] += data
    return [heard[t].decode("utf-8", "surrogateescape") for t in terminals], bool(waiting)


def _run(request: Mapping[str, Any], out: tuple[int, int], err: tuple[int, int]) -> None:
    """In the child: take the terminals, the limits and the folders, and run the command."""
    status = 70
    try:
        os.setsid()
        for terminal in (out[1], err[1]):
            size = struct.pack("HHHH", 50, COLUMNS, 0, 0)
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
        fcntl.ioctl(out[1], termios.TIOCSCTTY, 0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, descriptor in enumerate((nothing, out[1], err[1])):
            os.dup2(descriptor, number)
        os.closerange(3, 256)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.update(request["environment"])
        tempfile.tempdir = None
        os.chdir(request["cwd"])
        for kind, most in request["limits"].items():
            number = getattr(resource, f"RLIMIT_{kind}")
            resource.setrlimit(number, (most, resource.getrlimit(number)[1]))
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(0, closefd=False),
            os.fdopen(1, "w", closefd=False, encoding="utf-8", buffering=1),
            os.fdopen(2, "w", closefd=False, encoding="utf-8", buffering=1),
        )
        status = _command(request["arguments"])
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001  the parent must hear of everything
        traceback.print_exc()
    finally:
        os._exit(status)


def _command(arguments: list[str]) -> int:
    """The exit status of a command line; `load` is the Python face."""
    try:
        if arguments[0] == "load":
            return _load(arguments[1])
        from nnadapter.cli import main as run

        run(arguments, prog_name="nnadapter")
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    return 0


def _load(path: str) -> int:
    import nnadapter
    from nnir.errors import NNAdapterError, summary

    try:
        nnadapter.load(path)
    except NNAdapterError as error:
        print(f"error: {summary(error)}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    main()
