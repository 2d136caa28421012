"""ATen operators that see a tensor through its memory, and windows of images as columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, ints
from nnir.errors import Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, compare, conv, index, shape
from nnir.recipes import strided as strided_recipes
from nnir.recipes.strided import is_contiguous, strided_positions

from ...table import Table
from ..translator import TorchTranslator

table = Table()


@table.convert("aten.as_strided.default")
def as_strided(
    self: Value,
    size: Index,
    stride: Index,
    storage_offset: Index | None = None,
    *,
    translator: TorchTranslator,
) -> Value:
    """A permutation where the strides are those of one, else elements by their positions."""
    where = strided_positions(self, size, stride, storage_offset, translator.memory)
    if self.is_static:
        count = math.prod(d for d in self.shape if isinstance(d, int))
        if where.size == count and np.array_equal(where.reshape(-1), np.arange(count)):
            return self if where.shape == self.shape else _reshape_to(self, where.shape)
        perm = _permutation(self, where)
        if perm is not None:
            return shape.transpose(self, perm=perm)
    flat = self if self.rank == 1 else shape.flatten(self, start_axis=0, end_axis=-1)
    return index.gather(flat, where, axis=0)


def _reshape_to(x: Value, size: Sequence[int]) -> Value:
    return build.reshape(x, list(size))


def _permutation(x: Value, where: np.ndarray) -> tuple[int, ...] | None:
    """The order of axes that gives these positions, where one does."""
    if where.ndim != x.rank or sorted(where.shape) != sorted(map(int, x.shape)):  # type: ignore[arg-type]
        return None
    memory = np.arange(where.size).reshape(x.shape)  # type: ignore[arg-type]
    steps = [s // memory.itemsize for s in memory.strides]
    mine = [
        int(where.take(1, k).flat[0] - where.flat[0]) if where.shape[k] > 1 else None
        for k in range(where.ndim)
    ]
    perm: list[int] = []
    for size, step in zip(where.shape, mine, strict=True):
        fits = [
            k
            for k in range(x.rank)
            if k not in perm and x.shape[k] == size and (step is None or steps[k] == step)
        ]
        if not fits:
            return None
        perm.append(fits[0])
    return tuple(perm) if np.array_equal(memory.transpose(perm), where) else None


@table.convert("aten.as_strided_scatter.default")
def as_strided_scatter(
    self: Value,
    src: Value,
    size: Index,
    stride: Index,
    storage_offset: Index | None = None,
    *,
    translator: TorchTranslator,
) -> Value:
    where = strided_positions(self, size, stride, storage_offset, translator.memory).reshape(-1, 1)
    flat = shape.flatten(self, start_axis=0, end_axis=-1)
    updates = shape.flatten(src, start_axis=0, end_axis=-1)
    return build.reshape(index.scatter_nd(flat, where, updates), build.sizes_of(self))


@table.convert("aten.im2col.default")
def im2col(
    self: Value,
    kernel_size: tuple[int, ...],
    dilation: tuple[int, ...],
    padding: tuple[int, ...],
    stride: tuple[int, ...],
) -> Value:
    return strided_recipes.im2col(self, kernel_size, dilation, padding, stride)


@table.convert("aten.col2im.default")
def col2im(
    self: Value,
    output_size: Index,
    kernel_size: tuple[int, ...],
    dilation: tuple[int, ...],
    padding: tuple[int, ...],
    stride: tuple[int, ...],
) -> Value:
    columns = self if self.rank == 3 else shape.unsqueeze(self, [0])
    image = conv.col_2_im(
        columns,
        output_size,
        list(kernel_size),
        dilations=dilation,
        pads=tuple(p for p in padding for _ in range(2)),
        strides=stride,
    )
    return image if self.rank == 3 else shape.squeeze(image, [0])


@table.convert("aten.sym_storage_offset.default")
def sym_storage_offset(self: Value, *, translator: TorchTranslator) -> Value:
    """Where a tensor begins in its memory: at 0, or where it was cut out."""
    model, made = self.model, self.producer
    if translator.memory is not None:
        return model.constant(np.int64(translator.memory[0]))
    if is_contiguous(self):
        return model.constant(np.int64(0))
    source = made.inputs[0] if made is not None and made.operator is index.slice_ else None
    axes = None if made is None or source is None else ints(made.inputs[1])
    if made is None or source is None or axes is None or not is_contiguous(source):
        raise Unsupported(f"the place in memory of {self.type}")
    offset = model.constant(np.zeros(1, np.int64))
    for k, axis in enumerate(axes):
        size = build.vector(model, [build.size_of(source, axis)])
        start = index.slice_(made.inputs[2], [0], [k], [k + 1])
        start = compare.where(start < 0, start + size, start)
        start = binary.max_(binary.min_(start, size), [0])
        step = build.vector(model, [build.product(build.sizes_of(source)[axis + 1 :])])
        offset = offset + start * step
    return shape.reshape(offset, [])


@table.convert("aten.sym_stride.default")
def sym_strides(self: Value, *, translator: TorchTranslator) -> list[Value]:
    if translator.memory is not None:
        return [self.model.constant(np.int64(n)) for n in translator.memory[1:]]
    if not is_contiguous(self):
        raise Unsupported(f"the strides of {self.type}")
    lengths = [max(n, 1) if isinstance(n, int) else n for n in build.sizes_of(self)]
    steps = [build.product(lengths[k + 1 :]) for k in range(self.rank)]
    return [shape.reshape(build.vector(self.model, [step]), []) for step in steps]


@table.convert("aten.sym_stride.int")
def sym_stride(self: Value, dim: int, *, translator: TorchTranslator) -> Value:
    return sym_strides(self, translator=translator)[axis_of(dim, self.rank)]
