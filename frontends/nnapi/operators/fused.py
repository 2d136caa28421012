"""Activations that NNAPI computes together with an operation."""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.formats.nnapi.structures import FusedActivation
from nnir.model import Value
from nnir.ops import activation


def clip_between(x: Value, low: float, high: float) -> Value:
    """Numbers between two bounds."""
    bounds = (x.model.constant(b, x.dtype) for b in (low, high))
    return activation.clip(x, *bounds)


def activate(x: Value, code: int) -> Value:
    """The activation of a code; RELU1 lies between -1 and 1 in NNAPI."""
    match code:
        case FusedActivation.NONE:
            return x
        case FusedActivation.RELU:
            return activation.relu(x)
        case FusedActivation.RELU1:
            return clip_between(x, -1, 1)
        case FusedActivation.RELU6:
            return activation.relu6(x)
    raise Unsupported(f"fuse_code={code}")
