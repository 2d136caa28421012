"""NNAPI's convolutions."""

from __future__ import annotations

from nnir.errors import BadModel

from ...case import Case, Const, rand
from .numbers import ACTIVATIONS, QUANTUM, SUMS, bias, q, scheme, sides, stored

IMAGE = rand(2, 7, 8, 4)
FILTER, BIAS = Const(rand(5, 3, 2, 4, seed=1)), Const(rand(5, seed=3))
THIN, THIN_BIAS = Const(rand(1, 3, 2, 8, seed=2)), Const(rand(8, seed=3))
BYTES = q(2, 7, 8, 4)
TAPS, OFFSETS = q(5, 3, 2, 4, seed=1, scale=0.004, zero=140, constant=True), bias(5, 0.02 * 0.004)
THIN_TAPS = q(1, 3, 2, 8, seed=1, scale=0.004, zero=140, constant=True)
THIN_OFFSETS = bias(8, 0.02 * 0.004)
TWICE = {"depth_multiplier": 2}

CASES = [
    *(
        Case("CONV_2D", (IMAGE, FILTER, BIAS), scheme(p, s, fuse_code=0), tol=SUMS)
        for p in (0, 1, 2)
        for s in (1, 2)
    ),
    *(
        Case(
            "CONV_2D",
            (IMAGE, FILTER, BIAS),
            scheme(1, 2, fuse_code=a),
            tol=SUMS,
            why=f"activation {a}",
        )
        for a in ACTIVATIONS[1:]
    ),
    Case(
        "CONV_2D", (IMAGE, FILTER, BIAS), sides(1, 0, 2, 1, fuse_code=0), tol=SUMS, why="explicit"
    ),
    Case(
        "CONV_2D",
        (IMAGE, FILTER, BIAS),
        sides(3, 2, 4, 5, fuse_code=1),
        tol=SUMS,
        why="explicit, more than the filter",
    ),
    Case(
        "CONV_2D",
        (IMAGE, rand(5, 3, 2, 4), rand(5)),
        scheme(2, fuse_code=0),
        tol=SUMS,
        why="filter and bias at run time",
    ),
    Case(
        "CONV_2D",
        (IMAGE, Const(rand(6, 1, 1, 4)), Const(rand(6))),
        scheme(1, fuse_code=0),
        tol=SUMS,
        why="points",
    ),
    *(
        Case(
            "CONV_2D",
            (BYTES, TAPS, OFFSETS),
            scheme(1, fuse_code=a),
            results=stored(0.05, 90),
            tol=QUANTUM,
            why=f"quantised, activation {a}",
        )
        for a in ACTIVATIONS
    ),
    Case(
        "CONV_2D",
        (BYTES, TAPS, OFFSETS),
        sides(1, 0, 2, 1, fuse_code=0),
        results=stored(0.05, 90),
        tol=QUANTUM,
        why="quantised, explicit",
    ),
    Case(
        "CONV_2D",
        (BYTES, TAPS, OFFSETS),
        scheme(1, fuse_code=0),
        results=stored(0.00007),
        raises=BadModel,
        why="a scale below the product",
    ),
    Case(
        "CONV_2D",
        (BYTES, TAPS, bias(5, 0.1)),
        scheme(1, fuse_code=0),
        results=stored(0.05),
        raises=BadModel,
        why="a bias of another scale",
    ),
    Case(
        "CONV_2D",
        (IMAGE, Const(rand(5, 3, 2, 3)), BIAS),
        scheme(1, fuse_code=0),
        raises=BadModel,
        why="other channels",
    ),
    Case(
        "CONV_2D",
        (IMAGE, FILTER, BIAS),
        scheme(3, fuse_code=0),
        raises=BadModel,
        why="no such padding",
    ),
    *(
        Case(
            "DEPTHWISE_CONV_2D",
            (IMAGE, THIN, THIN_BIAS),
            scheme(p, s, fuse_code=0, **TWICE),
            tol=SUMS,
        )
        for p in (1, 2)
        for s in (1, 2)
    ),
    Case(
        "DEPTHWISE_CONV_2D",
        (IMAGE, Const(rand(1, 3, 3, 4)), Const(rand(4))),
        scheme(1, fuse_code=3, depth_multiplier=1),
        tol=SUMS,
        why="one filter a channel",
    ),
    Case(
        "DEPTHWISE_CONV_2D",
        (IMAGE, THIN, THIN_BIAS),
        sides(1, 0, 2, 1, fuse_code=2, **TWICE),
        tol=SUMS,
        why="explicit",
    ),
    *(
        Case(
            "DEPTHWISE_CONV_2D",
            (BYTES, THIN_TAPS, THIN_OFFSETS),
            scheme(1, fuse_code=a, **TWICE),
            results=stored(0.02, 90),
            tol=QUANTUM,
            why=f"quantised, activation {a}",
        )
        for a in ACTIVATIONS
    ),
    Case(
        "DEPTHWISE_CONV_2D",
        (BYTES, THIN_TAPS, THIN_OFFSETS),
        sides(1, 0, 2, 1, fuse_code=0, **TWICE),
        results=stored(0.02, 90),
        tol=QUANTUM,
        why="quantised, explicit",
    ),
    Case(
        "DEPTHWISE_CONV_2D",
        (IMAGE, THIN, THIN_BIAS),
        scheme(1, fuse_code=0, depth_multiplier=3),
        raises=BadModel,
        why="another multiplier",
    ),
]
