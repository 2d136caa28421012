"""What devices compute in integers alone, up to where they do: quotients of scales, types, forms.

Results are the same in floats to a step of their scale: the nodes of files (`forms.json`) say which
way is gone. Scales lie at the ends of what kernels take, and beyond them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nnir.operator import Operator
from nnir.ops import (
    activation,
    binary,
    conv,
    index,
    linear,
    pool,
    quant,
    reduce,
    resize,
    shape,
    unary,
)
from nnir.types import AutoPad, PadMode, Precision

from ...case import Const, Tolerance, f, i, rand, scalar
from .chains import Chain
from .graph import Open, Step

STEP = Tolerance(absolute=1)
WAVE = rand(2, 3, 4, 4, dtype=np.int8, low=-128, high=127)
Kind = Any


def real(value: int | Const, scale: float | np.ndarray, zero: Any = None, axis: int = 1) -> Step:
    """What integers stand for; `zero` as a number is one of INT8."""
    given = zero if zero is None or isinstance(zero, np.ndarray) else scalar(zero, np.int8)
    operands = value, Const(np.asarray(scale, np.float32)), None if given is None else Const(given)
    return Step(quant.dequantize_linear, operands, {"axis": axis})


def whole(value: int, scale: float, zero: int = 0, kind: Kind = np.int8) -> Step:
    """Integers for real numbers."""
    operands = value, Const(scalar(scale)), Const(scalar(zero, kind))
    dtype = Precision[np.dtype(kind).name.upper()]
    return Step(quant.quantize_linear, operands, {"dtype": dtype})


def inside(
    why: str,
    *steps: Step,
    scales: tuple[float, float] = (0.5, 0.25),
    zeros: tuple[int, int] = (3, -7),
    data: np.ndarray = WAVE,
    kinds: tuple[Kind, Kind] = (np.int8, np.int8),
    outputs: tuple[int, ...] = (),
    sizes: tuple[int | str, ...] | None = None,
) -> Chain:
    """Steps from real numbers, which are value 1, to others, which are the last value."""
    given = data.astype(kinds[0])
    first = real(0, scales[0], scalar(zeros[0], kinds[0]))
    last = whole(1 + len(steps), scales[1], zeros[1], kinds[1])
    source = given if sizes is None else Open(given, sizes)
    return Chain((source,), (first, *steps, last), f"inside, {why}", outputs, STEP)


def one(operator: Operator[Any], **attrs: Any) -> Step:
    """An operation on the real numbers."""
    return Step(operator, (1,), attrs)


PLAIN: dict[str, Any] = {"dilations": (1, 1)}
WINDOW: dict[str, Any] = {"kernel_shape": (2, 2), "strides": (2, 2)}
LARGER = Step(resize.resize_linear, (1, Const(i(8, 8)), None), {"align_mode": 0})
SINGLE: dict[str, Step] = {
    "RELU": one(activation.relu),
    "a mean": Step(reduce.reduce_mean, (1, Const(i(2, 3))), {"keepdim": True}),
    "LEAKY_RELU": one(activation.leaky_relu, alpha=0.25),
    "GELU": one(activation.gelu),
    "ELU": one(activation.elu),
    "HARD_SWISH": one(activation.hard_swish, alpha=1 / 6, beta=0.5),
}
"""Kernels of one tensor that round to any scale."""

FINEST = 2.0**-20


def _quotients() -> Iterator[Chain]:
    """Quotients of scales from 2**-28 to 128, between which kernels round one step."""
    for why, step in SINGLE.items():
        for scales in ((0.5, 2.0**-8), (0.5, 2.0**-7.9), (FINEST, 256.0), (FINEST * 2, 256.0)):
            yield inside(f"{why} from {scales[0]:g} to {scales[1]:g}", step, scales=scales)
    for scales in ((0.5, 2.0**-8), (0.5, 2.0**-7.9), (FINEST, 256.0), (FINEST * 2, 256.0)):
        text = f"from {scales[0]:g} to {scales[1]:g}"
        yield inside(f"as they are {text}", scales=scales)
        yield inside(f"the largest {text}", one(pool.max_pool_2d, **WINDOW), scales=scales)
        turned = one(shape.transpose, perm=(0, 2, 1, 3))
        yield inside(f"turned {text}", turned, scales=scales)
    mean = one(pool.average_pool_2d, **WINDOW)
    for scales in ((0.5, 0.25), (0.5, 0.26), (0.5, 0.27), (0.5, 0.5), (FINEST, 256.0)):
        text = f"from {scales[0]:g} to {scales[1]:g}"
        yield inside(f"means {text}", mean, scales=scales)
        yield inside(f"between pixels {text}", LARGER, scales=scales)
        yield inside(f"between pixels and half as many steps {text}", LARGER, scales=scales[::-1])
    for name, operator, own in (
        ("sigmoid", activation.sigmoid, 1 / 256),
        ("tanh", activation.tanh, 1 / 128),
        ("softmax", activation.softmax, 1 / 256),
    ):
        attrs = {"axis": -1} if name == "softmax" else {}
        for scale in (own, own * (1 - 1e-4), own / 2, own * 2):
            zero = 0 if name == "tanh" else -128
            step = one(operator, **attrs)
            scales = 0.03, scale
            yield inside(f"{name} to {scale:g}", step, scales=scales, zeros=(3, zero))
            yield inside(f"{name} to {scale:g} around 5", step, scales=scales, zeros=(3, 5))


def _pairs() -> Iterator[Chain]:
    """Two tensors: which scales sums and products take, which types, how many axes."""
    other = rand(2, 3, 4, 4, seed=1, dtype=np.int8, low=-128, high=127)

    def pair(
        why: str,
        operator: Operator[Any],
        scales: tuple[float, float, float],
        *,
        kinds: tuple[Kind, Kind, Kind] = (np.int8, np.int8, np.int8),
        data: tuple[np.ndarray, np.ndarray] = (WAVE, other),
        attrs: dict[str, Any] | None = None,
    ) -> Chain:
        reals = (real(k, scales[k], scalar(1, kinds[k])) for k in (0, 1))
        inputs = tuple(d.astype(t) for d, t in zip(data, kinds[:2], strict=True))
        steps = *reals, Step(operator, (2, 3), attrs or {}), whole(4, scales[2], 2, kinds[2])
        return Chain(inputs, steps, f"inside, {why}", (), STEP)

    half, least = 0.5, 2.0**-8
    for operator in (binary.add, binary.sub, binary.mul):
        name = operator.name
        for scales in (
            *((half, 0.25, half), (half, 0.25, 0.125), (half, least, half), (least, half, half)),
            *((half, half, least), (half, 2.0**-7.9, half), (half, half, 2.0**-7.9)),
            *((FINEST, FINEST, 2.0**-12), (FINEST, FINEST, 2.0**-11.5)),
        ):
            text = " ".join(f"{s:g}" for s in scales)
            yield pair(f"{name} of {text}", operator, scales)
    signed, plain = np.int8, np.uint8
    for kinds in (
        *((signed, plain, signed), (plain, signed, signed), (plain, plain, signed)),
        *((plain, plain, plain), (signed, signed, plain), (signed, plain, plain)),
    ):
        text = " ".join(np.dtype(k).name for k in kinds)
        for operator in (binary.add, binary.mul):
            yield pair(f"{operator.name} of {text}", operator, (half, 0.25, 1.0), kinds=kinds)
    five = WAVE[None], other[None]
    yield pair("sums of five axes", binary.add, (half, 0.25, half), data=five)
    many = five[0], other[None, :1]
    yield pair("sums of five axes with one row", binary.add, (half, 0.25, half), data=many)
    yield pair("sums with one row", binary.add, (half, 0.25, half), data=(WAVE, other[:1]))
    product: dict[str, Any] = {"transpose_y": True}
    for scales in ((half, 0.25, 1.0), (16.0, 8.0, 1.0), (15.0, 8.0, 1.0)):
        text = " ".join(f"{s:g}" for s in scales)
        yield pair(f"products of matrices, {text}", linear.mat_mul, scales, attrs=product)
    scales = (2.0**-14, 2.0**-13, 2.0)
    yield pair("products of matrices, the least", linear.mat_mul, scales, attrs=product)
    yield pair(
        "products of matrices, above the least",
        *(linear.mat_mul, (2.0**-13, 2.0**-13, 2.0)),
        attrs=product,
    )
    yield pair("products of uint8", linear.mat_mul, (half, 0.25, 1.0), kinds=(plain,) * 3)


def _product(
    why: str,
    weights: np.ndarray,
    scale: float | np.ndarray,
    bias: np.ndarray | tuple[np.ndarray, float | np.ndarray],
    *,
    zero: np.ndarray | None = None,
    axis: int = 0,
    scales: tuple[float, float] = (0.5, 1.0),
    data: np.ndarray | None = None,
    kind: Kind = np.int8,
) -> Chain:
    """FULLY_CONNECTED with constant integers; a bias of integers with a scale, or of numbers."""
    given = rand(3, weights.shape[1], dtype=kind, low=-9, high=9) if data is None else data
    steps: list[Step] = [
        real(0, scales[0], scalar(1, kind)),
        real(Const(weights), scale, zero, axis),
    ]
    shift: int | Const
    if isinstance(bias, tuple):
        steps.append(real(Const(bias[0]), bias[1], None, 0))
        shift = 3
    else:
        shift = Const(bias)
    steps.append(Step(linear.fully_connected, (1, 2, shift)))
    steps.append(whole(len(steps), scales[1], 2, kind))
    return Chain((given,), tuple(steps), f"inside, products, {why}", (), STEP)


def _weighted() -> Iterator[Chain]:
    """Constant weights and their bias."""
    taps = rand(5, 4, dtype=np.int8, low=-9, high=9)
    each = f(0.5, 0.25, 0.5, 1, 0.125)
    plain = np.zeros(5, np.float32)
    yield _product("one scale", taps, 0.5, plain)
    yield _product("a scale each", taps, each, plain)
    yield _product("a scale for each column", taps, f(0.5, 0.25, 1, 2), plain, axis=1)
    square = taps[:4]
    yield _product("a scale for each column of a square", square, each[:4], plain[:4], axis=1)
    yield _product("a scale for each row of a square", square, each[:4], plain[:4])
    for zero in (0, 3):
        zeros = np.full((), zero, np.int8)
        yield _product(f"around {zero}", taps, 0.5, plain, zero=zeros)
        many = np.full(5, zero, np.int8)
        yield _product(f"each around {zero}", taps, each, plain, zero=many)
    bytes_of = (taps.astype(np.int16) + 128).astype(np.uint8)
    for zero in (128, 120, 0):
        zeros = np.full((), zero, np.uint8)
        yield _product(f"uint8 around {zero}", bytes_of, 0.5, plain, zero=zeros)
        yield _product(f"of uint8 around {zero}", bytes_of, 0.5, plain, zero=zeros, kind=np.uint8)
    yield _product("each of uint8", bytes_of, each, plain, zero=np.full(5, 128, np.uint8))
    wide = taps.astype(np.int16)
    yield _product("weights of int16", wide, 0.5, plain)
    whole_bias = i(1, -3, 0, 9, 100, dtype=np.int32)
    yield _product("a bias of the scale", taps, 0.5, (whole_bias, 0.25))
    yield _product("a bias of another scale", taps, 0.5, (whole_bias, 0.3))
    yield _product("a bias with a scale each", taps, each, (whole_bias, each / 2))
    yield _product("a bias with equal scales", taps, 0.5, (whole_bias, np.full(5, 0.25)))
    equal = np.full(5, 0.5, np.float32)
    yield _product("a bias of one scale beside equal ones", taps, equal, (whole_bias, 0.25))
    for scale in (0.25, 0.3):
        added = real(Const(whole_bias), scale, None, 0)
        sums = Step(linear.mat_mul, (1, 2), {"transpose_y": True}), Step(binary.add, (4, 3))
        steps = real(0, 0.5, 1), real(Const(taps), 0.5), added, *sums, whole(5, 1.0, 2)
        given = rand(3, 4, dtype=np.int8, low=-9, high=9)
        yield Chain((given,), steps, f"inside, products and a bias of {scale}", (), STEP)
    tiny = 2.0**-14
    yield _product("a tiny bias", taps, tiny, (whole_bias, 1e-9), scales=(tiny, 1e-7))
    narrow = whole_bias.astype(np.int8)
    yield _product("a bias of int8", taps, 0.5, (narrow, 0.25))
    for part in (0.39, 0.4, 0.41, 0.5):
        # a step of the products is a quarter, of the result as well
        bias = np.full(5, 0.25 * (1 + part), np.float32)
        yield _product(f"a bias {part} of a step off", taps, 0.5, bias, scales=(0.5, 0.25))
    for count in ((1 << 29), (1 << 29) + 64):
        bias = np.full(5, 0.25 * count, np.float32)
        yield _product(f"a bias of {count} steps", taps, 0.5, bias)
    yield _product("an endless bias", taps, 0.5, np.full(5, np.inf, np.float32))
    for scales in ((0.5, 2.0**-9), (0.5, 2.0**-8.9), (2.0**-20, 128.0), (2.0**-19, 128.0)):
        text = f"{scales[0]:g} to {scales[1]:g}"
        yield _product(f"quotients of {text}", taps, 0.5, plain, scales=scales)
    ends = f(0.5, 2.0, 0.5, 0.5, 0.5)
    yield _product("one quotient too large", taps, ends, plain, scales=(64.0, 1.0))
    yield _product("one quotient too small", taps, ends, plain, scales=(2.0**-27, 1.0))
    for count in (59_999, 60_000):
        row = rand(1, count, dtype=np.int8, low=-3, high=3)
        rows = rand(2, count, seed=1, dtype=np.int8, low=-3, high=3)
        yield _product(f"{count} terms", rows, 0.5, plain[:2], data=row, scales=(0.5, 8.0))
    broad = rand(40, 80, dtype=np.int8, low=-3, high=3)
    yield _product("many filters", broad, 0.5, np.zeros(40, np.float32), scales=(0.5, 8.0))


MOVED: dict[str, Step] = {
    "turned": one(shape.transpose, perm=(0, 2, 3, 1)),
    "flat": Step(shape.reshape, (1, Const(i(6, 16)))),
    "cut": Step(index.slice_, (1, Const(i(3)), Const(i(1)), Const(i(3)), None)),
    "every second": Step(index.slice_, (1, Const(i(3)), Const(i(0)), Const(i(4)), Const(i(2)))),
    "chosen": Step(index.gather, (1, Const(i(2, 0))), {"axis": 1}),
    "repeated": Step(shape.tile, (1, Const(i(1, 2, 1, 1)))),
    "larger": Step(resize.resize_nearest, (1, Const(i(8, 8)), None)),
    "joined": Step(shape.concat, (1, 1), {"axis": 1}),
    "stacked": Step(shape.stack, (1, 1), {"axis": 1}),
    "bordered by zeros": Step(shape.pad, (1, Const(i(0, 0, 0, 0, 1, 0, 0, 2)), None)),
    "bordered by a step": Step(shape.pad, (1, Const(i(0, 0, 0, 0, 1, 0, 0, 2)), Const(scalar(2)))),
    "bordered by half a step": Step(
        shape.pad, (1, Const(i(0, 0, 0, 0, 1, 0, 0, 2)), Const(scalar(0.75)))
    ),
    "bordered by more than there is": Step(
        shape.pad, (1, Const(i(0, 0, 0, 0, 1, 0, 0, 2)), Const(scalar(500)))
    ),
    "bordered by the least": Step(
        shape.pad, (1, Const(i(0, 0, 0, 0, 1, 0, 0, 2)), Const(scalar(-65.5)))
    ),
    "bordered by less than the least": Step(
        shape.pad, (1, Const(i(0, 0, 0, 0, 1, 0, 0, 2)), Const(scalar(-66)))
    ),
    "bordered by the most": Step(
        shape.pad, (1, Const(i(0, 0, 0, 0, 1, 0, 0, 2)), Const(scalar(62)))
    ),
    "bordered by more than the most": Step(
        shape.pad, (1, Const(i(0, 0, 0, 0, 1, 0, 0, 2)), Const(scalar(62.5)))
    ),
    "the largest": one(pool.max_pool_2d, **WINDOW),
    "the largest beside borders": one(pool.max_pool_2d, **WINDOW, pads=(1, 0, 0, 1)),
    "mirrored": Step(
        shape.pad, (1, Const(i(0, 0, 0, 0, 1, 0, 0, 2)), None), {"mode": PadMode.REFLECT}
    ),
}
"""What commutes with scales; 0.5 and 3 are those of the integers."""


def _moved() -> Iterator[Chain]:
    """What is moved between integers, before a kernel, behind one, and of integers alone."""
    steps: tuple[Step, ...]
    for why, step in MOVED.items():
        yield inside(f"{why}, the same scale", step, scales=(0.5, 0.5), zeros=(3, 3))
        yield inside(f"{why}, another zero", step, scales=(0.5, 0.5))
        yield inside(f"{why}, a finer scale", step)
        behind = Step(step.operator, tuple(2 if o == 1 else o for o in step.operands), step.attrs)
        yield inside(f"{why} behind an activation", SINGLE["RELU"], behind)
        yield inside(f"{why} before an activation", step, Step(activation.relu, (2,)))
        alone = tuple(0 if o == 1 else o for o in step.operands)
        yields_same = step.operator not in (resize.resize_nearest, pool.max_pool_2d)
        if yields_same and (None in alone or step.operator is not shape.pad):
            moved = Step(step.operator, alone, step.attrs)
            steps = moved, real(1, 0.5, 3), Step(activation.relu, (2,)), whole(3, 0.25, -7)
            yield Chain((WAVE,), steps, f"inside, integers {why}", (), STEP)
    least = np.full(WAVE.shape, -128, np.int8)
    border = one(pool.max_pool_2d, **WINDOW, pads=(1, 0, 0, 1))
    yield inside("the least beside borders", border, scales=(0.5, 0.5), zeros=(3, 3), data=least)
    pieces = Step(shape.split, (1, Const(i(2, 2))), {"axis": 3})
    rectified = Step(activation.relu, (2,)), Step(activation.relu, (3,))
    for outputs in ((6, 7), (6,), (2, 6, 7)):
        steps = (real(0, 0.5, 3), pieces, *rectified, whole(4, 0.25, -7), whole(5, 0.5, 3))
        yield Chain((WAVE,), steps, f"inside, pieces {outputs}", outputs, STEP)
    apart = Step(shape.unstack, (1,), {"axis": 1, "num": 3})
    steps = (real(0, 0.5, 3), apart, *(Step(activation.relu, (k,)) for k in (2, 3, 4)))
    ends = whole(5, 0.25, -7), whole(6, 0.5, 3), whole(7, 0.5, 3)
    yield Chain((WAVE,), (*steps, *ends), "inside, taken apart", (8, 9, 10), STEP)
    flat = Step(shape.reshape, (1, Const(i(6, 16)))), Step(shape.reshape, (2, Const(i(96))))
    yield inside("flat and flatter", *flat)
    yield inside(
        "flat and flatter behind an activation",
        SINGLE["RELU"],
        *(Step(s.operator, (k + 2, *s.operands[1:]), s.attrs) for k, s in enumerate(flat)),
    )
    integers = Step(shape.reshape, (0, Const(i(6, 16)))), Step(shape.reshape, (1, Const(i(96))))
    steps = (*integers, real(2, 0.5, 3), Step(activation.relu, (3,)), whole(4, 0.25, -7))
    for outputs in ((5,), (1, 5), (2, 5)):
        yield Chain((WAVE,), steps, f"inside, integers flat and flatter, {outputs}", outputs, STEP)


def _read_otherwise() -> Iterator[Chain]:
    """Integers that are read with a scale, with another one and without any."""
    steps: tuple[Step, ...]
    plus = Step(binary.add, (0, Const(scalar(1, np.int8))))
    relu = activation.relu
    for sizes in (None, ("n", 3, "h", "w"), ("n", 3, 4, 4)):
        source = WAVE if sizes is None else Open(WAVE, sizes)
        how = "" if sizes is None else f", open {sizes.count(4)}"
        steps = plus, real(1, 0.5, 3), Step(relu, (2,)), whole(3, 0.25, -7)
        yield Chain((source,), steps, f"inside, integers of a sum{how}", (), STEP)
        yield Chain((source,), steps, f"inside, integers of a sum, an output{how}", (1, 4), STEP)
        steps = real(0, 0.5, 3), plus, Step(relu, (1,)), whole(3, 0.25, -7)
        yield Chain((source,), steps, f"inside, integers that are added to{how}", (2, 4), STEP)
        steps = real(0, 0.5, 3), real(0, 2.0, 1), *(Step(relu, (k,)) for k in (1, 2))
        ends = whole(3, 0.25, -7), whole(4, 1.0, 0)
        yield Chain((source,), (*steps, *ends), f"inside, two scales{how}", (5, 6), STEP)
        narrow = Step(unary.cast, (0,), {"dtype": Precision.INT16})
        steps = real(0, 0.5, 3), narrow, Step(relu, (1,)), whole(3, 0.25, -7)
        yield Chain((source,), steps, f"inside, integers that are cast{how}", (2, 4), STEP)
        steps = real(0, 0.5, 3), Step(relu, (1,)), whole(2, 0.25, -7), Step(unary.abs_, (3,))
        yield Chain((source,), steps, f"inside, magnitudes of integers{how}", (4,), STEP)
        again = real(3, 0.25, -7), Step(activation.tanh, (4,)), whole(5, 1 / 128, 0)
        yield Chain((source,), (*steps[:3], *again), f"inside, in a row{how}", (3, 6), STEP)
        yield Chain((source,), (*steps[:3], *again), f"inside, in a row, the end{how}", (6,), STEP)
        other = real(3, 0.5, 0), *again[1:]
        yield Chain(
            (source,), (*steps[:3], *other), f"inside, read by another scale{how}", (), STEP
        )
        yield Chain((source,), steps[:3], f"inside, the activation too{how}", (2, 3), STEP)
    number = np.array(5, np.int8)
    steps = real(0, 0.5, 3), Step(relu, (1,)), whole(2, 0.25, -7), Step(binary.add, (0, 3))
    yield Chain((number,), steps, "inside, one number", (3, 4), STEP)


def _fused() -> Iterator[Chain]:
    """Activations behind kernels, which take one of them, where nobody else reads the result."""
    half = Const(rand(2, 3, 4, 4))
    taps = real(Const(rand(4, 3, 2, 2, dtype=np.int8, low=-9, high=9)), 0.25)
    convolved = Step(
        conv.conv_2d, (1, 2, Const(np.zeros(4, np.float32))), {"strides": (1, 1), **PLAIN}
    )
    for name, operator in (("RELU", activation.relu), ("RELU6", activation.relu6)):
        sums = Step(binary.add, (1, 1)), Step(operator, (2,))
        yield inside(f"{name} of sums", *sums)
        yield inside(f"{name} of sums, which are an output", *sums, outputs=(2, 4))
        yield inside(f"{name} of {name} of sums", *sums, Step(operator, (3,)))
        yield inside(f"{name} of means", one(pool.average_pool_2d, **WINDOW), sums[1])
        yield inside(f"{name} of the largest", one(pool.max_pool_2d, **WINDOW), sums[1])
        yield inside(f"{name} of a convolution", taps, convolved, Step(operator, (3,)))
        yield inside(f"{name} of sums with numbers", Step(binary.add, (1, half)), sums[1])
        yield inside(f"{name} of a quotient", Step(binary.div, (1, Const(scalar(4)))), sums[1])
    halves = Step(activation.relu, (2,)), Step(activation.relu6, (2,))
    both = Step(binary.add, (1, 1))
    yield inside("two activations of sums", both, *halves, outputs=(3, 5))
    bounds = Step(activation.clip, (2, Const(scalar(-1)), Const(scalar(1))))
    yield inside("bounds of sums", both, bounds)
    groups = real(Const(rand(6, 1, 2, 2, dtype=np.int8, low=-9, high=9)), 0.25)
    for count, given in ((3, groups), (1, taps)):
        bias = Const(np.zeros(6 if count == 3 else 4, np.float32))
        for pads in (AutoPad.SAME, AutoPad.VALID):
            attrs: dict[str, Any] = {"strides": (2, 1), "group": count, "auto_pad": pads, **PLAIN}
            step = Step(conv.conv_2d, (1, 2, bias), attrs)
            yield inside(f"{count} groups, {pads.name}", given, step)
    each = real(
        Const(rand(6, 1, 2, 2, dtype=np.int8, low=-9, high=9)),
        f(0.5, 0.25, 1, 0.5, 2, 0.25),
        axis=0,
    )
    bias = Const(np.zeros(6, np.float32))
    attrs = {"strides": (1, 1), "group": 3, **PLAIN}
    yield inside("channels with a scale each", each, Step(conv.conv_2d, (1, 2, bias), attrs))


def _packed() -> Iterator[Chain]:
    """Products of numbers with constant integers, which files hold as such where it pays."""

    def product(
        why: str, weights: np.ndarray, scale: float | np.ndarray = 0.25, zero: Any = None
    ) -> Chain:
        bias = Const(np.zeros(len(weights), np.float32))
        axis = 0 if np.ndim(scale) else 1
        fully = Step(linear.fully_connected, (0, 1, bias))
        steps = real(Const(weights), scale, zero, axis), fully
        data = rand(2, weights.shape[1])
        return Chain((data,), steps, f"inside, packed, {why}", (), Tolerance(1e-5, 1e-5))

    row = np.arange(-32, 32, dtype=np.int8).reshape(4, 16)
    few = np.clip(row // 4, -8, 7).astype(np.int8)
    yield product("64 elements", row)
    yield product("63 elements", row.reshape(1, -1)[:, 1:].copy())
    yield product("4 bits", few)
    for value in (8, -9):
        more = few.copy()
        more[0, 0] = value
        yield product(f"4 bits but {value}", more)
    yield product("a scale each", row, f(0.5, 0.25, 1, 2))
    yield product("4 bits, a scale each", few, f(0.5, 0.25, 1, 2))
    yield product("around 1", row, 0.25, 1)
    unsigned = (row.astype(np.int16) + 128).astype(np.uint8)
    for zero in (128, 127):
        yield product(f"uint8 around {zero}", unsigned, 0.25, np.array(zero, np.uint8))
    yield product("int16", row.astype(np.int16))
    taps = real(Const(rand(6, 1, 3, 4, dtype=np.int8, low=-127, high=127)), 0.02)
    attrs = {"strides": (1, 1), "group": 3, **PLAIN}
    channels = Step(conv.conv_2d, (0, 1, Const(np.zeros(6, np.float32))), attrs)
    yield Chain((rand(2, 3, 4, 4),), (taps, channels), "inside, packed, channels")
    taps = real(Const(rand(6, 3, 2, 2, dtype=np.int8, low=-127, high=127)), 0.02)
    whole_image = Step(
        conv.conv_2d, (0, 1, Const(np.zeros(6, np.float32))), {"strides": (1, 1), **PLAIN}
    )
    yield Chain((rand(2, 3, 4, 4),), (taps, whole_image), "inside, packed, images")
    twice = Step(linear.fully_connected, (3, 1, Const(np.zeros(16, np.float32))))
    square = real(Const(np.arange(-128, 128, dtype=np.int8).reshape(16, 16)), 0.01)
    first = Step(linear.fully_connected, (0, 1, Const(np.ones(16, np.float32))))
    steps = square, first, Step(activation.tanh, (2,)), twice
    yield Chain((rand(2, 16),), steps, "inside, packed, read twice")
    for count in (63, 64):
        for why, kind in (("halves", np.float16), ("numbers", np.float32)):
            weights = rand(1, count).astype(np.float16).astype(kind)
            data = rand(2, count).astype(kind)
            bias = Const(np.ones(1, kind))
            fully = Step(linear.fully_connected, (0, Const(weights), bias))
            close = Tolerance(2e-3, 2e-3)
            yield Chain((data,), (fully,), f"inside, packed, {count} {why}", (), close)
    wide = Const(rand(1, 64)), Const(np.ones(1, np.float32))
    half = Step(binary.add, (0, Const(np.ones((2, 64), np.float16))))
    real_half = Step(unary.cast, (1,), {"dtype": Precision.FLOAT32})
    fully = Step(linear.fully_connected, (2, *wide))
    data = rand(2, 64).astype(np.float16)
    close = Tolerance(1e-2, 1e-2)
    yield Chain(
        (data,), (half, real_half, fully), "inside, packed, no halves beside halves", (), close
    )


CHAINS = [
    *_packed(),
    *_quotients(),
    *_pairs(),
    *_weighted(),
    *_moved(),
    *_read_otherwise(),
    *_fused(),
]
