"""TensorFlow: SavedModels and frozen graphs, read without TensorFlow; Keras models, functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nnir.errors import BadModel, told
from nnir.mapping import map_file
from nnir.model import Model
from nnir.passes import fold_constants, remove_copies, sink_transposes
from nnir.passes.rewrite import apply

from ..collector import paused_collector
from ..source import SourceModel
from ..table import Table
from ..translate import Dialect
from . import (
    activation,
    arrays,
    binary,
    compare,
    complex,
    control,
    conv,
    detection,
    generate,
    index,
    keras_archive,
    linalg,
    linear,
    lists,
    logic,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    saved_model,
    scatter,
    segment,
    shape,
    signal,
    sort,
    special,
    unary,
)
from .dilation import join_dilations
from .translator import TensorFlowTranslator

name = "tensorflow"
FAMILIES = (
    activation,
    arrays,
    binary,
    compare,
    complex,
    control,
    conv,
    detection,
    generate,
    index,
    linalg,
    linear,
    lists,
    logic,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    scatter,
    segment,
    shape,
    signal,
    sort,
    special,
    unary,
)
TABLE = Table.merge(family.table for family in FAMILIES)
LAYOUT = (remove_copies, fold_constants, sink_transposes)
"""Channels are last in TensorFlow: what that costs in transposes goes at once."""

IMAGES = "NHWC"
"""The order of axes that images have here."""

DIALECT = Dialect(name, TABLE, lambda op: "")


def detects(source: Any) -> bool:
    """Whether `source` is a SavedModel's folder or file, a frozen graph, or an object."""
    if not isinstance(source, Path):
        roots = {c.__module__.partition(".")[0] for c in type(source).__mro__}
        return bool(roots & {"tensorflow", "keras"})
    if source.is_dir():
        return (source / saved_model.FILE).exists()
    return source.name == saved_model.FILE or source.suffix in (".pb", ".keras")


def options(source: Any) -> frozenset[str]:
    """What `load` takes beside `source`."""
    if not isinstance(source, Path):
        return frozenset({"inputs"})
    if source.suffix == ".keras":
        return frozenset()
    return frozenset({"signature", "tags"} if is_saved(source) else {"inputs", "outputs"})


def is_saved(source: Path) -> bool:
    """Whether `source` is a SavedModel: its folder or the file in it."""
    return source.is_dir() or source.name == saved_model.FILE


def exports(source: Any) -> bool:
    """Whether `source` is a function or a module that is traced on inputs."""
    return not isinstance(source, (Path, bytes)) and not getattr(source, "inputs", None)


def load(source: Any, **options: Any) -> Model:
    """Translate the folder of a SavedModel, a frozen graph, or an object.

    Weights are views into the files; of an object they are what TensorFlow gives. A SavedModel
    takes `signature` and `tags`, a frozen graph the names of `inputs` and `outputs`, and a function
    example `inputs`.
    """
    if not isinstance(source, Path):
        from . import objects  # needs TensorFlow, which whoever has the object has imported

        return translate(objects.read(source, **options))
    if source.suffix == ".keras":
        return translate(keras_archive.read(source))
    if is_saved(source):
        folder = source if source.is_dir() else source.parent
        return translate(saved_model.read(folder, **options))
    return translate(saved_model.read_graph(map_file(source), **options))


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    try:
        with paused_collector():
            join_dilations(source.graph)
            model = TensorFlowTranslator(DIALECT, source).translate()
            apply(model, LAYOUT)
            return model
    except (RecursionError, MemoryError) as error:
        raise BadModel(f"the model is too deep or too large: {told(error)}") from None
