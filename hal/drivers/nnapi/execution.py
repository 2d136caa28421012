"""Run a model of NNAPI 1.0 operation by operation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from nnir.errors import DeviceError, OutOfMemory
from nnir.formats.nnapi.binding import Dims, bind, constants_of
from nnir.formats.nnapi.check import update
from nnir.formats.nnapi.structures import LifeTime, Model, Operation

from .kernels import (
    activation,
    binary,
    conv,
    hashing,
    index,
    linear,
    norm,
    pool,
    quant,
    recurrent,
    resize,
    shape,
    unary,
)
from .kernels.call import Call, Kernels

FAMILIES = (
    *(activation, binary, conv, hashing, index, linear, norm),
    *(pool, quant, recurrent, resize, shape, unary),
)
KERNELS: Kernels = {name: kernel for f in FAMILIES for name, kernel in f.KERNELS.items()}
MOST_BYTES = 1 << 33
"""A result of a larger size is refused before it is computed."""

Note = Callable[[Operation], None]


def run(
    model: Model,
    inputs: Mapping[int, np.ndarray],
    dims: Sequence[Dims],
    note: Note | None = None,
) -> list[np.ndarray]:
    """The outputs of a valid model in order.

    `inputs` are the values of its inputs by index, `dims` the dimensions of all operands as far as
    they are known. `note` is told of each operation when it is done. BadModel where dimensions
    that are only known now break a rule; BadInput for data that an operation refuses.
    """
    values = {**constants_of(model), **inputs}
    known = list(dims)
    last = _last_reads(model)
    for place, operation in enumerate(model.operations):
        bound = bind(model, operation, known, values)
        update(bound, known)
        _require_small(model, operation, known)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            results = KERNELS[operation.type.name](Call(bound))
        for index_, result in zip(operation.outputs, results, strict=True):
            if result.shape != known[index_] or result.dtype != model.operands[index_].type.dtype:
                found = f"{result.dtype}{list(result.shape)}"
                raise DeviceError(f"{operation.type.name} gave {found}, not {known[index_]}")
            values[index_] = result
        for index_ in last.get(place, ()):
            values.pop(index_, None)
        if note is not None:
            note(operation)
    return [values[k] for k in model.output_indexes]


def _last_reads(model: Model) -> dict[int, list[int]]:
    """Which temporaries nobody reads behind each operation."""
    last = {k: p for p, o in enumerate(model.operations) for k in (*o.inputs, *o.outputs)}
    done: dict[int, list[int]] = {}
    for operand, place in last.items():
        if model.operands[operand].lifetime == LifeTime.TEMPORARY_VARIABLE:
            done.setdefault(place, []).append(operand)
    return done


def _require_small(model: Model, operation: Operation, dims: Sequence[Dims]) -> None:
    for k in operation.outputs:
        size = math.prod(dims[k]) * model.operands[k].type.dtype.itemsize
        if size > MOST_BYTES:
            raise OutOfMemory(f"{operation.type.name} of {list(dims[k])}: {size} bytes")
