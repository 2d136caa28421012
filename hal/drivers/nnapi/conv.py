"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.decompositions.conv import convolve_groups, convolve_spread
from nnir.errors import NoLowering
from nnir.ops import conv

from ...attributes import Window
from ...lowering import Lowerings
from ...orders import channels_last
from .emitter import Emitter, Real, Ref

table = Lowerings[Ref]()
table.decompose(conv.conv_2d, convolve_spread, convolve_groups)
LAST = channels_last(4)


@table.lower(conv.conv_2d, how=Window)
def conv_2d(g: Emitter, input: Real, filter: Real, bias: Real, *, group: int, how: Window) -> Ref:
    how = how.over(filter.sizes[2:])
    image, pads = stored_last(g, input, how.resolve_padding(input.sizes[2:]))
    if how.is_dilated or group not in (1, image.shape[3]):
        raise NoLowering("nnapi convolves without dilations, by one group or by single channels")
    steps = [*pads, *how.strides[::-1]]
    if group == 1:
        return g.one("CONV_2D", [image, g.ordered(filter, (0, 2, 3, 1)), bias, *steps], order=LAST)
    steps.append(filter.sizes[0] // group)
    taps = g.ordered(filter, (1, 2, 3, 0))
    return g.one("DEPTHWISE_CONV_2D", [image, taps, bias, *steps], order=LAST)


def stored_last(g: Emitter, ref: Ref, pairs: Sequence[tuple[int, int]]) -> tuple[Ref, list[int]]:
    """An image with channels last, cut where its border is below 0, and the border that is left:
    left, right, top, bottom."""
    if any(n < 0 for pair in pairs for n in pair):
        axes = zip(pairs, ref.sizes[2:], strict=True)
        rows, columns = (slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in axes)
        ref = g.moved(ref, ref.places[:, :, rows, columns])
    down, across = ((max(a, 0), max(b, 0)) for a, b in pairs)
    return g.ordered(ref, LAST), [*across, *down]
