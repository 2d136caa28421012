"""The erf form of GELU as one operation."""

from __future__ import annotations

import math

from ..model import Model, Operation, Value
from ..operator import Operator
from ..ops import activation, binary, unary
from .rewrite import made_by, number, rewrite, sweep

CLOSE = 1e-3
"""Constants in half precision files are this far from sqrt(2) and 1/2."""


def _scaled(value: Value | None) -> tuple[Value, float] | None:
    """(x, k) of x * k or x / (1 / k) with a constant k."""
    for operator, is_inverse in ((binary.mul, False), (binary.div, True)):
        made = made_by(value, operator)
        if made is None or made.attributes["fuse_code"]:
            continue
        x, k = made.inputs
        if not is_inverse and number(x) is not None:
            x, k = k, x
        factor = number(k)
        if x is not None and factor:
            return x, 1 / factor if is_inverse else factor
    return None


def _operand(value: Value | None, operator: Operator, constant: float) -> Value | None:
    """x of `operator(x, constant)` in either order."""
    made = made_by(value, operator)
    if made is None or made.attributes["fuse_code"]:
        return None
    for x, k in (made.inputs, made.inputs[::-1]):
        found = number(k)
        if found is not None and math.isclose(found, constant, rel_tol=CLOSE):
            return x
    return None


def _tail(value: Value | None) -> Value | None:
    """x of erfc(-x / sqrt(2)), which is 1 + erf(x / sqrt(2))."""
    inner = made_by(value, unary.erfc)
    scaled = None if inner is None else _scaled(inner.inputs[0])
    if scaled is None or not math.isclose(abs(scaled[1]), math.sqrt(0.5), rel_tol=CLOSE):
        return None
    if scaled[1] < 0:
        return scaled[0]
    negated = made_by(scaled[0], unary.neg)
    return None if negated is None else negated.inputs[0]


def _gate(value: Value | None) -> Value | None:
    """x of 1 + erf(x / sqrt(2))."""
    if made_by(value, unary.erfc) is not None:
        return _tail(value)
    inner = made_by(_operand(value, binary.add, 1.0), unary.erf)
    scaled = None if inner is None else _scaled(inner.inputs[0])
    if scaled is None or not math.isclose(scaled[1], math.sqrt(0.5), rel_tol=CLOSE):
        return None
    return scaled[0]


def _gelu(operation: Operation) -> Value | None:
    """x of 0.5 * x * (1 + erf(x / sqrt(2))) in any order of its three factors."""
    if operation.operator is not binary.mul or operation.attributes["fuse_code"]:
        return None
    for left, right in (operation.inputs, operation.inputs[::-1]):
        x = _gate(right)
        if x is not None and _operand(left, binary.mul, 0.5) is x:
            return x
        if number(right) is not None and math.isclose(number(right) or 0, 0.5, rel_tol=CLOSE):
            product = made_by(left, binary.mul)
            if product is not None and not product.attributes["fuse_code"]:
                for a, b in (product.inputs, product.inputs[::-1]):
                    if a is not None and _gate(b) is a:
                        return a
        half = _operand(right, binary.mul, 0.5)
        if half is not None and left is not None and _gate(half) is left:
            return left
    return None


@rewrite(ensures=lambda model: all(_gelu(o) is None for o in model.operations))
def fuse_gelu(model: Model) -> bool:
    """Write x/2 * (1 + erf(x / sqrt 2)) as GELU.

    Ensures: no such product is left.
    """
    modified = False
    for operation in list(model.operations):
        x = _gelu(operation)
        if x is not None and x.is_float:
            model.replace(operation.outputs[0], activation.gelu(x))
            modified = True
    return sweep(model) or modified
