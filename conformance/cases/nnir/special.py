"""Numbers that engines have operations of their own for, and their neighbours.

RELU1, RELU6, a square, a slope of a sixth: what is lowered to these must be exactly that number.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from nnir.model import Operator
from nnir.ops import activation, binary, norm

from ...case import ROUNDS, Const, Tolerance, f, rand, scalar
from .direct import DirectCase, referred

LINE = np.arange(-4, 9, 0.25, dtype=np.float32).reshape(4, 13)
ABOVE = rand(3, 5, low=0.25, high=3)
IMAGE = rand(2, 5, 3, 4)
NEAR = Tolerance(relative=2e-5, absolute=2e-6)
"""Powers and means are computed in another order, or by logarithms."""


def clips() -> Iterator[DirectCase]:
    """Bounds around those of RELU, RELU1 and RELU6."""
    for low, high in product((-2, -1, -0.5, 0, 1), (1, 2, 5, 6, 7)):
        bounds = Const(scalar(low)), Const(scalar(high))
        yield referred(activation.clip, (LINE, *bounds), why=f"between {low} and {high}")


def numbers() -> Iterator[DirectCase]:
    """Attributes that are numbers."""
    rows: list[tuple[Operator[Any], dict[str, tuple[float, ...]]]] = [
        (activation.hard_sigmoid, {"alpha": (1 / 6, 0.125, 1 / 3), "beta": (0.5, 0.25)}),
        (activation.hard_swish, {"alpha": (1 / 6, 0.125, 1 / 3), "beta": (0.5, 0.25)}),
        (activation.leaky_relu, {"alpha": (0, 0.5, 1, 2, -1)}),
        (activation.elu, {"alpha": (0.5, 1, 2)}),
        (activation.celu, {"alpha": (0.5, 1, 2)}),
        (activation.softplus, {"beta": (1, 2), "threshold": (1, 20)}),
    ]
    for operator, choices in rows:
        for values in product(*choices.values()):
            attrs = dict(zip(choices, map(float, values), strict=True))
            words = ", ".join(f"{k} {v:.3g}" for k, v in attrs.items())
            yield referred(operator, (LINE,), attrs, tol=ROUNDS, why=words)


def constants() -> Iterator[DirectCase]:
    """Constant operands."""
    for exponent in (-2, -1, -0.5, 0, 0.5, 1, 2, 3, 4):
        yield referred(
            binary.pow_, (ABOVE, Const(scalar(exponent))), tol=NEAR, why=f"by {exponent}"
        )
    for operator in (binary.add, binary.sub, binary.mul, binary.div):
        for number in (0, 1, -1, 2) if operator is not binary.div else (1, -1, 2):
            yield referred(operator, (LINE, Const(scalar(number))), tol=ROUNDS, why=f"by {number}")


def norms() -> Iterator[DirectCase]:
    """Constants of normalisations that show."""
    row = [Const(rand(5, seed=k, low=0.5, high=2)) for k in range(4)]
    ones, last = [Const(rand(4, seed=1)), Const(rand(4, seed=2))], Const(rand(4, seed=3))
    for epsilon in (1e-5, 0.25):
        attrs: dict[str, Any] = {"epsilon": epsilon}
        words = f"epsilon {epsilon}"
        yield referred(norm.batch_normalization, (IMAGE, *row), attrs, tol=NEAR, why=words)
        yield referred(norm.instance_normalization, (IMAGE, *row[:2]), attrs, tol=NEAR, why=words)
        rest = {**attrs, "begin_norm_axis": -1}
        yield referred(norm.layer_normalization, (IMAGE, *ones), rest, tol=NEAR, why=words)
        yield referred(norm.rms_normalization, (IMAGE, last), attrs, tol=NEAR, why=words)
    for size, bias, alpha, beta in (
        (1, 1, 0.5, 0.75),
        (3, 2, 0.5, 0.5),
        (5, 1, 2, 1),
        (9, 3, 1, 2),
        (64, 1, 1, 1),
        (65, 1, 1, 1),  # more than is written out
    ):
        attrs = {"size": size, "bias": float(bias), "alpha": float(alpha), "beta": float(beta)}
        yield referred(norm.lrn, (IMAGE,), attrs, tol=NEAR, why=f"{size}, {bias}, {alpha}, {beta}")
    for slopes in (f(0.5), f(-1), rand(5)):
        yield referred(activation.prelu, (IMAGE, Const(slopes)), why=f"slopes from {slopes[0]:.3g}")


CASES = [*clips(), *numbers(), *constants(), *norms()]
