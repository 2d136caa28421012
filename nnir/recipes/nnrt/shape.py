"""NNRt's operations that change how elements are arranged."""

from __future__ import annotations

import numpy as np

from ... import build
from ...broadcast import axes_of, axis_of
from ...errors import BadType, NotConstant, Unsupported
from ...model import Index, Value
from ...ops import shape
from ...types import Precision
from .. import blocks
from ..padding import pad_by_rows, pad_mirrored
from ..shape import (
    expand_to,
    permute,
    shape_vector,
    split_by_lengths,
    split_evenly,
)
from ..shape import tile as tile_all
from ..shape import (
    unstack as unstack_along,
)
from . import Recipes

Ints = tuple[int, ...]


def reshape(input: Value, input_shape: Index) -> Value:
    """In another shape, of which one size may be -1."""
    return build.reshape_to(input, build.int64(input_shape))


def transpose(input: Value, permutation: Ints) -> Value:
    """The axes in another order."""
    return permute(input, permutation)


def squeeze(input: Value, *, axis: Ints) -> Value:
    """Without axes of one element; without all of them where none is named."""
    places = axes_of(axis, input.rank)
    if not axis:
        places = tuple(k for k, d in enumerate(input.shape) if d == 1)
    return shape.squeeze(input, list(places)) if places else input


def unsqueeze(input: Value, *, axis: Ints) -> Value:
    """With new axes of one element, at their places in the result."""
    if not axis:
        raise BadType(f"UNSQUEEZE of {input.type} without an axis: one at least is needed")
    return shape.unsqueeze(input, list(axes_of(axis, input.rank + len(axis))))


def expand_dims(input: Value, axis: int) -> Value:
    """With one new axis of one element."""
    return shape.unsqueeze(input, [axis_of(axis, input.rank, extra=1)])


def flatten(input: Value, *, axis: int) -> Value:
    """As a matrix: the axes before `axis` by those from it on."""
    place = axis_of(axis, input.rank, extra=1)
    sizes = build.sizes_of(input)
    return build.reshape(input, [build.product(sizes[:place]), build.product(sizes[place:])])


def concat(*input: Value, axis: int) -> Value:
    """Tensors one after the other along an axis."""
    return shape.concat(*input, axis=axis) if len(input) > 1 else input[0]


def stack(*input: Value, axis: int) -> Value:
    """Tensors one after the other along a new axis."""
    return shape.stack(*input, axis=axis)


def unstack(input: Value, *, axis: int) -> tuple[Value, ...]:
    """The slices along an axis."""
    count = input.shape[axis_of(axis, input.rank)]
    if not isinstance(count, int):
        raise NotConstant(f"UNSTACK of {input.type} along an axis of open size")
    return tuple(unstack_along(input, count=count, axis=axis))


def split(input: Value, *, output_num: int, size_splits: Ints, axis: int) -> tuple[Value, ...]:
    """`output_num` pieces, of one size where `size_splits` is empty."""
    if output_num < 1 or len(size_splits) not in (0, output_num):
        raise BadType(f"SPLIT in {output_num} parts of the sizes {list(size_splits)}")
    if not size_splits:
        return tuple(split_evenly(input, output_num, axis))
    size = input.shape[axis_of(axis, input.rank)]
    if isinstance(size, int) and (min(size_splits) < 0 or sum(size_splits) != size):
        raise BadType(f"SPLIT of an axis of {size} in parts of {list(size_splits)}")
    lengths = input.model.constant(list(size_splits), "int64")
    return tuple(split_by_lengths(input, lengths, axis))


def tile(input: Value, multiples: Index, *, dims: Ints | None = None) -> Value:
    """Several times along each axis, or along `dims`; new axes come first."""
    if dims is None:
        count = multiples.shape[0] if multiples.rank else 1
        if isinstance(count, int) and count < input.rank:
            raise BadType(f"TILE of {input.type} with {count} multiples: one for each axis")
        missing = count - input.rank if isinstance(count, int) else 0
        wide = shape.unsqueeze(input, list(range(missing))) if missing else input
        return tile_all(wide, build.int64(multiples))
    parts = build.elements(multiples)
    places = axes_of(dims, input.rank)
    if len(parts) != len(places) or len(set(places)) < len(places):
        raise BadType(f"TILE of {input.type} with {multiples.type} along {list(dims)}")
    times: list[build.Size] = [1] * input.rank
    for place, part in zip(places, parts, strict=True):
        times[place] = part
    return tile_all(input, build.vector(input.model, times))


