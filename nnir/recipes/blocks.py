"""Moves between space, batch and channels, as TensorFlow and TFLite have them."""

from __future__ import annotations

from collections.abc import Sequence

from .. import build
from ..broadcast import ints
from ..errors import BadType
from ..model import Value
from ..ops import index, shape
from .layout import is_channels_last, to_channels_first, to_channels_last


def space_to_batch(x: Value, block: Sequence[int], paddings: Value) -> Value:
    """Pad, cut every axis into blocks, and put the places within them in front of the batch."""
    count = len(block)
    _require_axes(x, count)
    batch, *rest = build.sizes_of(x)
    others = rest[count:]
    known = ints(paddings)
    if known is None or any(known):
        middle = build.elements(shape.reshape(build.int64(paddings), [2 * count]))
        x = shape.pad(
            x, build.vector(x.model, [0, 0, *middle, *[0, 0] * (x.rank - 1 - count)], negative=True)
        )
    space = build.sizes_of(x)[1 : count + 1]
    for size, b in zip(space, block, strict=True):
        if isinstance(size, int) and size % b:
            raise BadType(f"blocks of {b} in a padded axis of {size}")
    cuts = [part for n, b in zip(space, block, strict=True) for part in (build.over(n, b), b)]
    split = build.reshape(x, [batch, *cuts, *others])
    inner, outer = range(2, 2 * count + 1, 2), range(1, 2 * count, 2)
    moved = shape.transpose(split, perm=(*inner, 0, *outer, *range(2 * count + 1, split.rank)))
    whole = build.product([batch, *block])
    return build.reshape(moved, [whole, *cuts[::2], *others])


def batch_to_space(x: Value, block: Sequence[int], crops: Value) -> Value:
    """The inverse of `space_to_batch_of`."""
    count = len(block)
    _require_axes(x, count)
    batch, *rest = build.sizes_of(x)
    space, others = rest[:count], rest[count:]
    total = int(build.product(list(block)))  # type: ignore[arg-type]
    if isinstance(batch, int) and batch % total:
        raise BadType(f"blocks of {total} places in a batch of {batch}")
    fewer = build.over(batch, total)
    split = build.reshape(x, [*block, fewer, *space, *others])
    pairs = [a for k in range(count) for a in (count + 1 + k, k)]
    moved = shape.transpose(split, perm=(count, *pairs, *range(2 * count + 1, split.rank)))
    grown = [build.times(n, b) for n, b in zip(space, block, strict=True)]
    return _crop(build.reshape(moved, [fewer, *grown, *others]), crops, count)


def _crop(x: Value, crops: Value, count: int) -> Value:
    known = ints(crops)
    if known is not None and not any(known):
        return x
    cuts = build.elements(shape.reshape(build.int64(crops), [2 * count]))
    ends: list[build.Size] = []
    for k, cut in enumerate(cuts[1::2]):
        if isinstance(cut, int):
            ends.append(-cut or build.END)
        else:
            ends.append(build.minus(build.size_of(x, k + 1), cut))
    axes = list(range(1, count + 1))
    return index.slice_(
        x,
        axes,
        build.vector(x.model, cuts[::2], negative=True),
        build.vector(x.model, ends, negative=True),
    )


def _require_axes(x: Value, count: int) -> None:
    if x.rank < 1 + count:
        raise BadType(f"{count} block sizes for {x.type}")


def space_to_depth(input: Value, *, block_size: int, data_format: str = "NHWC") -> Value:
    """Blocks of pixels as channels of one pixel."""
    x = input if is_channels_last(data_format) else to_channels_last(input)
    n, h, w, c = _image_sizes(x)
    b = block_size
    rows, columns = build.over(h, b), build.over(w, b)
    split = build.reshape(x, [n, rows, b, columns, b, c])
    moved = shape.transpose(split, perm=(0, 1, 3, 2, 4, 5))
    result = build.reshape(moved, [n, rows, columns, build.times(c, b * b)])
    return result if is_channels_last(data_format) else to_channels_first(result)


def depth_to_space(input: Value, *, block_size: int, data_format: str = "NHWC") -> Value:
    """Channels of one pixel as a block of pixels."""
    x = input if is_channels_last(data_format) else to_channels_last(input)
    n, h, w, c = _image_sizes(x)
    b = block_size
    depth = build.over(c, b * b)
    split = build.reshape(x, [n, h, w, b, b, depth])
    moved = shape.transpose(split, perm=(0, 1, 3, 2, 4, 5))
    result = build.reshape(moved, [n, build.times(h, b), build.times(w, b), depth])
    return result if is_channels_last(data_format) else to_channels_first(result)


def _image_sizes(x: Value) -> list[build.Size]:
    if x.rank != 4:
        raise BadType(f"an image is needed, not {x.type}")
    return build.sizes_of(x)
