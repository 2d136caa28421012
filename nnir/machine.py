"""The machine that programs run on."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
from functools import cache
from pathlib import Path

PROCESSOR = Path("/proc/cpuinfo")


@cache
def features() -> str:
    """The processor and what it can, by which kernels and layouts are chosen."""
    flags = ""
    with contextlib.suppress(OSError), PROCESSOR.open() as lines:
        flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    flags = flags or platform.processor()  # which asks another program on some systems
    return f"{platform.machine()} {hashlib.sha256(flags.encode()).hexdigest()[:16]}"


def processor() -> str:
    """The features of the processor, and how many cores there are."""
    return f"{features()} {os.cpu_count()}"
