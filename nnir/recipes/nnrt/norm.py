"""NNRt's normalisation."""

from __future__ import annotations

from ... import build
from ...broadcast import axis_of, shapes_differ
from ...errors import BadType, Unsupported
from ...model import Value
from ...ops import binary, norm, reduce, unary
from ..layout import with_channels_first
from ..norm import affine, normalize_across_channels
from . import Recipes
from .activating import activate
from .open_sizes import with_sizes


def batch_norm(
    input: Value, scale: Value, offset: Value, mean: Value, variance: Value, *, epsilon: float
) -> Value:
    """By statistics that are known; channels are the last axis."""
    if input.rank < 2:
        raise BadType(f"BATCH_NORM of {input.type}: two axes or more are accepted")
    rows = (scale, offset, mean, variance)
    return with_channels_first(
        input, "NHWC", lambda x: norm.batch_normalization(x, *rows, epsilon=epsilon)
    )


def instance_norm(input: Value, scale: Value, bias: Value, *, epsilon: float) -> Value:
    """Each channel of each image by its own statistics."""
    return with_channels_first(
        input, "NHWC", lambda x: norm.instance_normalization(x, scale, bias, epsilon=epsilon)
    )


def layer_norm(
    input: Value,
    gamma: Value,
    beta: Value,
    *,
    begin_axis: int,
    epsilon: float,
    begin_params_axis: int,
) -> Value:
    """Over the axes from `begin_axis`; gamma and beta belong to those from `begin_params_axis`."""
    begin = axis_of(begin_axis, input.rank)
    params = axis_of(begin_params_axis, input.rank)
    if begin < 1:
        raise BadType(f"LAYER_NORM with beginAxis={begin_axis}: 1 to {input.rank - 1}")
    wanted, sizes = input.shape[params:], build.sizes_of(input)[params:]
    if shapes_differ(gamma.shape, wanted) or shapes_differ(beta.shape, wanted):
        raise BadType(
            f"LAYER_NORM of {input.type} by {gamma.type} and {beta.type} from axis {params}"
        )
    gamma, beta = (with_sizes(v, wanted, sizes) for v in (gamma, beta))
    how = {"begin_norm_axis": begin, "epsilon": epsilon}
    if begin == params:
        return norm.layer_normalization(input, gamma, beta, **how)
    ones, zeros = affine(input, input.shape[begin:], None, None)
    return norm.layer_normalization(input, ones, zeros, **how) * gamma + beta


def l2_normalize(input: Value, *, axis: int, epsilon: float = 1e-6, activation_type: int) -> Value:
    """x / sqrt(max(sum of squares, epsilon))."""
    total = reduce.reduce_sum(unary.square(input), [axis_of(axis, input.rank)], keepdim=True)
    return activate(input * unary.rsqrt(binary.max_(total, epsilon)), activation_type)


def lrn(
    input: Value,
    *,
    depth_radius: int,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: int = 0,
) -> Value:
    """By the squares of the channels nearby."""
    if norm_region != 0:
        raise Unsupported(f"LRN with normRegion={norm_region}: 0 (across channels) is accepted")
    return normalize_across_channels(
        input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta
    )


RECIPES: Recipes = {
    "BATCH_NORM": batch_norm,
    "INSTANCE_NORM": instance_norm,
    "L2_NORMALIZE": l2_normalize,
    "LAYER_NORM": layer_norm,
    "LRN": lrn,
}
