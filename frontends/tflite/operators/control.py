"""TFLite's control flow: graphs of the file as branches, conditions and bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nnir.model import Value
from nnir.ops import shape

from ... import branches, loops
from ...loop_state import inline
from ...source import SourceGraph, SourceNode, SourceValue
from ...table import Table
from ...translate import Translator

table = Table()


@table.convert("IF")
def if_(
    cond: Value,
    *inputs: Value,
    then_subgraph: SourceGraph,
    else_subgraph: SourceGraph,
    translator: Translator,
) -> Any:
    """The condition has one element, in any shape; TensorFlow would count the elements."""
    flag = shape.reshape(cond, [])
    return branches.if_(translator, flag, inputs, then_subgraph, else_subgraph)


@table.convert("WHILE")
def while_(
    *inputs: Value,
    cond_subgraph: SourceGraph,
    body_subgraph: SourceGraph,
    translator: Translator,
) -> Any:
    cond = one_element(cond_subgraph)
    return loops.while_(translator, cond, body_subgraph, inputs)


def one_element(cond: SourceGraph) -> SourceGraph:
    """A condition whose one element decides, in whatever shape it comes."""
    (found,) = cond.outputs
    name = f"{found.name}/element"
    node = SourceNode("RESHAPE", [found.name], [name], {"new_shape": ()})
    return replace(cond, nodes=[*cond.nodes, node], outputs=[SourceValue(name)])


@table.convert("STABLEHLO_COMPOSITE")
def composite(
    *inputs: Value, decomposition_subgraph: SourceGraph, translator: Translator
) -> tuple[Any, ...]:
    """What it stands for is written out."""
    return tuple(inline(translator, decomposition_subgraph, inputs))
