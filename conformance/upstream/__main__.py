"""Write docs/upstream_bugs.md, or say which of the bugs are there."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from nnir.staging import replacing

from .bug import read_bugs
from .page import PAGE, page, read_outputs
from .running import Status, try_bugs


def main(arguments: Sequence[str] | None = None) -> int:
    """The status: 1 where a program does not show its bug."""
    parser = argparse.ArgumentParser(prog="python -m conformance.upstream", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, say what each prints")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs programs")
    parser.add_argument("--match", default="", help="names of programs, as a regular expression")
    given = parser.parse_args(arguments)
    every = read_bugs()
    outputs = read_outputs(PAGE.read_text()) if PAGE.exists() else {}
    others = False
    for found in try_bugs([b for b in every if re.search(given.match, b.name)], given.python):
        others |= found.status != Status.THERE
        if given.check or found.status != Status.THERE:
            sys.stdout.write(f"{found.bug.name}: {found.status.name}\n    {found.text}\n")
        if found.status == Status.THERE:
            outputs[found.bug.name] = found.text
    if not given.check:
        with replacing(PAGE) as file:
            file.write(page(every, outputs).encode())
    return int(others)


if __name__ == "__main__":
    sys.exit(main())
