"""ONNX rows without an attribute, where another value than its default would show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...case import ROUNDS, Case, Const, Tolerance, f, i, rand
from .features import ml
from .microsoft_quant import ms

LEFT_OUT: tuple[tuple[str, str, Any], ...] = (
    ("OneHot", "axis", -2),
    ("Normalizer", "norm", "MAX"),
    ("SVMClassifier", "kernel_type", "LINEAR"),
    ("SVMRegressor", "kernel_type", "LINEAR"),
    ("MatMulNBits", "bits", 4),
    ("MoE", "k", 2),
    ("MoE", "normalize_routing_weights", 1),
    ("QMoE", "expert_weight_bits", 4),
    ("QMoE", "k", 2),
    ("QLinearLeakyRelu", "alpha", 0.2),
    ("QLinearSoftmax", "axis", -1),
)
"""Operators, attributes, and a value that a row gives: it is left out of the first such row."""

SMALL, FEW = 1e-6 * rand(2, 3, 4), 1e-3 * rand(2, 3, 4)
SCALE, SKIP = rand(4), 1e-6 * rand(2, 3, 4, seed=1)
WORDS = 1e-6 * rand(5, 4)
PLACES = 1e-6 * rand(6, 4, seed=1)

ROWS = [
    Case("RMSNormalization", (FEW, SCALE), tol=ROUNDS, why="no more than epsilon, by default"),
    *(
        ms(op, SMALL, SKIP, SCALE)("no more than epsilon, by default", tol=ROUNDS)
        for op in ("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")
    ),
    ms(
        "EmbedLayerNormalization",
        *(i([1, 2, 3], [0, 4, 1], dtype="int32"), None, Const(WORDS), PLACES, None, SCALE, SCALE),
    )("no more than epsilon, by default", tol=ROUNDS, outputs=2),
    ml("Imputer", i([1, 0], [0, 2]), imputed_value_int64s=[5, 6])("0 is missing, by default"),
    ml("LabelEncoder", i(2, 7), keys_int64s=[2], values_floats=[0.5])(
        "a zero of which sign, by default",
        tol=Tolerance(signed_zeros=True),
        oracle="onnxruntime",
    ),
    ms(
        "GatherBlockQuantized",
        Const(rand(4, 256, dtype="uint8", low=0, high=255)),
        i([1, 3], [0, -1]),
        Const(f(0.5, 0.25, 2, 1, 3, 0.75, 1.5, 4).reshape(4, 2)),
        bits=8,
    )("blocks of 128, by default", tol=ROUNDS),
]


def rows_without(cases: Iterable[Case]) -> Iterator[Case]:
    """Rows of `LEFT_OUT`."""
    rows = [c for c in cases if c.raises is None]
    for op, name, value in LEFT_OUT:
        row = next(c for c in rows if c.op == op and c.attrs.get(name) == value)
        attrs = {n: v for n, v in row.attrs.items() if n != name}
        why = f"{row.why}, {name} left out".removeprefix(", ")
        yield replace(row, attrs=attrs, why=why)
