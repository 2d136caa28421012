"""Check a model against every rule of NNAPI 1.0."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from .binding import Bound, Dims, Values, bind, constants_of
from .operation_rules import check_numbers
from .rules import require
from .shapes import deduce, merge
from .structures import NOWHERE, LifeTime, Model, Operand, OperandType

LARGEST = (1 << 31) - 1
SCALED = frozenset({OperandType.TENSOR_INT32, OperandType.TENSOR_QUANT8_ASYMM})
VENDORS = frozenset({OperandType.OEM, OperandType.TENSOR_OEM_BYTE})
WRITTEN = frozenset({LifeTime.TEMPORARY_VARIABLE, LifeTime.MODEL_OUTPUT})


def check(model: Model) -> list[Dims]:
    """The dimensions of all operands as far as the model says them; BadModel for what breaks a
    rule, whose name begins the message."""
    for k, operand in enumerate(model.operands):
        check_operand(model, k, operand)
    check_ends(model)
    check_graph(model)
    return infer(model, [o.dimensions for o in model.operands], constants_of(model))


def infer(model: Model, dims: Sequence[Dims], values: Values) -> list[Dims]:
    """The dimensions of all operands, deduced in the order of execution from what is known."""
    known = list(dims)
    for operation in model.operations:
        bound = bind(model, operation, known, values)
        update(bound, known)
    return known


def update(bound: Bound, known: list[Dims]) -> None:
    """Check the numbers of an operation and note the dimensions of its results."""
    check_numbers(bound)
    for number, found in enumerate(deduce(bound)):
        sizes = merge(bound, number, found)
        text = f"{bound.type.name} gives {list(sizes)}"
        require(all(n <= LARGEST for n in sizes), "tensor-dimensions", text)
        known[bound.operation.outputs[number]] = sizes


# Operands


def check_operand(model: Model, place: int, operand: Operand) -> None:
    """An operand by itself."""
    head = f"operand {place} of type {int(operand.type)}"
    require(operand.type not in VENDORS, "oem", head)
    require(isinstance(operand.type, OperandType), "operand-type", head)
    head = f"operand {place} ({operand.type.name})"
    found = f"{head} with dimensions {list(operand.dimensions[:8])}"
    if operand.type.is_tensor:
        fits = all(0 <= n <= LARGEST for n in operand.dimensions)
        require(bool(operand.dimensions) and fits, "tensor-dimensions", found)
    else:
        require(not operand.dimensions, "scalar-dimensions", found)
    found = f"{head} with lifetime {int(operand.lifetime)}"
    require(isinstance(operand.lifetime, LifeTime), "lifetime", found)
    check_scale(head, operand)
    check_location(model, head, operand)


def check_scale(head: str, operand: Operand) -> None:
    """Only what is quantised has a scale and a zero point."""
    scale, quant = operand.scale, operand.type == OperandType.TENSOR_QUANT8_ASYMM
    fits = math.isfinite(scale) and (scale > 0 if quant else scale >= 0)
    fits = fits and (scale == 0 or operand.type in SCALED)
    if operand.lifetime != LifeTime.NO_VALUE or scale:
        require(fits, "scale", f"{head} with scale {scale}")
    fits = 0 <= operand.zero_point <= 255 and (quant or operand.zero_point == 0)
    require(fits, "zero-point", f"{head} with zero point {operand.zero_point}")


def check_location(model: Model, head: str, operand: Operand) -> None:
    """Where the value of a constant lies, and that nothing else has one."""
    place = operand.location
    if not operand.is_constant:
        require(place == NOWHERE, "no-location", f"{head} at {place}")
        return
    found = f"{head} with dimensions {list(operand.dimensions)}"
    require(operand.is_fully_specified, "constant-dimensions", found)
    if operand.lifetime == LifeTime.CONSTANT_COPY:
        require(place.pool_index == 0, "copy-pool", f"{head} in pool {place.pool_index}")
        size = len(model.operand_values)
    else:
        inside = 0 <= place.pool_index < len(model.pools)
        found = f"{head} in pool {place.pool_index} of {len(model.pools)}"
        require(inside, "constant-location", found)
        size = len(model.pools[place.pool_index])
    fits = place.offset >= 0 and place.length >= 0 and place.offset + place.length <= size
    found = f"{head} in bytes {place.offset} to {place.offset + place.length} of {size}"
    require(fits, "constant-location", found)
    wanted = math.prod(operand.dimensions) * operand.type.dtype.itemsize
    found = f"{head} of {wanted} bytes in {place.length}"
    require(place.length == wanted, "constant-length", found)


# The graph


def check_ends(model: Model) -> None:
    """Inputs and outputs of the model."""
    require(bool(model.input_indexes), "inputs", "a model without inputs")
    require(bool(model.output_indexes), "outputs", "a model without outputs")
    indexes = [*model.input_indexes, *model.output_indexes]
    indexes += [k for o in model.operations for k in (*o.inputs, *o.outputs)]
    for index in indexes:
        inside = 0 <= index < len(model.operands)
        require(inside, "operand-index", f"operand {index} of {len(model.operands)}")
    both = set(model.input_indexes) & set(model.output_indexes)
    require(not both, "input-and-output", f"operands {sorted(both)}")
    sides = (
        ("input-lifetime", model.input_indexes, LifeTime.MODEL_INPUT),
        ("output-lifetime", model.output_indexes, LifeTime.MODEL_OUTPUT),
    )
    for rule, side, lifetime in sides:
        alike = sorted(k for k, o in enumerate(model.operands) if o.lifetime == lifetime)
        found = f"operands {sorted(side)} are named, {alike} are {lifetime.name}"
        require(sorted(side) == alike, rule, found)


def check_graph(model: Model) -> None:
    """Who writes and who reads each operand, and in which order."""
    written: set[int] = set()
    reads: Counter[int] = Counter()
    for place, operation in enumerate(model.operations):
        for index in operation.inputs:
            reads[index] += 1
            ready = model.operands[index].lifetime not in WRITTEN or index in written
            found = f"operation {place} reads operand {index} before it is written"
            require(ready, "execution-order", found)
        for index in operation.outputs:
            found = f"operation {place} writes operand {index}"
            is_result = model.operands[index].lifetime in WRITTEN
            require(is_result, "no-producer", f"{found} ({model.operands[index].lifetime.name})")
            require(index not in written, "one-producer", f"{found} once more")
            written.add(index)
    for index, operand in enumerate(model.operands):
        is_written = operand.lifetime not in WRITTEN or index in written
        require(is_written, "one-producer", f"nothing writes operand {index}")
        found = f"operand {index} is read {reads[index]} times, not {operand.number_of_consumers}"
        require(reads[index] == operand.number_of_consumers, "consumers", found)
