"""TensorFlow's pooling."""

from __future__ import annotations

from collections.abc import Sequence

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import pool, shape
from nnir.recipes.layout import spatial_entries, to_channels_first, to_channels_last
from nnir.recipes.pool import pool_windows
from nnir.recipes.windows import Window, make_window
from nnir.types import Precision

from ...table import Table

table = Table()


def _window(
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str,
    explicit_paddings: Sequence[int] = (),
) -> Window:
    if any(k < 1 for k in ksize):
        raise BadType(f"a pool with ksize={tuple(ksize)}")
    kernel = spatial_entries(ksize, data_format, "ksize")
    return make_window(kernel, strides, padding, data_format, (), explicit_paddings)


@table.convert("MaxPool")
def max_pool(
    input: Value,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...] = (),
    data_format: str = "NHWC",
) -> Value:
    how = _window(ksize, strides, padding, data_format, explicit_paddings)
    return pool_windows(input, how, data_format, maximum=True)


@table.convert("MaxPoolV2")
def max_pool_v2(
    input: Value,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    *,
    padding: str,
    data_format: str = "NHWC",
) -> Value:
    return pool_windows(
        input, _window(ksize, strides, padding, data_format), data_format, maximum=True
    )


@table.convert("MaxPool3D")
def max_pool_3d(
    input: Value,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str = "NDHWC",
) -> Value:
    return pool_windows(
        input, _window(ksize, strides, padding, data_format), data_format, maximum=True
    )


@table.convert("AvgPool")
def avg_pool(
    value: Value,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str = "NHWC",
) -> Value:
    return pool_windows(
        value, _window(ksize, strides, padding, data_format), data_format, maximum=False
    )


@table.convert("AvgPool3D")
def avg_pool_3d(
    input: Value,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str = "NDHWC",
) -> Value:
    return pool_windows(
        input, _window(ksize, strides, padding, data_format), data_format, maximum=False
    )


@table.convert("MaxPoolWithArgmax")
def max_pool_with_argmax(
    input: Value,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    Targmax: Precision = Precision.INT64,  # noqa: N803
    padding: str,
    include_batch_in_index: bool = False,
) -> tuple[Value, Value]:
    """Positions are flat over rows, columns and channels, and on request over images."""
    if Targmax not in (Precision.INT32, Precision.INT64):
        raise Unsupported(f"MaxPoolWithArgmax with Targmax={Targmax.name}")
    how = _window(ksize, strides, padding, "NHWC")
    best, plane = pool.max_pool_2d(
        to_channels_first(input),
        auto_pad=how.auto_pad,
        pads=how.pads(input.shape[1:3]),
        kernel_shape=how.kernel,
        strides=how.strides,
        return_indices=True,
        return_indices_dtype=int(Precision.INT64),
    )
    _, height, width, channels = build.sizes_of(input)
    at = to_channels_last(plane) * _one(input, channels)
    at = at + build.arange_along(input, 3)
    if include_batch_in_index:
        step = build.product([height, width, channels])
        image = build.arange_along(input, 0) * _one(input, step)
        at = at + shape.reshape(image, [-1, 1, 1, 1])
    return to_channels_last(best), at.cast(Targmax)


def _one(like: Value, size: build.Size) -> Value:
    return build.vector(like.model, [size])
