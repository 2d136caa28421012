"""Check a request against the model that it is for."""

from __future__ import annotations

import math

import numpy as np

from .binding import Dims
from .operations import SIGNATURES
from .rules import require
from .structures import NOWHERE, LifeTime, Model, Operand, Request, RequestArgument


def check_request(model: Model, request: Request) -> list[Dims]:
    """The dimensions of inputs, then of outputs.

    BadModel, whose message begins with the name of the rule, for what does not fit. Whether
    outputs are long enough is only known once their dimensions are.
    """
    sides = (model.input_indexes, request.inputs), (model.output_indexes, request.outputs)
    for indexes, arguments in sides:
        found = f"{len(arguments)} arguments for {len(indexes)}"
        require(len(arguments) == len(indexes), "argument-count", found)
    dims = []
    for side, (indexes, arguments) in zip(("input", "output"), sides, strict=True):
        for k, (index, argument) in enumerate(zip(indexes, arguments, strict=True)):
            head = f"{side} {k}"
            if argument.has_no_value:
                _check_omitted(model, head, index, argument)
                dims.append(model.operands[index].dimensions)
                continue
            _check_pool(head, argument, request)
            dims.append(_sizes(head, model.operands[index], argument))
            if side == "input":
                _check_length(head, model.operands[index], dims[-1], argument)
    _check_overlap(model, request)
    return dims


def _check_omitted(model: Model, head: str, index: int, argument: RequestArgument) -> None:
    """Only optional arguments of operations read an input that is left out."""
    empty = argument.location == NOWHERE and not argument.dimensions
    require(empty, "no-value-argument", f"{head} at {argument.location}, {argument.dimensions}")
    operand = model.operands[index]
    require(operand.lifetime == LifeTime.MODEL_INPUT, "omitted-output", f"{head} is left out")
    for operation in model.operations:
        arguments = SIGNATURES[operation.type].form(len(operation.inputs))
        spread = arguments.spread(len(operation.inputs))
        for place, read in zip(spread, operation.inputs, strict=True):
            found = f"{head} is left out, {operation.type.name} reads it as {place.name}"
            require(read != index or place.optional, "omitted-input", found)


def _check_pool(head: str, argument: RequestArgument, request: Request) -> None:
    place = argument.location
    inside = 0 <= place.pool_index < len(request.pools)
    found = f"{head} in pool {place.pool_index} of {len(request.pools)}"
    require(inside, "argument-pool", found)
    size = len(request.pools[place.pool_index])
    fits = place.offset >= 0 and place.length >= 0 and place.offset + place.length <= size
    found = f"{head} in bytes {place.offset} to {place.offset + place.length} of {size}"
    require(fits, "argument-pool", found)


def _sizes(head: str, operand: Operand, argument: RequestArgument) -> Dims:
    """The dimensions of an end: the model's, filled by the argument's."""
    given, stated = argument.dimensions, operand.dimensions
    if not given:
        found = f"{head} with dimensions {list(stated)} and none in the request"
        require(operand.is_fully_specified, "open-dimensions", found)
        return stated
    found = f"{head} with dimensions {list(given)} for {list(stated)}"
    require(len(given) == len(stated), "argument-rank", found)
    fits = all(g > 0 and s in (0, g) for g, s in zip(given, stated, strict=True))
    require(fits, "argument-dimensions", found)
    return given


def byte_size(operand: Operand, dims: Dims) -> int:
    """How many bytes a value of these dimensions has."""
    return math.prod(dims) * operand.type.dtype.itemsize


def _check_length(head: str, operand: Operand, dims: Dims, argument: RequestArgument) -> None:
    wanted, length = byte_size(operand, dims), argument.location.length
    require(length == wanted, "argument-length", f"{head} of {wanted} bytes in {length}")


def _check_overlap(model: Model, request: Request) -> None:
    """Outputs lie apart from everything else, also where pools share memory."""
    written = [_span(request, a) for a in request.outputs if not a.has_no_value]
    others = [_span(request, a) for a in request.inputs if not a.has_no_value]
    others += [
        _bytes_of(model.pools[o.location.pool_index], o.location.offset, o.location.length)
        for o in model.operands
        if o.lifetime == LifeTime.CONSTANT_REFERENCE
    ]
    for k, span in enumerate(written):
        for other in (*written[:k], *others):
            apart = span[1] <= other[0] or other[1] <= span[0] or span[0] == span[1]
            require(apart, "overlap", f"output {k}")


def _span(request: Request, argument: RequestArgument) -> tuple[int, int]:
    place = argument.location
    return _bytes_of(request.pools[place.pool_index], place.offset, place.length)


def _bytes_of(pool: np.ndarray, offset: int, length: int) -> tuple[int, int]:
    """The addresses that a part of a pool covers."""
    start = pool.__array_interface__["data"][0] + offset
    return start, start + length
