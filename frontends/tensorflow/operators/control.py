"""TensorFlow's control flow as functions: If, Case and While."""

from __future__ import annotations

from typing import Any

from nnir.model import Value

from ... import branches as graph_branches
from ... import loops
from ...source import SourceGraph
from ...table import Table
from ...translate import Translator

table = Table()


@table.convert("If", "StatelessIf")
def if_(
    cond: Value,
    input: tuple[Any, ...],
    *,
    then_branch: SourceGraph,
    else_branch: SourceGraph,
    Tout: tuple[Any, ...],  # noqa: N803
    translator: Translator,
) -> Any:
    return graph_branches.if_(translator, cond, input, then_branch, else_branch)


@table.convert("Case", "StatelessCase")
def case(
    branch_index: Value,
    input: tuple[Any, ...],
    *,
    branches: tuple[SourceGraph, ...],
    Tout: tuple[Any, ...],  # noqa: N803
    translator: Translator,
) -> Any:
    return graph_branches.case(translator, branch_index, input, branches)


@table.convert("While", "StatelessWhile")
def while_(
    input: tuple[Any, ...], *, cond: SourceGraph, body: SourceGraph, translator: Translator
) -> Any:
    return loops.while_(translator, cond, body, input)
