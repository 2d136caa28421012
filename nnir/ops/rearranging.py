"""CHANNEL_SHUFFLE by other operators."""

from __future__ import annotations

from .. import build
from ..model import Value
from . import index, shape


@index.channel_shuffle.decomposes
def _by_transposing(input: Value, *, group: int) -> Value:
    n, c, *rest = build.sizes_of(input)
    split = build.reshape(input, [n, group, build.over(c, group), *rest])
    perm = (0, 2, 1, *range(3, input.rank + 1))
    return build.reshape(shape.transpose(split, perm=perm), [n, c, *rest])
