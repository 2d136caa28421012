"""What engines make of a division, a slope, a product or a convolution in a form of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nnir.ops import activation, binary, conv, linear, recurrent, reduce

from ...case import ROUNDS, Const, Tolerance, f, i, rand
from .engine_rows import Row

CLOSE = Tolerance(relative=1e-5, absolute=1e-5)


def _divisions() -> Iterator[Row]:
    """Rounded once: no product with what 1 / y is rounded to."""
    then: Any
    x = rand(3, 4, 5, low=0.1, high=9)
    for why, by in (("a number", f(7)), ("a row", f(3, 7, 11, 13, 0.7)), ("all", x[::-1] + 1)):
        yield Row(binary.div, (x, Const(by)), why=f"by {why} that is known, exactly")
        yield Row(binary.div, (x, by), why=f"by {why}, exactly")
    for fold in (reduce.reduce_sum, reduce.reduce_mean, reduce.reduce_max):
        for axes in ((1,), (0, 2)):
            then = ((binary.div, (np.float32(7),), {}),)
            operands = (x, Const(i(*axes)))
            why = f"{fold.name} of {axes}, divided"
            yield Row(fold, operands, {"keepdim": True}, why=why, then=then, tol=ROUNDS)


def _slopes() -> Iterator[Row]:
    """Of the channels of a product, which are not its columns."""
    then: Any
    for sizes in ((4, 3), (2, 4, 3), (2, 4, 5, 3), (2, 4, 2, 5, 3)):
        then = ((activation.prelu, (rand(sizes[1] if len(sizes) > 2 else 6, seed=2),), {}),)
        operands = (rand(*sizes), Const(rand(3, 6, seed=1)))
        yield Row(linear.mat_mul, operands, why=f"{sizes}, prelu", then=then, tol=ROUNDS)


def _one_channel() -> Iterator[Row]:
    """Several filters of one channel, whose windows leave one column or lie apart unevenly."""
    for count in (1, 3):
        shift = rand(count, seed=2)
        for sizes, taps, steps in (((2, 1, 5, 4), (2, 3), (1, 3)), ((2, 1, 5, 6), (3, 3), (1, 4))):
            operands = (rand(*sizes), Const(rand(count, 1, *taps, seed=1)), Const(shift))
            how: dict[str, Any] = {"strides": steps, "pads": (0, 0, 0, 0), "dilations": (1, 1)}
            why = f"{count} filters, one column, {steps}"
            yield Row(conv.conv_2d, operands, how, why=why, tol=ROUNDS)
        operands = (rand(1, 1, 7, 5, 4), Const(rand(count, 1, 3, 2, 2, seed=1)), Const(shift))
        how = {"strides": (1, 1, 1), "pads": (0,) * 6, "dilations": (3, 2, 1)}
        why = f"{count} filters, other distances along each axis"
        yield Row(conv.conv_3d, operands, how, why=why, tol=ROUNDS)


def _cubes() -> Iterator[Row]:
    """One channel of cubes, whose windows lie apart along the last axis and leave one column."""
    for count in (1, 3):
        operands = (rand(1, 1, 4, 5, 6), Const(rand(count, 1, 2, 2, 3, seed=1)), Const(rand(count)))
        how = {"strides": (1, 1, 2), "pads": (0,) * 6, "dilations": (1, 1, 2)}
        yield Row(conv.conv_3d, operands, how, why=f"{count} filters, one column", tol=ROUNDS)


def _both_ways() -> Iterator[Row]:
    """Layers of cells in both directions: of whole sequences, of some that end before."""
    x, lengths = rand(4, 2, 3), i(4, 2, dtype=np.int32)
    cells = (
        (recurrent.rnn, 1, ("Tanh",)),
        (recurrent.gru, 3, ("Sigmoid", "Tanh")),
        (recurrent.lstm, 4, ("Sigmoid", "Tanh", "Tanh")),
    )
    for operator, gates, names in cells:
        layer = (
            *(Const(rand(2, gates * 5, n, seed=n)) for n in (3, 5)),
            Const(rand(2, 2 * gates * 5, seed=7)),
        )
        how: dict[str, Any] = {"direction": "bidirectional", "activations": names * 2}
        for given, why in (((), "all"), ((lengths,), "some shorter")):
            yield Row(operator, (x, *layer, *given), how, why=f"both ways, {why}", tol=CLOSE)
        states = (rand(2, 2, 5, seed=k) for k in range(1 + (gates == 4)))
        operands = (x, *layer, None, *states)
        yield Row(operator, operands, how, why="both ways, from states", tol=CLOSE)


def _tied() -> Iterator[Row]:
    """Products with matrices that memory holds transposed, as weights that were transposed."""
    for sizes, stored in (
        ((4, 3), (6, 3)),
        ((2, 4, 3), (6, 3)),
        ((2, 4, 3), (2, 6, 3)),
        ((3,), (6, 3)),
    ):
        for is_asked in (False, True):
            weight = rand(*stored, seed=1)
            turned = weight.swapaxes(-1, -2)
            if is_asked:  # of columns that lie so, transposed back
                turned = np.ascontiguousarray(turned).swapaxes(-1, -2)
            why = f"{sizes} with {stored} as it lies, {is_asked}"
            how = {"transpose_y": is_asked}
            yield Row(linear.mat_mul, (rand(*sizes), Const(turned)), how, why=why, tol=ROUNDS)


def _products() -> Iterator[Row]:
    """Open rows with several matrices, summed over one number."""
    for sizes in ((5, 1), (1, 5, 1)):
        operands = (rand(*sizes), Const(rand(2, 1, 3, seed=1)))
        yield Row(linear.mat_mul, operands, why=f"{sizes} with matrices of one row", tol=ROUNDS)


def _sums() -> Iterator[Row]:
    """Sums of products that are not finite, by weights that are known and that are not."""
    line, zero = f(np.inf, 1, -np.inf, 2, np.nan, 3), f(0)
    image = np.concatenate([line, np.ones(18, np.float32)])
    for known in (True, False):
        why = f"not finite, {'known' if known else 'computed'}"
        rows = f(1, 2, 3, -1).reshape(2, 2), f(0, 1)
        weights = tuple(map(Const, rows)) if known else rows
        yield Row(linear.fully_connected, (line.reshape(3, 2), *weights), why=why, opens=False)
        for operator, sizes in FILTERS.items():
            rank = len(sizes) - 2
            parts = np.resize(f(1, 2), sizes), zero
            weights = tuple(map(Const, parts)) if known else parts
            x = image.reshape(1, 4, *(1,) * (rank - 1), 6)
            attrs = {"strides": (1,) * rank, "dilations": (1,) * rank}
            yield Row(operator, (x, *weights), attrs, why=why, opens=False)


FILTERS = {
    conv.conv_2d: (1, 4, 1, 2),
    conv.conv_2d_transpose: (4, 1, 1, 2),
    conv.conv_3d: (1, 4, 1, 1, 2),
    conv.conv_3d_transpose: (4, 1, 1, 1, 2),
}
"""The sizes of a filter of four channels: XNNPACK reads fewer with what lies behind them, times 0,
which is NaN beside what is not finite."""

CASES: list[Row] = [
    *_divisions(),
    *_slopes(),
    *_one_channel(),
    *_products(),
    *_sums(),
    *_cubes(),
    *_both_ways(),
    *_tied(),
]
