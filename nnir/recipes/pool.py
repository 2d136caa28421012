"""Pooling of images whose layout and padding have names, as TensorFlow and TFLite have it."""

from __future__ import annotations

from ..errors import BadType
from ..model import Value
from ..ops import pool
from .layout import with_channels_first
from .windows import Window, spatial_sizes


def pool_windows(x: Value, how: Window, data_format: str, *, maximum: bool) -> Value:
    """The largest element or the mean of what of each window lies in the image."""
    rank = len(how.kernel)
    if x.rank != rank + 2:
        raise BadType(f"a pool over {rank} axes of {x.type}")
    pads = how.pads(spatial_sizes(x.shape, data_format)) if rank == 2 else None

    def compute(image: Value) -> Value:
        result: Value
        if rank == 2:
            operator = pool.max_pool_2d if maximum else pool.average_pool_2d
            result = operator(
                image,
                auto_pad=how.auto_pad,
                pads=pads,
                kernel_shape=how.kernel,
                strides=how.strides,
            )
            return result
        general = pool.max_pool if maximum else pool.average_pool
        around = how.all_pads(image.shape[2:])
        result = general(image, kernel_shape=how.kernel, strides=how.strides, pads=around)
        return result

    return with_channels_first(x, data_format, compute)
