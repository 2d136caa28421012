"""Where engines go other ways: fused integers, taps that are one, few bits, many axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np

from nnir.ops import (
    activation,
    attention,
    binary,
    conv,
    detection,
    index,
    linear,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    shape,
    unary,
)
from nnir.types import AutoPad, Fuse, InterpolateMode, PadMode, Precision, precision_of

from ...case import Const, Tolerance, f, i, rand, scalar
from .chains import Chain
from .engine_rows import Row
from .engine_types import INTEGERS, ends, name_of
from .graph import Open, Step

CLOSE = Tolerance(1e-5, 1e-5)
FAR = Tolerance(1e-4, 1e-4)
CODES = (Fuse.RELU, Fuse.RELU1, Fuse.RELU6)


def _activations() -> Iterator[Row]:
    """Fuse codes of integers at the ends of their type, where a float32 has not all of them."""
    for dtype in INTEGERS:
        a = ends(dtype)
        for operator, codes in ((binary.add, CODES), (binary.mul, CODES[:1])):
            for code in codes:
                why = f"{name_of(dtype)} at its ends, {code.name}"
                given = {"fuse_code": code}
                yield Row(operator, (a[:, None], a[None]), given, why=why, opens=False)


def _few_bits() -> Iterator[Row]:
    """Elements of less than a byte as results: bits that they have not are not set."""
    beyond = np.array([-9, -8, -5, -1, 0, 1, 3, 6, 17, 100])
    for kind in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2):
        for source in (np.int8, np.int32, np.float32):
            why = f"{name_of(source)} as {name_of(kind)}, a result"
            given = {"dtype": precision_of(np.dtype(kind))}
            yield Row(unary.cast, (beyond.astype(source),), given, why=why, opens=False)


def _many_axes() -> Iterator[Row]:
    """Axes that only a run says, of more than a few: their order is kept."""
    data = rand(1, 2, 3, 1, 2, 1, 2, 1, 3, dtype=np.int32, low=-9, high=9)
    for axes in ((0,), (1, -3), (8, 0, 4)):
        for operator in (reduce.reduce_sum, reduce.reduce_max):
            for keepdim in (True, False):
                why = f"over {axes} of nine while running, {keepdim}"
                given = {"keepdim": keepdim}
                yield Row(operator, (data, i(*axes)), given, why=why, opens=False)
    yield Row(shape.squeeze, (data, i(-2, 3)), why="of nine axes, while running", opens=False)


def _queries() -> Iterator[Row]:
    """Attentions next to what a kernel takes: widths, samples, words and keys before them."""

    def row(why: str, sizes: tuple[int, int, int], width: int, half: int = 0, **given: Any) -> Row:
        batch, time, past = sizes
        query, key = rand(batch, time, 2 * width), rand(batch, time, width, seed=1)
        ends = i(*[past + time - 1] * batch), np.array(past + time, np.int32)
        before: tuple[Any, ...] = (None, None)
        if past or "kept" in why:
            before = tuple(rand(batch, 1, past, width, seed=k) for k in (2, 3))
        turn = rand(past + time + 1, half, seed=4) if half else None
        angles = (None, None) if turn is None else (np.cos(turn), np.sin(turn))
        heads = {"q_num_heads": 2, "kv_num_heads": 1} | given
        operands = (query, key, -key, *ends, *before, *angles)
        operator = attention.group_query_attention
        return Row(operator, operands, heads, tol=FAR, why=f"{why}, {sizes}", opens=False)

    for width, half in ((4, 0), (8, 0), (12, 0), (8, 4), (16, 8), (24, 8), (32, 8), (32, 16)):
        yield row(f"{width} wide, {half} angles", (2, 1, 3), width, half)
    for sizes in ((1, 3, 2), (2, 3, 2), (2, 1, 2), (1, 3, 0), (2, 3, 0), (2, 1, 0)):
        yield row("kept", sizes, 8)
        yield row("plain", sizes, 8)
    for given in (
        *({"causal": False}, {"local_window_size": 2}, {"scale": 0.3}, {"softcap": 1.5}),
        {"causal": False, "local_window_size": 2},
    ):
        yield row(f"{given}", (1, 4, 0), 8, **given)
        yield row(f"{given}", (1, 1, 4), 8, **given)
    yield row("turned in pairs", (1, 3, 2), 16, 8, interleaved=True)


def _thresholds() -> Iterator[Row]:
    """Numbers that are a threshold, and thresholds next to those that kernels have."""
    line = np.array([-30, -1, 0, 0.5, 1, 2, 19.5, 19.75, 20, 25, 26, np.inf, np.nan], np.float32)
    for beta, threshold in (
        (1, 0),
        (1, 1),
        (2, 1),
        (1, 19),
        (1, 19.5),
        (1, 20),
        (1, 25),
        (0.5, 20),
    ):
        given: dict[str, Any] = {"beta": float(beta), "threshold": float(threshold)}
        why = f"{beta}, beyond {threshold}"
        yield Row(activation.softplus, (line,), given, tol=CLOSE, why=why, opens=False)
    steps = np.array([-1, -0.5, 0, 0.5, 1, 2], np.float32).reshape(6, 1, 1)
    one, none = np.ones((1, 1, 1), np.float32), np.zeros((1, 1, 1), np.float32)
    for name in ("ThresholdedRelu", "HardSigmoid", "LeakyRelu", "Elu", "Relu"):
        given = {"activations": (name,), "activation_alpha": (0.5,), "activation_beta": (0.5,)}
        operands = (steps, one, none)
        yield Row(recurrent.rnn, operands, given, tol=CLOSE, why=f"at ends of {name}", opens=False)
    given = {"dtype": Precision.FLOAT64, "low": 0.0, "high": 1.0}
    fine: Any = ((binary.mul, (np.float64(2**24),), {}), (binary.mod, (np.float64(1),), {}))
    fine = (*fine, (reduce.reduce_max, (np.array([0]),), {"keepdim": False}), (unary.sign, (), {}))
    why = "doubles in steps below 2**-24"
    yield Row(random.random_uniform, (i(99),), given, why=why, then=fine, opens=False)


def _nothing() -> Iterator[Row]:
    """Images without rows or columns, by every rule."""
    image = rand(1, 2, 3, 4)
    for sizes in ((0, 0), (0, 3), (2, 0)):
        for align in (True, False):
            for operator in (resize.resize_linear, resize.resize_nearest):
                why = f"to {sizes}, {align}"
                given: dict[str, Any] = {"align_corners": align}
                yield Row(operator, (image, Const(i(*sizes))), given, why=why, opens=False)
                yield Row(operator, (image, i(*sizes)), given, why=f"{why}, given", opens=False)
        half = {"align_corners": False, "align_mode": 0}
        why = f"to {sizes}, half pixels"
        yield Row(resize.resize_linear, (image, Const(i(*sizes))), half, why=why, opens=False)


def _cells() -> Iterator[Row]:
    """Cells whose input gate is the other one's opposite, with and without what looks inside."""
    operands: Any = (rand(3, 2, 4), rand(1, 20, 4, seed=1), rand(1, 20, 5, seed=2))
    more = (rand(1, 40, seed=3), None, rand(1, 2, 5, seed=4), rand(1, 2, 5, seed=5))
    for inside in (None, rand(1, 15, seed=6)):
        for clip in (None, 0.3):
            given: dict[str, Any] = {"input_forget": True} | ({"clip": clip} if clip else {})
            why = f"one gate for both, {'no ' if inside is None else ''}peepholes, clip {clip}"
            row = Row(recurrent.lstm, (*operands, *more, inside), given, why=why, opens=False)
            yield replace(row, tol=FAR)


