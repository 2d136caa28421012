"""ATen operators that see a tensor through its memory, and windows of images as columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, ints
from nnir.dim import Dim
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, compare, conv, generate, index, shape

from ..table import Table
from .translator import TorchTranslator

table = Table()

ELEMENTWISE = frozenset({"activation", "binary", "compare", "logic", "unary"})
"""Families whose results lie in memory as their operands do."""

MOVED = frozenset({"TRANSPOSE", "SLICE", "EXPAND", "SPLIT", "UNSTACK"})
"""What PyTorch gives as a view, with strides of its own."""

FARTHEST = 64


def in_order(x: Value) -> bool:
    """Whether the elements of `x` surely lie in PyTorch's memory one after the other."""
    waiting, seen = [x], 0
    while waiting and seen < FARTHEST:
        value = waiting.pop()
        seen += 1
        if value.constant is not None and not value.constant.flags.c_contiguous:
            return False
        made = value.producer
        if made is None:
            continue
        if made.operator.name in MOVED:
            return False
        if made.operator.family in ELEMENTWISE or made.operator.name.startswith("RESHAPE"):
            waiting += [v for v in made.inputs if v is not None and v.rank]
    return not waiting


def places(
    x: Value, size: Value, stride: Value, offset: Value | None, memory: Sequence[int] | None
) -> np.ndarray:
    """Which element of `x`, in its own order, each element of a strided view is.

    `memory`: where `x` begins in its memory, and its strides, as the export recorded them.
    """
    if memory is None and not in_order(x):
        raise Unsupported(f"the memory of {x.type}, which may be a view of something else")
    target, strides = ints(size), ints(stride)
    start = (0 if memory is None else memory[0],) if offset is None else ints(offset)
    if target is None or strides is None or start is None:
        raise NotConstant(f"strides of {x.type} that are only known while running")
    if not x.is_static:
        return _of_open_sizes(x, target, strides, start[0])
    count = math.prod(x.sizes)
    if len(target) != len(strides) or max(math.prod(target), count) > build.LARGEST_CONSTANT:
        raise Unsupported(f"as_strided to {target} by {strides}")
    where = _addresses(start[0], target, strides)
    own = np.arange(count)
    if memory is not None:
        own = _addresses(memory[0], x.sizes, memory[1:]).reshape(-1)
    order = np.argsort(own, kind="stable")
    found = np.searchsorted(own, where, sorter=order)
    if where.size and (found.max() == own.size or not np.array_equal(own[order[found]], where)):
        raise Unsupported(f"memory beyond {x.type}")
    return order[found]


def _of_open_sizes(x: Value, size: Sequence[int], strides: Sequence[int], start: int) -> np.ndarray:
    """Places that do not depend on the sizes of `x`; what is not there fails when running."""
    if not in_order(x):
        raise NotConstant(f"strides of {x.type} that are only known while running")
    if len(size) != len(strides) or math.prod(size) > build.LARGEST_CONSTANT:
        raise Unsupported(f"as_strided to {size} by {strides}")
    return _addresses(start, size, strides)


def _addresses(start: int, size: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """Where in memory each element of a tensor lies."""
    where = np.full((), start, np.int64)
    for length, step in zip(size, strides, strict=True):
        where = where[..., None] + np.arange(length) * step
    return where


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
    where = places(self, size, stride, storage_offset, translator.memory)
    if self.is_static:
        count = math.prod(d for d in self.shape if isinstance(d, int))
        if where.size == count and np.array_equal(where.reshape(-1), np.arange(count)):
            return self if where.shape == self.shape else _shaped(self, where.shape)
        perm = _permutation(self, where)
        if perm is not None:
            return shape.transpose(self, perm=perm)
    flat = self if self.rank == 1 else shape.flatten(self, start_axis=0, end_axis=-1)
    return index.gather(flat, where, axis=0)


def _shaped(x: Value, size: Sequence[int]) -> Value:
    return build.reshape(x, list(size))


def _permutation(x: Value, where: np.ndarray) -> tuple[int, ...] | None:
    """The order of axes that gives these positions, where one does."""
    if where.ndim != x.rank or where.ndim > 6 or sorted(where.shape) != sorted(map(int, x.shape)):  # type: ignore[arg-type]
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
    where = places(self, size, stride, storage_offset, translator.memory).reshape(-1, 1)
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
    """Every window of an image as a column: elements by rows, then by columns."""
    if self.rank not in (3, 4):
        raise BadType(f"im2col of {self.type}")
    n = self.rank - 2
    x = self
    if any(padding):
        x = shape.pad(self, [*[0, 0] * n, *(p for p in padding for _ in range(2))])
    pairs = list(zip(kernel_size, dilation, stride, strict=True))
    grids = [_grid(x, n + k, *pairs[k]) for k in range(2)]
    head, channels = build.sizes_of(x)[: n - 1], build.size_of(x, n - 1)
    (kh, oh), (kw, ow) = (build.sizes_of(g) for g in grids)
    if all(_tiles(g, x.shape[n + k]) for k, g in enumerate(grids)):
        cut = build.reshape(x, [*head, channels, oh, kh, ow, kw])
        windows = shape.transpose(cut, perm=(*range(n), n + 1, n + 3, n, n + 2))
    else:
        rows = index.gather(x, grids[0], axis=n)
        both = index.gather(rows, grids[1], axis=n + 2)
        windows = shape.transpose(both, perm=(*range(n), n, n + 2, n + 1, n + 3))
    taps = kernel_size[0] * kernel_size[1]
    return build.reshape(windows, [*head, build.times(channels, taps), build.times(oh, ow)])


def _grid(x: Value, axis: int, kernel: int, dilation: int, stride: int) -> Value:
    """The places along an axis [kernel, windows] of the elements of every window."""
    length, reach = x.shape[axis], dilation * (kernel - 1)
    taps = build.arange(kernel)[:, None] * dilation
    if isinstance(length, int):
        count = (length - reach - 1) // stride + 1
        build.arange(kernel * max(count, 0))  # too many are refused
        return x.model.constant(taps + np.arange(count) * stride)
    last = build.vector(x.model, [build.minus(build.size_of(x, axis), reach)])
    result: Value = generate.range_([0], last, [stride]) + taps
    return result


def _tiles(grid: Value, length: Dim) -> bool:
    """Whether windows lie side by side and fill an axis."""
    known = grid.constant
    if known is None or known.size != length:
        return False
    return np.array_equal(known.T.reshape(-1), np.arange(known.size))


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
    if in_order(self):
        return model.constant(np.int64(0))
    source = made.inputs[0] if made is not None and made.operator is index.slice_ else None
    axes = None if made is None or source is None else ints(made.inputs[1])
    if made is None or source is None or axes is None or not in_order(source):
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
    if not in_order(self):
        raise Unsupported(f"the strides of {self.type}")
    lengths = [max(n, 1) if isinstance(n, int) else n for n in build.sizes_of(self)]
    steps = [build.product(lengths[k + 1 :]) for k in range(self.rank)]
    return [shape.reshape(build.vector(self.model, [step]), []) for step in steps]


@table.convert("aten.sym_stride.int")
def sym_stride(self: Value, dim: int, *, translator: TorchTranslator) -> Value:
    return sym_strides(self, translator=translator)[axis_of(dim, self.rank)]
