"""The types that a program declares, and what is done where Paddle declares wrong ones."""

from __future__ import annotations

import pytest

from frontends.paddle import translate
from frontends.source import Ref, SourceGraph, SourceModel, SourceNode, SourceValue
from nnir.errors import BadModel
from nnir.types import Precision, TensorType

FLOAT = TensorType(Precision.FLOAT32, (3,))
WHOLE = TensorType(Precision.INT64, (3,))


def program(*nodes: tuple[str, dict[str, object]]) -> SourceModel:
    """Operators one after the other, whose results are all declared to be three floats."""
    graph = SourceGraph("program", inputs=[SourceValue("x", WHOLE)])
    read = "x"
    for position, (op, given) in enumerate(nodes):
        name = f"y{position}"
        arguments = {"x": Ref(read)} | given
        graph.nodes.append(SourceNode(op, [read], [name], arguments, op, [FLOAT]))
        read = name
    graph.outputs = [SourceValue(read)]
    return SourceModel("paddle", graph, {"": 1})


def test_another_type_is_an_error() -> None:
    with pytest.raises(BadModel, match="the program says"):
        translate(program(("abs", {})))


def test_unique_is_declared_wrongly_and_so_is_what_follows() -> None:
    model = translate(program(("unique", {}), ("abs", {})))
    assert model.outputs[0].precision == Precision.INT64


def test_what_does_not_follow_is_still_checked() -> None:
    source = program(("unique", {}), ("abs", {}))
    source.graph.nodes.append(SourceNode("abs", ["x"], ["z"], {"x": Ref("x")}, "z", [FLOAT]))
    source.graph.outputs.append(SourceValue("z"))
    with pytest.raises(BadModel, match="the program says"):
        translate(source)
