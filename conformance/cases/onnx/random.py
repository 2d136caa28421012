"""ONNX random numbers: their type, shape and distribution can be compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnir.errors import BadType

from ...case import Case, ModelCase, Tolerance, f, i, rand

MANY = 10_000
"""So many numbers tell distributions apart."""

DRAWN = [
    Case("RandomNormal", (), {"shape": [MANY]}),
    Case("RandomNormal", (), {"shape": [MANY], "mean": 5.0, "scale": 3.0, "seed": 1.0}),
    Case("RandomUniform", (), {"shape": [MANY]}),
    Case("RandomUniform", (), {"shape": [MANY], "low": 2.0, "high": 3.0}),
    Case("RandomNormalLike", (rand(MANY),), {"mean": -1.0, "scale": 0.5}),
    Case("RandomUniformLike", (rand(MANY),), {"low": -1.0, "high": 3.0}),
    *(Case(op, (rand(MANY),), why="of many") for op in ("RandomNormalLike", "RandomUniformLike")),
    Case("Bernoulli", (np.full(MANY, 0.3, np.float32),), {"dtype": 6}),
    Case("Bernoulli", (rand(MANY, low=0, high=1),)),
    Case(
        "Multinomial",
        (np.log(f(0.1, 0.2, 0.7)).reshape(1, 3),),
        {"sample_size": MANY},
        opset=20,
        oracle="onnxruntime",
    ),
]

CASES = [
    *(replace(c, random=True) for c in DRAWN),
    Case("RandomNormal", (), {"shape": [2, 3]}, random=True),
    Case("RandomNormal", (), {"shape": [3], "dtype": 11, "mean": 5.0, "seed": 1.0}, random=True),
    Case("RandomUniform", (), {"shape": [2, 3]}, random=True),
    Case("RandomUniform", (), {"shape": [0], "dtype": 10, "low": 2.0, "high": 3.0}, random=True),
    Case("RandomNormal", (), {"shape": [2], "scale": 3.0}, random=True),
    Case("RandomUniform", (), {"shape": [2], "seed": 3.0}, random=True),
    Case("RandomUniform", (), {"shape": [MANY], "dtype": 11}, random=True),
    Case("RandomNormalLike", (rand(2, 3),), {"mean": 5.0, "seed": 3.0}, random=True),
    Case("RandomUniformLike", (rand(2, 3),), {"low": 2.0, "high": 3.0}, random=True),
    Case("RandomNormal", (), {"shape": [2], "dtype": 7}, why="integers", raises=BadType),
    Case("RandomNormalLike", (rand(2, 3, dtype=np.float64),), random=True),
    Case("RandomNormalLike", (i(1, 2),), {"dtype": 1, "scale": 2.0}, random=True),
    Case("RandomUniformLike", (rand(2, 3),), random=True),
    Case("RandomUniformLike", (i(1, 2),), {"dtype": 11, "seed": 3.0}, random=True),
    Case("RandomUniformLike", (i(1),), why="integers", raises=BadType),
    Case("Bernoulli", (f(0, 1, 0, 1),), why="certain"),
    Case("Bernoulli", (rand(2, 3, low=0, high=1),), {"dtype": 6, "seed": 2.0}, random=True),
    Case("Bernoulli", (i(1),), why="integers", raises=BadType),
    Case(
        "Multinomial",
        (rand(2, 3),),
        {"sample_size": 5, "seed": 3.0},
        random=True,
        opset=20,
        oracle="onnxruntime",
    ),
    Case(
        "Multinomial",
        (f(-1e4, 9, -1e4).reshape(1, 3),),
        {"dtype": 7, "sample_size": 4},
        why="certain",
        opset=20,
        oracle="onnxruntime",
    ),
    Case(
        "Multinomial",
        (f(-1e4, 9, -1e4).reshape(1, 3),),
        why="one certain number",
        opset=20,
        oracle="onnxruntime",
    ),
    Case("Multinomial", (f(1),), why="rank 1", raises=BadType),
]

TWICE = """<ir_version: 10, opset_import: ["" : 21]>
main (float[4, 3] x) => (float[N, M] y) {{
  a = {node}
  b = {node}
  c = Cast <to = 1> (a)
  d = Cast <to = 1> (b)
  y = Sub (c, d)
}}"""
SEEDED = {
    "RandomNormal": "RandomNormal <shape = [4, 3], seed = 3.0> ()",
    "RandomUniform": "RandomUniform <shape = [4, 3], seed = 3.0> ()",
    "RandomNormalLike": "RandomNormalLike <seed = 3.0> (x)",
    "RandomUniformLike": "RandomUniformLike <seed = 3.0> (x)",
    "Bernoulli": "Bernoulli <seed = 3.0> (x)",
}
"""Nodes that give the same numbers again, of which nothing is left."""

MODELS = [
    ModelCase(
        (op,),
        TWICE.format(node=node),
        (rand(4, 3, low=0, high=1),),
        "the same seed twice",
        tol=Tolerance(absolute=1e-6),  # an engine rounds a last product or not
    )
    for op, node in SEEDED.items()
]
