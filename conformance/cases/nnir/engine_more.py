"""Chance, signals, matrices, boxes and names: what engines do in their own ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.ops import (
    activation,
    binary,
    compare,
    detection,
    index,
    linalg,
    norm,
    random,
    reduce,
    shape,
    signal,
    unary,
)
from nnir.types import PadMode, Precision, precision_of

from ...case import Const, Tolerance, f, i, rand
from .engine_rows import Row
from .engine_types import ALL, FLOATS, INTEGERS, ends, name_of, table

CLOSE = Tolerance(relative=1e-4, absolute=1e-4)
F32 = Precision.FLOAT32


def _chance() -> Iterator[Row]:
    """What is sure of random numbers."""
    operands: Any
    given: Any
    signs: Any
    whole: Any
    spread: Any
    floor: Any
    below: Any
    wide: Any
    far: Any
    between: Any
    coarse: Any
    sizes: list[tuple[str, Any]] = [("known", Const(i(40, 50))), ("running", i(50, 40))]
    least = (reduce.reduce_min, (np.array([0, 1]),), {"keepdim": False})
    most = (reduce.reduce_max, (np.array([0, 1]),), {"keepdim": False})
    for seed in (None, 3.0):
        for name, size in sizes:
            how = {"seed": seed}
            why = f"seed {seed}, {name}"
            signs = ((unary.sign, (), {}), least)
            operands = (size,)
            normal = random.random_normal
            yield Row(normal, operands, how, why=f"some are below 0, {why}", then=signs)
            signs = ((unary.sign, (), {}), most)
            yield Row(normal, operands, how, why=f"some are above 0, {why}", then=signs)
            far = how | {"mean": 1000.0, "scale": 0.01}
            whole = ((unary.round_, (), {}), least)
            yield Row(normal, operands, far, why=f"near the mean, {why}", then=whole)
            wide = how | {"scale": 1000.0}
            spread = ((unary.abs_, (), {}), most, (compare.greater, (np.float32(900),), {}))
            yield Row(normal, operands, wide, why=f"far from the mean, {why}", then=spread)
            between = how | {"low": 5.0, "high": 6.0}
            for edge in (least, most):
                floor = ((unary.floor, (), {}), edge)
                text = f"{edge[0].name} of whole parts, {why}"
                yield Row(random.random_uniform, operands, between, why=text, then=floor)
            spread = (most, (compare.greater, (np.float32(5.9),), {}))
            yield Row(random.random_uniform, operands, between, why=f"up to 6, {why}", then=spread)
            coarse = how | {"low": 0.0, "high": 1.0, "dtype": Precision.BFLOAT16}
            below = (most, (compare.less, (np.ones((), ml_dtypes.bfloat16),), {}))
            text = f"below the end, coarse, {why}"
            yield Row(random.random_uniform, operands, coarse, why=text, then=below)
        odds = f(0, 1, 1, 0)
        for dtype in (Precision.BOOL8, Precision.FLOAT32, Precision.INT64):
            given = {"dtype": dtype, "seed": seed}
            yield Row(random.bernoulli, (odds,), given, why=f"sure, {dtype.name}, {seed}")
        halves = np.full((40, 50), 0.5, np.float32)
        for edge in (least, most):
            given = {"dtype": Precision.INT32, "seed": seed}
            why = f"{edge[0].name} of halves, {seed}"
            yield Row(random.bernoulli, (halves,), given, why=why, then=(edge,))
        scores = f(0, 200, 0, 300, 0, 0).reshape(2, 3)
        for dtype in (Precision.INT32, Precision.INT64):
            given = {"dtype": dtype, "sample_size": 4, "seed": seed}
            yield Row(random.multinomial, (scores,), given, why=f"sure, {dtype.name}, {seed}")
        alike = np.zeros((1, 3), np.float32)
        given = {"dtype": Precision.INT64, "sample_size": 400, "seed": seed}
        for edge in (least, most):
            why = f"{edge[0].name} of equal odds, {seed}"
            yield Row(random.multinomial, (alike,), given, why=why, then=(edge,))


def _signals() -> Iterator[Row]:
    operands: Any
    given: Any
    real, wave = rand(2, 6, 3, 1), rand(2, 6, 3, 2)
    for why, data in (("real", real), ("complex", wave)):
        for axis in (None, 1, -2, 0):
            for inverse, onesided in ((False, False), (True, False), (False, True), (True, True)):
                if onesided and why == ("real" if inverse else "complex"):
                    continue
                place = None if axis is None else Const(np.array(axis, np.int64))
                given = {"inverse": inverse, "onesided": onesided}
                for length in (None, 5, 8):
                    if length is not None and axis not in (1, None):
                        continue
                    count = None if length is None else Const(np.array(length, np.int64))
                    text = f"{why}, {axis}, {inverse}, {onesided}, {length}"
                    operands = (data, count, place)
                    yield Row(signal.dft, operands, given, tol=CLOSE, why=text, opens=False)
    for onesided, inverse in ((False, False), (True, False), (True, True)):
        given = {"inverse": inverse, "onesided": onesided}
        data = (wave if inverse else real)[:, :, :0]
        operands = (data, None, Const(np.array(1)))
        yield Row(
            signal.dft, operands, given, why=f"no signals, {onesided}, {inverse}", opens=False
        )
    for dtype in (np.float64, np.float16, ml_dtypes.bfloat16):
        tol = Tolerance(1e-9, 1e-9) if dtype is np.float64 else Tolerance(2e-2, 5e-2)
        operands = (wave.astype(dtype), None, Const(np.array(1)))
        yield Row(signal.dft, operands, {}, tol=tol, why="types", opens=False)


def _matrices() -> Iterator[Row]:
    given: Any
    data = rand(2, 3, 3) + 4 * np.eye(3, dtype=np.float32)
    yield Row(linalg.lu_factor, (data,), {"pivot": False}, tol=CLOSE, why="without pivots")
    for upper in (False, True):
        given = {"upper": upper}
        right = rand(2, 3, 2)
        yield Row(linalg.solve_triangular, (data, right), given, tol=CLOSE, why=f"{upper}")
        one = given | {"unit_diagonal": True}
        yield Row(linalg.solve_triangular, (data, right), one, tol=CLOSE, why=f"ones, {upper}")
        square = data @ data.swapaxes(1, 2)
        yield Row(linalg.cholesky, (square,), given, tol=CLOSE, why=f"{upper}")


BOXES = f(
    *(0, 0, 4, 4),
    *(0, 0, 4, 3),
    *(1, 1, 5, 5),
    *(6, 6, 9, 9),
    *(9, 6, 6, 9),
    *(2, 2, 2, 7),
).reshape(1, 6, 4)
SCORES = f(*(0.9, 0.8, 0.7, 0.3, 0.6, 0.2), *(0.1, 0.5, 0.5, 0.4, 0.0, 0.95)).reshape(1, 2, 6)


def _boxes() -> Iterator[Row]:
    operands: Any
    given: Any
    most, bound, least = np.array([2]), f(0.5), f(0.3)
    for why, rest in (
        ("nothing", (None, None, None)),
        ("most", (most, None, None)),
        ("bound", (most, bound, None)),
        ("least", (np.array([9]), None, least)),
        ("everything", (most, bound, least)),
        ("constants", (Const(most), Const(bound), Const(least))),
        ("more than there are", (np.array([50]), f(0.99), None)),
    ):
        for centred in (False, True):
            operands = (BOXES, SCORES, *rest)
            given = {"center_point_box": centred}
            text = f"{why}, {centred}"
            yield Row(detection.non_max_suppression_indices, operands, given, why=text)
    for threshold in (0.0, 0.4, 0.9):
        given = {"iou_threshold": threshold}
        yield Row(detection.suppress_boxes, (BOXES[0], SCORES[0, 0]), given, why=f"{threshold}")


POSITIONS = i(2, -1, 0, 1, 1, -3).reshape(2, 3)


def _places() -> Iterator[Row]:
    operands: Any
    given: Any
    where: Any
    bounds: Any
    for dtype in (*ALL, np.complex64):
        name, data = name_of(dtype), table(dtype)
        at, small = POSITIONS, data[:, :, :1]
        yield Row(index.gather, (data, at), {"axis": 1}, why=name, opens=dtype is np.float32)
        yield Row(index.gather, (data, Const(at)), {"axis": -2}, why=f"{name}, constants")
        where = np.broadcast_to(at[:, :, None], (2, 3, 1)).copy()
        yield Row(index.gather_elements, (small, where), {"axis": 1}, why=name, opens=False)
        yield Row(index.non_zero, (data,), why=name, opens=False)
        reductions = ["none"]
        if dtype is not np.complex64:
            reductions += ["max", "min", "add", "mul"]
        for reduction in reductions:
            given = {"axis": 1, "reduction": reduction}
            places = i(2, -1, 0, 1, -3, 0).reshape(2, 3, 1)
            if reduction == "none":
                places = i(2, -2, 0, 0, -1, 1).reshape(2, 3, 1)
            operands = (small, places, small[::-1].copy())
            why = f"{name}, {reduction}"
            yield Row(index.scatter_elements, operands, given, why=why, opens=False)
            rows = i(1, -1).reshape(2, 1) if reduction != "none" else i(-1, 0).reshape(2, 1)
            given = {"reduction": reduction}
            yield Row(
                index.scatter_nd, (data, rows, data[::-1].copy()), given, why=why, opens=False
            )
    for batch, vectors in ((0, i(1, -1, 0, 2).reshape(2, 2)), (1, i(2, -2).reshape(2, 1))):
        given = {"batch_dims": batch}
        yield Row(
            index.gather_nd, (table(np.float32), vectors), given, why=f"batch {batch}", opens=False
        )
    for bounds in (
        (i(1, 2), i(0), i(3), i(2)),
        (i(1, 2), i(2, -1), i(-9, 0), i(-1, -2)),
        (i(-1, 0), i(-3, -9), i(1 << 40, 1), i(1, 1)),
        (i(0, 1, 2), i(0, 1, 3), i(2, -1, -5), i(1, 1, -3)),
    ):
        bounds = bounds if len(bounds[0]) == len(bounds[1]) else (bounds[0][:1], *bounds[1:])
        why = " ".join(str(b.tolist()) for b in bounds)
        axes, starts, stops, steps = bounds
        data = table(np.float32)
        yield Row(index.slice_, (data, axes, starts, stops, steps), why=f"running, {why}")
        known = tuple(map(Const, bounds))
        yield Row(index.slice_, (data, *known), why=f"known, {why}")
        yield Row(
            index.slice_, (data, Const(axes), starts, stops, Const(steps)), why=f"both, {why}"
        )
    yield Row(index.slice_, (table(np.float32), None, i(1), i(2)), why="no axes")
    for time, batch in ((1, 0), (0, 1), (2, 0)):
        count = table(np.float32).shape[batch]
        given = {"time_axis": time, "batch_axis": batch}
        operands = (table(np.float32), i(*([2, 1, 2][:count])))
        yield Row(index.reverse_sequence, operands, given, why=f"time {time}, batch {batch}")


def _shapes() -> Iterator[Row]:
    operands: Any
    given: Any
    pads: Any
    modes = (PadMode.CONSTANT, PadMode.EDGE, PadMode.REFLECT)
    for k, dtype in enumerate((*ALL, np.complex64)):
        name, data = name_of(dtype), table(dtype)
        for mode in modes if dtype is np.float32 else modes[k % 2 :][:1]:
            given = {"mode": mode}
            pads = i(0, 0, 1, 2, 2, 1).reshape(3, 2)
            value = None if mode != PadMode.CONSTANT else ends(dtype)[-2:][0].reshape(())
            operands = (data, Const(pads), None if value is None else Const(value))
            why = f"{name}, {mode.name}"
            yield Row(shape.pad, operands, given, why=why, opens=dtype is np.float32)
        yield Row(shape.concat, (data, data[:, :1], data), {"axis": 1}, why=name, opens=False)
        yield Row(shape.tile, (data, Const(i(1, 2, 3))), why=name, opens=False)
        yield Row(shape.expand, (data[:, :1], Const(i(2, 3, 4))), why=name, opens=False)
        yield Row(shape.transpose, (data,), {"perm": (2, 0, 1)}, why=name, opens=False)
        yield Row(shape.stack, (data, data), {"axis": -1}, why=name, opens=False)
        split = Const(i(1, 0, 3))
        yield Row(shape.split, (data, split), {"axis": -1}, why=name, opens=False)
        yield Row(index.roll, (data, Const(i(2, -1)), Const(i(-1, 1))), why=name, opens=False)
        yield Row(shape.reshape, (data, Const(i(0, -1, 2))), why=name, opens=False)


def _memories() -> Iterator[Row]:
    """Constants whose elements lie in memory in odd ways."""
    operands: Any
    base = table(np.float32)
    packed = np.zeros(25, np.uint8)[1:].view(np.float32)
    packed[:] = np.arange(6)
    odd = np.zeros(6, [("a", np.uint8), ("b", np.float32)])["b"]
    odd[:] = np.arange(6)
    for why, array in (
        ("backwards", base[:, ::-1]),
        ("turned", base.transpose(2, 0, 1)),
        ("spread", np.broadcast_to(base[0, 0], (2, 3, 4))),
        ("skipping", base[:, ::2]),
        ("not aligned", packed),
        ("of a structure", odd),
    ):
        operands = (np.ones(array.shape, np.float32), Const(array))
        yield Row(binary.add, operands, why=f"a constant, {why}")
    backwards = np.arange(5, dtype=np.uint8)[::-1]
    yield Row(binary.add, (np.ones(5, np.uint8), Const(backwards)), why="bytes, backwards")


def _bounded() -> Iterator[Row]:
    bounds: Any
    for dtype in (*FLOATS, *INTEGERS):
        data, kind = ends(dtype), np.dtype(dtype).type
        for why, low, high in (("inside", 1, 3), ("crossed", 3, 1)):
            bounds = kind(low), kind(high)
            name = f"{name_of(dtype)}, {why}"
            known = tuple(Const(np.array(b)) for b in bounds)
            yield Row(activation.clip, (data, *known), why=f"{name}, known", opens=False)
            running = tuple(np.array(b) for b in bounds)
            yield Row(activation.clip, (data, *running), why=name, opens=False)
            if why == "inside":
                vectors = tuple(np.array([b]) for b in bounds)
                yield Row(activation.clip, (data, *vectors), why=f"{name}, vectors", opens=False)


def _bit_casts() -> Iterator[Row]:
    given: Any
    for source in (*FLOATS, *INTEGERS):
        for target in (*FLOATS, *INTEGERS):
            if np.dtype(source).itemsize == np.dtype(target).itemsize and source is not target:
                given = {"dtype": precision_of(np.dtype(target))}
                why = f"{name_of(source)} to {name_of(target)}"
                data = ends(source)
                data = data[np.isfinite(data.astype(np.float64))]
                yield Row(unary.bit_cast, (data,), given, why=why, opens=False)


def _broadcasts() -> Iterator[Row]:
    operands: Any
    data = table(np.float32)
    for repeats in ((2,), (3, 1), (1, 2, 1), (2, 1, 1, 3), (2, 2, 1, 2, 1), (0, 1, 1)):
        for size in (i(*repeats), Const(i(*repeats))):
            why = f"{repeats}, {'known' if isinstance(size, Const) else 'running'}"
            yield Row(shape.tile, (data, size), why=why, opens=isinstance(size, Const))
    for target in ((5, 2, 3, 4), (2, -1, 4), (2, 3, 4), (2, 3, -1)):
        for size in (i(*target), Const(i(*target))):
            if -1 in target and not isinstance(size, Const):
                continue
            why = f"{target}, {'known' if isinstance(size, Const) else 'running'}"
            yield Row(
                shape.expand,
                (data[:, :, :1], size) if target[-1] == 4 else (data, size),
                why=why,
                opens=isinstance(size, Const),
            )
    for axis, num in ((0, 2), (-1, 4), (1, 3)):
        yield Row(shape.unstack, (data,), {"axis": axis, "num": num}, why=f"{axis}")
    yield Row(shape.unstack, (data[:1],), {"axis": 0, "num": 1}, why="one")
    for axis in (0, 1, -1):
        yield Row(activation.hardmax, (data,), {"axis": axis}, why=f"{axis}")
    for dims in ((), (4,), (2, 3), (2, 3, 2), (1, 3, 2, 2)):
        slopes = [f(0.25)]
        if len(dims) > 1:
            slopes.append(f(*np.arange(dims[1]) / 4 - 0.5))
        for slope in slopes:
            operands = (rand(*dims), slope)
            yield Row(activation.prelu, operands, why=f"{dims}, {slope.size}", opens=False)


TOLERANCES: dict[Any, Tolerance] = {np.float32: CLOSE, np.float64: Tolerance(1e-9, 1e-9)}


def _norms() -> Iterator[Row]:
    given: Any
    for dtype in FLOATS:
        tol = TOLERANCES.get(dtype, Tolerance(2e-2, 5e-2))
        scale, bias, mean, variance = (
            np.array(v, dtype) for v in ((1, -2, 0.5), (0, 1, 3), (0.5, -1, 2), (1, 4, 0.25))
        )
        for dims in ((2, 3), (2, 3, 4), (2, 3, 2, 2), (1, 3, 2, 1, 2)):
            x = rand(*dims).astype(dtype)
            why = f"{name_of(dtype)}, {len(dims)} axes"
            two = (x, scale, bias)
            way: dict[str, Any] = {"tol": tol, "why": why, "opens": dtype is np.float32}
            yield Row(norm.batch_normalization, (*two, mean, variance), {"epsilon": 0.01}, **way)
            yield Row(norm.instance_normalization, two, {"epsilon": 0.1}, **way)
            yield Row(norm.group_normalization, two, {"groups": 3, "epsilon": 0.1}, **way)
            for begin in (1, -1) if dtype is np.float32 else (1,):
                last = dims[begin:]
                own = rand(*last, seed=1).astype(dtype), rand(*last, seed=2).astype(dtype)
                text = way | {"why": f"{why}, from {begin}"}
                given = {"begin_norm_axis": begin, "epsilon": 0.05}
                yield Row(norm.layer_normalization, (x, *own), given, **text)
                given_scale = (x, own[0])
                yield Row(norm.rms_normalization, given_scale, given, **text | {"opens": False})
            for axis in (1, -1):
                for p in (1, 2):
                    given = {"axis": axis, "p": p}
                    text = way | {"why": f"{why}, {axis}, {p}"}
                    yield Row(norm.lp_normalization, (x,), given, **text)
            if len(dims) > 2:
                given = {"size": 3, "bias": 2.0, "alpha": 0.5, "beta": 0.6}
                yield Row(norm.lrn, (x,), given, **way)


def _narrow() -> Iterator[Row]:
    """Comparisons of what is narrower than engines compare."""
    operands: Any
    then: Any
    kinds = (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)
    for dtype in kinds:
        a = np.array([0, 1, 2, 7] if "uint" in name_of(dtype) else [-3, -1, 0, 2], dtype)
        for operator in (compare.equal, compare.less, compare.greater_equal):
            yield Row(operator, (a[:, None], a), why=name_of(dtype), opens=False)
        mask = np.array([True, False, True, False])
        then = ((unary.cast, (), {"dtype": F32}),)
        operands = (mask, a, a[::-1].copy())
        yield Row(compare.where, operands, why=name_of(dtype), then=then, opens=False)


def _long_sums() -> Iterator[Row]:
    """Sums of integers that no float64 holds."""
    given: Any
    then: Any
    axes: Any
    far: Any
    far = np.array([(1 << 53) + 1, 1, 2, (1 << 60) + 3])
    for source, kind in ((np.int64, Precision.UINT64), (np.uint64, Precision.INT64)):
        then = ((reduce.reduce_sum, (np.array([0]),), {"keepdim": False}),)
        data = far.astype(source)
        given = {"dtype": kind}
        yield Row(unary.cast, (data,), given, why=f"{name_of(source)}, a sum", then=then)
    for dtype in (np.int64, np.uint64):
        for axes in (Const(i(0)), Const(i(1)), Const(i(0, 1)), Const(i(-1))):
            data = far.reshape(2, 2).astype(dtype)
            axis = axes.array
            for keepdim in (True, False):
                why = f"far, over {axis.tolist()}, {keepdim}"
                yield Row(reduce.reduce_sum, (data, axes), {"keepdim": keepdim}, why=why)


NAMES = (("1", "class"), ("x y", "x_y"), ("self", "input_1"), ("", "nan"), ("a", "a"))


def _names() -> Iterator[Row]:
    operands: Any
    for names in NAMES:
        operands = (f(1, 2, 3), f(4, 6, 8))
        yield Row(binary.sub, operands, why=f"inputs {names}", names=names, opens=False)


CASES: list[Row] = [
    *_chance(),
    *_signals(),
    *_matrices(),
    *_boxes(),
    *_places(),
    *_shapes(),
    *_memories(),
    *_bounded(),
    *_bit_casts(),
    *_broadcasts(),
    *_norms(),
    *_narrow(),
    *_long_sums(),
    *_names(),
]
