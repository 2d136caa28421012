"""How the command line ends when it is told to: 130 after Ctrl-C, 143 after SIGTERM, quietly.

Python's own answer to Ctrl-C is an exception in the main thread, between two of its instructions.
An engine that computes does not come back for it, so a second thread, which the signal wakes
without Python's help, ends the process when nothing has happened for a while. Once the main thread
has answered it cleans up, which may wait for a slow disk: that takes longer than an answer.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from types import FrameType

GRACE = 3.0
"""Seconds for an answer of the main thread."""

CLEANING = 10.0
"""Seconds for cleaning up once it has answered."""

INTERRUPTED = 130
TERMINATED = 143
STATUS = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}

_answered = threading.Event()


def end_quietly() -> None:
    """Let signals end this process with their status and without a traceback."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in STATUS:
        signal.signal(number, _leave)
    _answered.clear()
    told, tells = socket.socketpair()
    tells.setblocking(False)
    signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(told, tells), daemon=True, name="signals").start()


def _leave(number: int, frame: FrameType | None) -> None:
    for other in STATUS:
        signal.signal(other, signal.SIG_IGN)  # what cleans up is not interrupted
    _answered.set()
    sys.exit(STATUS[signal.Signals(number)])


def _watch(told: socket.socket, tells: socket.socket) -> None:
    """End the process where the main thread does not answer a signal, or does not get done."""
    while data := told.recv(1):
        if (status := STATUS.get(data[0])) is not None:  # type: ignore[call-overload]
            if _answered.wait(GRACE):
                time.sleep(CLEANING)
            os._exit(status)