def broadcast_to(input: Value, *, shape: Ints) -> Value:
    """Repeated along axes of one element, to a shape."""
    return expand_to(input, input.model.constant(list(shape), "int64"))


def pad(input_x: Value, paddings: Index, *, constant_values: float, padding_mode: int = 0) -> Value:
    """Elements around: one number (0), mirrored without (1) or with (2) the edge."""
    match padding_mode:
        case 0:
            return pad_by_rows(input_x, paddings, input_x.scalar(constant_values))
        case 1:
            return pad_mirrored(input_x, paddings, mode="REFLECT")
        case 2:
            return pad_mirrored(input_x, paddings, mode="SYMMETRIC")
    raise Unsupported(f"PAD with paddingMode={padding_mode}: 0, 1 or 2 is accepted")


def shape_of(input: Value) -> Value:
    """The sizes as a vector of INT32."""
    return shape_vector(input, Precision.INT32)


def rank(input: Value) -> Value:
    """How many axes there are."""
    return input.model.constant(np.int32(input.rank))


def _require_block(name: str, block: Ints, around: Ints) -> None:
    if min(block) < 1 or min(around) < 0:
        raise BadType(f"{name} with blocks of {list(block)} and {list(around)} around")


def batch_to_space_nd(input: Value, *, block_size: Ints, crops: Ints) -> Value:
    """Parts of the batch as blocks of an image, of which the border goes."""
    _require_block("BATCH_TO_SPACE_ND", block_size, crops)
    rows = input.model.constant(np.reshape(crops, (2, 2)).astype(np.int64))
    return blocks.batch_to_space(input, block_size, rows)


def space_to_batch_nd(input: Value, *, block_shape: Ints, paddings: Ints) -> Value:
    """Blocks of a padded image as parts of the batch."""
    _require_block("SPACE_TO_BATCH_ND", block_shape, paddings)
    rows = input.model.constant(np.reshape(paddings, (2, 2)).astype(np.int64))
    return blocks.space_to_batch(input, block_shape, rows)


def depth_to_space(input: Value, *, block_size: int, mode: int) -> Value:
    """Channels as blocks of pixels: the block counts before (0) or behind (1) the channels."""
    if mode not in (0, 1) or block_size < 1:
        raise BadType(f"DEPTH_TO_SPACE with blockSize={block_size} and mode={mode}")
    channels = input.shape[3]
    if isinstance(channels, int) and channels % (block_size * block_size):
        raise BadType(f"DEPTH_TO_SPACE of {input.type} in blocks of {block_size}")
    if mode == 0:
        return blocks.depth_to_space(input, block_size=block_size)
    n, h, w, c = build.sizes_of(input)
    depth = build.over(c, block_size * block_size)
    parts = build.reshape(input, [n, h, w, depth, block_size, block_size])
    moved = shape.transpose(parts, perm=(0, 1, 4, 2, 5, 3))
    sizes = [n, build.times(h, block_size), build.times(w, block_size), depth]
    return build.reshape(moved, sizes)


def space_to_depth(input: Value, *, block_size: int) -> Value:
    """Blocks of pixels as channels."""
    known = [d for d in input.shape[1:3] if isinstance(d, int)]
    if block_size < 1 or any(d % block_size for d in known):
        raise BadType(f"SPACE_TO_DEPTH of {input.type} in blocks of {block_size}")
    return blocks.space_to_depth(input, block_size=block_size)


RECIPES: Recipes = {
    "BATCH_TO_SPACE_ND": batch_to_space_nd,
    "BROADCAST_TO": broadcast_to,
    "CONCAT": concat,
    "DEPTH_TO_SPACE": depth_to_space,
    "EXPAND_DIMS": expand_dims,
    "FLATTEN": flatten,
    "PAD": pad,
    "RANK": rank,
    "RESHAPE": reshape,
    "SHAPE": shape_of,
    "SPACE_TO_BATCH_ND": space_to_batch_nd,
    "SPACE_TO_DEPTH": space_to_depth,
    "SPLIT": split,
    "SQUEEZE": squeeze,
    "STACK": stack,
    "TILE": tile,
    "TRANSPOSE": transpose,
    "UNSQUEEZE": unsqueeze,
    "UNSTACK": unstack,
}
