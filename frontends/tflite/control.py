"""TFLite's control flow: graphs of the file as branches, conditions and bodies."""

from __future__ import annotations

from typing import Any

from nnir.model import Value

from ..source import SourceGraph
from ..table import Table
from ..tensorflow import control as tensorflow
from ..translate import Translator

table = Table()


@table.convert("IF")
def if_(
    cond: Value,
    *inputs: Value,
    then_subgraph: SourceGraph,
    else_subgraph: SourceGraph,
    translator: Translator,
) -> Any:
    return tensorflow.if_(
        cond,
        inputs,
        then_branch=then_subgraph,
        else_branch=else_subgraph,
        Tout=(),
        translator=translator,
    )


@table.convert("WHILE")
def while_(
    *inputs: Value,
    cond_subgraph: SourceGraph,
    body_subgraph: SourceGraph,
    translator: Translator,
) -> Any:
    return tensorflow.while_(inputs, cond=cond_subgraph, body=body_subgraph, translator=translator)


@table.convert("STABLEHLO_COMPOSITE")
def composite(
    *inputs: Value, decomposition_subgraph: SourceGraph, translator: Translator
) -> tuple[Any, ...]:
    """What it stands for is written out."""
    return tuple(tensorflow.inlined(translator, decomposition_subgraph, inputs))
