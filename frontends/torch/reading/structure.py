"""Names of outputs from PyTorch's pytree specifications."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

DEEPEST = 60


def output_names(calls: Sequence[Mapping[str, Any]]) -> list[str | None]:
    """What the results of the program are called, in order; None where only a position is known.

    A result inside dictionaries or named fields is called by their keys, as in `states.0`.
    """
    root = next((c for c in calls if c["fqn"] == ""), None)
    if root is None or root.get("signature") is None:
        return []
    return names_in(root["signature"]["out_spec"])


def names_in(text: str) -> list[str | None]:
    """The names of the leaves of a specification, as PyTorch serialises it."""
    _, spec = json.loads(text)
    return [name_of(path) for path in leaves(spec)]


def name_of(path: Sequence[str | int]) -> str | None:
    """The keys and positions that lead to a leaf as one name."""
    return ".".join(map(str, path)) if any(isinstance(k, str) for k in path) else None


def leaves(spec: Mapping[str, Any], path: tuple[str | int, ...] = ()) -> Iterator[Any]:
    """The path of every leaf of a specification."""
    if len(path) > DEEPEST:
        raise ValueError(f"outputs nested more than {DEEPEST} deep")
    children = spec["children_spec"]
    if spec["type"] is None:
        yield path
        return
    for key, child in zip(keys_of(spec, len(children)), children, strict=True):
        yield from leaves(child, (*path, key))


def keys_of(spec: Mapping[str, Any], count: int) -> Sequence[str | int]:
    """The keys of a container: its names where it has as many as children, else positions."""
    context = json.loads(spec["context"]) if isinstance(spec["context"], str) else None
    found = _names(context)
    return found if len(found) == count else range(count)


def _names(context: Any) -> list[str]:
    """The first list of names in the context of a dictionary, a named tuple or a dataclass."""
    if isinstance(context, dict):
        context = context.get("value", list(context))
    if not isinstance(context, list):
        return []
    if all(isinstance(k, str) for k in context):
        return [str(k) for k in context]
    return next((found for part in context if (found := _names(part))), [])
