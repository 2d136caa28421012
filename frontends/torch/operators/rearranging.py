"""ATen operators that turn, shift, interleave or combine elements."""

from __future__ import annotations

import itertools
import math

import numpy as np

from nnir import build
from nnir.broadcast import axes_of
from nnir.dim import Expr
from nnir.errors import NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import index, shape
from nnir.recipes import shape as shape_recipes
from nnir.recipes.shape import (
    repeat_all,
    repeat_each,
    repeat_positions,
    require_rank,
)

from ...table import Items, Table

table = Table()


@table.convert("aten.flip.default")
def flip(self: Value, dims: tuple[int, ...]) -> Value:
    return shape_recipes.flip(self, dims)


@table.convert("aten.fliplr.default")
def fliplr(self: Value) -> Value:
    require_rank(self, 2)
    return flip(self, (1,))


@table.convert("aten.flipud.default")
def flipud(self: Value) -> Value:
    require_rank(self, 1)
    return flip(self, (0,))


@table.convert("aten.rot90.default")
def rot90(self: Value, k: int = 1, dims: tuple[int, ...] = (0, 1)) -> Value:
    a, b = axes_of(dims, self.rank)
    perm = list(range(self.rank))
    perm[a], perm[b] = b, a
    match k % 4:
        case 0:
            return self
        case 2:
            return flip(self, (a, b))
        case turns:
            flipped = flip(self, (b if turns == 1 else a,))
            return shape.transpose(flipped, perm=tuple(perm))


@table.convert("aten.roll.default")
def roll(self: Value, shifts: Index, dims: tuple[int, ...] = ()) -> Value:
    return shape_recipes.roll(self, shifts, dims)


@table.convert("aten.pixel_shuffle.default")
def pixel_shuffle(self: Value, upscale_factor: int) -> Value:
    return shape_recipes.pixel_shuffle(self, upscale_factor)


@table.convert("aten.pixel_unshuffle.default")
def pixel_unshuffle(self: Value, downscale_factor: int) -> Value:
    moved = shape_recipes.pixel_unshuffle(self, downscale_factor)
    return self if 0 in self.shape else moved  # PyTorch gives back what is empty as it is


@table.convert("aten.channel_shuffle.default", "aten.native_channel_shuffle.default")
def channel_shuffle(self: Value, groups: int) -> Value:
    return index.channel_shuffle(self, group=groups)


@table.convert("aten.meshgrid.default")
def meshgrid(tensors: Items) -> list[Value]:
    return shape_recipes.meshgrid(tensors)


@table.convert("aten.meshgrid.indexing")
def meshgrid_indexing(tensors: Items, *, indexing: str) -> list[Value]:
    match indexing:
        case "ij":
            return meshgrid(tensors)
        case "xy" if len(tensors) < 2:
            return meshgrid(tensors)
        case "xy":
            first, second, *rest = meshgrid(Items((tensors[1], tensors[0], *tensors[2:])))
            return [second, first, *rest]
    raise Unsupported(f"meshgrid with indexing={indexing!r}")


@table.convert("aten.cartesian_prod.default")
def cartesian_prod(tensors: Items) -> Value:
    if len(tensors) == 1:
        return tensors[0]
    columns = [shape.flatten(v, start_axis=0, end_axis=-1) for v in meshgrid(tensors)]
    return shape.stack(*columns, axis=1)


@table.convert("aten.combinations.default")
def combinations(self: Value, r: int = 2, with_replacement: bool = False) -> Value:
    require_rank(self, 1)
    size = self.shape[0]
    if isinstance(size, Expr):
        raise NotConstant(f"combinations of {self.type}")
    if r <= 0:
        return self.model.constant(np.zeros(0, self.dtype))
    build.arange(math.comb(size + (r - 1) * with_replacement, r) * r)  # too many are refused
    chosen = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(chosen(range(size), r)), np.int64).reshape(-1, r)
    return index.gather(self, rows, axis=0)


@table.convert("aten.repeat_interleave.self_int")
def repeat_interleave_int(
    self: Value, repeats: Index, dim: int | None = None, *, output_size: Index | None = None
) -> Value:
    return repeat_all(self, repeats, dim, output_size=output_size)


@table.convert("aten.repeat_interleave.self_Tensor")
def repeat_interleave(
    self: Value, repeats: Value, dim: int | None = None, *, output_size: Index | None = None
) -> Value:
    return repeat_each(self, repeats, dim, output_size=output_size)


@table.convert("aten.repeat_interleave.Tensor")
def repeat_interleave_tensor(repeats: Value, *, output_size: Index | None = None) -> Value:
    if repeats.shape == (0,):
        return repeats
    return repeat_positions(repeats, output_size).cast(repeats.precision)


@table.convert("aten.unfold.default")
def unfold(self: Value, dimension: int, size: int, step: int) -> Value:
    return shape_recipes.unfold(self, dimension, size, step)
