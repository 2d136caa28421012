"""ATen sequences of different lengths, packed, and layers over them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import Case, Const, i, rand
from .recurrent import GATES, SUMS, params

X = rand(5, 4, 3)
LENGTHS = i(5, 3, 3, 1)
DATA = rand(12, 3)
SIZES = i(4, 3, 3, 1, 1)


def layer(name: str, why: str, layers: int, both: bool, sizes: Any = SIZES) -> Case:
    """A layer with 4 hidden units over packed data."""
    weights = params(GATES[name], layers, 1 + both)
    state, cell = (rand(layers * (1 + both), 4, 4, seed=k) for k in (5, 6))
    hx: Any = [state, cell] if name == "lstm.input" else state
    inputs = (DATA, sizes, hx, weights, True, layers, 0.0, False, both)
    return Case(f"aten.{name.replace('.input', '.data')}", inputs, tol=SUMS, why=why)


CASES: list[Case] = [
    Case("aten._pack_padded_sequence.default", (X, LENGTHS, False)),
    Case("aten._pack_padded_sequence.default", (X, Const(LENGTHS), False), why="known lengths"),
    Case("aten._pack_padded_sequence.default", (rand(4, 5, 2, 3), LENGTHS, True), why="rows first"),
    Case("aten._pack_padded_sequence.default", (rand(6, 4, 3), LENGTHS, False), why="spare steps"),
    Case("aten._pad_packed_sequence.default", (DATA, SIZES, False, 0.0, 0)),
    Case(
        "aten._pad_packed_sequence.default", (DATA, Const(SIZES), True, -1.5, 0), why="rows first"
    ),
    Case("aten._pad_packed_sequence.default", (DATA, SIZES, False, 2.5, 7), why="a length"),
    Case(
        "aten._pad_packed_sequence.default",
        (DATA.astype(np.float16), Const(SIZES), False, 0.1, 5),
        why="halves",
    ),
    *(layer(name, "plain", 1, False) for name in GATES),
    *(layer(name, "two layers, both directions", 2, True, Const(SIZES)) for name in GATES),
]
