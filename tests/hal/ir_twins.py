"""One graph of OpenVINO's operators twice: made and written by OpenVINO, and by us."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import openvino

from hal.drivers.openvino.emitter import Emitter, graph
from hal.drivers.openvino.families import LOWERINGS
from hal.drivers.openvino.states import Variables
from hal.quantised import shown_to
from hal.runtime import manager
from nnir.errors import NoLowering
from nnir.formats.openvino import runtime as paper
from nnir.model import Model
from nnir.pairs import as_pairs

PLACE = re.compile(r'offset="(\d+)" size="(\d+)"')
EDGES = re.compile(r"(?:\t*<edge from-layer.*\n)+")
REFUSED = "refused"


def twins(model: Model, folder: Path) -> tuple[str, str]:
    """What OpenVINO writes of a model, and what we do."""
    shown = shown_to(manager.acquire("openvino"), model)
    theirs, ours = (written(runtime, shown, folder) for runtime in (openvino, paper))
    return theirs, ours


def written(runtime: ModuleType, model: Model, folder: Path) -> str:
    """The file of a model by one of them, or that it is refused.

    Numbers stand where constants lie, which are at other places, and edges are in an order.
    """
    emitter = Emitter(LOWERINGS, runtime)
    try:
        source = as_pairs(model)
        made = graph(emitter, source, "", Variables(emitter, source) if source.states else None)
    except NoLowering:
        return REFUSED
    path, weights = folder / "graph.xml", folder / "graph.bin"
    runtime.serialize(made, str(path), str(weights))
    data = weights.read_bytes()
    text = EDGES.sub(lambda m: "".join(sorted(m[0].splitlines(True))), path.read_text("utf-8"))
    return PLACE.sub(lambda m: f'numbers="{numbers(data, m)}"', text)


def numbers(data: bytes, place: re.Match[str]) -> str:
    """The bytes of a constant."""
    start, size = map(int, place.groups())
    return data[start : start + size].hex()


def first_difference(theirs: str, ours: str) -> str:
    """The layer and the lines in which two files differ; "" where they do not."""
    if theirs == ours:
        return ""
    layer = ""
    for a, b in zip(theirs.splitlines(), ours.splitlines(), strict=False):
        if "<layer " in a:
            layer = a.strip()
        if a != b:
            return f"{layer}: {a.strip()[:200]!r}, here {b.strip()[:200]!r}"
    return f"{len(theirs)} and {len(ours)} characters"
