"""The DOT form of a model, for Graphviz and its like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .model import Model, Operation
from .printer import Names

COLORS = ("#dbe9f6", "#e4f0d8", "#fde8c9", "#f6dbe4", "#e6dff2", "#d8efee")


def dot(model: Model, parts: Mapping[Operation, int] | None = None) -> str:
    """A digraph; `parts` numbers the sub-graph of an operation, which chooses its colour."""
    return "\n".join(_lines(model, parts or {}))


def _lines(model: Model, parts: Mapping[Operation, int]) -> Iterator[str]:
    names = Names()
    yield f"digraph {_quote(model.name)} {{"
    yield '  node [shape=box, style="rounded,filled", fillcolor="#f4f4f4", fontname="sans-serif"];'
    for value in model.inputs:
        label = f"{names.of(value)}\n{value.type}"
        yield f"  {_quote(names.of(value))} [label={_quote(label)}, shape=ellipse];"
    for number, operation in enumerate(model.sorted()):
        color = COLORS[parts[operation] % len(COLORS)] if operation in parts else "#f4f4f4"
        label = operation.operator.name + (f"\n{operation.origin}" if operation.origin else "")
        yield f'  op{number} [label={_quote(label)}, fillcolor="{color}"];'
        for read in operation.inputs:
            if read is not None and read.constant is None:
                edge = f"{_quote(names.of(read))} -> op{number}"
                yield f"  {edge} [label={_quote(str(read.type))}];"
        for value in operation.outputs:
            yield f"  {_quote(names.of(value))} [shape=point];"
            yield f"  op{number} -> {_quote(names.of(value))};"
    for position, value in enumerate(model.outputs):
        yield f"  out{position} [label={_quote(f'output {names.of(value)}')}, shape=ellipse];"
        yield f"  {_quote(names.of(value))} -> out{position};"
    yield "}"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
