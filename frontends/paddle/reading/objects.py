"""Read Paddle's objects: layers, translated layers and PIR programs.

Needs Paddle, which whoever has the object has imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import paddle

from nnir.errors import BadInput, Unsupported, describe
from nnir.staging import temporary_folder

from ...source import SourceModel
from . import pir


def read(source: Any, inputs: Sequence[Any] | None = None) -> SourceModel:
    """The source model of a `paddle.nn.Layer`, a translated layer or a program.

    `inputs`: InputSpecs, tensors or arrays, one for each argument of a layer; a layer that was
    loaded from a file, or made static with a specification, needs none. Paddle writes the program
    into a folder of its own; the weights are views into what it wrote there.
    """
    with temporary_folder() as folder:
        path = folder / "program"
        save(source, path, inputs)
        return pir.read(path.with_suffix(".json"))


def save(source: Any, path: Path, inputs: Sequence[Any] | None) -> None:
    """Let Paddle write `path.json` and `path.pdiparams`.

    Unsupported for what it cannot save, BadInput for a layer whose inputs nobody says.
    """
    if not isinstance(source, (paddle.nn.Layer, paddle.static.Program)):
        raise Unsupported(f"a {type(source).__name__} of Paddle: give a layer or a program")
    try:
        if isinstance(source, paddle.static.Program):
            _save_program(source, path)
        else:
            _save_layer(source, path, inputs)
    except Exception as error:  # noqa: BLE001  whatever Paddle says
        hint = ": give load(layer, inputs=(x, ...))" if inputs is None else ""
        reason = " ".join(describe(error).split())[:300]
        what = f"Paddle cannot save {type(source).__name__}{hint}: {reason}"
        raise (BadInput(what) if hint else Unsupported(what)) from None


@contextmanager
def for_inference(layer: Any) -> Iterator[None]:
    """Dropout and batch norm as they are when a model is used; the layer's modes come back."""
    modes = [(part, part.training) for part in layer.sublayers(include_self=True)]
    layer.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


def _save_layer(layer: Any, path: Path, inputs: Sequence[Any] | None) -> None:
    specs = None if inputs is None else [_spec(i) for i in inputs]
    if specs is None and hasattr(layer, "_input_spec"):
        specs = layer._input_spec()  # of what was loaded from a file
    with for_inference(layer):
        paddle.jit.save(layer, str(path), input_spec=specs)


def _spec(example: Any) -> Any:
    if isinstance(example, paddle.static.InputSpec):
        return example
    array = np.asarray(example)
    kind: Any = array.dtype.name
    return paddle.static.InputSpec(list(array.shape), kind)


def _save_program(program: Any, path: Path) -> None:
    """A PIR program whose parameters are in the current scope.

    What it fetches are its outputs; of one that fetches nothing, what nobody reads.
    """
    operations = program.global_block().ops
    feeds = [op.result(0) for op in operations if op.name() == "pd_op.data"]
    fetches = [op.operand_source(0) for op in operations if op.name() == "pd_op.fetch"]
    if not fetches:
        results = [r for op in operations for r in op.results() if r.use_empty()]
        fetches = [r for r in results if r.get_defining_op().name() != "builtin.parameter"]
    executor = paddle.static.Executor(paddle.CPUPlace())
    paddle.static.save_inference_model(str(path), feeds, fetches, executor, program=program)
