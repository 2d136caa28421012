"""TensorFlow's normalisations."""

from __future__ import annotations

from nnir import build
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import binary, generate, norm, reduce, shape, unary
from nnir.recipes.layout import is_channels_last, with_channels_first
from nnir.recipes.norm import normalize_across_channels

from ...table import Table, Withheld

table = Table()
Results = tuple[Value | Withheld, ...]
ROOM = Withheld("what FusedBatchNorm leaves for gradients")


def normalise(x: Value, layout: str, per_channel: tuple[Value, ...], epsilon: float) -> Value:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset along the channels."""
    scale, offset, mean, variance = per_channel
    return with_channels_first(
        x,
        layout,
        lambda y: norm.batch_normalization(y, scale, offset, mean, variance, epsilon=epsilon),
    )


def statistics(x: Value, axes: list[int]) -> tuple[Value, Value]:
    """Mean and population variance of every channel, in float32 at least."""
    wide = norm.computing(x)
    mean = reduce.reduce_mean(wide, axes, keepdim=True)
    variance = reduce.reduce_mean(unary.square(wide - mean), axes, keepdim=False)
    return shape.squeeze(mean, axes), variance


def correct_variance(variance: Value, x: Value, axes: list[int]) -> Value:
    """Bessel's correction: n / (n - 1) of the population variance."""
    count = build.vector(x.model, [build.product([build.size_of(x, a) for a in axes])])
    number = shape.reshape(count, []).cast(variance.precision)
    one = x.model.constant(1, variance.dtype)
    rest = binary.max_(number - one, one)
    return variance * (number / rest)


def mix(old: Value, new: Value, factor: float) -> Value:
    """The running statistics after a step."""
    if factor == 1:
        return new
    parts = ((old, 1 - factor), (new, factor))
    scaled = [v * f for v, f in parts]
    return binary.add(*scaled)


@table.convert("FusedBatchNorm", "FusedBatchNormV2")
def fused_batch_norm(
    x: Value,
    scale: Value,
    offset: Value,
    mean: Value,
    variance: Value,
    *,
    epsilon: float = 9.999999747378752e-05,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> Results:
    """In inference the statistics are given, and given back."""
    if x.rank not in (4, 5):
        raise BadType(f"FusedBatchNorm of {x.type}")
    if not is_training:
        result = normalise(x, data_format, (scale, offset, mean, variance), epsilon)
        return result, mean, variance, ROOM, ROOM
    channels = x.rank - 1 if is_channels_last(data_format) else 1
    axes = [a for a in range(x.rank) if a != channels]
    now, spread = statistics(x, axes)
    result = normalise(x, data_format, (scale, offset, now, spread), epsilon)
    running = mix(mean, now, exponential_avg_factor)
    wide = mix(variance, correct_variance(spread, x, axes), exponential_avg_factor)
    return result, running, wide, now, spread


@table.convert("FusedBatchNormV3")
def fused_batch_norm_3(
    x: Value,
    scale: Value,
    offset: Value,
    mean: Value,
    variance: Value,
    *,
    epsilon: float = 9.999999747378752e-05,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> Results:
    given = {"epsilon": epsilon, "exponential_avg_factor": exponential_avg_factor}
    results = fused_batch_norm(
        *(x, scale, offset, mean, variance),
        data_format=data_format,
        is_training=is_training,
        **given,
    )
    return (*results, ROOM)


@table.convert("BatchNormWithGlobalNormalization")
def batch_norm_with_global_normalization(
    t: Value,
    m: Value,
    v: Value,
    beta: Value,
    gamma: Value,
    *,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> Value:
    if t.rank != 4:
        raise BadType(f"BatchNormWithGlobalNormalization of {t.type}: an image is needed")
    one = t.model.constant(1, gamma.dtype)
    scale = gamma if scale_after_normalization else generate.fill_like(gamma, one)
    return normalise(t, "NHWC", (scale, beta, m, v), variance_epsilon)


table.convert("LRN")(normalize_across_channels)