def _hardmax() -> Iterator[Row]:
    """The largest of nothing, and of one."""
    shapes = (((0, 3), 1), ((2, 0), 1), ((2, 0, 3), 1), ((2, 0, 3), 0), ((2, 1), 1), ((3,), -1))
    for sizes, axis in shapes:
        why = f"{sizes} along {axis}"
        data = rand(*sizes)
        yield Row(activation.hardmax, (data,), {"axis": axis}, why=why, opens=False)


def _many_boxes() -> Iterator[Row]:
    """More boxes than are compared with one another at once."""
    low = rand(1100, 2, low=0, high=30)
    boxes = np.concatenate([low, low + rand(1100, 2, seed=1, low=1, high=3)], 1)
    operands = boxes, rand(1100, seed=2, low=0, high=1)
    given = {"iou_threshold": 0.2}
    yield Row(detection.suppress_boxes, operands, given, why="1100 boxes", opens=False)


def _regions() -> Iterator[Row]:
    """Samples that lie as far outside as counts, and halves that are rounded away from 0."""
    image = rand(2, 2, 6, 7)
    boxes = f(-2, -2, 0, 0, 6, 5, 8, 7, -2, 5, 0, 7, -2.25, -2, -0.25, 0, 6.25, 2, 8.25, 4)
    images = i(0, 1, 0, 1, 1, dtype=np.int32)
    for operator in (detection.roi_align, detection.roi_align_max):
        for ratio in (1, 0, 3):
            given: dict[str, Any] = {"output_height": 1, "output_width": 1, "spatial_scale": 1.0}
            given |= {"sampling_ratio": ratio, "aligned": False}
            operands: Any = (image, boxes.reshape(5, 4), images)
            why = f"at the ends, {ratio}"
            yield Row(operator, operands, given, tol=CLOSE, why=why, opens=False)
    rows = f(0, 0.5, 1.5, 4.5, 3.5, 1, -1.5, -0.5, 2.5, 2.5, 1, 3, 4, 3, 2, 0, 6, 5, 9, 9)
    for operator in (detection.max_roi_pool, detection.max_roi_positions):
        for scale in (1.0, 0.5):
            given = {"pooled_shape": (2, 3), "spatial_scale": scale}
            why = f"halves by {scale}"
            yield Row(operator, (image, rows.reshape(4, 5)), given, why=why, opens=False)


