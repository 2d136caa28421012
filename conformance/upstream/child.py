"""Run programs one after another in one process: `python child.py PROGRAM...`.

A line of JSON for each: its exit status and what it prints. Any Python may run this file, so it
imports nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
import traceback

MARK = "result: "
"""What begins a line of ours: engines print lines of their own."""
FAILED = 3
"""The status of a program that ends with an exception."""


def run_program(path: str) -> tuple[int, str]:
    """The exit status of a program and what it prints, or the exception that it ends with."""
    out = io.StringIO()
    sys.argv, sys.path[0] = [path], path.rpartition("/")[0]
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    except BaseException:  # noqa: BLE001  whatever it is, the next program has its turn
        return FAILED, traceback.format_exc()
    return 0, out.getvalue()


if __name__ == "__main__":
    for program in sys.argv[1:]:
        sys.stdout.write(f"\n{MARK}{json.dumps([program, *run_program(program)])}\n")
        sys.stdout.flush()
