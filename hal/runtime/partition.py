"""Splitting a model over devices.

Every operation goes to the first device that runs it. Then the operations are put into stages: a
step from one device to another is a step to a later stage, so that operations of one device and
one stage make a part, and parts never wait for each other in a circle.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from nnir.errors import NoLowering, Refusal
from nnir.extract import extract
from nnir.model import Model, Operation, Value
from nnir.records import dataclass
from nnir.refusals import refusal_of

from ..quantised import explain, shown_to
from .context import Context


@dataclass(frozen=True)
class Part:
    """A part of a model for one device.

    `inputs` and `outputs` say where the arrays of its ends are: -(i + 1) is input i of the whole
    model, others are slots that the parts share. Each slot is made by one part.
    """

    device: str
    model: Model
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Split:
    """Parts in order of execution; `results` are the places of the whole model's outputs.

    `constants` are outputs of the model that no operation makes, by slot.
    """

    parts: list[Part]
    results: tuple[int, ...]
    constants: dict[int, Value]
    slots: int


def split(model: Model, context: Context) -> Split:
    """Split a model over the devices of a context.

    One device gets the whole model unasked, as the standard wants it. NoLowering lists every
    operation that no device runs, with the reason each device gives.
    """
    if len(context.entries) == 1:
        device = context.devices[0]
        return _whole(shown_to(device, model), device.name)
    found = cut(model, assign(model, context))
    parts = [replace(p, model=shown_to(context.entry(p.device)[0], p.model)) for p in found.parts]
    return replace(found, parts=parts)


def _whole(model: Model, device: str) -> Split:
    inputs = tuple(-(k + 1) for k in range(len(model.inputs)))
    outputs = tuple(range(len(model.outputs)))
    return Split([Part(device, model, inputs, outputs)], outputs, {}, len(outputs))


def assign(model: Model, context: Context) -> dict[Operation, str]:
    """The device of every operation: the first that runs it, the host where a rule says so."""
    answers = {
        device.name: explain(device, handle, model)
        for device, handle in context.entries
        if device.name in context.listed
    }
    missing: Counter[str] = Counter()
    refusals: list[Refusal] = []
    found: dict[Operation, str] = {}
    for place, operation in enumerate(model.operations):
        if context.rules.match(operation):
            found[operation] = "builtin"
            continue
        able = (name for name, reasons in answers.items() if reasons[place] is None)
        device = next(able, None)
        if device is None:
            why = "; ".join(f"{n}: {r[place]}" for n, r in answers.items())
            missing[why] += 1
            refusals.append(refusal_of(why, operation))
        else:
            found[operation] = device
    if missing:
        rows = " | ".join(f"{text} (x{count})" for text, count in missing.items())
        error = NoLowering(f"no device runs: {rows}; add 'builtin' as the last device")
        error.refusals = tuple(refusals)
        raise error
    return found


def cut(model: Model, devices: dict[Operation, str]) -> Split:
    """The parts that a choice of devices makes."""
    order = model.sorted()
    early, late = _early(order, devices), _late(order, devices)
    stages = min((early, late), key=lambda found: len(_groups(order, devices, found)))
    groups = _groups(order, devices, stages)
    places: dict[Value, int] = {v: -(k + 1) for k, v in enumerate(model.inputs)}
    wanted = set(model.outputs)
    parts: list[Part] = []
    slots = itertools.count()
    for (_, device), operations in sorted(groups.items(), key=lambda group: group[0]):
        mine = set(operations)
        outputs = [v for v in _outputs_of(operations) if v in wanted or _is_read_elsewhere(v, mine)]
        if not outputs:  # nobody reads what they make
            continue
        name = f"{model.name}.{len(parts)}" if len(groups) > 1 else model.name
        part, inputs = extract(operations, outputs, name)
        given = tuple(places[v] for v in inputs)
        places.update({v: next(slots) for v in outputs})
        parts.append(Part(device, part, given, tuple(places[v] for v in outputs)))
    constants = {}
    for value in model.outputs:
        if value not in places:
            places[value] = next(slots)
            constants[places[value]] = value
    results = tuple(places[v] for v in model.outputs)
    return Split(parts, results, constants, next(slots))


def _early(order: Sequence[Operation], devices: dict[Operation, str]) -> dict[Operation, int]:
    """The first stage in which each operation can be."""
    stages: dict[Operation, int] = {}
    for operation in order:
        makers = [v.producer for v in operation.inputs if v is not None and v.producer]
        stages[operation] = max(
            (stages[m] + (devices[m] != devices[operation]) for m in makers), default=0
        )
    return stages


def _late(order: Sequence[Operation], devices: dict[Operation, str]) -> dict[Operation, int]:
    """The last stage in which each operation can be, counted back from 0."""
    stages: dict[Operation, int] = {}
    for operation in reversed(order):
        readers = [user for v in operation.outputs for user in v.uses]
        stages[operation] = min(
            (stages[r] - (devices[r] != devices[operation]) for r in readers), default=0
        )
    return stages


def _groups(
    order: Sequence[Operation], devices: dict[Operation, str], stages: dict[Operation, int]
) -> dict[tuple[int, str], list[Operation]]:
    groups: dict[tuple[int, str], list[Operation]] = {}
    for operation in order:
        groups.setdefault((stages[operation], devices[operation]), []).append(operation)
    return groups


def _outputs_of(operations: Sequence[Operation]) -> Iterator[Value]:
    for operation in operations:
        yield from operation.outputs


def _is_read_elsewhere(value: Value, mine: set[Operation]) -> bool:
    return any(user not in mine for user in value.uses)
