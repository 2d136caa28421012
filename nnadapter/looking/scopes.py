"""Modules of a model, as the names of its operations and weights tell them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nnir.model import Model, Operation, Value

DEEPEST = 12
"""Modules in modules; deeper names end in one."""

LONGEST = 80
Scope = tuple[str, ...]


def scopes(model: Model) -> dict[Operation, Scope]:
    """The module of each operation of one model, without those of its sub-models.

    Where the reader knows the modules of nodes (`nnir.provenance`) they are taken. Else names with
    slashes are paths (`layer1/0/conv1/Conv`), those with dots too (`layer1.0.conv1`).
    Where operations have none, the names of their weights have (`layer1.0.conv1.weight`). What has
    neither stands beside what it reads: behind a layer with weights in the module around it.
    """
    by_weights = model.metadata.get("producer", "").startswith("paddle")  # others name classes
    operations = model.sorted()
    weights = {o: scope for o in operations if (scope := _scope_of_weights(o))}
    outer = {scope[:k] for scope in weights.values() for k in range(len(scope))}
    places = model.provenance.places
    modules = {name: place.module for name, place in places.items() if place.module}
    found: dict[Operation, Scope] = {}
    layers: set[Operation] = set()
    for operation in operations:
        scope = _scope_of_module(operation, modules, weights)
        if scope is None and not by_weights:
            scope = scope_of_name(operation.origin or "")
        if scope is None and (scope := weights.get(operation)) and scope not in outer:
            layers.add(operation)
        found[operation] = _inherit(operation, found, layers) if scope is None else scope
    return found


def _scope_of_module(
    operation: Operation, modules: Mapping[str, str], weights: Mapping[Operation, Scope]
) -> Scope | None:
    """The module that the source names, with the one inside it whose weight is read."""
    path = modules.get(operation.origin or "")
    if path is None:
        return None
    scope = _shorten([p for p in path.split(".") if p])
    own = weights.get(operation, ())
    return own if own[: len(scope)] == scope else scope


def scope_of_name(name: str) -> Scope | None:
    """The modules in a name; None where it names none."""
    first = name.partition(";")[0]  # a fused operation has the names of all
    separator = "/" if "/" in first else "."
    parts = [p for p in first.split(separator) if p]
    return _shorten(parts[:-1]) if len(parts) > 1 else None


def _scope_of_weights(operation: Operation) -> Scope | None:
    for value in operation.inputs:
        if value is not None and value.constant is not None and value.name:
            parts = [p for p in value.name.replace("/", ".").split(".") if p]
            if len(parts) > 1:
                return _shorten(parts[:-1])
    return None


def _shorten(parts: Sequence[str]) -> Scope:
    """`layer1`, `layer1.0` is written `layer1`, `0`."""
    found: list[str] = []
    path = ""
    for part in parts[:DEEPEST]:
        own = part.removeprefix(f"{path}.") if path else part
        path = part if own != part else ".".join(filter(None, (path, part)))
        found.append((own or part)[:LONGEST])
    return tuple(found)


def _inherit(operation: Operation, known: dict[Operation, Scope], layers: set[Operation]) -> Scope:
    """The deepest module of what is read, that of a layer with weights left out."""
    around = []
    for producer in _producers(operation.inputs):
        if producer in known:
            scope = known[producer]
            around.append(scope[:-1] if producer in layers else scope)
    return max(around, key=len, default=())


def _producers(values: Sequence[Value | None]) -> Iterator[Operation]:
    return (v.producer for v in values if v is not None and v.producer is not None)
