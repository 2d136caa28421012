"""Make nodes by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from . import NoRule as NoRule
from .graph import Node, Output
from .operators import TABLES
from .schema import Kind
from .values import derive


@cache
def kinds() -> dict[str, Kind]:
    """All operators by name."""
    made: dict[str, Kind] = {}
    for table in TABLES:
        twice = made.keys() & table.kinds.keys()
        if twice:
            raise ValueError(f"two families have {', '.join(sorted(twice))}")
        made |= table.kinds
    return made


def create(name: str, inputs: Sequence[Output], given: Mapping[str, Any]) -> Node:
    """A node; NoLowering where OpenVINO would make none of these."""
    kind = kinds().get(name)
    if kind is None:
        raise NoRule(
            f"the writer of OpenVINO's IR has no rule for {name}; it has those of "
            "nnir/formats/openvino/operators"
        )
    kind.require(inputs)
    bound = kind.bind(given)
    ends = kind.rule(*inputs, **bound)
    fields = {about.name: bound[key] for key, about in kind.fields.items()}
    if name == "Interpolate":  # which fills up its borders
        rank = len(inputs[0].shape)
        fields |= {key: (fields[key] + (0,) * rank)[:rank] for key in ("pads_begin", "pads_end")}
    node = Node(name, kind.version, inputs, ends if isinstance(ends, list) else [ends], fields)
    if kind.value is not None:
        derive(node.ends, kind.value, inputs, bound)
    return node
