"""TensorFlow: SavedModels and frozen graphs, read without TensorFlow; Keras models, functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnir.mapping import map_file
from nnir.model import Model

from ..families import of_converters, operators_of
from ..frontend import FOLDER
from .reading.messages import SAVED

name = "tensorflow"
suffixes: tuple[str, ...] = (".pb", ".keras", FOLDER)
image_layout = "NHWC"


def detects(source: Any) -> bool:
    """Whether `source` is a SavedModel's folder or file, a frozen graph, or an object."""
    if not isinstance(source, Path):
        roots = {c.__module__.partition(".")[0] for c in type(source).__mro__}
        return bool(roots & {"tensorflow", "keras"})
    if source.is_dir():
        return (source / SAVED).exists()
    return source.name == SAVED or source.suffix in (".pb", ".keras")


def options(source: Any) -> frozenset[str]:
    """What `load` takes beside `source`."""
    if not isinstance(source, Path):
        return frozenset({"inputs"})
    if source.suffix == ".keras":
        return frozenset({"trust"})
    return frozenset({"signature", "tags"} if is_saved(source) else {"inputs", "outputs"})


def is_saved(source: Path) -> bool:
    """Whether `source` is a SavedModel: its folder or the file in it."""
    return source.is_dir() or source.name == SAVED


def exports(source: Any) -> bool:
    """Whether `source` is a function or a module that is traced on inputs."""
    return not isinstance(source, (Path, bytes)) and not getattr(source, "inputs", None)


def load(source: Any, **options: Any) -> Model:
    """Translate the folder of a SavedModel, a frozen graph, or an object.

    Weights are views into the files; of an object they are what TensorFlow gives. A SavedModel
    takes `signature` and `tags`, a frozen graph the names of `inputs` and `outputs`, a function
    example `inputs`, and a Keras archive `trust`, without which it is not loaded.
    """
    from .converters import translate
    from .reading import keras_archive, saved_model

    if not isinstance(source, Path):
        from .reading import objects  # needs TensorFlow, which whoever has the object has imported

        return translate(objects.read(source, **options))
    if source.suffix == ".keras":
        return translate(keras_archive.read(source, **options))
    if is_saved(source):
        folder = source if source.is_dir() else source.parent
        return translate(saved_model.read(folder, **options))
    return translate(saved_model.read_graph(map_file(source), **options))


def supported_operators() -> Mapping[str, Iterable[int]]:
    """The operators that are converted."""
    return operators_of(__name__)


def __getattr__(wanted: str) -> Any:
    return of_converters(__name__, wanted)
