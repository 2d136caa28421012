"""Writing the models of a tool, one by one: a tool that refuses one goes on with the next.

What is not written stays beside the models as `refused-NAME`, a file that says why. That of a model
at which the process died says nothing: the next process passes it over.
"""

from __future__ import annotations

import resource
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

Write = Callable[[Path], None]
"""Writes a model to a path, which has the ending of its format; none where it is a folder."""

REFUSED, PART = "refused-", "part-"
SECONDS = 300
MEMORY = 12 << 30


def main(models: Mapping[str, Write]) -> None:
    """Write the models that are not there yet into the folder that the command names."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in models.items():
        place, refused, made = (folder / (begin + name) for begin in ("", REFUSED, PART))
        if place.exists() or refused.exists():
            continue
        refused.touch()
        signal.alarm(SECONDS)
        try:
            write(made)
            made.rename(place)
            refused.unlink()
        except Exception as error:  # noqa: BLE001  tools raise what they like
            said = str(error).strip().splitlines() or [""]
            refused.write_text(f"{type(error).__name__}: {said[0]}\n")
        finally:
            signal.alarm(0)
            if made.is_dir():
                shutil.rmtree(made)
            made.unlink(missing_ok=True)