CASES = [
    *(*_activations(), *_few_bits(), *_many_axes(), *_queries(), *_thresholds()),
    *(*_nothing(), *_regions(), *_many_boxes(), *_cells(), *_hardmax()),
]

AHEAD: dict[str, tuple[Step, ...]] = {
    "nothing": (),
    "a border": (Step(shape.pad, (0, Const(i(0, 0, 0, 0, 1, 0, 0, 1)), None)),),
    "a border and a sum": (
        Step(shape.pad, (0, Const(i(0, 0, 0, 0, 1, 0, 0, 1)), None)),
        Step(binary.add, (1, Const(rand(3, 1, 1)))),
    ),
    "a border, pooled": (
        Step(shape.pad, (0, Const(i(0, 0, 0, 0, 1, 2, 2, 1)), None)),
        Step(pool.max_pool_2d, (1,), {"kernel_shape": (2, 1), "strides": (1, 1)}),
    ),
    "a border, pooled alone": (
        Step(shape.pad, (0, Const(i(0, 0, 0, 0, 1, 2, 2, 1)), None)),
        Step(pool.average_pool_2d, (1,), {"kernel_shape": (1, 1), "strides": (1, 2)}),
    ),
    "points with a border": (
        Step(
            conv.conv_2d,
            (0, Const(rand(3, 3, 1, 1, seed=3)), Const(rand(3))),
            {"pads": (1, 0, 1, 0), "strides": (1, 1), "dilations": (1, 1)},
        ),
        Step(unary.neg, (1,)),
    ),
    "points without one": (
        Step(
            conv.conv_2d,
            (0, Const(rand(3, 3, 1, 1, seed=3)), Const(rand(3))),
            {"strides": (1, 1), "dilations": (1, 1)},
        ),
    ),
    "taps with a border": (
        Step(
            conv.conv_2d,
            (0, Const(rand(3, 3, 2, 1, seed=3)), Const(rand(3))),
            {"pads": (0, 1, 1, 1), "strides": (1, 1), "dilations": (1, 1)},
        ),
    ),
    "groups behind a border": (
        Step(shape.pad, (0, Const(i(0, 0, 0, 0, 1, 2, 2, 1)), None)),
        Step(
            conv.conv_2d,
            (1, Const(rand(3, 1, 1, 1, seed=3)), Const(rand(3))),
            {"strides": (1, 1), "dilations": (1, 1), "group": 3},
        ),
    ),
}
"""What strides of a tap that is one may be moved past, or must not be."""


def points() -> Iterator[Chain]:
    """A filter of one tap with strides behind borders and windows, of known and of open sizes."""
    taps = Const(rand(4, 3, 1, 1, seed=1)), Const(rand(4, seed=2))
    image = rand(2, 3, 5, 6)
    for why, steps in AHEAD.items():
        for strides, pads in (((2, 3), (0, 0, 0, 0)), ((1, 2), (0, 1, 1, 0))):
            given: dict[str, Any] = {"strides": strides, "pads": pads, "dilations": (1, 1)}
            last = Step(conv.conv_2d, (len(steps), *taps), given)
            name = f"points by {strides} and {pads} behind {why}"
            yield Chain((image,), (*steps, last), why=name, tol=CLOSE)
    rows = Open(image, (2, 3, "h", "w"))
    given = {"strides": (2, 3), "dilations": (1, 1)}
    last = Step(conv.conv_2d, (2, *taps), given)
    steps = AHEAD["a border and a sum"]
    yield Chain((rows,), (*steps[:1], Step(unary.neg, (1,)), last), why="open points", tol=CLOSE)


