"""NNRt's LSTM."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Tolerance, rand

NEAR = Tolerance(relative=1e-5, absolute=1e-5)


def lstm(
    layers: int = 1,
    directions: int = 1,
    width: int = 3,
    hidden: int = 4,
    *,
    known: bool = True,
    dtype: Any = np.float32,
    **given: Any,
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The operands and parameters of an LSTM over five steps of two sequences."""
    rows = layers * directions
    shapes = [(rows, 4 * hidden, width), (rows, 4 * hidden, hidden), (rows, 8 * hidden)]
    weights = [rand(*s, seed=k, low=-1, high=1).astype(dtype) for k, s in enumerate(shapes)]
    states = [rand(rows, 2, hidden, seed=k, low=-1, high=1).astype(dtype) for k in (5, 6)]
    held = [Const(w) for w in weights] if known else weights
    plain = {
        "bidirectional": directions == 2,
        "hasBias": True,
        "inputSize": width,
        "hiddenSize": hidden,
        "numLayers": layers,
        "numDirections": directions,
        "dropout": 0.0,
    }
    return (rand(5, 2, width, seed=9).astype(dtype), *held, *states), plain | given


ROWS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "one layer": lstm(),
    "two directions": lstm(directions=2),
    "two layers": lstm(2, 1, 4, 4),
    "two layers of two directions": lstm(2, 2, 8, 4),
    "no bias": lstm(hasBias=False),
    "a dropout that is not for inference": lstm(dropout=0.5),
    "weights while running": lstm(known=False),
    "no zoneout and no projection": lstm(zoneoutCell=0.0, zoneoutHidden=0.0, projSize=0),
    "float64": lstm(dtype=np.float64),
}
BAD: dict[str, tuple[Any, tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "directions that differ": (BadType, lstm(numDirections=2)),
    "layers of other sizes": (BadType, lstm(2)),
    "another hiddenSize": (BadType, lstm(hiddenSize=5)),
    "a dropout above 1": (BadType, lstm(dropout=2.0)),
    "zoneout": (Unsupported, lstm(zoneoutCell=0.5)),
    "zoneout of the state": (Unsupported, lstm(zoneoutHidden=0.5)),
    "a projection": (Unsupported, lstm(projSize=2)),
}
CASES = [
    *(Case("LSTM", inputs, attrs, tol=NEAR, outputs=3, why=why)
      for why, (inputs, attrs) in ROWS.items()),
    *(Case("LSTM", inputs, attrs, outputs=3, raises=error, why=why)
      for why, (error, (inputs, attrs)) in BAD.items()),
]  # fmt: skip
