"""Make the failure of one random model small: `python -m conformance.fuzzing.models 7-13 openvino`.

Every way of the device is tried in a process of its own, so that a crash is a failure like others.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from ...judging.result import GOOD
from ...suites.random_models import model_of, smallest
from .process import Process
from .trial import ways_of

SECONDS = 120.0


def main(arguments: Sequence[str]) -> int:
    """1 where some way fails, 2 for wrong usage."""
    if len(arguments) != 2:
        sys.stderr.write("usage: python -m conformance.fuzzing.models SEED-NUMBER DEVICE\n")
        return 2
    name, device = arguments
    model, arrays = model_of(name)
    failed = False
    for way in ways_of(device):
        process = Process(device, way)
        found = process.verdict(model, arrays)
        process.close()
        sys.stdout.write(f"{way}: {found.verdict} {found.reason}\n")
        if found.verdict not in GOOD:
            failed = True
            until = time.monotonic() + SECONDS
            sys.stdout.write(smallest(model, arrays, device, way, found, until) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
