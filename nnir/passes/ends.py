"""The order of axes at a model's ends: what a caller hands in and gets back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ..errors import BadInput
from ..model import Model, Value
from ..stateful import user_inputs, user_outputs
from ..types import TensorType
from .orders import Perm, inverse, transpose_by

Layouts = str | Mapping[str, str]
"""One order for all images, or orders by the names of inputs or outputs."""

KNOWN = ("NCHW", "NHWC", "NCDHW", "NDHWC", "NCW", "NWC")
INPUTS = "input_order"
OUTPUTS = "output_order"
"""Metadata: the transposes that turn what the origin takes or gives into ours, by name, as JSON."""


def perm_between(source: str, target: str) -> Perm:
    """The transpose from one order of axes to the other."""
    return tuple(source.index(letter) for letter in target)


def _of_rank(images: str, rank: int) -> str:
    """The order that images of another rank have where those of rank 4 have `images`."""
    last = images.endswith("C")
    return next(k for k in KNOWN if len(k) == rank and k.endswith("C") == last)


def _collect_transposes(
    layouts: Layouts, ends: Mapping[str, Value], images: str, what: str
) -> dict[str, Perm]:
    """The transposes that are asked for, by name."""
    if isinstance(layouts, str):
        named = {n: layouts for n, v in ends.items() if v.rank == len(layouts)}
        if not named and layouts in KNOWN:
            raise BadInput(f"no {what} has the rank of {layouts}: there are {_list_ends(ends)}")
        layouts = named or {"": layouts}
    found = {}
    for name, layout in layouts.items():
        if layout not in KNOWN:
            raise BadInput(f"{what} layout {layout!r}: known are {', '.join(KNOWN)}")
        if name not in ends:
            raise BadInput(f"no {what} {name!r}: there are {_list_ends(ends)}")
        if ends[name].rank != len(layout):
            raise BadInput(f"{what} {name!r} is {ends[name].type}, which cannot be {layout}")
        found[name] = perm_between(_of_rank(images, len(layout)), layout)
    return {n: p for n, p in found.items() if p != tuple(range(len(p)))}


def _list_ends(ends: Mapping[str, Value]) -> str:
    return ", ".join(f"{n}: {v.type}" for n, v in ends.items())


def order_inputs(model: Model, layouts: Layouts, images: str) -> None:
    """Let inputs have other orders of axes; `images` is the order that the source has.

    BadInput for names, ranks or orders that do not fit.
    """
    ends = {v.name or "": v for v in user_inputs(model)}
    perms = _collect_transposes(layouts, ends, images, "input")
    for place, old in enumerate(model.inputs):
        perm = perms.get(old.name or "")
        if perm is None:
            continue
        sizes = tuple(old.shape[p] for p in perm)
        new = Value(model, TensorType(old.precision, sizes), old.name)
        model.inputs[place] = new
        model.replace(old, transpose_by(new, inverse(perm)))
    _note(model, INPUTS, perms)


def order_outputs(model: Model, layouts: Layouts, images: str) -> None:
    """Let outputs have other orders of axes; `images` is the order that the source has."""
    ends = dict(model.named_outputs())
    seen = dict(list(ends.items())[: len(user_outputs(model))])
    perms = _collect_transposes(layouts, seen, images, "output")
    model.outputs = [transpose_by(v, perms[n]) if n in perms else v for n, v in ends.items()]
    model.output_names = list(ends)
    _note(model, OUTPUTS, perms)


def _note(model: Model, key: str, perms: Mapping[str, Sequence[int]]) -> None:
    if perms:
        model.metadata[key] = json.dumps({n: list(p) for n, p in perms.items()})


def orders(model: Model, key: str) -> dict[str, Perm]:
    """What `order_inputs` or `order_outputs` did."""
    return {n: tuple(p) for n, p in json.loads(model.metadata.get(key, "{}")).items()}
