"""Converters of plug-ins, and the signatures of custom operators, which only these know.

A signature is the schema: positional parameters are the source's tensors, `Items` a list of them
whose length stands in the attribute `N`, keyword-only ones its attributes. Results are named by
the fields of a `NamedTuple` that is returned; one alone needs no name.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter
from typing import Any, get_args, get_origin, get_type_hints

from nnir.errors import BadInput
from nnir.operator import Operator
from nnir.plugins import REGISTRY, Plugin
from nnir.records import dataclass

from .table import Converter, Table


@dataclass(frozen=True)
class Signature:
    """A custom operator: tensors in order, which of them are lists, attributes with defaults.

    Attributes without a default are not among `defaults`; results without names have "".
    """

    tensors: tuple[str, ...]
    lists: frozenset[str]
    attributes: tuple[str, ...]
    defaults: Mapping[str, Any]
    results: tuple[str, ...]


def find_outside(frontend: str, name: str, version: int) -> tuple[Plugin, Converter] | None:
    """The converter of an operator that a plug-in brings, and which one does."""
    for plugin, table in REGISTRY.of("converters", frontend):
        if not isinstance(table, Table):
            raise BadInput(f"{plugin}: the converters of {frontend} are no Table")
        found = table.find(name, version)
        if found is not None:
            return plugin, found
    return None


def signature_outside(frontend: str, name: str) -> Signature | None:
    """What the converter of a plug-in says of an operator; None where none brings it."""
    found = find_outside(frontend, name, 1)
    if found is None:
        return None
    converter = found[1]
    tensors = [q for p, q in converter.parameters.values() if p.kind is not Parameter.KEYWORD_ONLY]
    defaults = {n: q.default for n, q in converter.keywords.items()}
    return Signature(
        tuple(q.name for q in tensors),
        frozenset(q.name for q in tensors if q.is_items),
        tuple(converter.keywords),
        {n: d for n, d in defaults.items() if d is not Parameter.empty},
        _results(converter),
    )


def _results(converter: Converter) -> tuple[str, ...]:
    """The names of what a converter returns; one where it does not say."""
    if isinstance(converter.function, Operator):
        return ("",)
    returned = get_type_hints(converter.function).get("return")
    if get_origin(returned) is tuple:
        return ("",) * len(get_args(returned))
    return tuple(getattr(returned, "_fields", ("",)))
