"""A model of the standard as a model of NNAPI 1.0."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import Model as Made
from nnir.model import Model, Operation, Value
from nnir.passes import CLEAN, FUSIONS, apply, fold_large_constants
from nnir.specialise import specialise
from nnir.types import Precision

from ...emission import refusal_of_sizes
from ...lowering import LateLowerings
from .emitter import SHIFT, Emitter, Ref
from .graph import QUANT, Tensor
from .quant import grid_of_readers
from .sizes import join_axes, numbers

LOWERINGS = LateLowerings[Ref](__package__)


def compile_model(
    model: Model, shapes: Sequence[tuple[int, ...]], step: str = ""
) -> tuple[Made, list[str]]:
    """The model for inputs of these shapes, and what each operation was made for.

    NoLowering lists everything that is missing, and the next `step`.
    """
    known = specialise(model, shapes)
    apply(known, (fold_large_constants, *CLEAN, *FUSIONS, *CLEAN))
    emitter = Emitter(LOWERINGS)
    for value in known.inputs:
        try:
            shape = numbers(value.shape)
            tensor = _head(emitter, value, shape)
            emitter.names[value] = emitter.hold(tensor, shape, precision=value.precision)
        except NoLowering as error:
            emitter.refuse(error, value)
    if not known.inputs or not known.outputs:
        raise NoLowering("a model of NNAPI has at least one input and one output")
    emitter.require_lowered(step)
    emitter.lower_all(known)
    if not emitter.problems:
        for value in known.outputs:
            try:
                emitter.end(value)
            except NoLowering as error:
                emitter.refuse(error, value)
    emitter.require_lowered(step)
    _settle(emitter, known)
    return emitter.graph.finish()


def _head(emitter: Emitter, value: Value, shape: tuple[int, ...]) -> Tensor:
    """The tensor of an input. One that is only rounded to integers of 8 bits takes these: NNAPI 1.0
    has no operation that rounds, so whoever runs the model does."""
    grid = grid_of_readers(value) if value.precision == Precision.FLOAT32 else None
    if grid is None:
        tensor = emitter.blank(value.precision, shape)
        emitter.graph.inputs.append(tensor)
        return tensor
    integers = Tensor(QUANT, join_axes(shape), None, *grid)
    emitter.graph.inputs.append(integers)
    return emitter.dequantized(integers)


def _settle(emitter: Emitter, model: Model) -> None:
    """Integers that nothing scales count in steps of 1."""
    precisions = {SHIFT[v.precision] for v in model.inputs if v.precision in SHIFT}
    shift = precisions.pop() if len(precisions) == 1 else 0
    tensors: list[Tensor | None] = [*emitter.graph.inputs]
    for step in emitter.graph.live():
        tensors += (*step.inputs, *step.outputs)
    for tensor in tensors:
        if tensor is not None and tensor.type == QUANT and not tensor.scale:
            tensor.scale, tensor.zero = 1.0, shift


def explain_refusal(operation: Operation) -> str | None:
    """Why an operation cannot be emitted by itself."""
    return refusal_of_sizes(operation, lambda: Emitter(LOWERINGS))
