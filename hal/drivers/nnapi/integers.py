"""Operations on integers in place of dequantised numbers, an operation on them, and rounding.

The steps in FLOAT32 are there when this begins; those that nothing reads any more are left out.
A result may differ from theirs by one step of its scale. None: no operation on integers fits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from nnir.formats.nnapi.structures import FusedActivation, OperationType

from .emitter import FUSING, Argument, Emitter
from .graph import INT, QUANT, Step, Tensor

Grid = tuple[float, int]
Rule = Callable[[Emitter, Step, Grid, int], Tensor | None]

PROBABILITIES = (1 / 256, 0)
RECTIFIERS = {
    OperationType.RELU: FusedActivation.RELU,
    OperationType.RELU1: FusedActivation.RELU1,
    OperationType.RELU6: FusedActivation.RELU6,
}
NONE = FusedActivation.NONE
LIMIT = 1 << 31


def round_to(g: Emitter, tensor: Tensor, grid: Grid, code: int = NONE) -> Tensor | None:
    """The integers that a tensor of FLOAT32 is rounded to, behind an activation."""
    key = (tensor, "rounded", grid, code)
    if key in g.memo:
        return g.memo[key]
    found, twin = None, source(g, tensor)
    step = g.makers.get(tensor)
    if twin is not None:
        found = rescale_to(g, twin, grid, code)
    elif tensor.data is not None:
        found = store_exactly(tensor, grid) if code == NONE else None
    elif step is not None and step.type in RULES:
        found = RULES[step.type](g, step, grid, code)
    return None if found is None else g.remember(key, found)


def store_exactly(tensor: Tensor, grid: Grid) -> Tensor | None:
    """A constant whose numbers are all on the grid, as a border of zeros is."""
    data, (scale, zero) = np.asarray(tensor.data), grid
    steps = np.rint(data / np.float32(scale)) + zero
    inside = np.all((steps >= 0) & (steps <= 255))
    if not inside or np.any((steps - zero).astype(np.float32) * np.float32(scale) != data):
        return None
    return Tensor(QUANT, tensor.dims, steps.astype(np.uint8), *grid)


def rescale_to(g: Emitter, integers: Tensor, grid: Grid, code: int) -> Tensor:
    """The same real numbers in steps of another scale: the sum with 0, which is rescaled."""
    if integers.grid == grid and code == NONE:
        return integers
    nothing = Tensor(QUANT, (1,), np.array([grid[1]], np.uint8), *grid)
    return _emit(g, OperationType.ADD, [integers, nothing, int(code)], integers.dims, grid)


def _emit(
    g: Emitter,
    type: OperationType,
    inputs: Sequence[Argument],
    dims: tuple[int, ...],
    grid: Grid,
) -> Tensor:
    return g.step(type, inputs, dims, QUANT, grid)


def source(g: Emitter, tensor: Tensor | None) -> Tensor | None:
    """The integers that an operand stands for."""
    twin = None if tensor is None else g.twins.get(tensor)
    return twin if twin is not None and twin.type == QUANT else None


def fuse_codes(step: Step, code: int) -> int | None:
    """The activation of a step with one behind it; None where there are two."""
    own = step.inputs[-1]
    inner = NONE if own is None or own.data is None else int(own.data)
    if inner != NONE and code not in (NONE, inner):
        return None
    return inner or code


def sum_products(g: Emitter, step: Step, grid: Grid, code: int) -> Tensor | None:
    """Sums of products with constant or computed weights, with a constant bias of 32 bits."""
    x, weights = source(g, step.inputs[0]), source(g, step.inputs[1])
    both = fuse_codes(step, code)
    if x is None or weights is None or both is None:
        return None
    product = float(np.float32(x.scale * weights.scale))
    bias = _bias(g, step.inputs[2], product)
    if bias is None or not grid[0] > x.scale * weights.scale:
        return None
    inputs = [x, weights, bias, *step.inputs[3:-1], both]
    return _emit(g, step.type, inputs, step.outputs[0].dims, grid)


def _bias(g: Emitter, tensor: Tensor | None, product: float) -> Tensor | None:
    """A bias in steps of the products: its own integers, or rounded to them."""
    if tensor is None or tensor.data is None or not product:
        return None
    twin = g.twins.get(tensor)
    if twin is not None and twin.type == INT and np.isclose(twin.scale, product, atol=0):
        return Tensor(INT, tensor.dims, twin.data, product)
    steps = np.rint(tensor.data.astype(np.float64) / product)
    if not np.all(np.abs(steps) < LIMIT):
        return None
    return Tensor(INT, tensor.dims, steps.astype(np.int32), product)


def combine_integers(g: Emitter, step: Step, grid: Grid, code: int) -> Tensor | None:
    """Sums and products of two tensors."""
    a, b = (source(g, t) for t in step.inputs[:2])
    both = fuse_codes(step, code)
    if a is None or b is None or both is None:
        return None
    if step.type == OperationType.MUL and not grid[0] > a.scale * b.scale:
        return None
    return _emit(g, step.type, [a, b, both], step.outputs[0].dims, grid)


def rectify_integers(g: Emitter, step: Step, grid: Grid, code: int) -> Tensor | None:
    """An activation goes into the operation before it, or into the change of scale."""
    inner = step.inputs[0]
    own = RECTIFIERS[step.type]
    if inner is None or code not in (NONE, own):
        return None
    integers = source(g, inner)
    if integers is not None and integers.grid == grid:
        return _emit(g, step.type, [integers], step.outputs[0].dims, grid)
    maker = g.makers.get(inner)
    if integers is None and (maker is None or maker.type not in FUSING):
        return None
    return round_to(g, inner, grid, own)


def average_integers(g: Emitter, step: Step, grid: Grid, code: int) -> Tensor | None:
    """A mean keeps the scale of its operand; to another one it is a sum of products with 1 / count,
    which rounds once."""
    x, both = source(g, step.inputs[0]), fuse_codes(step, code)
    if x is None or both is None:
        return None
    if x.grid == grid:
        inputs = [x, *step.inputs[1:-1], both]
        return _emit(g, step.type, inputs, step.outputs[0].dims, grid)
    *window, width, height = (int(np.asarray(t.data)) for t in step.inputs[1:-1] if t is not None)
    depth, count = x.dims[3], width * height
    product = float(np.float32(x.scale / count))
    if any(window[:4]) or not grid[0] > product:
        return None
    ones = Tensor(QUANT, (1, height, width, depth), np.ones((1, height, width, depth), np.uint8))
    ones.scale = float(np.float32(1 / count))
    nothing = Tensor(INT, (depth,), np.zeros(depth, np.int32), x.scale * ones.scale)
    more = [ones, nothing, *step.inputs[1:7], 1, both]
    dims = step.outputs[0].dims
    return _emit(g, OperationType.DEPTHWISE_CONV_2D, [x, *more], dims, grid)


def pool_largest(g: Emitter, step: Step, grid: Grid, code: int) -> Tensor | None:
    """The largest integer is that of the largest number; it keeps the scale of the operand."""
    x, both = source(g, step.inputs[0]), fuse_codes(step, code)
    if both is None or step.inputs[0] is None:
        return None
    x = x or round_to(g, step.inputs[0], grid)
    if x is None:
        return None
    inputs = [x, *step.inputs[1:-1], NONE]
    dims = step.outputs[0].dims
    return rescale_to(g, _emit(g, step.type, inputs, dims, x.grid), grid, both)


def squash_integers(g: Emitter, step: Step, grid: Grid, code: int) -> Tensor | None:
    """What lies between 0 and 1 has a scale of its own, which must not be the coarser one."""
    x = source(g, step.inputs[0])
    if x is None or grid[0] < PROBABILITIES[0]:
        return None
    made = _emit(g, step.type, [x, *step.inputs[1:]], step.outputs[0].dims, PROBABILITIES)
    return rescale_to(g, made, grid, code)


def move_integers(g: Emitter, step: Step, grid: Grid, code: int) -> Tensor | None:
    """What moves elements moves integers of the scale that is asked for."""
    inputs: list[Argument] = []
    for tensor in step.inputs:
        if tensor is None or tensor.type != step.outputs[0].type:
            inputs.append(tensor)
            continue
        found = round_to(g, tensor, grid, code)
        if found is None:
            return None
        inputs.append(found)
    return _emit(g, step.type, inputs, step.outputs[0].dims, grid)


RULES: dict[OperationType, Rule] = {
    OperationType.CONV_2D: sum_products,
    OperationType.DEPTHWISE_CONV_2D: sum_products,
    OperationType.FULLY_CONNECTED: sum_products,
    OperationType.ADD: combine_integers,
    OperationType.MUL: combine_integers,
    **dict.fromkeys(RECTIFIERS, rectify_integers),
    OperationType.AVERAGE_POOL_2D: average_integers,
    OperationType.MAX_POOL_2D: pool_largest,
    OperationType.LOGISTIC: squash_integers,
    OperationType.SOFTMAX: squash_integers,
    OperationType.RESHAPE: move_integers,
    OperationType.CONCATENATION: move_integers,
    OperationType.EMBEDDING_LOOKUP: move_integers,
}
