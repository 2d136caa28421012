"""What the origin framework makes on the way through a model, by name, in files.

Files name their values as we do, or their nodes (SavedModels: by the calls that lead to them, which
are numbered in another way). Of Keras archives and objects in memory only the outputs are known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from frontends import onnx, paddle, tflite, torch
from frontends.torch.reading.signature import ARGUMENTS
from nnir.dim import evaluate, symbol, symbols_of
from nnir.errors import DeviceError, Unsupported
from nnir.model import Model
from nnir.stateful import source_ends, user_inputs

from ..gate import admit
from ..oracles.oracle import Oracle
from ..oracles.sessions import TIMEOUT, NotInstalled, require_installed
from ..processes.array_store import Reader

Head = dict[str, Any]
BY_NODE = ("torch", "litert", "tensorflow")
"""Where the first tensor that a node makes has the name of the node."""

CHANNELS_LAST = ("litert", "tensorflow")
"""Whose frontends turn images, so that channels come first inside of our models."""

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Known:
    """The origin's values by name, and why there are none where that is so.

    `by_node`: what a node of the source makes also goes by the node's name. `has_turns`: images
    have their channels last in the source.
    """

    values: Reader
    by_node: bool = False
    has_turns: bool = False
    note: str = ""


def intermediates(source: Any, model: Model, arrays: Sequence[np.ndarray], folder: Path) -> Known:
    """The origin's values in files in `folder`.

    One process runs the model as its framework does, writes every value that has a name of ours,
    and ends: only one copy of the model is in memory at a time.
    """
    found = Reader(folder)
    place = Path(source) if isinstance(source, (str, Path)) else None
    if place is None:
        return Known(found, note="the source is an object; save it to a file to look into it")
    if ARGUMENTS in model.metadata and torch.detects(place):
        return Known(found, note="PyTorch does not tell what is inside of a TorchScript program")
    for knows, asked in ORIGINS:
        if knows(place):
            way = asked(place, model)
            try:
                require_installed(way.module)
            except NotInstalled as error:
                return Known(
                    found, note=f"only the device is compared with the references: {error}"
                )
            by_node = way.module in BY_NODE
            name, writes = f"conformance.oracles.{way.module}", [str(folder.resolve())]
            with (
                admit(way.format, way.place, **way.about) as admitted,
                Oracle(name, timeout=TIMEOUT, writes=writes) as oracle,
            ):
                more = {"names": _names(model, by_node), "sizes": _sizes(model, arrays)}
                more |= {"path": str(admitted), "save": str(folder)}
                note = _ask(oracle, [h | more for h in way.heads], list(arrays), found)
            return Known(found, by_node, way.module in CHANNELS_LAST, note)
    return Known(found, note="what is inside of such a model has no names that could be asked for")


def _names(model: Model, by_node: bool) -> list[str]:
    """The names of everything that an operation made, folded constants included."""
    names = dict.fromkeys(v.name for v in model.values() if v.name is not None)
    if by_node:
        names |= dict.fromkeys(o.origin for o in model.operations if o.origin is not None)
    return list(names)


def _sizes(model: Model, arrays: Sequence[np.ndarray]) -> dict[str, int]:
    """The bytes of every value that has a name; of unknown sizes a megabyte."""
    pairs = zip(user_inputs(model), arrays, strict=False)  # states have sizes of their own
    known = {
        name: size
        for value, array in pairs
        for dim, size in zip(value.shape, array.shape, strict=False)
        for name in symbols_of(dim)
        if size and dim == symbol(name)
    }
    found = {}
    for value in model.values():
        if value.name is not None:
            shape = [evaluate(d, known) for d in value.shape]
            sizes = [d for d in shape if isinstance(d, int)]
            is_whole = len(sizes) == len(shape)
            found[value.name] = math.prod(sizes) * value.dtype.itemsize if is_whole else MEGABYTE
    return found


def _ask(oracle: Oracle, heads: Sequence[Head], arrays: list[np.ndarray], found: Reader) -> str:
    """Let the worker write the values; a reason when it cannot in any way."""
    problem = ""
    for head in heads:
        try:
            reply, _ = oracle.call(head, arrays)
        except DeviceError as error:
            problem = str(error)
            continue
        if "data" in reply:
            found.extend(reply["data"])
            return ""
        problem = str(reply.get("error"))
    return f"the origin does not give its values: {problem}"


@dataclass(frozen=True)
class Way:
    """How a file is asked for its values: through which gate, which oracle, with which heads."""

    format: str
    module: str
    place: Path
    heads: list[Head] = field(default_factory=lambda: [{}])
    about: Head = field(default_factory=dict)


def _onnx(place: Path, model: Model) -> Way:
    return Way("onnx", "onnx", place, [{"engine": "onnxruntime"}, {"engine": ""}])


def _torch(place: Path, model: Model) -> Way:
    return Way("torch", "torch", place)


def _graph_way(place: Path, model: Model) -> Way:
    heads = [{"inputs": source_ends(model)[0]}]
    about = {"outputs": source_ends(model)[1]}
    return Way("tensorflow", "tensorflow", place, heads, about)


def _tflite(place: Path, model: Model) -> Way:
    inputs = source_ends(model)[0]
    head = {"inputs": inputs, "signature": model.metadata.get("signature")}
    return Way("tflite", "litert", place, [head])


def _saved_model(place: Path, model: Model) -> Way:
    about = {k: model.metadata.get(k) for k in ("signature", "tags")}
    return Way("tensorflow", "tensorflow", place, [about], about)


def _paddle(place: Path, model: Model) -> Way:
    program = paddle.program_of(place)
    if program is None:
        raise Unsupported(f"no program at {str(place)!r}")
    return Way("paddle", "paddle_legacy" if paddle.is_legacy(program) else "paddle", program)


def _is_frozen(place: Path) -> bool:
    return place.is_file() and place.suffix == ".pb" and place.name != "saved_model.pb"


def _is_saved_model(place: Path) -> bool:
    return (place / "saved_model.pb").exists() or place.name == "saved_model.pb"


ORIGINS: tuple[tuple[Callable[[Path], bool], Callable[[Path, Model], Way]], ...] = (
    (onnx.detects, _onnx),
    (tflite.detects, _tflite),
    (torch.detects, _torch),
    (_is_saved_model, _saved_model),
    (_is_frozen, _graph_way),
    (paddle.detects, _paddle),
)