def quantised_odds() -> Iterator[Chain]:
    """Odds in integers whose largest number is below 1, with scales for all and for each row."""
    data = rand(3, 4, low=-4, high=4)
    for why, scale in (("one scale", scalar(0.0035)), ("a scale for each", f(0.0039, 0.01, 0.003))):
        for zero in (None, np.zeros(scale.shape, np.uint8), np.full(scale.shape, 9, np.uint8)):
            operands = 1, Const(scale), None if zero is None else Const(zero)
            given = {"axis": 0, "dtype": Precision.UINT8}
            steps = (
                Step(activation.softmax, (0,), {"axis": 1}),
                Step(quant.quantize_linear, operands, given),
            )
            name = f"odds, {why}, {'none' if zero is None else zero.max()}"
            yield Chain((data,), steps, why=name, tol=Tolerance(absolute=1))


def open_odds() -> Iterator[Chain]:
    """Odds of any number of keys, times their values: of one query, and of several."""
    steps = Step(activation.softmax, (0,), {"axis": -1}), Step(linear.mat_mul, (2, 1))
    for lead in ((), (2,), (2, 5)):
        keys = Open(rand(*lead, 3), (*lead, "n"))
        values = Open(rand(3, 4), ("n", 4))
        yield Chain((keys, values), steps, why=f"odds of open keys, {lead}", tol=CLOSE)


def open_batches() -> Iterator[Chain]:
    """Images at positions, as many as only a run says."""
    images = Open(rand(2, 3, 4, 5), ("n", 3, 4, 5))
    places = Open(rand(2, 6, 7, 2, seed=1), ("n", 6, 7, 2))
    for mode in (m for m in InterpolateMode if m != InterpolateMode.NONE):
        for pad in (PadMode.CONSTANT, PadMode.EDGE, PadMode.REFLECT):
            how = {"align_corners": False, "mode": mode, "pad_mode": pad}
            steps = (Step(resize.grid_sample, (0, 1), how),)
            why = f"images, {mode.name.lower()}, {pad.name.lower()}"
            yield Chain((images, places), steps, why=why, tol=CLOSE)


def cut_and_gathered() -> Iterator[Chain]:
    """Elements of a part whose other axes the positions share, of a known batch and an open one."""
    data, at = rand(2, 6, 5), i(2, 0, 3, 3, 1, 4, 0, 5, 1, 1, 0, 2).reshape(2, 3, 2)
    for why, start, end in (("the first", 0, 2), ("the last", 3, 5), ("the middle", 1, 3)):
        part = Step(index.slice_, (0, Const(i(2)), Const(i(start)), Const(i(end)), None))
        steps = part, Step(index.gather_elements, (2, 1), {"axis": 1})
        yield Chain((data, at), steps, why=f"elements of {why} columns")
        batches = Open(data, ("n", 6, 5)), Open(at, ("n", 3, 2))
        yield Chain(batches, steps, why=f"elements of {why} columns, open")


def small_integers() -> Iterator[Chain]:
    """Products of integers of 8 bits in 32: as many as floats add up at once, and more."""
    most = np.full((2, 600), 255, np.uint8)
    wide = rand(600, 3, dtype=np.int8, low=-128, high=127)
    wide[:, 0] = -128
    for why, data, weights, flags in (
        ("few", rand(2, 5, dtype=np.uint8, low=0, high=255), wide[:5], {}),
        ("the largest, more than fit", most, wide, {}),
        ("as many as fit", most[:, :516], wide[:516], {}),
        ("one more than fit", most[:, :517], wide[:517], {}),
        ("columns", most.T, wide, {"transpose_x": True}),
        ("rows", most, wide.T, {"transpose_y": True}),
        ("a vector", most[0], wide, {}),
        ("a vector behind", most, wide[:, 0], {}),
        ("stacks", rand(2, 4, 600, dtype=np.uint8, low=0, high=255), wide, {}),
    ):
        small = np.ascontiguousarray(weights)
        given = np.ascontiguousarray(data)
        for sizes in (None, ("n", *given.shape[1:])):
            source = given if sizes is None else Open(given, sizes)
            how = "" if sizes is None else ", open"
            steps = (
                Step(unary.cast, (0,), {"dtype": Precision.INT32}),
                Step(binary.sub, (1, Const(scalar(3, np.int32)))),
                Step(unary.cast, (Const(small),), {"dtype": Precision.INT32}),
                Step(linear.mat_mul, (2, 3), flags),
            )
            if sizes is None or "transpose_x" not in flags:
                yield Chain((source,), steps, why=f"products of small integers, {why}{how}")
    clipped = (
        Step(activation.clip, (0, Const(scalar(-100)), Const(scalar(100)))),
        Step(unary.round_, (1,)),
        Step(unary.cast, (2,), {"dtype": Precision.INT32}),
        Step(linear.mat_mul, (3, Const(wide[:5].astype(np.int32)))),
    )
    none = np.zeros((2, 0), np.uint8)
    wide_none = (
        Step(unary.cast, (0,), {"dtype": Precision.INT32}),
        Step(unary.cast, (1,), {"dtype": Precision.INT32}),
    )
    sums = *wide_none, Step(linear.mat_mul, (2, 3))
    yield Chain((none, none.T.copy()), sums, why="products of small integers, no terms")
    data = rand(2, 5, low=-200, high=200)
    yield Chain((Open(data, ("n", 5)),), clipped, why="products of small integers, clipped")
    whole = Step(unary.cast, (0,), {"dtype": Precision.INT32})
    large = whole, Step(linear.mat_mul, (1, Const(wide[:5].astype(np.int32))))
    yield Chain((Open(data, ("n", 5)),), large, why="products of integers of any size")


