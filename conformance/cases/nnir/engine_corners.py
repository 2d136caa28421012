"""What lies at the corners: nothing, one element, no axis, operands that are seldom given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import (
    activation,
    conv,
    detection,
    generate,
    index,
    linalg,
    linear,
    pool,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    unary,
)
from nnir.types import InterpolateMode, PadMode

from ...case import ROUNDS, Const, Tolerance, f, i, rand
from .engine_rows import Row
from .engine_types import ALL, INTEGERS, NUMBERS, ends, name_of, table
from .engine_windows import whole

CLOSE = Tolerance(relative=1e-4, absolute=1e-4)
HALF, NO, YES = np.array(0.5, np.float32), np.array(False), np.array(True)


def _activations() -> Iterator[Row]:
    operands: Any
    then: Any
    for dtype in NUMBERS:
        for operator in (activation.relu, activation.relu6):
            yield Row(operator, (ends(dtype),), why=name_of(dtype), opens=False)
    x = rand(3, 4)
    for ratio, training in ((HALF, NO), (HALF * 0, YES), (HALF * 0, NO)):
        for known in (True, False):
            operands = (Const(ratio), Const(training)) if known else (ratio, training)
            why = f"nothing dropped, {ratio}, {training}, {known}"
            yield Row(activation.dropout, (x, *operands), why=why)
    ones = np.ones((40, 50), np.float32)
    for fold in (reduce.reduce_min, reduce.reduce_max):
        then = ((fold, (np.array([0, 1]),), {"keepdim": False}),)
        operands = (ones, Const(HALF / 2), Const(YES))
        why = f"{fold.name} of what is left"
        yield Row(activation.dropout, operands, why=why, then=then, tol=ROUNDS)


def _pads() -> Iterator[Row]:
    operands: Any
    pads: Any
    data = table(np.float32)
    for mode in (PadMode.CONSTANT, PadMode.EDGE, PadMode.REFLECT, PadMode.WRAP):
        for why, x, pads in (
            ("grown", data, ((0, 1), (2, 0), (1, 3))),
            ("cut", data, ((0, 0), (-1, 0), (0, -2))),
            ("both", data, ((0, 0), (-1, 1), (1, -1))),
            ("one element", data[:, :1], ((0, 0), (0, 0), (1, 1))),
        ):
            if mode == PadMode.WRAP and why == "both":
                continue
            for known in (True, False):
                amounts = i(*pads)
                operands = (x, Const(amounts) if known else amounts.reshape(-1))
                text = f"{mode.name}, {why}, {known}"
                yield Row(shape.pad, operands, {"mode": mode}, why=text, opens=not known)
    gone = data[:, :0]
    for mode in (PadMode.CONSTANT, PadMode.WRAP):
        pads = Const(i((0, 0), (0, 0), (1, 2)))
        yield Row(shape.pad, (gone, pads), {"mode": mode}, why=f"{mode.name}, nothing", opens=False)


STEPS = ("Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid", "Softplus")


def _cells() -> Iterator[Row]:
    given: Any
    x, w, r = rand(3, 2, 4), rand(1, 5, 4, seed=1), rand(1, 5, 5, seed=2)
    for name in (*STEPS, "Softsign", "Tanh", "ThresholdedRelu"):
        given = {"activations": (name,), "activation_alpha": (0.3,), "activation_beta": (0.4,)}
        yield Row(recurrent.rnn, (x, w, r), given, tol=CLOSE, why=name, opens=False)


def _windows() -> Iterator[Row]:
    given: Any
    wide: Any
    data = whole(2, 2, 3, 4)
    wide = {"kernel_shape": (4, 2), "strides": (1, 1)}
    for operator in (pool.average_pool, pool.average_pool_2d, pool.max_pool, pool.max_pool_2d):
        yield Row(operator, (data,), wide, why="no windows", opens=False)
    for operator in (pool.max_pool, pool.max_pool_2d):
        given = wide | {"return_indices": True}
        yield Row(operator, (data,), given, why="no windows, places", opens=False)
        truths = data > 2
        given = {"kernel_shape": (2, 2), "strides": (1, 2), "pads": (1, 0, 0, 1)}
        yield Row(operator, (truths,), given, why="truth values", opens=False)


def _folds() -> Iterator[Row]:
    operands: Any
    axes: Any
    where: Any
    for dtype in INTEGERS:
        for axes in ((1,), (-1, 0), ()):
            where = Const(np.array(axes, np.int64))
            operands = (table(dtype) * table(dtype), where)
            why = f"{name_of(dtype)} over {axes}"
            yield Row(reduce.reduce_mean, operands, {"keepdim": False}, why=why, opens=False)
        near = np.array([[0.6, 0.7, 0.5], [0.9, 0.4, 0.1]]) * np.iinfo(dtype).max
        operands = near.astype(dtype), Const(i(1))
        why = f"{name_of(dtype)}, a sum that wraps"
        yield Row(reduce.reduce_mean, operands, {"keepdim": False}, why=why, opens=False)
        running = table(dtype), i(1)
        yield Row(reduce.reduce_mean, running, why=f"{name_of(dtype)}, running", opens=False)
    for dtype in (np.int8, np.uint64):
        one = np.array(5, dtype)
        for operator in (reduce.reduce_xor, reduce.reduce_sum, reduce.reduce_max):
            none = Const(np.zeros(0, np.int64))
            yield Row(operator, (one, none), {"keepdim": False}, why=f"no axis, {name_of(dtype)}")
    inner = Const(i(2, 3))
    for rank, data in ((4, rand(2, 3, 2, 4)), (5, rand(2, 3, 2, 4, 3))):
        why = f"two axes of {rank}"
        yield Row(reduce.reduce_mean, (data, inner), {"keepdim": True}, tol=CLOSE, why=why)
    gone = np.zeros((2, 0, 3), np.float32)
    for operator in (reduce.cum_sum, reduce.cum_prod):
        for axis in (0, 1):
            why = f"nothing, axis {axis}"
            yield Row(operator, (gone, Const(i(axis))), why=why, opens=False)
    for operator in (reduce.reduce_sum, reduce.reduce_prod, reduce.reduce_max, reduce.reduce_mean):
        for axes in (i(1), i(-2), i(0)):
            why = f"nothing, axes {axes.tolist()} while running"
            yield Row(operator, (gone, axes), {"keepdim": True}, why=why, opens=False)


def _products() -> Iterator[Row]:
    operands: Any
    given: Any
    way: Any
    for dtype in (np.float32, np.float64, np.float16, np.int32, np.int64, np.int8, np.uint8):
        for dims in ((2, 3), (2, 2, 3), (6,), (0, 3)):
            operands = (
                whole(*dims, dtype=dtype),
                whole(4, 3, dtype=dtype),
                whole(4, dtype=dtype, high=9),
            )
            if len(dims) == 1:
                continue
            why = f"{name_of(dtype)}, {dims}"
            opens = dtype is np.float32
            yield Row(linear.fully_connected, operands, why=why, opens=opens)
    products: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...] = (
        ("ij,jk->ik", ((2, 0), (0, 3))),
        ("ij,jk->ik", ((0, 2), (2, 3))),
        ("bij,bkj->bik", ((2, 3, 4), (2, 5, 4))),
        ("ii->i", ((3, 3),)),
        ("...i,i->...", ((2, 3, 4), (4,))),
    )
    for equation, shapes in products:
        operands = tuple(whole(*d) for d in shapes)
        given = {"equation": equation}
        yield Row(linear.einsum, operands, given, why=f"{equation}, {shapes}", opens=False)
    for dtype in (np.int8, np.uint8):
        x = rand(2, 4, 5, 4, dtype=np.int64, low=0, high=99).astype(dtype)
        w = rand(6, 2, 2, 3, dtype=np.int64, low=0, high=99).astype(dtype)
        way = {"strides": (2, 1), "dilations": (1, 1), "pads": (1, 0, 0, 2), "group": 2}
        zeros = (None, np.array(7, dtype), np.array([7], dtype))
        for k, zero in enumerate(zeros):
            for n, by in enumerate((*zeros, np.arange(6).astype(dtype))):
                operands = (x, Const(w), zero, by)
                why = f"{name_of(dtype)}, zero points {k}, {n}"
                yield Row(conv.conv_integer, operands, way, why=why, opens=False)


def _solutions() -> Iterator[Row]:
    a = rand(2, 3, 3) + 4 * np.eye(3, dtype=np.float32)
    for why, left, right in (
        ("alike", a, rand(2, 3, 2)),
        ("one right side", a, rand(3, 2)),
        ("one matrix", a[0], rand(2, 3, 2)),
    ):
        yield Row(linalg.solve, (left, right), tol=CLOSE, why=why, opens=False)


def _samples() -> Iterator[Row]:
    given: Any
    grid = f(
        *(-1, -1, 0.2, 0.3, 1.4, 0.9, -1.9, 0.1),
        *(0, 0, 1, 1, -0.6, -0.7, 0.5, 2.5),
    ).reshape(1, 2, 4, 2)
    for mode in (InterpolateMode.BILINEAR, InterpolateMode.NEAREST, InterpolateMode.BICUBIC):
        for border in (PadMode.CONSTANT, PadMode.EDGE, PadMode.REFLECT):
            for corners in (False, True):
                given = {"mode": mode, "pad_mode": border, "align_corners": corners}
                why = f"{mode.name}, {border.name}, {corners}"
                data = rand(1, 2, 3, 4)
                yield Row(resize.grid_sample, (data, grid), given, tol=CLOSE, why=why)
    for dtype in (np.int32, np.uint8, np.float64, np.float16, ml_dtypes.bfloat16):
        data = whole(1, 2, 3, 4, dtype=dtype, high=9)
        given = {"pad_mode": PadMode.CONSTANT, "align_corners": True}
        nearest = given | {"mode": InterpolateMode.NEAREST}
        why = f"nearest, {name_of(dtype)}"
        yield Row(resize.grid_sample, (data, grid), nearest, why=why, opens=False)


def _shapes() -> Iterator[Row]:
    operands: Any
    given: Any
    data = table(np.float32)
    for target in ((6, 4), (0, -1), (-1,), (2, 0, 2, 2), (1, 2, 3, 4)):
        yield Row(shape.reshape, (data, i(*target)), why=f"to {target} while running", opens=False)
    for target in ((6, 4), (-1, 2)):
        operands = (data, i(*target))
        yield Row(shape.reshape_exact, operands, why=f"to {target} while running", opens=False)
    for dtype in (*ALL, np.complex64):
        value = ends(dtype)[-2:-1].reshape(())
        for size in (i(2, 3), Const(i(2, 3)), Const(i(0, 2))):
            known = (
                f"{isinstance(size, Const)}, {np.asarray(getattr(size, 'array', size)).tolist()}"
            )
            operands = (size, Const(value))
            yield Row(generate.fill, operands, why=f"{name_of(dtype)}, {known}", opens=False)
    none = np.zeros(0, np.int64)
    yield Row(index.slice_, (data, Const(none), Const(none), Const(none)), why="no axes at all")
    given = {"axis": 1, "reduction": "add"}
    waves = table(np.complex64)[:, :, :1]
    places = i(2, -1, 0, 1, -3, 0).reshape(2, 3, 1)
    yield Row(index.scatter_elements, (waves, places, waves), given, why="waves add", opens=False)
    angles = f(0, 0.5, -1, 3, dtype=np.float64)
    for operator in (unary.tan, unary.sin, unary.cos):
        yield Row(operator, (angles,), tol=Tolerance(1e-12, 1e-14), why="doubles", opens=False)


def _regions() -> Iterator[Row]:
    operands: Any
    data = rand(2, 3, 6, 7)
    none = np.zeros((0, 4), np.float32)
    some = f((0, 0, 4, 3), (1, 2, 6, 5), (2, 2, 2, 2), (-2, -1, 9, 8))
    for ratio in (0, 2):
        for aligned in (False, True):
            given: dict[str, Any] = {"output_height": 2, "output_width": 3, "spatial_scale": 0.5}
            given |= {"sampling_ratio": ratio, "aligned": aligned}
            for operator in (detection.roi_align, detection.roi_align_max):
                why = f"{ratio}, {aligned}"
                operands = (data, some, i(0, 1, 0, 1, dtype=np.int32))
                yield Row(operator, operands, given, tol=CLOSE, why=why, opens=False)
                operands = (data, none, i(dtype=np.int32))
                yield Row(operator, operands, given, why=f"no regions, {why}", opens=False)


def _refused() -> Iterator[Row]:
    """Just beyond what an operator takes."""
    for axis in (2, -1):
        operands: Any = (rand(2, 4, 2), None, Const(np.array(axis)))
        yield Row(signal.dft, operands, why=f"along the parts, {axis}", raises=BadType)
    for lengths in ((4, -1), (-1, 4), (2, 2)):
        operands = (rand(3, 2), Const(i(*lengths)))
        given: dict[str, Any] = {"axis": 0}
        yield Row(shape.split, operands, given, why=f"into {lengths}", raises=BadType)
    for target in ((-1, 0), (0, -1), (-1, -1), (-2, 3)):
        operands = (np.zeros((0, 3), np.float32), Const(i(*target)))
        yield Row(shape.reshape_exact, operands, why=f"to {target}", raises=BadType)
    for operator in (linalg.qr, linalg.svd, linalg.singular_values, linalg.lu_factor):
        for data in (rand(3), rand(3, 3, dtype=np.int32)):
            why = f"of {data.ndim} axes of {data.dtype.name}"
            yield Row(operator, (data,), why=why, raises=BadType)


CASES: list[Row] = [
    *_activations(),
    *_pads(),
    *_cells(),
    *_windows(),
    *_folds(),
    *_products(),
    *_solutions(),
    *_samples(),
    *_shapes(),
    *_regions(),
    *_refused(),
]
