"""Defaults of attributes: each is left out of a case in which another value would show."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.cases.nnir import CASES, defaults
from conformance.cases.nnir.make_defaults import operators, others, shows
from conformance.cases.tflite import CASES as TFLITE
from conformance.mutants.places import ROOT
from nnir.formats.tflite import schema

KNOWN: dict[str, dict[str, tuple[Any, str]]] = json.loads(defaults.FILE.read_text())
SILENT = {("TOP_K", "sorted"): "the reference gives elements in order either way"}
"""Defaults that no row can show, and why. Operators that draw numbers are none of `operators`."""

STRIDES = "stride_h stride_w"
WITH_DEFAULTS = ("nnir/recipes", "nnir/decompositions", "nnir/ops", "hal/drivers")
"""Folders of functions that others call; of operators the rows above show each default."""

OUTSIDE = {"model_head", "parameter_type"}
"""Functions that engines of cases, or tests, call with fewer arguments."""

ROWS = {str(row): row for row in (*CASES, *defaults.ROWS)}
OPERATORS = {o.name: o for o in operators()}


def test_every_default_is_known() -> None:
    found = {
        (o.name, p.name)
        for o in OPERATORS.values()
        for p in o.signature.parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.default is not inspect.Parameter.empty
    }
    assert found == {(op, name) for op, names in KNOWN.items() for name in names}, (
        "python -m conformance.cases.nnir.make_defaults"
    )
    silent = {
        (op, name) for op, names in KNOWN.items() for name, (_, row) in names.items() if not row
    }
    assert silent == set(SILENT)


@pytest.mark.parametrize("op", sorted(KNOWN))
def test_another_value_shows(op: str) -> None:
    mine = [row for row in ROWS.values() if row.op == op]
    for name, (_, row) in KNOWN[op].items():
        if row:
            default = OPERATORS[op].signature.parameters[name].default
            options = others(default, mine, name)
            assert any(shows(ROWS[row], name, default, other) for other in options), name


NEEDED = {
    **dict.fromkeys(("AVERAGE_POOL_2D", "L2_POOL_2D", "MAX_POOL_2D"), STRIDES),
    **dict.fromkeys(("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"), STRIDES),
    **dict.fromkeys(("CONV_3D", "CONV_3D_TRANSPOSE"), f"{STRIDES} stride_d"),
    **dict.fromkeys(("DEPTH_TO_SPACE", "SPACE_TO_DEPTH"), "block_size"),
    **dict.fromkeys(("SPLIT", "SPLIT_V"), "num_splits"),
    "BIDIRECTIONAL_SEQUENCE_RNN": "time_major",
    "BUCKETIZE": "boundaries",
    "IF": "else_subgraph_index then_subgraph_index",
    "MULTINOMIAL": "seed",
    "PACK": "values_count",
    "STABLEHLO_CASE": "branch_subgraph_indices",
    "STABLEHLO_COMPOSITE": "composite_attributes decomposition_subgraph_index name",
    "STABLEHLO_GATHER": "slice_sizes",
    "STABLEHLO_PAD": "edge_padding_high edge_padding_low interior_padding",
    "STABLEHLO_REDUCE_WINDOW": "body_subgraph_index window_dimensions",
    "STABLEHLO_SCATTER": "update_computation_subgraph_index",
    "UNPACK": "num",
    "WHILE": "body_subgraph_index cond_subgraph_index",
}
"""Fields without which LiteRT refuses a model or ends, or of which no row can show the default."""


def test_fields_of_tflite_are_left_out() -> None:
    silent: dict[str, list[str]] = {}
    for op in {c.op for c in TFLITE}:
        for name, usual in schema.defaults_of(op).items():  # which no file states
            if all(c.attrs.get(name, usual) != usual for c in TFLITE if c.op == op):
                silent.setdefault(op, []).append(name)
    found = {op: sorted(names) for op, names in silent.items()}
    assert found == {op: sorted(names.split()) for op, names in NEEDED.items()}


def names_of(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a file calls or hands on by name: the call, or else the name itself."""
    nodes = [*ast.walk(tree)]
    calls = {id(n.func): n for n in nodes if isinstance(n, ast.Call)}
    for node in nodes:
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            yield name, calls.get(id(node), node)


def leaves_out(node: ast.AST, place: int, name: str) -> bool:
    """Whether a call may have no argument for a parameter; what is handed on may, too."""
    if not isinstance(node, ast.Call):
        return True
    spreads = any(isinstance(a, ast.Starred) for a in node.args)
    named = {k.arg for k in node.keywords}
    return spreads or None in named or (name not in named and len(node.args) <= place)


@pytest.mark.long
def test_defaults_of_functions_are_left_out() -> None:
    """A default that every call passes over says nothing, and no case can notice another one."""
    folders = ("nnir", "frontends", "hal", "nnadapter")
    trees = {p: ast.parse(p.read_text()) for f in folders for p in (ROOT / f).rglob("*.py")}
    uses: dict[str, list[ast.AST]] = {}
    for tree in trees.values():
        for name, node in names_of(tree):
            uses.setdefault(name, []).append(node)
    silent = [
        f"{path.relative_to(ROOT)}: {function.name}({name})"
        for path, tree in trees.items()
        if any(path.is_relative_to(ROOT / folder) for folder in WITH_DEFAULTS)
        for function in tree.body
        if isinstance(function, ast.FunctionDef) and not function.decorator_list
        if function.name not in OUTSIDE
        for place, name in defaults_of(function)
        if not any(leaves_out(node, place, name) for node in uses.get(function.name, ()))
    ]
    assert not silent


def defaults_of(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Parameters with defaults, and after how many positional arguments each is given."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    first = len(positional) - len(given.defaults)
    yield from ((k, positional[k].arg) for k in range(first, len(positional)))
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if default is not None:
            yield len(positional), argument.arg