REPEATS: dict[str, Callable[[int, int], Step]] = {
    "joined": lambda of, axis: Step(shape.concat, (of, of, of), {"axis": axis}),
    "tiled": lambda of, axis: Step(
        shape.tile, (of, Const(i(*(3 if k == axis else 1 for k in range(4)))))
    ),
    "expanded": lambda of, axis: Step(
        shape.expand, (of, Const(i(*(3 if k == axis else -1 for k in range(4)))))
    ),
}
"""Ways in which an axis of one becomes one of three."""


def repeats_of_repeats() -> Iterator[Chain]:
    """A tensor repeated along two axes, one after the other, and read in between."""
    for first, begin in REPEATS.items():
        for second, go_on in REPEATS.items():
            for sizes in (None, (1, 1, "n", 6)):
                data = rand(1, 1, 4, 6)
                source = data if sizes is None else Open(data, sizes)
                steps = (
                    begin(0, 0),
                    go_on(1, 1),
                    Step(unary.abs_, (1,)),
                    Step(activation.relu, (2,)),
                )
                how = "" if sizes is None else ", open"
                why = f"{first} and {second}{how}"
                yield Chain((source,), steps, why=why, outputs=(3, 4))
    rows = Step(shape.tile, (0, Const(i(2, 1, 1)))), Step(shape.expand, (1, Const(i(2, 3, 4))))
    for count in (1, 3):
        source = Open(rand(1, count, 4), (1, "n", 4))
        ends = *rows, Step(unary.abs_, (1,)), Step(activation.relu, (2,))
        yield Chain((source,), ends, why=f"tiled, expanded from {count}", outputs=(3, 4))


def borders_before_same() -> Iterator[Chain]:
    """Windows with a border of their own behind one that is put on, where sizes are open."""
    image = Open(rand(1, 2, 4, 5), (1, 2, "h", "w"))
    ends = Const(i(0, 0, 0, 0, 1, 0, 1, 1))
    for strides in ((1, 1), (2, 2)):
        how = {"auto_pad": AutoPad.SAME, "strides": strides}
        turned = Step(shape.transpose, (1,), {"perm": (0, 1, 3, 2)})
        for behind in ((), (turned,)):
            last = 1 + len(behind)
            where = f"strides of {strides[0]}" + ", turned" * bool(behind)
            taps, none = Const(rand(3, 2, 2, 3)), Const(np.zeros(3, np.float32))
            sums = Step(conv.conv_2d, (last, taps, none), {**how, "dilations": (1, 1)})
            yield Chain(
                (image,),
                (Step(shape.pad, (0, ends)), *behind, sums),
                why=f"a border and a convolution of its own, {where}",
            )
            mean = Step(pool.average_pool_2d, (last,), {**how, "kernel_shape": (2, 3)})
            yield Chain(
                (image,),
                (Step(shape.pad, (0, ends)), *behind, mean),
                why=f"a border and means of their own, {where}",
            )


CHAINS = [*repeats_of_repeats(), *small_integers(), *points(), *quantised_odds(), *open_odds()]
CHAINS += cut_and_gathered()
CHAINS += [*borders_before_same(), *open_batches()]
