"""Sliding windows, a row for each kind of parameter, against the operators' own references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from nnir.operator import Operator
from nnir.ops import conv, pool
from nnir.types import AutoPad, Fuse

from ...case import Const, Tolerance, i, rand
from .direct import DirectCase, DirectLimit, referred
from .typed import NEAR, takes

CLOSE = Tolerance(relative=1e-5, absolute=1e-4)
SIZES = (5, 7, 6)
"""Of three spatial axes; fewer are the first of them."""

Attributes = dict[str, Any]
WINDOWS: dict[str, Attributes] = {
    "plain": {"kernel_shape": (3, 2, 2)},
    "one tap": {"kernel_shape": (1, 1, 1)},
    "one tap, strides": {"kernel_shape": (1, 1, 1), "strides": (2, 3, 1)},
    "fits exactly": {"kernel_shape": (5, 7, 6), "strides": (2, 1, 3)},
    "fits exactly with pads": {"kernel_shape": (6, 9, 6), "pads": (0, 1, 2, 0, 0, 0)},
    "strides": {"kernel_shape": (2, 3, 2), "strides": (3, 2, 4)},
    "pads before": {"kernel_shape": (3, 2, 3), "pads": (2, 0, 1, 0, 1, 0)},
    "pads after": {"kernel_shape": (3, 2, 3), "pads": (0, 2, 0, 1, 0, 1)},
    "dilations": {"kernel_shape": (2, 3, 2), "dilations": (3, 2, 4)},
    "everything": {
        "kernel_shape": (2, 3, 2),
        "strides": (2, 1, 2),
        "pads": (1, 0, 1, 2, 0, 1),
        "dilations": (2, 2, 1),
    },
}
CEILS: dict[str, Attributes] = {
    "ceil": {"kernel_shape": (2, 3, 2), "strides": (2, 2, 3)},
    "ceil, fits": {"kernel_shape": (1, 3, 2), "strides": (2, 2, 2)},
    "ceil, pads": {"kernel_shape": (3, 3, 3), "strides": (2, 3, 2), "pads": (1, 0, 0, 1, 1, 1)},
    "ceil, a window in the padding": {
        "kernel_shape": (2, 2, 2),
        "strides": (3, 3, 3),
        "pads": (0, 1, 1, 1, 0, 1),
    },
    "ceil, short windows": {"kernel_shape": (1, 2, 1), "strides": (3, 4, 4)},
}
AUTOS: dict[str, Attributes] = {
    "SAME, even": {"kernel_shape": (2, 4), "strides": (1, 1), "auto_pad": AutoPad.SAME},
    "SAME, odd": {"kernel_shape": (3, 5), "strides": (1, 1), "auto_pad": AutoPad.SAME},
    "SAME, strides": {"kernel_shape": (3, 2), "strides": (2, 3), "auto_pad": AutoPad.SAME},
    "SAME, long strides": {"kernel_shape": (1, 2), "strides": (3, 4), "auto_pad": AutoPad.SAME},
    "VALID": {"kernel_shape": (3, 2), "strides": (2, 1), "auto_pad": AutoPad.VALID},
    "as SAME": {"kernel_shape": (3, 2), "strides": (1, 1), "pads": (1, 1, 0, 1)},
    "SAME upside down": {"kernel_shape": (3, 2), "strides": (1, 1), "pads": (1, 1, 1, 0)},
}


def cut(attrs: Attributes, rank: int) -> Attributes:
    """The attributes of so many axes."""
    twice = {"pads": 2 * rank}
    return {k: v[: twice.get(k, rank)] if isinstance(v, tuple) else v for k, v in attrs.items()}


def data(*sizes: int, kind: str = "numbers") -> np.ndarray:
    """An image; some of it is not finite where it is of that kind."""
    image = rand(*sizes, low=-9, high=9)
    flat = image.reshape(-1)
    match kind:
        case "nan":
            flat[3] = np.nan
        case "infinite":
            flat[8], flat[-2] = np.inf, -np.inf
        case "lowest":
            image.reshape(sizes[0] * sizes[1], -1)[1] = -np.inf
        case "both signs":
            flat[1], flat[2] = np.inf, -np.inf
    return image


def _pool(operator: Operator[Any], input: np.ndarray, attrs: Attributes, why: str) -> DirectCase:
    name = str(input.dtype)
    tol = NEAR.get(name, Tolerance()) if operator not in LARGEST else Tolerance()
    return referred(operator, (input,), attrs, tol, why)


STRANGE = ("nan", "infinite", "both signs", "lowest")
LARGEST = {pool.max_pool, pool.max_pool_2d}


def _pools() -> Iterator[DirectCase]:
    for rank in (1, 2, 3):
        image = data(2, 3, *SIZES[:rank])
        strange = {k: data(1, 2, *SIZES[:rank], kind=k) for k in STRANGE}
        for word, window in {**WINDOWS, **CEILS}.items():
            given = cut(window, rank) | ({"ceil_mode": True} if word in CEILS else {})
            name = f"{word}, {rank} axes"
            yield _pool(pool.max_pool, image, given, name)
            yield _pool(pool.average_pool, image, given, name)
            yield _pool(
                pool.average_pool, image, given | {"count_include_pad": True}, f"{name}, all taps"
            )
            yield _pool(pool.lp_pool, image, given | {"p": 3.0}, f"{name}, p 3")
            if word in ("plain", "everything", "ceil, pads"):
                indices = given | {"return_indices": True}
                yield _pool(pool.max_pool, image, indices, f"{name}, places")
                for kind, array in strange.items():
                    yield _pool(pool.average_pool, array, given, f"{name}, {kind}")
                    if kind == "infinite" or (word == "plain" and rank < 3):
                        yield _pool(pool.max_pool, array, given, f"{name}, {kind}")
                        yield _pool(pool.max_pool, array, indices, f"{name}, places, {kind}")


FLAT: dict[str, Attributes] = {
    **{w: {"strides": (1, 1), **cut(a, 2)} for w, a in WINDOWS.items() if "dilations" not in a},
    **{w: {"ceil_mode": True, **cut(a, 2)} for w, a in CEILS.items()},
    **AUTOS,
}
KINDS = (np.int8, np.uint8, np.int16, np.int32, np.int64, np.float16, ml_dtypes.bfloat16, np.bool_)


def _images() -> Iterator[DirectCase]:
    image = data(2, 3, 5, 7)
    strange = {k: data(1, 2, 5, 7, kind=k) for k in STRANGE}
    for word, window in FLAT.items():
        for operator in (pool.average_pool_2d, pool.max_pool_2d):
            yield _pool(operator, image, window, f"image, {word}")
            yield _pool(operator, strange["infinite"], window, f"image, {word}, infinite")
            if word == "plain":
                yield _pool(operator, strange["lowest"], window, f"image, {word}, lowest")
            if word in ("plain", "pads before"):
                yield _pool(operator, strange["nan"], window, f"image, {word}, nan")
        whole = window | {"count_include_pad": True}
        yield _pool(pool.average_pool_2d, image, whole, f"image, {word}, all taps")
        places = window | {"return_indices": True}
        yield _pool(pool.max_pool_2d, image, places, f"image, {word}, places")
    for kind in KINDS:
        small = rand(1, 2, 5, 7, dtype=kind, low=-99, high=-1)
        for word in ("plain", "pads before", "SAME, strides"):
            for operator in (pool.average_pool_2d, pool.max_pool_2d):
                case = _pool(operator, small, FLAT[word], f"image, {word}, below 0")
                if takes(case):
                    yield case


def _unpools() -> Iterator[DirectCase]:
    indices = i(0, 3, 5, 11, 14, 16).reshape(1, 1, 2, 3)
    square = {"kernel_shape": (2, 2), "strides": (2, 2)}
    rows: list[tuple[str, Attributes, Any]] = [
        ("plain", square, None),
        ("a size at run time", square, i(1, 1, 5, 7)),
        ("a known size", square, Const(i(1, 1, 4, 7))),
        ("pads", {"kernel_shape": (2, 3), "strides": (3, 2), "pads": (1, 0, 0, 1)}, None),
        ("strides of 1", {"kernel_shape": (3, 4)}, None),
    ]
    for word, attrs, sizes in rows:
        yield referred(pool.max_unpool, (rand(1, 1, 2, 3), indices, sizes), attrs, why=word)


TAPS: dict[str, Attributes] = {
    "plain": {},
    "strides": {"strides": (2, 3, 1)},
    "pads": {"pads": (1, 0, 2, 1, 0, 1)},
    "cuts": {"pads": (-1, 0, 1, -1, 0, -1)},
    "dilations": {"dilations": (2, 1, 3)},
    "everything": {"strides": (2, 1, 2), "pads": (1, 2, 0, 1, 1, 0), "dilations": (1, 2, 2)},
}
SAMES: dict[str, Attributes] = {
    "SAME": {"auto_pad": AutoPad.SAME},
    "SAME, strides": {"auto_pad": AutoPad.SAME, "strides": (2, 3, 2)},
    "VALID": {"auto_pad": AutoPad.VALID, "pads": (1, 1, 1, 1, 1, 1)},
}
GROUPS = {
    "one channel": (1, 1, 2),
    "one group": (1, 4, 6),
    "two groups": (2, 4, 6),
    "depthwise": (4, 4, 8),
}
"""The number of groups, channels that go in, and channels that come out."""


def _known(word: str, filter: np.ndarray, bias: np.ndarray) -> Sequence[Any]:
    """Filter and bias as they are given."""
    match word:
        case "known":
            return Const(filter), Const(bias)
        case "known, no bias":
            return Const(filter), Const(np.zeros_like(bias))
    return filter, bias


def _convolutions() -> Iterator[DirectCase]:
    for rank, plain, back in (
        (2, conv.conv_2d, conv.conv_2d_transpose),
        (3, conv.conv_3d, conv.conv_3d_transpose),
    ):
        ones = {"strides": (1,) * rank, "dilations": (1,) * rank}
        kernel = (3, 2, 2)[:rank]
        for word, (group, channels, filters) in GROUPS.items():
            image = data(2, channels, *(6, 7, 5)[:rank])
            bias = rand(filters)
            taps = rand(filters, channels // group, *kernel)
            spread = rand(channels, filters // group, *kernel)
            for name, given in {**TAPS, **SAMES}.items():
                if word == "one channel" and name not in ("plain", "dilations", "everything"):
                    continue
                attrs = ones | cut(given, rank) | {"group": group}
                ways = ("known",) if name != "everything" else ("known", "known, no bias", "given")
                for way in ways:
                    why = f"{name}, {word}, {way}"
                    yield referred(plain, (image, *_known(way, taps, bias)), attrs, CLOSE, why)
                    rest = _known(way, spread, bias)
                    yield referred(back, (image, *rest), attrs, CLOSE, why)
            extra = ones | {"group": group, "strides": (3,) * rank}
            for name, given in (
                ("output padding", {"output_padding": (1, 2, 0)[:rank]}),
                ("output shape", {"output_shape": (17, 20, 15)[:rank]}),
            ):
                rest = _known("known", spread, bias)
                why = f"{name}, {word}"
                yield referred(back, (image, *rest), extra | given, CLOSE, why)


def _kinds() -> Iterator[DirectCase]:
    """Convolutions of every float, and with every activation."""
    image = data(1, 2, 3, 4)
    ones = {"strides": (1, 1), "dilations": (1, 1)}
    for kind in (np.float16, ml_dtypes.bfloat16, np.float64):
        for operator in (conv.conv_2d, conv.conv_2d_transpose):
            first, *rest = (a.astype(kind) for a in (image, rand(2, 2, 2, 2), rand(2)))
            for way in ("known", "given"):
                tol = Tolerance(relative=4e-2, absolute=0.3)
                inputs = first, *_known(way, *rest)
                yield referred(operator, inputs, ones, tol, f"every float, {way}")
    for code in Fuse:
        cube = data(1, 2, 3, 2, 3), rand(2, 2, 2, 1, 2), rand(2)
        attrs = {"strides": (1, 1, 1), "dilations": (1, 1, 1), "fuse_code": code}
        yield referred(conv.conv_3d, cube, attrs, CLOSE, code.name)
        yield referred(conv.conv_3d_transpose, cube, attrs, CLOSE, code.name)


def _integers() -> Iterator[DirectCase]:
    ones = {"strides": (1, 1), "dilations": (1, 1)}
    for x, w in ((np.uint8, np.int8), (np.int8, np.uint8)):
        for name, given in TAPS.items():
            if name == "cuts":
                continue
            for word, (group, channels, filters) in GROUPS.items():
                image = _bytes(x, 1, channels, 5, 6)
                taps = _bytes(w, filters, channels // group, 3, 2)
                points = [np.array(7).astype(x), np.array(3).astype(w)]
                attrs = ones | cut(given, 2) | {"group": group}
                inputs = (image, taps, *points)
                yield referred(
                    conv.conv_integer, inputs, attrs, why=f"{name}, {word}, {w.__name__}"
                )
    taps = _bytes(np.int8, 3, 4, 2, 2)
    image = _bytes(np.uint8, 1, 4, 5, 6)
    each = i(1, -2, 3, dtype=np.int8)
    for name, rest in (
        ("no zero points", (taps,)),
        ("a zero point of the input", (taps, np.uint8(9))),
        ("a zero point of the filter", (taps, None, np.int8(-4))),
        ("a zero point for each filter", (taps, np.uint8(9), each)),
        ("known", (Const(taps), Const(np.array(9, np.uint8)), Const(each))),
    ):
        arrays = [np.asarray(r) if isinstance(r, np.generic) else r for r in rest]
        yield referred(conv.conv_integer, (image, *arrays), ones, why=name)


def _bytes(kind: Any, *sizes: int) -> np.ndarray:
    bounds = np.iinfo(kind)
    return rand(*sizes, dtype=kind, low=bounds.min, high=bounds.max)


def _columns() -> Iterator[DirectCase]:
    for name, image, attrs, count in (
        ("plain", (5, 4), {}, 12),
        ("strides", (5, 4), {"strides": (3, 2)}, 4),
        ("pads", (5, 4), {"pads": (1, 0, 0, 2)}, 25),
        ("dilations", (5, 4), {"dilations": (2, 3)}, 3),
    ):
        block = i(2, 2)
        sizes = i(*image)
        for word, kind in (("known", Const), ("given", np.asarray)):
            columns = rand(2, 12, count)
            yield referred(
                conv.col_2_im, (columns, kind(sizes), kind(block)), attrs, CLOSE, f"{name}, {word}"
            )


LIMITS = [
    DirectLimit(
        operator,
        "ONNX Runtime passes over NaN",
        case=case,
        raises=AssertionError,
    )
    for operator, case in (
        (pool.max_pool, ", nan"),
        (pool.max_pool_2d, ", nan"),
    )
] + [
    DirectLimit(
        pool.max_pool,
        "ONNX Runtime begins with the lowest finite number",
        case="1 axes, lowest",
        raises=AssertionError,
    )
]
CASES = [
    case
    for case in (
        *_pools(),
        *_images(),
        *_unpools(),
        *_convolutions(),
        *_kinds(),
        *_integers(),
        *_columns(),
    )
    if takes(case)
]
WORDS = ("plain", "everything", "SAME", "pads before", "ceil, pads", "image")
OPENED = [
    c
    for c in CASES
    if c.why.startswith(WORDS) and ", 1 axes" not in c.why and ", 3 axes" not in c.why
]
"""Those that run with open sizes too."""

TURNED = [c for c in OPENED if c.why.startswith(("everything", "SAME", "image, pads before"))]
"""Those that run on data in another order of axes too."""
