"""A model as one HTML page: its graph, to look at in a browser without a network."""

from __future__ import annotations

import base64
import hashlib
import inspect
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from conformance.reports.page import environment_of
from nnir.costs.flops import flops
from nnir.costs.memory import evaluate_dim
from nnir.model import Model, Operation, Operator
from nnir.ops.meanings import meaning_of
from nnir.printer import attribute
from nnir.staging import replacing

from .graph import INPUT, OUTPUT, Graph, Node
from .heat import Heat, data_of_heat
from .layout import Lane, lay_out
from .units import say_at, say_bytes, say_count
from .weights import MOST, describe_weights

HERE = Path(__file__).parent
LIBRARIES = HERE / "libraries" / "d3-zoom-flatbush.min.js"
SCRIPTS = ("placing.js", "drawing.js", "panel.js", "main.js")
LONGEST = 400
"""Longer values of attributes are cut."""

DIGITS = 6


def write(
    model: Model,
    facts: Mapping[str, Any],
    path: Path,
    most: int = MOST,
    heat: Heat | None = None,
) -> None:
    """Write the page; the file appears whole or not at all.

    `most`: elements of weights to read. `heat`: a result that colours the graph.
    """
    text = render(model, facts, most, heat)
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def render(
    model: Model, facts: Mapping[str, Any], most: int = MOST, heat: Heat | None = None
) -> str:
    """The text of the page."""
    libraries = LIBRARIES.read_text(encoding="utf-8")
    script = "\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return str(
        environment_of(HERE)
        .get_template("graph.html")
        .render(
            name=facts["file"] or model.name,
            summary=summarise(facts),
            heat=heat,
            style=(HERE / "graph.css").read_text(encoding="utf-8"),
            scripts=[libraries, script],
            hashes=[_hash(libraries), _hash(script)],
            data=_json(data_of(model, facts, most, heat)),
        )
    )


def summarise(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What stands beside the graph before anything is chosen."""
    at = say_at(facts["sizes"])
    rows = [
        ("Name", facts["name"]),
        ("Producer", facts["producer"]),
        ("Opset", facts["opset"]),
        ("File", say_bytes(facts["file_bytes"]) if facts["file_bytes"] is not None else None),
        ("Operations", f"{sum(facts['operations'].values()):,}"),
        ("Parameters", f"{facts['parameters']:,}"),
        ("Weights", say_bytes(facts["bytes"])),
        ("FLOPs", f"{say_count(facts['flops']['total'])} {at}"),
        ("Activations", f"{say_bytes(facts['activations']['peak_bytes'])} at most {at}"),
        ("Precision", _say_precisions(facts)),
    ]
    rows += [("Input", f"{name}: {type}") for name, type in facts["inputs"]]
    rows += [("State", f"{name}: {type}") for name, type in facts["states"]]
    rows += [("Output", f"{name}: {type}") for name, type in facts["outputs"]]
    return [(key, value.strip()) for key, value in rows if value]


def _say_precisions(facts: Mapping[str, Any]) -> str:
    shares = facts["precisions"]["weights"]
    whole = sum(row["bytes"] for row in shares.values())
    return ", ".join(f"{n} {row['bytes'] / whole:.0%}" for n, row in shares.items() if whole)


class Table:
    """Texts and rows that occur often, by number."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}

    def __getitem__(self, text: str) -> int:
        return self.rows.setdefault(text, len(self.rows))


def data_of(
    model: Model, facts: Mapping[str, Any], most: int = MOST, heat: Heat | None = None
) -> dict[str, Any]:
    """What the page's scripts work with; columns, as there may be very many nodes."""
    graph = Graph(model)
    layout = lay_out(graph)
    types, kinds, attributes = Table(), Table(), Table()
    at = facts["sizes"]
    costs = [None if n.operation is None else flops(n.operation) for n in graph.nodes]
    solid = len(graph.nodes) + len(graph.modules)
    return {
        "name": model.name,
        "nodes": [n.name for n in graph.nodes],
        "kinds": [kinds[n.kind] for n in graph.nodes],
        "origins": [_origin(n) for n in graph.nodes],
        "parents": [n.module for n in graph.nodes],
        "reads": [n.reads for n in graph.nodes],
        "makes": [n.makes for n in graph.nodes],
        "attributes": [attributes[_attributes(n.operation)] for n in graph.nodes],
        "flops": [None if c is None else evaluate_dim(c, at) for c in costs],
        "modules": [[m.name, m.parent] for m in graph.modules],
        "tensors": [[v.name or "", types[str(v.type)]] for v in graph.tensors],
        "producers": graph.producers,
        "weights": _weights(graph, most),
        "rows": layout.rows,
        "lanes": [_lane(lane) for lane in layout.lanes],
        "entries": [[module, *_lane(lane)] for module, lane in layout.entries],
        "above": [layout.above.get(k, ()) for k in range(_size(layout.rows, solid))],
        "types": list(types.rows),
        "kindNames": list(kinds.rows),
        "attributeRows": [json.loads(text) for text in attributes.rows],
        "operators": _operators(graph.nodes),
        "heat": None if heat is None else data_of_heat(graph, heat),
    }


def _size(rows: Iterable[Iterable[Iterable[int]]], solid: int) -> int:
    return max((item + 1 for module in rows for row in module for item in row), default=solid)


def _lane(lane: Lane) -> list[int]:
    return [lane.owner, lane.row, lane.first, lane.count]


def _origin(node: Node) -> str:
    """The name in the source, where that is not what the node is called."""
    origin = node.operation.origin if node.operation is not None else None
    return "" if origin is None or origin == node.name else origin


def _attributes(operation: Operation | None) -> str:
    """Names, values and whether these are the default, as JSON."""
    if operation is None:
        return "[]"
    defaults = operation.operator.attributes
    rows = [
        [name, _clip(attribute(value)), value == defaults[name]]
        for name, value in operation.attributes.items()
        if not isinstance(value, Model)
    ]
    return json.dumps(rows)


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text):,} characters)"


def _weights(graph: Graph, most: int) -> dict[int, dict[str, Any]]:
    found = describe_weights(graph.tensors, most)
    return {graph.tensors[v]: {k: _round(n) for k, n in row.items()} for v, row in found.items()}


def _round(number: Any) -> Any:
    """Few digits; JSON has no infinities."""
    if isinstance(number, tuple):
        return [_round(n) for n in number]
    if isinstance(number, float):
        return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else str(number)
    return number


def _operators(nodes: Iterable[Node]) -> dict[str, dict[str, Any]]:
    """What the operators of the model are, by name."""
    operators = {n.operation.operator.name: n.operation.operator for n in nodes if n.operation}
    found = {name: _operator(o) for name, o in operators.items()}
    return found | {
        INPUT: {"family": INPUT, "doc": "An input of the model.", "operands": []},
        OUTPUT: {"family": OUTPUT, "doc": "An output of the model.", "operands": ["value"]},
    }


def _operator(operator: Operator[Any]) -> dict[str, Any]:
    names = [*operator.tensors, *([operator.variadic] if operator.variadic else [])]
    meanings = {name: meaning_of(operator, name) for name in operator.attributes}
    return {
        "family": operator.family,
        "doc": inspect.cleandoc(operator.__doc__ or ""),
        "signature": f"{operator.name.lower()}{operator.signature}",
        "operands": names,
        "variadic": bool(operator.variadic),
        "meanings": meanings,
        "since": operator.since,
    }


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _json(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
