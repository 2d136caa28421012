"""Objects of modules that are imported late count as old; what others have frozen stays so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = """
import gc, sys
from nnir import collector
gc.collect()
{before}
collector.import_paused("wave")
young = len(gc.get_objects(generation=0)) + len(gc.get_objects(generation=1))
count, asked = gc.get_freeze_count, []
gc.get_freeze_count = lambda: asked.append(0) or count()
collector.import_paused("wave")  # again, and
collector.import_paused("shelve")
print(young, count() > 0, gc.isenabled(), len(asked))
"""


def told(before: str) -> list[str]:
    command = [sys.executable, "-c", CODE.format(before=before)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_what_is_imported_is_old() -> None:
    young, *others = told("")
    assert int(young) < 100
    assert others == ["False", "True", "1"]


def test_what_is_frozen_stays_frozen() -> None:
    _, *others = told("gc.freeze()")
    assert others == ["True", "True", "0"]
