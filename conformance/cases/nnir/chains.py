"""Models of a few operations: what devices do between operations, not in one.

How results are stored (channels last, or the order of the model), what is made once and read twice,
which activation goes into which operation, which scale belongs to which integers, and what an
output is that no operation makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import NNAdapterError
from nnir.evaluate import Plan
from nnir.operator import Operator
from nnir.ops import (
    activation,
    attention,
    binary,
    compare,
    conv,
    index,
    linear,
    norm,
    pool,
    quant,
    reduce,
    resize,
    shape,
    unary,
)
from nnir.types import Fuse, PadMode, Precision

from ...case import Const, Tolerance, f, i, rand, scalar
from .graph import GraphCase, Open, Step

SUMS = Tolerance(relative=1e-5, absolute=1e-5)
QUANTUM = Tolerance(absolute=0.1001)
"""A step of the result of `whole`, where a sum lies near a half."""


@dataclass(frozen=True)
class Chain(GraphCase):
    """A model that is a case; its operator is that of the first step, or ASSIGN without any."""

    tol: Tolerance = SUMS
    raises: type[NNAdapterError] | None = None

    def __str__(self) -> str:
        return f"{self.op}-chain-{self.why}"

    @property
    def operator(self) -> Operator[Any]:
        return self.steps[0].operator

    @property
    def op(self) -> str:
        return self.operator.name

    def tolerance(self, dtype: np.dtype) -> Tolerance:
        """Of every result."""
        return self.tol

    def wanted(self) -> list[np.ndarray]:
        """What the references give."""
        return list(Plan(self.model()).run(self.arrays()))


IMAGE = rand(2, 3, 5, 4)
TAPS, SHIFT = Const(rand(4, 3, 2, 3, seed=1)), Const(rand(4, seed=2))
SAME: dict[str, Any] = {"pads": (0, 1, 1, 1), "strides": (1, 1), "dilations": (1, 1)}
CONVOLVED = Step(conv.conv_2d, (0, TAPS, SHIFT), SAME)
"""Of `IMAGE` in [2, 4, 5, 4]: no two axes that differ in meaning are told apart by chance."""

BYTES = rand(2, 3, 5, 4, dtype=np.int8, low=-128, high=127)
ZERO = Const(scalar(3, np.int8))


def real(value: int, scale: float = 0.05) -> Step:
    """What integers of one scale stand for."""
    return Step(quant.dequantize_linear, (value, Const(scalar(scale)), ZERO))


def whole(value: int, scale: float = 0.05) -> Step:
    """Integers of one scale for real numbers."""
    operands = value, Const(scalar(scale)), ZERO
    return Step(quant.quantize_linear, operands, {"dtype": Precision.INT8})


BEHIND: dict[str, tuple[Step, ...]] = {
    "a number for each channel": (Step(binary.mul, (1, Const(rand(4, 1, 1)))),),
    "a number for each column": (Step(binary.sub, (1, Const(rand(4)))),),
    "a number for each row and channel": (Step(binary.add, (1, Const(rand(4, 5, 1)))),),
    "one number": (Step(binary.add, (1, Const(scalar(2)))),),
    "a stack of one": (Step(binary.mul, (1, Const(rand(1, 1, 1, 1, 1)))),),
    "five axes": (Step(binary.mul, (1, Const(rand(2, 1, 1, 1, 4)))),),
    "itself the other way round": (
        Step(shape.transpose, (1,), {"perm": (0, 1, 3, 2)}),
        Step(index.slice_, (1, Const(i(2)), Const(i(0)), Const(i(4)), None)),
        Step(index.slice_, (1, Const(i(3)), Const(i(0)), Const(i(4)), None)),
        Step(index.slice_, (4, Const(i(2)), Const(i(0)), Const(i(4)), None)),
        Step(binary.add, (5, 3)),
    ),
    "a transpose to channels last": (Step(shape.transpose, (1,), {"perm": (0, 2, 3, 1)}),),
    "transposes that cancel": (
        Step(shape.transpose, (1,), {"perm": (3, 0, 1, 2)}),
        Step(unary.neg, (2,)),
        Step(shape.transpose, (3,), {"perm": (1, 2, 3, 0)}),
    ),
    "rows of channels and columns": (
        Step(shape.transpose, (1,), {"perm": (0, 2, 1, 3)}),
        Step(shape.reshape, (2, Const(i(10, 16)))),
    ),
    "a flat row, twice": (
        Step(shape.reshape, (1, Const(i(2, 80)))),
        Step(shape.reshape, (2, Const(i(2, 4, 20)))),
        Step(shape.reshape, (3, Const(i(160)))),
    ),
    "sums over channels": (
        Step(reduce.reduce_sum, (1, Const(i(1))), {"keepdim": False}),
        Step(reduce.reduce_max, (2, Const(i(1))), {"keepdim": True}),
    ),
    "sums over rows, kept": (
        Step(reduce.reduce_sum, (1, Const(i(2))), {"keepdim": True}),
        Step(binary.div, (1, 2)),
    ),
    "the largest channel": (
        Step(reduce.arg_max, (1,), {"axis": 1, "keepdim": False}),
    ),
    "softmax over channels": (Step(activation.softmax, (1,), {"axis": 1}),),
    "softmax over rows": (Step(activation.softmax, (1,), {"axis": 2}),),
    "channels beside the image": (
        Step(shape.concat, (1, 0), {"axis": 1}),
        Step(pool.max_pool_2d, (2,), {"kernel_shape": (2, 2), "strides": (1, 2)}),
    ),
    "rows behind a constant": (
        Step(shape.concat, (Const(rand(2, 4, 1, 4)), 1), {"axis": 2}),
    ),
    "pieces of channels": (
        Step(shape.split, (1, Const(i(1, 3))), {"axis": 1}),
        Step(binary.mul, (3, 2)),
    ),
    "every second row": (
        Step(index.slice_, (1, Const(i(2, 1)), Const(i(4, 0)), Const(i(-9, 4)),
                            Const(i(-2, 3)))),
    ),
    "a border of channels": (
        Step(shape.pad, (1, Const(i(0, 0, 1, 2, 0, 0, 3, 0)), Const(scalar(7)))),
    ),
    "chosen channels": (Step(index.gather, (1, Const(i(3, 0)),), {"axis": 1}),),
    "an upside down border": (
        Step(shape.pad, (1, Const(i(0, 0, 0, 1, 1, 2, -1, 1)), None),
             {"mode": PadMode.REFLECT}),
    ),
    "a matrix": (Step(linear.mat_mul, (1, Const(rand(4, 3)))),),
    "the transposed matrix": (
        Step(shape.transpose, (1,), {"perm": (0, 1, 3, 2)}),
        Step(linear.mat_mul, (1, 2)),
    ),
    "slopes": (Step(activation.prelu, (1, Const(rand(4)))),),
    "one slope": (Step(activation.prelu, (1, Const(f(0.5)))),),
    "norms": (
        Step(norm.batch_normalization,
             (1, *(Const(rand(4, seed=k, low=0.5, high=2)) for k in range(4))),
             {"epsilon": 1e-3}),
    ),
}  # fmt: skip
"""What engines store with channels last is value 1, the result the last one."""


def stored() -> Iterator[Chain]:
    """What stands behind a convolution, whose result engines store with channels last."""
    for why, steps in BEHIND.items():
        yield Chain((IMAGE,), (CONVOLVED, *steps), why=why)


def read_twice() -> Iterator[Chain]:
    """What is read or asked for more than once, and outputs that no operation makes."""
    twice = (CONVOLVED, Step(activation.relu, (1,)), Step(activation.relu6, (1,)))
    yield Chain((IMAGE,), twice, why="two activations", outputs=(2, 3))
    yield Chain((IMAGE,), twice[:2], why="with its activation", outputs=(1, 2))
    yield Chain((IMAGE,), twice[:2], why="the same output twice", outputs=(2, 2))
    yield Chain((IMAGE,), (*twice[:2], Step(activation.relu6, (2,))), why="activations in a row")
    yield Chain(
        (IMAGE,), (Step(unary.neg, (0,)),), why="an input that is an output", outputs=(0, 1)
    )
    yield Chain((IMAGE,), (Step(shape.reshape, (0, Const(i(6, 20)))),), why="a view and its source",
                outputs=(1, 0))  # fmt: skip
    yield Chain((IMAGE,), (Step(binary.add, (0, 0)), Step(binary.mul, (1, 1))), why="both operands")
    turned = Step(shape.transpose, (0,), {"perm": (1, 0, 3, 2)})
    yield Chain((IMAGE,), (turned,), why="an input turned, and as it is", outputs=(1, 0))
    yield Chain(
        (IMAGE,), (turned, turned, Step(unary.abs_, (2,))), why="turned twice", outputs=(1, 3)
    )
    for words, array in (("rows", rand(2, 3, dtype=np.int32)), ("a vector", i(4, 5))):
        yield Chain((IMAGE, array), (Step(unary.neg, (0,)),), outputs=(2, 1),
                    why=f"{words} of integers that are an output")  # fmt: skip
    constant = Step(binary.add, (Const(f(1, 2)), Const(f(3, 4))))
    yield Chain(
        (IMAGE,), (Step(unary.neg, (0,)), constant), why="a constant output", outputs=(1, 2)
    )


def scaled() -> Iterator[Chain]:
    """Integers and their scales."""
    yield Chain((BYTES,), (real(0), real(0, 0.5)), why="two scales of the same integers",
                outputs=(1, 2))  # fmt: skip
    yield Chain((BYTES,), (real(0), Step(binary.add, (0, Const(scalar(1, np.int8))))),
                why="integers that are also real", outputs=(1, 2))  # fmt: skip
    yield Chain((BYTES,), (real(0), real(0)), why="the same scale twice", outputs=(1, 2))
    yield Chain((BYTES, BYTES[::-1].copy()),
                (real(0), real(1, 0.25), Step(shape.concat, (0, 1), {"axis": 1})),
                why="integers of two scales joined", outputs=(2, 3, 4))  # fmt: skip
    yield Chain((BYTES, BYTES[::-1].copy()),
                (real(0), real(1), Step(shape.concat, (0, 1), {"axis": 1}), real(4)),
                why="integers of one scale joined", outputs=(2, 5))  # fmt: skip
    for why, step in {
        "turned": Step(shape.transpose, (0,), {"perm": (0, 2, 3, 1)}),
        "reshaped": Step(shape.reshape, (0, Const(i(6, 20)))),
        "cut": Step(index.slice_, (0, Const(i(3)), Const(i(1)), Const(i(3)), None)),
        "chosen": Step(index.gather, (0, Const(i(2, 0))), {"axis": 1}),
        "largest": Step(reduce.reduce_max, (0, Const(i(1))), {"keepdim": False}),
    }.items():
        yield Chain((BYTES,), (step, real(1)), why=f"integers {why} before they are real")
        yield Chain((BYTES,), (real(0), Step(step.operator, (1, *step.operands[1:]), step.attrs),
                               whole(2)), why=f"real, {why}, integers again")  # fmt: skip
    convolved = Step(conv.conv_2d, (1, TAPS, SHIFT), SAME)
    yield Chain((BYTES,), (real(0), convolved, whole(2, 0.1), real(3, 0.1)),
                why="a convolution between integers", tol=QUANTUM)  # fmt: skip
    yield Chain((BYTES,), (real(0), Step(activation.relu, (1,)), whole(2), real(3),
                           Step(shape.transpose, (4,), {"perm": (0, 2, 3, 1)})),
                why="an activation between integers", outputs=(3, 5))  # fmt: skip


Grid = tuple[float, int]
SMALL = {np.int8: (0.05, 3), np.uint8: (0.05, 120)}
"""A scale and a zero point for each type."""

COARSE, FINE = (0.5, -7), (0.0004, 0)


def _grid(kind: Any, grid: Grid) -> tuple[Const, Const]:
    return Const(scalar(grid[0])), Const(scalar(grid[1], kind))


def _weights(*sizes: int) -> Step:
    """Real numbers of constant integers."""
    array = rand(*sizes, seed=1, dtype=np.int8, low=-127, high=127)
    return Step(quant.dequantize_linear, (Const(array), Const(scalar(0.02)), None))


HALVES = {"kernel_shape": (2, 2), "strides": (2, 1)}
INSIDE: dict[str, tuple[Step, ...]] = {
    "a convolution": (_weights(4, 3, 2, 3), Step(conv.conv_2d, (1, 2, SHIFT), SAME)),
    "a dilated convolution": (
        _weights(4, 3, 2, 2),
        Step(conv.conv_2d, (1, 2, SHIFT), {"strides": (1, 2), "dilations": (2, 1)}),
    ),
    "a convolution of each channel": (
        _weights(6, 1, 2, 3),
        Step(conv.conv_2d, (1, 2, Const(rand(6))), {**SAME, "group": 3}),
    ),
    "products with a matrix": (
        Step(shape.reshape, (1, Const(i(30, 4)))),
        _weights(5, 4),
        Step(linear.fully_connected, (2, 3, Const(rand(5)))),
    ),
    "a sum": (
        Step(shape.transpose, (1,), {"perm": (1, 0, 2, 3)}),
        Step(index.slice_, (2, Const(i(0)), Const(i(1)), Const(i(3)), None)),
        Step(index.slice_, (1, Const(i(1)), Const(i(0)), Const(i(2)), None)),
        Step(binary.add, (3, 4)),
    ),
    "a product": (
        Step(shape.transpose, (1,), {"perm": (1, 0, 2, 3)}),
        Step(index.slice_, (2, Const(i(0)), Const(i(1)), Const(i(3)), None)),
        Step(index.slice_, (1, Const(i(1)), Const(i(0)), Const(i(2)), None)),
        Step(binary.mul, (3, 4)),
    ),
    "a product with a constant": (_weights(4), Step(binary.mul, (1, 2))),
    "a square": (Step(binary.mul, (1, 1)),),
    "relu": (Step(activation.relu, (1,)),),
    "relu6": (Step(activation.relu6, (1,)),),
    "bounds": (Step(activation.clip, (1, Const(f(-1)), Const(f(1)))),),
    "a mean": (Step(pool.average_pool_2d, (1,), HALVES),),
    "a mean with a border": (Step(pool.average_pool_2d, (1,), {**HALVES, "pads": (0, 1, 1, 0)}),),
    "the largest": (Step(pool.max_pool_2d, (1,), HALVES),),
    "sigmoid": (Step(activation.sigmoid, (1,)),),
    "softmax": (Step(activation.softmax, (1,), {"axis": 1}),),
    "a border": (Step(shape.pad, (1, Const(i(0, 0, 1, 0, 0, 2, 0, 0)), None)),),
    "a join": (Step(shape.concat, (1, Const(rand(2, 1, 5, 4))), {"axis": 1}),),
    "a join of both": (Step(shape.concat, (1, 1), {"axis": 2}),),
}
"""From real numbers, which are value 1, to others, which are the last."""


FUSING = frozenset(
    {
        *(conv.conv_2d, linear.fully_connected, binary.add, binary.mul),
        *(pool.average_pool_2d, pool.max_pool_2d),
    }
)
"""Operators with a fuse code."""


def between(why: str, steps: tuple[Step, ...], kind: Any, grid: Grid) -> Chain:
    """Steps from integers of a small scale to those of a grid."""
    array = rand(2, 3, 5, 4, dtype=kind, low=np.iinfo(kind).min, high=np.iinfo(kind).max)
    first = Step(quant.dequantize_linear, (0, *_grid(kind, SMALL[kind])))
    dtype = Precision[np.dtype(kind).name.upper()]
    operands = (len(steps) + 1, *_grid(kind, grid))
    last = Step(quant.quantize_linear, operands, {"dtype": dtype})
    name = f"{np.dtype(kind).name}, {why} to {grid}"
    return Chain((array,), (first, *steps, last), why=name, tol=Tolerance(absolute=1))


def between_integers() -> Iterator[Chain]:
    """Every kind of operation from integers to integers: of the same scale, and of others."""
    for why, steps in INSIDE.items():
        for kind, grid in SMALL.items():
            yield between(why, steps, kind, grid)
        for grid in (COARSE, FINE):
            yield between(why, steps, np.int8, grid)
        if steps[-1].operator in FUSING:
            fused = replace(steps[-1], attrs={**steps[-1].attrs, "fuse_code": Fuse.RELU})
            bounded = Step(activation.clip, (len(steps) + 1, Const(scalar(-1)), Const(scalar(1))))
            two = (*steps[:-1], fused, bounded)
            yield between(f"{why} with relu, bounds", two, np.int8, COARSE)
        if why.startswith(("a ", "the")):
            rectified = (*steps, Step(activation.relu, (len(steps) + 1,)))
            yield between(f"{why} and relu", rectified, np.int8, COARSE)


FOLDS = (reduce.reduce_sum, reduce.reduce_prod, reduce.reduce_max, reduce.reduce_min)


def of_nothing() -> Iterator[Chain]:
    """Open rows without an element, whose sums and products there are nevertheless."""
    kinds: tuple[Any, ...] = (np.float32, np.float16, np.int8, np.uint8, np.int32, np.int64)
    for kind in kinds:
        rows = Open(np.zeros((3, 0, 2), kind), ("n", 0, 2))
        for fold in (*FOLDS, *([reduce.reduce_mean] if np.dtype(kind).kind == "f" else [])):
            for axes, keepdim in (((1,), False), ((-2,), True), ((2, 1), False)):
                step = Step(fold, (0, Const(i(*axes))), {"keepdim": keepdim})
                why = f"{np.dtype(kind).name}, {axes} of nothing, {keepdim}"
                yield Chain((rows,), (step,), why=why)
    truths = Open(np.zeros((3, 0), np.bool_), ("n", 0))
    for fold in FOLDS[2:]:
        step = Step(fold, (0, Const(i(1))), {"keepdim": False})
        yield Chain((truths,), (step,), why="truth values, of nothing")
    none = np.zeros((0, 3), np.int32)
    for fold in FOLDS:
        step = Step(fold, (0, 1), {"keepdim": False})
        yield Chain((none, i(0)), (step,), why="of nothing over an axis that a run says")
    rows = Open(np.zeros((3, 0), np.float32), ("n", 0))
    for fold in (reduce.cum_sum, reduce.cum_prod):
        for axis in (0, -1):
            step = Step(fold, (0, Const(np.array(axis))))
            yield Chain((rows,), (step,), why=f"along axis {axis} of nothing")
    for sizes, axis in (((0, 3), 1), ((3, 0), 1), ((2, 0, 3), 2)):
        attrs = {"begin_norm_axis": axis, "epsilon": 1e-5}
        step = Step(norm.rms_normalization, (0, Const(rand(sizes[-1]))), attrs)
        yield Chain((np.zeros(sizes, np.float32),), (step,), why=f"{sizes}, of nothing")
    weights = Const(np.zeros((4, 0), np.float32)), Const(f(1, 2, 3, 4))
    yield Chain((rows,), (Step(linear.fully_connected, (0, *weights)),), why="sums of nothing")
    rows = Open(np.zeros((2, 3, 0), np.float32), (2, "n", 0))
    yield Chain((rows,), (Step(linear.fully_connected, (0, *weights)),), why="planes of nothing")
    for columns in ((0, 4), (0,)):
        step = Step(linear.mat_mul, (0, Const(np.zeros(columns, np.float32))))
        yield Chain((rows,), (step,), why=f"sums of nothing, {columns}")


def half_open() -> Iterator[Chain]:
    """One size that is only known while running, beside others that are known."""
    for mode in ("linear", "cubic"):
        for sizes in (("n", 2, 5, 4), (1, 2, "n", 4), (1, 2, 5, "n")):
            step = Step(
                resize.resize, (0, None, None, Const(i(7, 3))), {"mode": mode, "axes": (2, 3)}
            )
            yield Chain((Open(rand(1, 2, 5, 4), sizes),), (step,), why=f"{mode}, {sizes}")
    for axis in (1, -1):
        steps = (Step(shape.unsqueeze, (0, 1)),)
        yield Chain((rand(2, 3), np.array(axis)), steps, why=f"a number for axes, {axis}")


def in_blocks() -> Iterator[Chain]:
    """Products with integers of a few bits, whose scales are those of blocks."""
    weights = rand(32, 6, dtype=np.int8, low=-8, high=7).astype(ml_dtypes.int4)
    scales = Const(rand(2, 6, low=0.1, high=1))
    zeros = Const(rand(2, 6, seed=1, dtype=np.int8, low=-8, high=7).astype(ml_dtypes.int4))
    for zero in (None, zeros):
        for turned in (False, True):
            parts = [
                x if x is None or not turned else Const(np.ascontiguousarray(x.array.T))
                for x in (Const(weights), scales, zero)
            ]
            real = Step(
                quant.dequantize_linear, tuple(parts), {"axis": int(turned), "block_size": 16}
            )
            product = Step(linear.mat_mul, (0, 1), {"transpose_y": turned})
            why = f"blocks, {'no ' if zero is None else ''}zeros, turned {turned}"
            yield Chain((rand(3, 32),), (real, product), why=why, tol=Tolerance(1e-5, 1e-4))


def through_few_bits() -> Iterator[Chain]:
    """Numbers that wrap to 4 and 2 bits, and are numbers again."""
    line = rand(2, 9, low=-30, high=30)
    few = (Precision.INT4, Precision.UINT4, Precision.INT2, Precision.UINT2)
    for kind, wide in product(few, (Precision.FLOAT32, Precision.INT32, Precision.INT8)):
        for given in (line, line.astype(np.int32)):
            steps = Step(unary.cast, (0,), {"dtype": kind}), Step(unary.cast, (1,), {"dtype": wide})
            why = f"{given.dtype} by {kind.name} to {wide.name}"
            yield Chain((given,), steps, why=why)


def blind() -> Iterator[Chain]:
    """Attention over many keys, of which some queries see none."""
    queries, keys, values = (rand(2, 192, size, seed=k) for k, size in enumerate((3, 3, 4)))
    here = np.arange(192)[:, None]
    masks = {
        "all is seen": np.zeros((192, 192)),
        "some see nothing": np.where(here % 7 == 0, -np.inf, np.zeros(192)),
        "the first key is not seen": np.where(np.arange(192) == 0, -np.inf, np.zeros((192, 1))),
        "what is seen is NaN": np.where(here == 5, np.nan, np.zeros(192)),
    }
    endless = values.copy()
    endless[0, 3, 1] = np.inf
    product = Step(linear.mat_mul, (0, 1), {"transpose_y": True})
    look = Step(attention.safe_softmax, (5,))
    for why, mask in masks.items():
        steps = (product, Step(binary.add, (4, 2)), look, Step(linear.mat_mul, (6, 3)))
        operands = (queries, keys, mask.astype(np.float32))
        yield Chain((*operands, values), steps, why=f"attention, {why}")
        yield Chain((*operands, endless), steps, why=f"attention to infinity, {why}")
        twice = (*steps, Step(reduce.reduce_sum, (6, Const(i(2))), {"keepdim": False}))
        name = f"attention, weights are added up, {why}"
        yield Chain((*operands, values), twice, why=name, outputs=(7, 8))


def long() -> Iterator[Chain]:
    """Attention of so many queries and keys that engines have a kernel for all of it, and behind a
    mask that hides keys by a number."""
    looks = Step(activation.softmax, (3,), {"axis": -1}), Step(attention.safe_softmax, (3,))
    blind = np.where(np.arange(128)[:, None] == 3, -np.inf, rand(128, 3, low=0.1, high=1))
    for heads, is_turned in product(((1, 2), (2,)), (False, True)):
        keys, values = rand(*heads, 160, 3, low=0.1, high=1, seed=1), rand(*heads, 160, 4, seed=2)
        scores = Step(linear.mat_mul, (0, 1), {"transpose_y": not is_turned})
        for look in looks:
            rows = rand(128, 3) if look is looks[0] else blind.astype(np.float32)
            operands = np.broadcast_to(rows, (*heads, 128, 3)).copy(), keys, values
            if is_turned:
                operands = operands[0], np.ascontiguousarray(keys.swapaxes(-1, -2)), values
            why = f"long {look.operator.name}, {len(heads) + 2} axes, turned {is_turned}"
            yield Chain(operands, (scores, look, Step(linear.mat_mul, (4, 2))), why=why)
    apart = (np.arange(128)[:, None] // 32 != np.arange(128) // 32) * -100.0
    operands = rand(1, 4, 128, 3), rand(1, 4, 128, 3, seed=1), rand(1, 4, 128, 4, seed=2)
    scores = Step(linear.mat_mul, (0, 1), {"transpose_y": True})
    moved = Step(shape.reshape, (3, Const(i(4, 128, 128))))
    hidden = Step(binary.add, (4, Const(apart.astype(np.float32))))
    back = Step(shape.reshape, (5, Const(i(1, 4, 128, 128))))
    for operator in (activation.softmax, attention.safe_softmax):
        look = Step(operator, (6,), {"axis": -1})
        steps = (scores, moved, hidden, back, look, Step(linear.mat_mul, (7, 2)))
        yield Chain(operands, steps, why=f"long {operator.name} behind a mask")


def heavy() -> Iterator[Chain]:
    """A megabyte of weights, from which on devices keep them elsewhere; some ends are known before
    a run, or are of other types."""
    rows, matrix = rand(2, 512), Const(rand(530, 512, seed=1))
    product = Step(linear.fully_connected, (0, matrix, Const(rand(530, seed=2))))
    sizes = Step(shape.shape, (1,), {"dtype": Precision.INT64})
    more = Step(compare.greater, (1, Const(scalar(0.0))))
    near = Tolerance(1e-5, 1e-4)
    yield Chain((rows,), (product,), why="heavy, a product", tol=near)
    known = product, sizes, more
    yield Chain((rows,), known, why="heavy, known results", outputs=(2, 3, 1), tol=near)
    points = Const(rand(520, 512, 1, 1, seed=1)), Const(rand(520, seed=2))
    made = Step(conv.conv_2d, (0, *points), {"strides": (1, 1), "dilations": (1, 1)})
    yield Chain((rand(2, 512, 2, 3),), (made,), why="heavy, points", tol=near)
    table, halves = rand(600, 500), rand(1100, 500, seed=1).astype(np.float16)
    for data in (table, halves):
        look = Step(index.gather, (Const(data), 0), {"axis": 0})
        yield Chain((i(3, 599, 0),), (look,), why=f"heavy, a table of {data.dtype}")


def fused_wrongly() -> Iterator[Chain]:
    """What engines make of several operations, and get wrong."""
    steps: tuple[Step, ...]
    given: dict[str, Any]
    steps = (
        Step(activation.tanh, (0,)),
        Step(shape.transpose, (1,), {"perm": (1, 2, 3, 0)}),
        Step(shape.reshape, (2, Const(i(-1)))),
        whole(3),
        real(4),
        Step(shape.transpose, (2,), {"perm": (3, 0, 1, 2)}),
    )
    for end, why in ((1, "as it is"), (6, "there and back")):
        why = f"quantised behind a transpose, and {why}"
        yield Chain((IMAGE,), steps, why=why, outputs=(end, 5))
    corner = Step(shape.pad, (1, Const(i(0, 0, 0, 0, 0, 1, 0, 1)), None))
    window: dict[str, Any] = {"strides": (2, 1), "dilations": (1, 1)}
    made = Step(conv.conv_2d, (2, TAPS, SHIFT), window)
    steps = (Step(activation.relu, (0,)), corner, made)
    yield Chain((IMAGE,), steps, why="in front of a border, and as it is", outputs=(1, 3))
    border = Step(shape.pad, (1, Const(i(0, 0, 0, 0, 1, 1, 1, 1)), None))
    below = Step(binary.sub, (0, Const(scalar(5))))
    for operator, size in ((pool.max_pool_2d, 2), (pool.average_pool_2d, 1)):
        given = {"kernel_shape": (size, size), "strides": (size, size)}
        steps = (below, border, Step(operator, (2,), given))
        yield Chain((IMAGE,), steps, why=f"a border of zeros, {operator.name}")
    points = Const(rand(4, 3, 1, 1)), SHIFT
    less = Step(binary.sub, (Const(scalar(1)), 0))
    given = {"pads": (1, 1, 1, 1), **window}
    yield Chain((IMAGE,), (less, Step(conv.conv_2d, (1, *points), given)), why="a border of points")
    column = Step(linear.mat_mul, (0, Const(rand(4))))
    yield Chain(
        (IMAGE,), (column, Step(binary.div, (1, Const(scalar(0.5))))), why="a scaled vector"
    )


CHAINS = [
    *fused_wrongly(),
    *through_few_bits(),
    *stored(),
    *read_twice(),
    *scaled(),
    *between_integers(),
    *of_nothing(),
    *half_open(),
    *in_blocks(),
    *blind(),
    *long(),
    *heavy(),
]
