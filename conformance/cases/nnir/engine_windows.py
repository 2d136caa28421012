"""Convolutions and pools: every kind of window, whole numbers that every element type holds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.ops import conv, pool
from nnir.types import AutoPad

from ...case import ROUNDS, Const, i
from .engine_rows import Row

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
SIGNED = (np.int8, np.int16, np.int32, np.int64)
INTEGERS = (*SIGNED, np.uint8, np.uint16, np.uint32, np.uint64)
Attributes = dict[str, Any]


def whole(*shape: int, dtype: Any = np.float32, low: int = -4, high: int = 4) -> np.ndarray:
    """Whole numbers, of which sums are exact in any order."""
    generator = np.random.default_rng((zlib.crc32(repr(shape).encode()), high))
    lowest = 0 if np.dtype(dtype).kind == "u" else low
    return generator.integers(lowest, high, shape, endpoint=True).astype(dtype)


def extremes(*shape: int, dtype: Any) -> np.ndarray:
    """Integers from the whole range of their type, and its two ends."""
    info = np.iinfo(dtype)
    generator = np.random.default_rng(zlib.crc32(repr(shape).encode()))
    made = generator.integers(info.min, info.max, shape, endpoint=True, dtype=dtype)
    made.reshape(-1)[:2] = info.min, info.max
    return made


def _name(dtype: Any) -> str:
    return np.dtype(dtype).name


PLANE: dict[str, Attributes] = {
    "plain": {"strides": (1, 1)},
    "strides": {"strides": (3, 2)},
    "pads": {"strides": (1, 2), "pads": (1, 0, 2, 3)},
    "equal pads": {"strides": (2, 1), "pads": (1, 1, 2, 2)},
    "pads behind": {"strides": (1, 1), "pads": (0, 2, 0, 1)},
    "dilations": {"strides": (1, 2), "dilations": (2, 1), "pads": (0, 1, 1, 1)},
    "same": {"strides": (1, 1), "auto_pad": AutoPad.SAME},
    "same, strides": {"strides": (2, 3), "auto_pad": AutoPad.SAME},
    "valid": {"strides": (2, 2), "auto_pad": AutoPad.VALID, "pads": (1, 1, 1, 1)},
}
"""Windows over two axes."""

VOLUME: dict[str, Attributes] = {
    "plain": {"strides": (1, 1, 1)},
    "strides, pads": {"strides": (2, 3, 1), "pads": (1, 0, 0, 2, 1, 1)},
    "equal pads": {"strides": (1, 2, 1), "pads": (1, 1, 0, 0, 2, 2)},
    "dilations": {"strides": (1, 1, 2), "dilations": (1, 2, 3), "pads": (0, 0, 1, 0, 2, 2)},
    "same": {"strides": (2, 1, 3), "auto_pad": AutoPad.SAME},
    "valid": {"strides": (1, 1, 1), "auto_pad": AutoPad.VALID, "pads": (1, 1, 1, 1, 1, 1)},
}
"""Windows over three axes."""


def _convolved(
    sizes: tuple[int, ...],
    kernel: tuple[int, ...],
    attrs: Attributes,
    why: str,
    channels: tuple[int, int, int] = (3, 2, 1),
    dtype: Any = np.float32,
    batch: int = 2,
) -> Row:
    """`channels`: of the input, of the result and how many groups they are in."""
    inner, outer, group = channels
    rank = len(sizes)
    operands = (
        whole(batch, inner, *sizes, dtype=dtype),
        Const(whole(outer, inner // group, *kernel, dtype=dtype)),
        Const(whole(outer, dtype=dtype, high=9)),
    )
    given = {"dilations": (1,) * rank, "group": group, **attrs}
    operator = conv.conv_2d if rank == 2 else conv.conv_3d
    return Row(operator, operands, given, why=f"{why}, {_name(dtype)}")


ONE = {"strides": (1, 1)}
FORWARD = [
    *(_convolved((5, 7), (2, 3), attrs, name) for name, attrs in PLANE.items()),
    *(_convolved((6, 4), (3, 2), attrs, f"{name}, even") for name, attrs in PLANE.items()),
    *(_convolved((4, 5, 6), (2, 1, 3), attrs, name) for name, attrs in VOLUME.items()),
    *(_convolved((5, 4), (2, 3), PLANE["pads"], "types", dtype=t) for t in (*FLOATS, *SIGNED)),
    *(
        _convolved((5, 4), (2, 3), PLANE["equal pads"], "types, equal pads", dtype=t)
        for t in SIGNED
    ),
    *(_convolved((3, 2, 4), (2, 1, 3), VOLUME["plain"], "types", dtype=t) for t in FLOATS[1:]),
    *(_convolved((3, 2, 4), (2, 1, 3), VOLUME["strides, pads"], "volume", dtype=t) for t in SIGNED),
    *(
        _convolved((4, 5), (2, 3), PLANE["strides"], f"{channels} channels", channels, dtype)
        for channels in ((4, 6, 2), (3, 3, 3), (2, 6, 2), (6, 2, 2), (1, 3, 1), (3, 1, 1))
        for dtype in (np.float32, np.int8, np.int32)
    ),
    _convolved((2, 3), (2, 3), ONE, "a window that fits exactly"),
    _convolved((1, 1), (1, 1), ONE, "one element"),
    _convolved((1, 2), (2, 3), {"strides": (1, 1), "pads": (1, 0, 1, 0)}, "fits with pads exactly"),
    _convolved((4, 4), (2, 2), {"strides": (5, 7)}, "strides beyond the data"),
    _convolved((4, 4), (2, 2), ONE, "no images", batch=0),
    *(
        Row(
            conv.conv_2d,
            (extremes(1, 2, 3, 3, dtype=t), extremes(2, 2, 2, 2, dtype=t), extremes(2, dtype=t)),
            {"strides": (1, 1), "dilations": (1, 1)},
            why=f"the limits of {_name(t)}",
        )
        for t in SIGNED
    ),
]


BACK: dict[str, Attributes] = {
    "plain": {"strides": (1, 1)},
    "strides": {"strides": (3, 2)},
    "pads": {"strides": (2, 1), "pads": (1, 0, 0, 2)},
    "equal pads": {"strides": (2, 2), "pads": (1, 1, 0, 0)},
    "grown": {"strides": (2, 3), "output_padding": (1, 2)},
    "pads, grown": {"strides": (3, 2), "pads": (1, 1, 1, 1), "output_padding": (2, 1)},
    "dilations": {"strides": (1, 2), "dilations": (3, 2)},
    "dilations, pads, grown": {
        "strides": (2, 2),
        "dilations": (2, 3),
        "pads": (2, 1, 0, 1),
        "output_padding": (1, 1),
    },
    "same": {"strides": (2, 3), "auto_pad": AutoPad.SAME},
    "valid": {"strides": (2, 1), "auto_pad": AutoPad.VALID, "pads": (1, 1, 1, 1)},
}
"""Windows of transposed convolutions over two axes."""

BACK_VOLUME: dict[str, Attributes] = {
    "strides": {"strides": (2, 1, 3)},
    "pads": {"strides": (1, 2, 2), "pads": (1, 0, 0, 2, 1, 1)},
    "equal pads, grown": {
        "strides": (2, 3, 2),
        "pads": (1, 1, 0, 0, 1, 1),
        "output_padding": (1, 2, 0),
    },
    "dilations": {"strides": (1, 1, 2), "dilations": (2, 3, 1)},
}


def _spread(
    sizes: tuple[int, ...],
    kernel: tuple[int, ...],
    attrs: Attributes,
    why: str,
    channels: tuple[int, int, int] = (3, 2, 1),
    dtype: Any = np.float32,
    batch: int = 2,
) -> Row:
    inner, outer, group = channels
    operands = (
        whole(batch, inner, *sizes, dtype=dtype),
        Const(whole(inner, outer // group, *kernel, dtype=dtype)),
        Const(whole(outer, dtype=dtype, high=9)),
    )
    given = {"dilations": (1,) * len(sizes), "group": group, **attrs}
    operator = conv.conv_2d_transpose if len(sizes) == 2 else conv.conv_3d_transpose
    return Row(operator, operands, given, why=f"{why}, {_name(dtype)}")


TRANSPOSED = [
    *(_spread((3, 4), (2, 3), attrs, name) for name, attrs in BACK.items()),
    *(_spread((2, 3, 2), (2, 1, 3), attrs, name) for name, attrs in BACK_VOLUME.items()),
    *(_spread((3, 2), (3, 2), BACK["pads, grown"], "types", dtype=t) for t in FLOATS[1:]),
    *(
        _spread((2, 3), (3, 2), BACK["strides"], f"{channels} channels", channels)
        for channels in ((4, 6, 2), (3, 3, 3), (2, 6, 2), (6, 2, 2), (1, 3, 1))
    ),
    _spread((1, 1), (1, 1), ONE, "one element"),
    _spread((3, 2), (2, 2), ONE, "no images", batch=0),
    *(
        _spread((3, 4), (2, 3), {"strides": (2, 3), "output_shape": shape}, f"to {shape}")
        for shape in ((6, 12), (7, 13), (5, 11), (6, 14))
    ),
]


def _deformed(
    kernel: tuple[int, int], attrs: Attributes, why: str, parts: int = 1, group: int = 1
) -> Row:
    pads = attrs.get("pads", (0,) * 4)
    axes = zip((5, 6), kernel, attrs["strides"], attrs["dilations"], strict=True)
    out = [
        (n + pads[2 * k] + pads[2 * k + 1] - d * (e - 1) - 1) // s + 1
        for k, (n, e, s, d) in enumerate(axes)
    ]
    taps = kernel[0] * kernel[1]
    operands = (
        whole(2, 4, 5, 6),
        whole(2, 2 * parts * taps, *out, low=-2, high=2) / np.float32(2),
        whole(2, parts * taps, *out, low=0, high=2) / np.float32(2),
        whole(2, 4 // group, *kernel),
        whole(2),
    )
    given = {"group": group, "deformable_group": parts, **attrs}
    return Row(conv.deformable_conv_2d, operands, given, tol=ROUNDS, why=why)


DEFORMED = [
    _deformed((2, 3), {"strides": (1, 1), "dilations": (1, 1)}, "two rows of three"),
    _deformed((3, 1), {"strides": (2, 1), "dilations": (1, 1)}, "three rows of one"),
    _deformed(
        (1, 3),
        {"strides": (1, 2), "dilations": (1, 2), "pads": (1, 0, 2, 1)},
        "pads and dilations",
        parts=2,
    ),
    _deformed((3, 2), {"strides": (2, 3), "dilations": (2, 1)}, "groups of filters", group=2),
]


POOLS: dict[str, Attributes] = {
    "plain": {},
    "strides": {"strides": (3, 2)},
    "pads": {"strides": (2, 1), "pads": (1, 0, 0, 1)},
    "equal pads": {"strides": (1, 2), "pads": (1, 1, 1, 1)},
    "ceil": {"strides": (2, 3), "ceil_mode": True},
    "ceil, pads": {"strides": (3, 3), "pads": (0, 1, 1, 0), "ceil_mode": True},
    "ceil, one window beyond": {"strides": (4, 5), "pads": (1, 1, 1, 1), "ceil_mode": True},
}
DILATED: dict[str, Attributes] = {
    "dilations": {"dilations": (2, 1)},
    "dilations, pads, ceil": {
        "dilations": (1, 2),
        "strides": (2, 3),
        "pads": (0, 1, 1, 0),
        "ceil_mode": True,
    },
}
DATA = whole(2, 2, 6, 7, high=60) * 6
STEPS = {"strides": (1, 1)}


def _pools() -> Iterator[Row]:
    kernel = {"kernel_shape": (2, 3)}
    for name, attrs in (POOLS | DILATED).items():
        for count in (False, True):
            given = {**kernel, **attrs, "count_include_pad": count}
            yield Row(pool.average_pool, (DATA,), given, tol=ROUNDS, why=f"{name}, {count}")
        yield Row(pool.max_pool, (DATA - 400,), {**kernel, **attrs}, why=f"below 0, {name}")
        given = {**kernel, **attrs, "return_indices": True}
        yield Row(pool.max_pool, (DATA,), given, why=f"places, {name}")
        for p in (1.0, 2.0, 3.0):
            yield Row(
                pool.lp_pool, (DATA,), {**kernel, **attrs, "p": p}, tol=ROUNDS, why=f"{name}, {p}"
            )
    for name, attrs in POOLS.items():
        given = {**kernel, **STEPS, **attrs}
        yield Row(pool.max_pool_2d, (DATA - 400,), given, why=f"below 0, {name}")
        where = given | {"return_indices": True}
        yield Row(pool.max_pool_2d, (DATA,), where, why=f"places, {name}")
        for count in (False, True):
            average = given | {"count_include_pad": count}
            yield Row(pool.average_pool_2d, (DATA,), average, tol=ROUNDS, why=f"{name}, {count}")


def _pools_of_ranks() -> Iterator[Row]:
    line, volume = whole(2, 3, 7, high=50), whole(1, 2, 4, 3, 5, high=50)
    ways: list[tuple[str, np.ndarray, Attributes]] = [
        ("line", line, {"kernel_shape": (3,), "strides": (2,), "pads": (1, 0)}),
        ("line, ceil", line, {"kernel_shape": (2,), "strides": (3,), "ceil_mode": True}),
        ("line, dilations", line, {"kernel_shape": (2,), "dilations": (3,)}),
        ("volume", volume, {"kernel_shape": (2, 1, 3), "strides": (1, 2, 2)}),
        (
            "volume, pads, ceil",
            volume,
            {
                "kernel_shape": (2, 2, 3),
                "strides": (3, 2, 2),
                "pads": (1, 0, 0, 1, 1, 1),
                "ceil_mode": True,
            },
        ),
    ]
    for why, data, attrs in ways:
        for count in (False, True):
            given = attrs | {"count_include_pad": count}
            yield Row(pool.average_pool, (data,), given, tol=ROUNDS, why=f"{why}, {count}")
        yield Row(pool.max_pool, (data - 99,), attrs, why=why)
        yield Row(pool.max_pool, (data,), attrs | {"return_indices": True}, why=f"places, {why}")
        yield Row(pool.lp_pool, (data,), attrs, tol=ROUNDS, why=why)
    apart: Attributes = {"kernel_shape": (2,), "dilations": (3,), "pads": (1, 1)}
    beyond = apart | {"dilations": (2,), "pads": (1, 0), "strides": (2,), "ceil_mode": True}
    yield Row(pool.max_pool, (line[..., :2],), apart, why="a window whose taps lie around the data")
    yield Row(pool.max_pool, (line[..., :3],), apart, why="windows with taps in the data")
    yield Row(pool.max_pool, (line[..., :1],), beyond, why="a tap in front, one behind the data")


def _pools_of_types() -> Iterator[Row]:
    window = {"kernel_shape": (2, 3), "strides": (2, 1), "pads": (1, 0, 0, 1)}
    for dtype in (*FLOATS, *INTEGERS):
        is_whole = np.dtype(dtype).kind in "iu"
        data = extremes(1, 2, 4, 5, dtype=dtype) if is_whole else whole(1, 2, 4, 5, dtype=dtype)
        data = data if is_whole else data - np.dtype(dtype).type(9)
        name = _name(dtype)
        for operator in (pool.max_pool, pool.max_pool_2d):
            yield Row(operator, (data,), window, why=f"{name} at its limits")
            yield Row(operator, (data,), window | {"ceil_mode": True}, why=f"{name}, ceil")
            yield Row(operator, (data,), window | {"return_indices": True}, why=f"{name}, places")
        if not is_whole:
            exact = {"kernel_shape": (2, 2), "strides": (2, 1)}
            for operator in (pool.average_pool, pool.average_pool_2d):
                yield Row(operator, (data,), exact, why=f"{name} of four")


def _unpooled() -> Iterator[Row]:
    for why, sizes, attrs in (
        ("plain", (3, 4), {"kernel_shape": (2, 3), "strides": (2, 3)}),
        ("steps of one", (3, 5), {"kernel_shape": (3, 2)}),
        ("pads", (2, 5), {"kernel_shape": (3, 2), "strides": (4, 3), "pads": (1, 0, 0, 1)}),
        ("line", (4,), {"kernel_shape": (3,), "strides": (2,)}),
        ("volume", (2, 1, 3), {"kernel_shape": (2, 1, 3), "strides": (3, 2, 1)}),
    ):
        data = whole(2, 1, *sizes, low=1, high=9)
        places = np.arange(data.size, dtype=np.int64).reshape(data.shape)[..., ::-1].copy()
        yield Row(pool.max_unpool, (data, places), attrs, why=f"{why}, backwards")
        if why == "plain":
            for shape in ((2, 1, 6, 12), (2, 1, 8, 13)):
                size = Const(i(*shape))
                yield Row(pool.max_unpool, (data, places, size), attrs, why=f"backwards, {shape}")


def _folded() -> Iterator[Row]:
    for why, image, block, attrs in (
        ("plain", (4, 5), (2, 3), {}),
        ("strides", (5, 6), (2, 3), {"strides": (3, 1)}),
        ("pads", (3, 4), (2, 1), {"strides": (1, 2), "pads": (1, 0, 2, 1)}),
        ("dilations", (5, 5), (2, 3), {"dilations": (3, 2)}),
        ("line", (7,), (3,), {"strides": (2,), "pads": (0, 1)}),
    ):
        rank = len(image)
        pads = attrs.get("pads", (0,) * 2 * rank)
        one = (1,) * rank
        count = 1
        for k in range(rank):
            step, apart = attrs.get("strides", one)[k], attrs.get("dilations", one)[k]
            spread = image[k] + pads[2 * k] + pads[2 * k + 1] - apart * (block[k] - 1) - 1
            count *= spread // step + 1
        data = whole(2, 3 * int(np.prod(block)), count)
        yield Row(conv.col_2_im, (data, Const(i(*image)), Const(i(*block))), attrs, why=why)


CASES: list[Row] = [
    *FORWARD,
    *TRANSPOSED,
    *DEFORMED,
    *_pools(),
    *_pools_of_ranks(),
    *_pools_of_types(),
    *_unpooled(),
    *_folded(),
]
