"""Write down the lines that run in a process, when it ends."""

from __future__ import annotations

import atexit
import gc
import json
import os
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING

from nnir.errors import Unsupported

if TYPE_CHECKING:
    from slipcover import FileMatcher, Slipcover

ROOT = Path(__file__).parents[2]
PLACES = (
    "frontends/*/operators",
    *(f"hal/drivers/{name}" for name in ("litert", "onnxruntime", "openvino", "torch")),
    *("nnir/ops", "nnir/recipes", "nnir/decompositions"),
)
"""Where the cases are to come by: converters, lowerings, and what these are made of."""

NAME = "lines"


@cache
def start(folder: str) -> None:
    """Begin, once in a process; Unsupported without the package `slipcover`.

    Its probes are gone once they have been met, so that it costs next to nothing; a tracer costs
    as much as the cases.
    """
    try:
        from slipcover import FileMatcher, ImportManager, Slipcover
    except ImportError:
        raise Unsupported("--lines needs the package slipcover: pip install slipcover") from None
    file = Path(folder).absolute() / f"{NAME}.{os.getpid()}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    probes = Slipcover(immediate=True)
    matcher = FileMatcher([str(path) for place in PLACES for path in ROOT.glob(place)])
    probe_functions(probes, matcher)
    ImportManager(probes, matcher).__enter__()  # what is imported from now on

    def end() -> None:
        files = probes.get_coverage()["files"]
        ran = {str(Path(name).absolute()): f["executed_lines"] for name, f in files.items()}
        file.write_text(json.dumps(ran))

    atexit.register(end)


def probe_functions(probes: Slipcover, matcher: FileMatcher) -> None:
    """Put probes into the functions of what was imported before."""
    gc.unfreeze()  # what is frozen is not listed
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and matcher.matches(function.__code__.co_filename):
            probes.instrument(function)
