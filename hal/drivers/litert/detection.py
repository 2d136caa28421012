"""Regions of images."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import detection
from nnir.types import Precision

from ...attributes import Priors, Regions
from ...lowering import Lowerings
from ...orders import channels_last, identity
from . import windows
from .binary import clip_between, larger, spread
from .emitter import Emitter, Ref, Refs
from .index import natural
from .reduce import reduce_axes
from .shape import part
from .static import numbers
from .unary import real

table = Lowerings[Ref]()
LARGEST = 1 << 27
"""As many elements the planes of all regions may have."""


class Region:
    """Weights of the rows or columns of a plane for the bins of every region."""

    def __init__(self, g: Emitter, ratio: int, *, aligned: bool) -> None:
        self.g, self.ratio, self.aligned = g, ratio, aligned

    def weights(self, start: Ref, end: Ref, bins: int, size: int) -> Ref:
        """[R, bins, size] for starts and ends [R, 1]: means of hats around the samples."""
        g = self.g
        length = end - start
        length = length if self.aligned else larger(g, 1, length)
        step = length / bins
        at = np.arange(bins)[:, None] + (np.arange(self.ratio) + 0.5) / self.ratio
        places = start + step * g.constant(at.reshape(-1), np.float32)
        places = g.reshape(places, (start.shape[0], bins, self.ratio, 1))
        outside = (places < -1) | (places > size)
        inner = clip_between(g, places, 0, max(size - 1, 0))
        line = g.constant(np.arange(size), np.float32)
        hats = larger(g, 0, 1 - abs(inner - line))
        total = reduce_axes(g, "SUM", g.where(outside, 0, hats), (2,), keepdim=False)
        return total / self.ratio


@table.lower(detection.roi_align, how=Regions)
def roi_align(
    g: Emitter,
    input: Value,
    rois: Value,
    batch_indices: Value,
    *,
    how: Regions,
) -> Ref:
    """Two products with matrices: bilinear weights are those of rows times those of columns."""
    real(g, input)
    if how.sampling_ratio <= 0 or not (input.is_static and rois.is_static):
        raise NoLowering("litert aligns known numbers of regions with a sampling_ratio only")
    n, c, h, w = numbers(input.shape)
    (count,) = numbers(rois.shape[:1])
    if n > 1 and count * c * h * w > LARGEST:
        raise NoLowering(f"litert takes no {count} copies of planes {input.type}")
    scaled = g.plain(real(g, rois)) * how.spatial_scale
    scaled = scaled - 0.5 if how.aligned else scaled
    left, top, right, bottom = (part(g, scaled, 1, k, 1) for k in range(4))
    region = Region(g, how.sampling_ratio, aligned=how.aligned)
    rows = g.plain(region.weights(top, bottom, how.output_height, h))
    columns = g.plain(region.weights(left, right, how.output_width, w))
    planes = Ref(windows.stored_last(g, input).tensor, identity(4), Precision.FLOAT32, g)
    flat = g.reshape(planes, (n, h, w * c))
    if n > 1:
        where = g.plain(natural(g, batch_indices, n))
        flat = g.move("GATHER", [flat], (count, h, w * c), identity(3), where, axis=0)
        tall = rows
    else:
        tall = g.reshape(rows, (1, count * how.output_height, h))
    found = g.compute("BATCH_MATMUL", [tall, flat], (*tall.shape[:-1], w * c), identity(3))
    strips = g.reshape(found, (count * how.output_height, w, c))
    wide = g.reshape(columns, (count, 1, how.output_width, w))
    each = spread(g, wide, (count, how.output_height, how.output_width, w), identity(4))
    each = g.reshape(each, (count * how.output_height, how.output_width, w))
    shape = (count * how.output_height, how.output_width, c)
    made = g.compute("BATCH_MATMUL", [each, strips], shape, identity(3))
    result = g.reshape(made, (count, how.output_height, how.output_width, c))
    return Ref(result.tensor, channels_last(4), Precision.FLOAT32, g)


@table.lower(detection.prior_box, how=Priors)
def prior_box(g: Emitter, input: Value, image: Value, *, how: Priors) -> Refs:
    return tuple(g.constant(a) for a in how.boxes(g.device, input, image))
