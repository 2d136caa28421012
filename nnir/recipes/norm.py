"""Normalisation of images with channels last."""

from __future__ import annotations

from ..errors import BadType
from ..model import Value
from ..ops import norm
from .layout import with_channels_first


def normalize_across_channels(
    input: Value,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Value:
    """The standard divides alpha by the number of channels in the window."""
    if input.rank != 4:
        raise BadType(f"LRN of {input.type}: an image is needed")
    size = 2 * depth_radius + 1
    return with_channels_first(
        input,
        "NHWC",
        lambda y: norm.lrn(y, size=size, bias=bias, alpha=alpha * size, beta=beta),
    )
