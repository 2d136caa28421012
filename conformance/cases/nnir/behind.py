"""What is read in an order of axes that engines store it in: behind a convolution, and both sides.

`chains.BEHIND` has what devices do between operations; here is every kind of operator once along
each axis, beside operands of other orders, with known sizes and with open ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nnir.ops import (
    activation,
    binary,
    compare,
    conv,
    index,
    linear,
    pool,
    reduce,
    shape,
    sort,
    unary,
)
from nnir.types import PadMode, Precision

from ...case import Const, Tolerance, f, i, rand, scalar
from .chains import CONVOLVED, IMAGE, Chain
from .graph import Open, Step

ROWS, CHANNELS, COLUMNS = rand(4, 5, 1), rand(4, 1, 1), rand(4)
"""Numbers beside [2, 4, 5, 4]."""

NAMED = Open(IMAGE, ("n", 3, 5, 4))


def _along() -> Iterator[tuple[str, Step]]:
    """Operators along an axis."""
    for axis in range(4):
        yield f"CUM_SUM {axis}", Step(reduce.cum_sum, (1, Const(np.array(axis))))
        yield f"ARG_MIN {axis}", Step(reduce.arg_min, (1,), {"axis": axis, "keepdim": axis > 1})
        for operator in (reduce.reduce_mean, reduce.reduce_max, reduce.reduce_sum):
            kept = {"keepdim": axis % 2 == 0}
            yield f"{operator.name} {axis}", Step(operator, (1, Const(i(axis - 4))), kept)
        least = Const(i(2))
        yield f"TOP_K {axis}", Step(sort.top_k, (1, least), {"axis": axis})
        yield f"LOG_SOFTMAX {axis}", Step(activation.log_softmax, (1,), {"axis": axis})
        yield (
            f"UNSTACK {axis}",
            Step(shape.unstack, (1,), {"axis": axis, "num": (2, 4, 5, 4)[axis]}),
        )
        yield f"STACK {axis}", Step(shape.stack, (1, 1), {"axis": axis})
        yield f"CONCAT {axis}", Step(shape.concat, (1, 1), {"axis": axis - 4})
        yield f"GATHER {axis}", Step(index.gather, (1, Const(i(1, -1, 0))), {"axis": axis})
        many = Const(i([1, 0], [-1, 1]))
        yield f"GATHER {axis} by a matrix", Step(index.gather, (1, many), {"axis": axis})
        yield (
            f"GATHER {axis} by a number",
            Step(index.gather, (1, Const(np.array(-2))), {"axis": axis}),
        )
        repeats = Const(i(*(1 + (a == axis) for a in range(4))))
        yield f"TILE {axis}", Step(shape.tile, (1, repeats))
        pads = [n for a in range(4) for n in ((1, 2) if a == axis else (0, 0))]
        for value in (None, Const(scalar(3))):
            how = "zeros" if value is None else "threes"
            yield f"PAD {axis} by {how}", Step(shape.pad, (1, Const(i(*pads)), value))
        for first, end, step in ((1, 9, None), (0, -1, None), (-1, -9, -1), (0, 9, 2)):
            by = None if step is None else Const(i(step))
            bounds = Const(i(axis)), Const(i(first)), Const(i(end)), by
            yield f"SLICE {axis} from {first} to {end} by {step}", Step(index.slice_, (1, *bounds))
        yield f"UNSQUEEZE {axis}", Step(shape.unsqueeze, (1, Const(i(axis))))
    lengths = Const(i(1, 2, dtype=np.int32))
    for time in (1, 2, 3):
        attrs = {"batch_axis": 0, "time_axis": time}
        yield f"REVERSE_SEQUENCE {time}", Step(index.reverse_sequence, (1, lengths), attrs)
    for axis, sizes in ((0, (1, 1)), (1, (2, 2)), (1, (1, 3)), (3, (1, 1, 2)), (3, (2, 2))):
        yield f"SPLIT {axis} to {sizes}", Step(shape.split, (1, Const(i(*sizes))), {"axis": axis})


def _beside() -> Iterator[tuple[str, Step]]:
    """Operators of two operands, of which the other one is stored otherwise."""
    for how, other in (("rows", ROWS), ("channels", CHANNELS), ("columns", COLUMNS)):
        for operator in (binary.atan2, binary.pow_, binary.max_, binary.min_, binary.mod):
            data = other + 2 if operator in (binary.pow_, binary.mod) else other
            yield f"{operator.name} by {how}", Step(operator, (1, Const(data)))
        yield f"ATAN2 of {how}", Step(binary.atan2, (Const(other), 1))
        yield f"LESS than {how}", Step(compare.less, (1, Const(other)))
        yield f"WHERE by {how}", Step(compare.where, (Const(other > 0), 1, Const(scalar(7))))
        yield f"WHERE of {how}", Step(compare.where, (Const(other > 0), Const(other), 1))
    yield "EXPAND", Step(shape.expand, (1, Const(i(3, 2, 4, 5, 4))))
    yield "EXPAND to itself", Step(shape.expand, (1, Const(i(2, 4, 5, 4))))
    yield "TILE to five axes", Step(shape.tile, (1, Const(i(2, 1, 1, 1, 1))))
    yield "TILE once", Step(shape.tile, (1, Const(i(1, 1, 1, 1))))
    yield "FLATTEN", Step(shape.flatten, (1,), {"start_axis": 1, "end_axis": 2})
    yield "a product with itself", Step(linear.mat_mul, (1, 1), {"transpose_y": True})
    yield "a product, turned", Step(linear.mat_mul, (1, 1), {"transpose_x": True})
    yield "a product with a vector", Step(linear.mat_mul, (1, Const(rand(4))))
    yield "GATHER_ND", Step(index.gather_nd, (1, Const(i([1, 3], [0, -1]))))
    yield (
        "mirrored channels",
        Step(shape.pad, (1, Const(i(0, 0, 2, 1, 0, 0, 0, 0)), None), {"mode": PadMode.REFLECT}),
    )
    window: dict[str, Any] = {"kernel_shape": (2, 2), "strides": (3, 1)}
    yield "maxima of windows apart", Step(pool.max_pool_2d, (1,), window)
    yield "means of windows apart", Step(pool.average_pool_2d, (1,), window)
    for operator in (reduce.reduce_mean, reduce.reduce_max):
        for kept in (True, False):
            step = Step(operator, (1, Const(i(2, 3))), {"keepdim": kept})
            yield f"{operator.name} of planes, {kept}", step
            step = Step(operator, (1, Const(i(1, 2))), {"keepdim": kept})
            yield f"{operator.name} of channels and rows, {kept}", step
    yield "ROUND", Step(unary.round_, (1,))
    yield "EXP", Step(unary.exp, (1,))
    yield "SIGN", Step(unary.sign, (1,))
    yield "LOG2", Step(unary.log2, (1,))
    yield "halves", Step(unary.cast, (1,), {"dtype": Precision.FLOAT16})
    yield "BITS", Step(unary.bit_cast, (1,), {"dtype": Precision.INT32})
    yield "where it is not 0", Step(index.non_zero, (1,))
    yield "CLIP", Step(activation.clip, (1, Const(f(-0.5)), Const(f(0.5))))
    yield "ELU of 2", Step(activation.elu, (1,), {"alpha": 2.0})


def _stored() -> Iterator[Chain]:
    """By turns with known sizes and with a batch of any size."""
    for k, (why, step) in enumerate((*_along(), *_beside())):
        data, how = (IMAGE, "") if k % 2 else (NAMED, ", open batch")
        yield Chain((data,), (CONVOLVED, step), why=f"behind, {why}{how}")


def _both() -> Iterator[Chain]:
    """Two results of one order, and of two orders."""
    steps: tuple[Step, ...]
    turned = Step(shape.transpose, (0,), {"perm": (0, 1, 3, 2)})
    cut = Step(index.slice_, (1, Const(i(3)), Const(i(0)), Const(i(4)), None))
    square = Step(index.slice_, (2, Const(i(2)), Const(i(0)), Const(i(4)), None))
    for perm in ((0, 1, 3, 2), (1, 0, 2, 3), (0, 1, 2, 3)):
        other = Step(shape.transpose, (3,), {"perm": perm})
        for operator in (binary.add, binary.atan2, binary.max_):
            if perm[0]:
                half = Step(index.slice_, (4, Const(i(0)), Const(i(0)), Const(i(2)), None))
                whole = Step(index.slice_, (3, Const(i(1)), Const(i(0)), Const(i(2)), None))
                steps = CONVOLVED, cut, square, other, half, whole, Step(operator, (5, 6))
            else:
                steps = CONVOLVED, cut, square, other, Step(operator, (4, 3))
            yield Chain((IMAGE,), steps, why=f"behind, {operator.name} of itself as {perm}")
    yield Chain((IMAGE,), (turned, Step(unary.abs_, (1,))), why="behind, magnitudes turned")


def _cut() -> Iterator[Chain]:
    """Borders below 0, of known sizes and of open ones."""
    taps, shift = Const(rand(4, 3, 2, 3, seed=1)), Const(rand(4, seed=2))
    for sizes in ((2, 3, 5, 4), ("n", 3, 5, 4), ("n", 3, "h", "w")):
        for pads in ((-1, 0, 0, 1), (0, -1, -1, 0), (-1, -1, 1, 1), (0, 0, 0, -1)):
            attrs = {"pads": pads, "strides": (1, 1), "dilations": (1, 1)}
            step = Step(conv.conv_2d, (0, taps, shift), attrs)
            yield Chain((Open(IMAGE, sizes),), (step,), why=f"behind, borders {pads} of {sizes}")
    same = {"strides": (1, 1), "dilations": (1, 1)}
    for sizes in ((2, 3, 5, 4), ("n", 3, "h", "w")):
        for strides, pads in (
            *(((1, 1), (0, 1, 1, 1)), ((1, 1), (1, 1, 0, 1)), ((1, 1), (0, 1, 1, 0))),
            *(((1, 1), (0, 0, 0, 0)), ((2, 2), (0, 1, 1, 1)), ((2, 2), (0, 0, 1, 1))),
            *(((2, 1), (0, 1, 0, 1)), ((2, 1), (0, 1, 1, 1))),
        ):
            step = Step(conv.conv_2d, (0, taps, shift), {**same, "strides": strides, "pads": pads})
            why = f"behind, steps {strides} and borders {pads} of {sizes}"
            yield Chain((Open(IMAGE, sizes),), (step,), why=why)
    for kernel in ((2, 2), (1, 2)):
        attrs = {"kernel_shape": kernel, "strides": (1, 1), "pads": (0, 0, 0, 1)}
        for operator in (pool.max_pool_2d, pool.average_pool_2d):
            step = Step(operator, (0,), attrs)
            for sizes in ((2, 3, 5, 4), ("n", 3, "h", "w")):
                why = f"behind, {operator.name} of {kernel}, {sizes}"
                yield Chain((Open(IMAGE, sizes),), (step,), why=why)


def _pooled() -> Iterator[Chain]:
    """Pools behind what may have made a NaN and what has not, and behind what is never below 0."""
    window: dict[str, Any] = {"kernel_shape": (2, 2), "strides": (1, 1), "pads": (1, 0, 0, 1)}
    numbers = Const(rand(2, 4, 5, 4))
    between: dict[str, tuple[Step, ...]] = {
        "a convolution": (),
        "RELU": (Step(activation.relu, (1,)),),
        "RELU6": (Step(activation.relu6, (1,)),),
        "SIGMOID": (Step(activation.sigmoid, (1,)),),
        "TANH": (Step(activation.tanh, (1,)),),
        "a sum": (Step(binary.add, (1, numbers)),),
        "a product": (Step(binary.mul, (1, 1)),),
        "a quotient": (Step(binary.div, (1, numbers)),),
        "a join": (Step(shape.concat, (1, 1), {"axis": 1}),),
        "a border": (Step(shape.pad, (1, Const(i(0, 0, 0, 0, 1, 1, 0, 0)), None)),),
        "a border of ones": (
            Step(shape.pad, (1, Const(i(0, 0, 0, 0, 1, 1, 0, 0)), Const(scalar(1)))),
        ),
        "a pool": (Step(pool.max_pool_2d, (1,), {**window, "pads": (0, 0, 0, 0)}),),
        "a mean": (Step(pool.average_pool_2d, (1,), {**window, "pads": (0, 0, 0, 0)}),),
    }
    for why, steps in between.items():
        last = 1 + len(steps)
        for operator in (pool.max_pool_2d, pool.average_pool_2d):
            step = Step(operator, (last,), window)
            name = f"behind, {operator.name} behind {why}"
            yield Chain((IMAGE,), (CONVOLVED, *steps, step), why=name)
    for operator in (pool.max_pool_2d, pool.average_pool_2d):
        step = Step(operator, (1,), window)
        why = f"behind, {operator.name} behind RELU of the input"
        yield Chain((IMAGE,), (Step(activation.relu, (0,)), step), why=why)
        why = f"behind, {operator.name} of the input"
        yield Chain((IMAGE,), (Step(operator, (0,), window),), why=why)
    given = Step(conv.conv_2d, (0, 1, 2), {"strides": (1, 1), "dilations": (1, 1)})
    parts = rand(4, 3, 2, 3, seed=1), rand(4, seed=2)
    yield Chain((IMAGE, *parts), (given,), why="behind, taps that are given")
    yield Chain((IMAGE, *parts), (given, Step(activation.relu, (3,))), why="behind, RELU of such")


def _large() -> Iterator[Chain]:
    """A megabyte of weights, which files and caches hold otherwise than fewer."""
    weights = Const(rand(512, 600))
    product = Step(linear.mat_mul, (0, weights))
    near = Tolerance(relative=1e-5, absolute=1e-4)
    yield Chain((rand(2, 512),), (product,), why="a megabyte of weights", tol=near)


CHAINS = [*_stored(), *_both(), *_cut(), *_pooled(), *_large()]
