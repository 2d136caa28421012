"""Write down the lines that run in a process, when it ends."""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path

from nnir.errors import Unsupported

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
    """Begin, once in a process; Unsupported without the package `coverage`."""
    try:
        from coverage import Coverage
    except ImportError:
        raise Unsupported("--lines needs the package coverage: pip install coverage") from None
    file = Path(folder).absolute() / NAME
    file.parent.mkdir(parents=True, exist_ok=True)
    sources = [str(path) for place in PLACES for path in ROOT.glob(place)]
    found = Coverage(file, data_suffix=True, source=sources, config_file=False, messages=False)
    found.start()

    def end() -> None:
        found.stop()
        found.save()

    atexit.register(end)
