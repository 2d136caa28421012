"""Control flow of TensorFlow 1 as functions: If, Case and While for Switch, Merge, Enter and Exit.

A graph in dataflow form says nothing of branches and bodies: a Switch sends its tensor to one side
and a Merge takes what arrives; a loop is a cycle from Enter through Merge, Switch and
NextIteration. Here the outermost loops become While nodes (`frames`) and then the outermost
conditionals If and Case nodes (`branches`). What is inside becomes functions, which are treated
in the same way when they are called.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from . import branches, frames
from .flow import DATAFLOW as DATAFLOW
from .flow import Budget as Budget
from .flow import Graph
from .nodes import Function, Node


def structure(
    nodes: Mapping[str, Node],
    functions: dict[str, Function],
    roots: Collection[str],
    given: Collection[str],
    budget: Budget,
) -> dict[str, Node]:
    """`nodes` with functional control flow where the tensors `roots` need it.

    `given` are the names of nodes that stand for arguments. `functions` grows.
    """
    graph = Graph({n: v for n, v in nodes.items() if n not in given}, functions, budget)
    frames.join(graph, roots)
    branches.join(graph, roots)
    return {**nodes, **graph.nodes}
