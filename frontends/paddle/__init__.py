"""Paddle: PIR programs and legacy programs, read without Paddle; layers and programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnir.budget import read_head
from nnir.errors import BadFile
from nnir.model import Model

from ..families import of_converters, operators_of
from .reading import pir

name = "paddle"
suffixes: tuple[str, ...] = (".json", ".pdmodel")
image_layout = "NCHW"
HEAD = 400
"""So many bytes tell what a file is."""


def detects(source: Any) -> bool:
    """Whether `source` is a program of Paddle, by its content, or one of its objects."""
    if not isinstance(source, Path):
        return any(c.__module__.partition(".")[0] == "paddle" for c in type(source).__mro__)
    return program_of(source) is not None


def program_of(place: Path) -> Path | None:
    """The file of a program: itself, or the only one in a folder."""
    if place.is_dir():
        found = [p for p in sorted(place.iterdir()) if p.is_file() and program_of(p)]
        return found[0] if len(found) == 1 else None
    if not place.is_file():
        return None
    if is_legacy(place):
        return place
    return place if pir.is_pir(read_head(place, HEAD)) else None


def is_legacy(path: Path) -> bool:
    """Whether a file is a program from before PIR, by its name: its content has no mark."""
    return path.suffix == ".pdmodel" or path.name == "__model__"


def options(source: Any) -> frozenset[str]:
    """What `load` takes beside `source`."""
    return frozenset({"qdq", "params" if isinstance(source, Path) else "inputs"})


def exports(source: Any) -> bool:
    """Whether `source` is a layer that is traced on inputs."""
    is_layer = any(c.__name__ == "Layer" for c in type(source).__mro__)
    return is_layer and not hasattr(source, "_input_spec")


def load(
    source: Any, *, params: str | Path | None = None, qdq: bool = False, **examples: Any
) -> Model:
    """Translate a program, a layer or a translated layer.

    Weights are views into the parameters. These lie beside the program with the suffix
    `.pdiparams`, unless `params` says where; those of a legacy program may be called `__params__`,
    or lie in files of their own. A layer takes example `inputs` or InputSpecs. `qdq`: quantisers of
    8 bits as QUANTIZE_LINEAR and DEQUANTIZE_LINEAR.
    """
    from .converters import translate

    if not isinstance(source, Path):
        from .reading import objects  # needs Paddle, which whoever has the object has imported

        return translate(objects.read(source, **examples), qdq=qdq)
    path = program_of(source)
    if path is None:
        raise BadFile(f"no program of Paddle: {str(source)!r}")
    from .reading.legacy import reader as legacy

    reader = legacy if is_legacy(path) else pir
    return translate(reader.read(path, None if params is None else Path(params)), qdq=qdq)


def supported_operators() -> Mapping[str, Iterable[int]]:
    """The operators that are converted."""
    return operators_of(__name__)


def __getattr__(wanted: str) -> Any:
    return of_converters(__name__, wanted)
