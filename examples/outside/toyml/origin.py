"""What toyml's functions mean, and cases of them."""

from __future__ import annotations

from conformance.case import ROUNDS, Case, Const, Limit, f, rand
from conformance.engines.functions import Functions
from conformance.engines.outside import OutsideOrigin
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import activation, linear, unary

NAN, INF = float("nan"), float("inf")


def dense(x: Value, weight: Value, bias: Value | None = None) -> Value:
    """The product and the sum."""
    product = linear.mat_mul(x, weight)
    return product if bias is None else product + bias


CONVERTERS = {
    "relu": activation.relu,
    "softmax": lambda x, axis=-1: activation.softmax(x, axis=axis),
    "dense": dense,
    "sign": unary.sign,
}

CASES = (
    Case("relu", (f(-1, 0, 2, INF),)),
    Case("relu", (f(NAN),), why="nan stays nan"),
    Case("softmax", (rand(2, 5),), tol=ROUNDS),
    Case("softmax", (rand(2, 5),), {"axis": 0}, tol=ROUNDS),
    Case("dense", (rand(2, 3), Const(rand(3, 4)), Const(rand(4))), tol=ROUNDS),
    Case("dense", (rand(2, 3), rand(3, 4)), tol=ROUNDS, why="no bias"),
    Case("sign", (f(-2, 0, 3),)),
    Case("sign", (f(NAN),), why="nan stays nan"),
)

LIMITS = (Limit("dense", "the toy device has no matrices", device="toydevice", raises=NoLowering),)

ORIGIN = OutsideOrigin("toyml", Functions("toyml.worker", CONVERTERS), CASES, packages=("numpy",))
