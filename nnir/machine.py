"""The machine that programs run on."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from pathlib import Path

PROCESSOR = Path("/proc/cpuinfo")


@cache
def processor() -> str:
    """What kernels are chosen by: the processor's features, and how many cores there are."""
    lines = PROCESSOR.read_text().splitlines() if PROCESSOR.exists() else []
    flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    made = hashlib.sha256(flags.encode()).hexdigest()[:16]
    return f"{platform.machine()} {made} {os.cpu_count()}"
