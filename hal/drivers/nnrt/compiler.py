"""A model of the standard as a model of NNRt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnir.errors import NNAdapterError, NoLowering
from nnir.formats.nnrt.check import check_model
from nnir.formats.nnrt.implicit import take_in
from nnir.formats.nnrt.model import Model as Written
from nnir.model import Model, Operation
from nnir.passes import CLEAN, FUSIONS, apply
from nnir.specialise import specialise

from ...emission import WRITING_STEP, refusal_of_sizes
from ...lowering import LateLowerings
from .emitter import Emitter, Ref

LOWERINGS = LateLowerings[Ref](__package__)


def compile_model(model: Model, shapes: Sequence[tuple[int, ...]]) -> Written:
    """The model for inputs of these shapes; NoLowering lists everything that is missing."""
    return _emit(specialise(model, shapes), "")


def export_model(model: Model) -> Written:
    """The model that a file holds, whose sizes must be known."""
    for value in model.inputs:
        if not value.is_static:
            raise NoLowering(
                f"an .nnrt file has known sizes, not input {value.name!r} of {value.type}: fix "
                "them with --dim NAME=SIZE"
            )
    same: Any = [v.shape for v in model.inputs]
    return _emit(specialise(model, same), WRITING_STEP)


def _emit(model: Model, step: str) -> Written:
    apply(model, (*CLEAN, *FUSIONS, *CLEAN))
    if not model.inputs:
        raise NoLowering("nnrt has models with an input at least: this one computes constants")
    emitter = Emitter(LOWERINGS)
    named = model.named_outputs()
    emitter.taken.update(name for name, _ in named)
    emitter.taken.update(v.name or "" for v in model.inputs)
    emitter.run(model)
    for name, value in named:
        try:
            emitter.end(value).name = name
        except NNAdapterError as error:
            emitter.refuse(error, value)
    emitter.require_lowered(step)
    made = take_in(emitter.graph.model(model.name or "model"))
    check_model(made)
    return made


def explain_refusal(operation: Operation) -> str | None:
    """Why an operation cannot be emitted by itself; None where it can."""
    return refusal_of_sizes(operation, lambda: Emitter(LOWERINGS))
