"""Defaults of the operators' attributes: each is left out of a row in which other values show.

`defaults.json` says each default and the row. `make_defaults` writes it: its difference is what a
change of a signature did. What it says is what the row without the attribute is held against.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nnir.evaluate import Plan
from nnir.ops import activation, attention, detection, features, linalg, quant, recurrent
from nnir.types import Precision

from ...case import Const, Tolerance, f, i, rand
from .direct import DirectCase, referred

FILE = Path(__file__).with_name("defaults.json")
CLOSE = Tolerance(relative=1e-5, absolute=1e-5)
FINE = Tolerance(relative=1e-15)
SEQUENCE = 4 * rand(3, 2, 4)


def _layers() -> Iterator[DirectCase]:
    """Recurrent layers whose activations have parameters, and that clip much."""
    for operator, gates, count in (
        (recurrent.rnn, 1, 1),
        (recurrent.gru, 3, 2),
        (recurrent.lstm, 4, 3),
    ):
        inputs = SEQUENCE, Const(rand(1, 3 * gates, 4)), Const(rand(1, 3 * gates, 3, seed=1))
        given = {"activations": ("HardSigmoid",) * count}
        yield referred(operator, inputs, tol=CLOSE, why="a layer")
        yield referred(operator, inputs, given, CLOSE, "a layer of HardSigmoid")


def _matrices() -> Iterator[DirectCase]:
    """Matrices whose triangles differ, and that are not square."""
    uneven = f(4, 1, 1, 9, 5, 2, 7, 3, 6).reshape(3, 3)
    pairs = (uneven + 1j * uneven.T).astype(np.complex64)
    yield referred(linalg.lu_factor, (f(1, 2, 3, 4).reshape(2, 2),), tol=CLOSE, why="rows swapped")
    for operator in (linalg.eigh, linalg.eigenvalues_h):
        yield referred(operator, (uneven,), tol=CLOSE, why="triangles that differ")
    for factor in (linalg.qr, linalg.svd):
        yield referred(factor, (uneven[:, :2].copy(),), tol=CLOSE, why="three rows of two")
    yield referred(linalg.ldl_factor, (pairs,), tol=CLOSE, why="complex triangles")
    inputs = pairs, i(1, 2, 3, dtype=np.int32), pairs[:, :2].copy()
    yield referred(linalg.ldl_solve, inputs, tol=CLOSE, why="complex triangles")
    turned = f(1, 0, 0.5, 1, 0.25, -0.5).reshape(3, 2), f(1.5, 0.5), uneven
    yield referred(linalg.apply_householder, turned, tol=CLOSE, why="two reflections")


def _attentions() -> Iterator[DirectCase]:
    x, keys = rand(1, 3, 8), rand(1, 3, 8, seed=1)
    heads: dict[str, Any] = {"q_num_heads": 2, "kv_num_heads": 2}
    ends = i(2, dtype=np.int32), np.array(3, np.int32)
    yield referred(attention.group_query_attention, (x, keys, x, *ends), heads, CLOSE, "three")
    inputs = x, keys, x, None, -np.abs(keys), np.abs(rand(1, 3, 2))
    yield referred(attention.linear_attention, inputs, heads, CLOSE, "decay and beta")


def _rest() -> Iterator[DirectCase]:
    regions = f(0, 1, 1, 3, 2, 0, 0, 2, 3, 3).reshape(2, 5)
    for operator in (detection.max_roi_pool, detection.max_roi_positions):
        yield referred(
            operator,
            (rand(1, 2, 8, 8), regions),
            {"pooled_shape": (2, 2)},
            why="regions of a plane",
        )
    many = f(1e6, -1e6, 3, 0.1), Const(f(1)), None
    narrow: dict[str, Any] = {"dtype": Precision.FLOAT8E4M3FN, "axis": 0}
    yield referred(quant.quantize_linear, many, narrow, why="above what there is")
    near = f(0.25001, 0.75001, 1.2499, 100.3), Const(f(0.1)), None
    yield referred(quant.quantize_linear, near, {"axis": 0}, why="quotients near a half")
    tens = np.array([18.0, 19, 21, 30, 36, 39, 41])
    yield referred(activation.softplus, (tens,), tol=FINE, why="where exp is near nothing")
    grams: dict[str, Any] = {"min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0}
    grams |= {"mode": "IDF", "ngram_counts": (0,), "ngram_indexes": (0, 1)}
    grams["pool_int64s"] = (3, 5)
    yield referred(features.tf_idf_vectorizer, (i(3, 3, 1, 5),), grams, why="two grams")
    leaves = i([0, 0], [1, 1]), i([0], [0])
    tree = f(np.nan, np.nan).reshape(2, 1), f(2, 5).reshape(2, 1), i(0, 1), i(0, 0), i(0, 0)
    inputs = rand(2, 3), *tree, np.zeros(2, np.bool_), *leaves
    attrs = {"n_targets": 1, "depth": 1}
    yield referred(features.tree_ensemble, inputs, attrs, why="two leaves")
    several = f([2, 3], [5, 7]), *tree[2:], np.zeros(2, np.bool_), leaves[0], i([0, 1], [0, -1])
    inputs, attrs = (rand(2, 3), tree[0], *several), {"n_targets": 3, "depth": 1}
    for how in ("SUM", "MIN"):
        own = attrs | {"aggregate": how}
        yield referred(features.tree_ensemble, inputs, own, why=f"{how} of no target too")


ROWS = [*_layers(), *_matrices(), *_attentions(), *_rest()]
"""What other rows leave open: defaults that show in none of them."""


def stated(row: DirectCase, name: str, value: Any) -> DirectCase:
    """The row with a value for an attribute, and the results of the operator's own reference."""
    attrs = {**row.attrs, name: value}
    case = DirectCase(row.operator, row.inputs, attrs, None, row.tol, row.why, result=row.result)

    def expected(*_: Any, **__: Any) -> list[np.ndarray]:
        return list(Plan(case.model()).run(case.arrays()))

    return replace(case, expected=expected)


def left_out(row: DirectCase, name: str, value: Any) -> DirectCase:
    """The row without an attribute, which must do what it does with `value`."""
    attrs = {n: v for n, v in row.attrs.items() if n != name}
    why = f"{row.why}, {name} left out".removeprefix(", ")
    return replace(stated(row, name, value), attrs=attrs, why=why)


def read(rows: Iterable[DirectCase]) -> Iterator[DirectCase]:
    """A row for each default."""
    named = {str(row): row for row in (*rows, *ROWS)}
    for attributes in json.loads(FILE.read_text()).values():
        for name, (value, row) in attributes.items():
            if row:
                yield left_out(named[row], name, value)
