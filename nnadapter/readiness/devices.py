"""Whether devices run a model, and what falls to which of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from hal.quantised import explain
from hal.runtime.compilation import refusals_of_parts
from hal.runtime.context import Context
from hal.runtime.partition import Split, split
from nnir.errors import NNAdapterError, NoLowering
from nnir.model import Model
from nnir.records import dataclass
from nnir.refusals import refusal_of

from ..conversion import with_fixed_sizes
from .report import Copy, Part


@dataclass(frozen=True)
class Compiled:
    """What stands in the way of a program, how the model is split over the devices, and what they
    say of operations that they look at only when sizes are known."""

    errors: list[NNAdapterError]
    split: Split | None = None
    doubts: list[NNAdapterError] = field(default_factory=list)


def compile_parts(model: Model, devices: Sequence[str], properties: str = "") -> Compiled:
    """What `compile` says of a model for devices with these properties.

    Every part is compiled as `compile` does it, and given back; nothing is run.
    """
    try:
        with Context(devices, properties) as context:
            found = split(model, context)
            errors = refusals_of_parts(found.parts, context)
            is_open = not all(v.is_static for v in model.inputs)
            doubts = _doubts(found, context) if is_open and not errors else []
            return Compiled(errors, found, doubts)
    except NNAdapterError as error:
        return Compiled([error])


@dataclass(frozen=True)
class Run:
    """How a model is to run: devices, their properties, and what open sizes will be, by name."""

    devices: Sequence[str]
    properties: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)

    def compile(self, model: Model) -> Compiled:
        """What `compile` says of a model, and where sizes are given what running it says then."""
        found = compile_parts(model, self.devices, self.properties)
        if not self.sizes or found.errors:
            return found
        try:
            fixed = with_fixed_sizes(model, self.sizes)
        except NNAdapterError as error:
            return Compiled([error])
        later = compile_parts(fixed, self.devices, self.properties)
        return Compiled(later.errors, found.split, later.doubts)


def _doubts(found: Split, context: Context) -> list[NNAdapterError]:
    """What devices say against single operations of parts that they have compiled."""
    doubts: list[NNAdapterError] = []
    for part in found.parts:
        device, handle = context.entry(part.device)
        answers = zip(part.model.operations, explain(device, handle, part.model), strict=True)
        refused = tuple(refusal_of(why, o) for o, why in answers if why is not None)
        if refused:
            doubt = NoLowering("operations that are refused once sizes are known")
            doubt.refusals = refused
            doubts.append(doubt)
    return doubts


def parts_of(found: Split) -> tuple[Part, ...]:
    """The parts of a split model, in order of execution."""
    return tuple(_part(part.device, part.model) for part in found.parts)


def _part(device: str, model: Model) -> Part:
    counts = Counter(o.operator.name for o in model.operations)
    nodes = dict.fromkeys(o.origin for o in model.operations if o.origin)
    return Part(device, len(model.operations), dict(counts.most_common()), tuple(nodes))


def copies_of(found: Split) -> tuple[Copy, ...]:
    """What parts hand to each other."""
    return tuple(_copies(found))


def _copies(found: Split) -> Iterator[Copy]:
    makers = {place: part.device for part in found.parts for place in part.outputs}
    for part in found.parts:
        for value, place in zip(part.model.inputs, part.inputs, strict=True):
            if place in makers:
                yield Copy(value.name or "?", str(value.type), makers[place], part.device)
