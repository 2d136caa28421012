"""Axes and positions of every kind, against the operators' own references: for devices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from nnir.operator import Operator
from nnir.ops import activation, attention, index, norm, quant, reduce, shape, signal, sort
from nnir.types import PadMode, Precision

from ...case import Const, Tolerance, i, rand, scalar
from .direct import DirectCase, referred
from .typed import takes

CLOSE = Tolerance(relative=1e-5, absolute=1e-6)
X = rand(2, 3, 4, low=-9, high=9)
LINE = rand(5, low=-9, high=9)
AXES = (0, 1, 2, -1, -2, -3)
GIVEN: dict[str, Any] = {"known": Const, "given": np.asarray}


def _along(operator: Operator[Any], why: str = "", **attrs: Any) -> Iterator[DirectCase]:
    """Along each axis, and along that of a vector."""
    for axis in AXES:
        yield referred(operator, (X,), {"axis": axis} | attrs, CLOSE, f"{why}axis {axis}")
    for axis in (0, -1):
        yield referred(
            operator, (LINE,), {"axis": axis} | attrs, CLOSE, f"{why}vector, axis {axis}"
        )


def _axes() -> Iterator[DirectCase]:
    for operator in (
        *(activation.softmax, activation.log_softmax, activation.hardmax, attention.safe_softmax),
        *(reduce.cum_max, reduce.cum_min, reduce.cum_log_sum_exp),
    ):
        yield from _along(operator)
    for operator, keepdim in product((reduce.arg_max, reduce.arg_min), (True, False)):
        yield from _along(operator, f"keepdim {keepdim}, ", keepdim=keepdim)
    for p in (1, 2):
        yield from _along(norm.lp_normalization, f"p {p}, ", p=p)
    for operator, (word, given) in product((reduce.cum_sum, reduce.cum_prod), GIVEN.items()):
        for axis, exclusive, reverse in product(AXES, (False, True), (False, True)):
            if axis not in (1, -1) and exclusive != reverse:
                continue
            why = f"axis {axis} {word}, exclusive {exclusive}, reverse {reverse}"
            attrs: dict[str, Any] = {"exclusive": exclusive, "reverse": reverse}
            yield referred(operator, (X, given(scalar(axis, np.int64))), attrs, CLOSE, why)
        yield (
            referred(operator, (X, None), {}, CLOSE, f"no axis, {word}")
            if word == "known"
            else (referred(operator, (LINE, given(i(0))), {}, CLOSE, "a vector"))
        )
    for axis in AXES:
        yield referred(shape.concat, (X, X[:], X), {"axis": axis}, why=f"three, axis {axis}")
        yield referred(shape.stack, (X, -X), {"axis": axis}, why=f"two, axis {axis}")
        size = X.shape[axis]
        yield referred(shape.unstack, (X,), {"axis": axis, "num": size}, why=f"axis {axis} of 3")
        for word, given in GIVEN.items():
            lengths = given(i(1, size - 1))
            yield referred(shape.split, (X, lengths), {"axis": axis}, why=f"axis {axis}, {word}")
            count = given(i(2))
            for largest in (True, False):
                attrs = {"axis": axis, "largest": largest}
                why = f"axis {axis}, {word}, largest {largest}"
                yield referred(sort.top_k, (X, count), attrs, why=why)
    for operator in (reduce.cum_sum, reduce.cum_prod):
        yield referred(operator, (X, None), {}, CLOSE, "no axis")
    for place in (None, 0, 1, -1):
        twice = np.concatenate([np.round(X), np.round(X)], place or 0)
        for ordered in (True, False):
            attrs = {"axis": place, "sorted": ordered}
            yield referred(sort.unique, (twice,), attrs, why=f"axis {place}, sorted {ordered}")
    yield referred(shape.stack, (X, -X), {"axis": 3}, why="two, behind all")
    for start, end in ((0, -1), (1, 2), (0, 1), (-2, -2), (-3, 1)):
        attrs = {"start_axis": start, "end_axis": end}
        yield referred(shape.flatten, (X,), attrs, why=f"{start} to {end}")


FOLDS = ("sum", "mean", "max", "min", "prod", "log_sum_exp")
MANY: dict[str, np.ndarray] = {
    "the first": i(0),
    "the last": i(-1),
    "two": i(2, 0),
    "two from behind": i(-1, -2),
    "all": i(0, 1, 2),
    "none": i(),
}


def _folds() -> Iterator[DirectCase]:
    for name, keepdim in product(FOLDS, (True, False)):
        operator = getattr(reduce, f"reduce_{name}")
        for (word, axes), (how, given) in product(MANY.items(), GIVEN.items()):
            why = f"{word}, {how}, keepdim {keepdim}"
            yield referred(operator, (X, given(axes)), {"keepdim": keepdim}, CLOSE, why)
        whole = rand(2, 3, 4, dtype=np.int32, low=-5, high=5)
        for word in ("two", "the last"):
            why = f"{word}, keepdim {keepdim}"
            axes = Const(MANY[word])
            yield referred(operator, (whole, axes), {"keepdim": keepdim}, CLOSE, why)
        yield referred(operator, (LINE, Const(i(-1))), {"keepdim": keepdim}, CLOSE, f"{keepdim}")


def _positions() -> Iterator[DirectCase]:
    places = {"a number": scalar(-1, np.int64), "some": i(1, 0, -1), "a table": i(0, -2, 1, -1)}
    for axis, (word, at), (how, given) in product(AXES, places.items(), GIVEN.items()):
        where = at.reshape(2, 2) if at.size == 4 else at
        why = f"axis {axis}, {word}, {how}"
        yield referred(index.gather, (X, given(where)), {"axis": axis}, why=why)
    for axis, (how, given) in product(AXES, GIVEN.items()):
        at = rand(2, 2, 3, dtype=np.int64, low=-2, high=1)
        at[0, 0, 0] = -1
        sizes = [min(n, m) for n, m in zip(at.shape, X.shape, strict=True)]
        at = at[: sizes[0], : sizes[1], : sizes[2]]
        why = f"axis {axis}, {how}"
        yield referred(index.gather_elements, (X, given(at)), {"axis": axis}, why=why)
        line = i(1, -1).reshape([2 if k == axis % 3 else 1 for k in range(3)])
        for reduction in ("none", "add", "max"):
            attrs: dict[str, Any] = {"axis": axis, "reduction": reduction}
            inputs = X, given(line), rand(*line.shape)
            yield referred(index.scatter_elements, inputs, attrs, CLOSE, f"{why}, {reduction}")
    for how, given in GIVEN.items():
        for at in (i(1, -1, -2, 0).reshape(2, 2), i(-1, 1).reshape(2, 1), i(-1, -1, -1)):
            why = f"{list(at.shape)}, {how}"
            yield referred(index.gather_nd, (X, given(at)), {}, why=why)
            updates = rand(*at.shape[:-1], *X.shape[at.shape[-1] :])
            for reduction in ("none", "add", "min"):
                attrs = {"reduction": reduction}
                inputs = X, given(at), updates
                yield referred(index.scatter_nd, inputs, attrs, CLOSE, f"{why}, {reduction}")
        at = i(-1, 0, 1, -2).reshape(2, 2, 1)
        yield referred(index.gather_nd, (X, given(at)), {"batch_dims": 1}, why=f"batches, {how}")
        for axes, amounts in ((i(0), i(-1)), (i(-1, 0), i(5, 1)), (i(1, 1), i(1, 1))):
            moved = X, given(amounts), Const(axes)
            yield referred(index.roll, moved, {}, why=f"{axes}, {amounts}, {how}")
    for batch, time in ((0, 1), (1, 0), (0, 2), (2, -2)):
        lengths = i(1, 2, 1, 2)[: X.shape[batch]]
        attrs = {"batch_axis": batch, "time_axis": time}
        yield referred(index.reverse_sequence, (X, lengths), attrs, why=f"{batch}, {time}")


def _slices() -> Iterator[DirectCase]:
    rows = {
        "all": (i(0), i(2**40), i(1)),
        "from behind": (i(-2), i(2**31), i(1)),
        "to behind": (i(0), i(-1), i(1)),
        "backwards": (i(-1), i(-(2**40)), i(-1)),
        "backwards by two": (i(9), i(0), i(-2)),
        "by three": (i(0), i(9), i(3)),
        "nothing": (i(2), i(1), i(1)),
        "far in front": (i(-9), i(2), i(1)),
    }
    for (word, (start, end, step)), axis, (how, given) in product(
        rows.items(), (0, 2, -2), GIVEN.items()
    ):
        inputs = X, Const(i(axis)), given(start), given(end), Const(step)
        yield referred(index.slice_, inputs, {}, why=f"{word}, axis {axis}, {how}")
    for how, given in GIVEN.items():
        both = X, Const(i(2, 0)), given(i(1, -1)), given(i(3, -9)), Const(i(1, -1))
        yield referred(index.slice_, both, {}, why=f"two axes, {how}")
        yield referred(
            index.slice_, (X, None, given(i(1, 0)), given(i(2, 2))), {}, why=f"no axes, {how}"
        )


PADS = {
    "asymmetric": i(1, 0, 0, 2, 1, 1),
    "one axis": i(0, 0, 0, 0, 0, 3),
    "cut": i(-1, 1, 1, -1, -1, -1),
    "far": i(0, 0, 2, 2, 3, 3),
    "further": i(3, 4, 0, 0, 0, 0),
    "nothing": i(0, 0, 0, 0, 0, 0),
}


def _pads() -> Iterator[DirectCase]:
    for mode, (word, pads), (how, given) in product(PadMode, PADS.items(), GIVEN.items()):
        why = f"{mode.name}, {word}, {how}"
        yield referred(shape.pad, (X, given(pads)), {"mode": mode}, why=why)
    for (how, given), (word, value) in product(
        GIVEN.items(), {"a number": 2.5, "nan": np.nan, "inf": np.inf}.items()
    ):
        for amounts in (Const(PADS["cut"]), PADS["asymmetric"]):
            kind = "known" if isinstance(amounts, Const) else "given"
            inputs = X, amounts, given(scalar(value))
            yield referred(shape.pad, inputs, {}, why=f"{word} {how}, pads {kind}")


def _shapes() -> Iterator[DirectCase]:
    for how, given in GIVEN.items():
        for axes in (i(0), i(-1), i(1, 0), i(0, -1), i(-1, -1), i(3)):
            yield referred(shape.unsqueeze, (X, given(axes)), {}, why=f"{axes}, {how}")
        for axes in (i(0), i(-2), i(0, 2), i(-2, 0)):
            ones = rand(1, 3, 1, 4)[:, :, :, :] if 1 not in axes else X
            yield referred(shape.squeeze, (ones, given(axes)), {}, why=f"{axes}, {how}")
        for target in (i(6, 4), i(-1), i(0, -1), i(4, 3, 2), i(2, 1, 3, 4)):
            yield referred(shape.reshape, (X, given(target)), {}, why=f"{target}, {how}")
        for target in (i(2, 3, 4), i(5, 2, 3, 4), i(2, -1, 4)):
            one = X[:, :, :1].copy()
            yield referred(shape.expand, (one, given(target)), {}, why=f"{target}, {how}")
        for times in (i(1, 1, 1), i(2, 1, 3), i(2, 1, 1, 2), i(0, 1, 1)):
            yield referred(shape.tile, (X, given(times)), {}, why=f"{times}, {how}")
    yield referred(shape.squeeze, (rand(1, 3, 1), None), {}, why="every one")
    for perm in ((0, 2, 1), (1, 2, 0), (2, 0, 1), (-1, 0, 1), None):
        yield referred(shape.transpose, (X,), {"perm": perm}, why=f"{perm}")
    for axis in (0, 1, 2, -1):
        scale = np.abs(rand(X.shape[axis])) + np.float32(0.05)
        zero = i(*range(1, X.shape[axis] + 1), dtype=np.uint8)
        attrs: dict[str, Any] = {"axis": axis, "dtype": Precision.UINT8}
        given = X, Const(scale), Const(zero)
        yield referred(quant.quantize_linear, given, attrs, why=f"axis {axis}, known")
        yield referred(quant.quantize_linear, (X, scale, zero), attrs, why=f"axis {axis}, given")
        whole = rand(2, 3, 4, dtype=np.uint8, low=0, high=255)
        back = {"axis": axis}
        yield referred(quant.dequantize_linear, (whole, scale, zero), back, CLOSE, f"axis {axis}")
    for axis in (0, 1, 2, -2):
        size = X.shape[axis]
        pairs = rand(2, 3, 4, 2)
        for inverse, onesided in product((False, True), (False, True)):
            attrs = {"inverse": inverse, "onesided": onesided}
            inputs = (
                (pairs if inverse else pairs[..., :1].copy()),
                None,
                Const(scalar(axis, np.int64)),
            )
            why = f"axis {axis} of {size}, inverse {inverse}, onesided {onesided}"
            yield referred(signal.dft, inputs, attrs, Tolerance(1e-5, 1e-5), why)


def _norms() -> Iterator[DirectCase]:
    close = Tolerance(relative=1e-4, absolute=1e-5)
    image = rand(2, 4, 3, 2)
    for how, given in GIVEN.items():
        for axis in (1, 2, 3, -1, -2):
            sizes = image.shape[axis:]
            scale, bias = given(rand(*sizes, seed=1)), given(rand(*sizes, seed=2))
            attrs: dict[str, Any] = {"begin_norm_axis": axis, "epsilon": 0.1}
            why = f"axis {axis}, {how}"
            inputs = image, scale, bias
            yield referred(norm.layer_normalization, inputs, attrs, close, why)
            yield referred(norm.rms_normalization, inputs[:2], attrs, close, why)
        channels = [given(rand(4, seed=k, low=0.5, high=3)) for k in range(4)]
        attrs = {"epsilon": 0.2}
        yield referred(norm.batch_normalization, (image, *channels), attrs, close, how)
        yield referred(
            norm.batch_normalization, (image[:, :, 0, 0], *channels), attrs, close, f"rank 2, {how}"
        )
        yield referred(norm.instance_normalization, (image, *channels[:2]), attrs, close, how)
        for groups in (1, 2, 4):
            grouped = attrs | {"groups": groups}
            why = f"{groups} groups, {how}"
            yield referred(norm.group_normalization, (image, *channels[:2]), grouped, close, why)
    for size in (1, 2, 3, 5):
        attrs = {"size": size, "alpha": 0.3, "beta": 0.6, "bias": 1.5}
        yield referred(norm.lrn, (rand(2, 5, 3, 2),), attrs, close, f"size {size}")


CASES = [
    case
    for case in (
        *_axes(),
        *_folds(),
        *_positions(),
        *_slices(),
        *_pads(),
        *_shapes(),
        *_norms(),
    )
    if takes(case)
]


def _names(case: DirectCase, *axes: int) -> bool:
    """Whether a row is of one of these axes, or of no certain one."""
    return "axis " not in case.why or any(f"axis {a}," in f"{case.why}," for a in axes)


OPENED = [c for c in CASES if _names(c, 1, -1)]
"""Those that run with open sizes too."""

TURNED = [c for c in CASES if _names(c, 0, -2)]
"""Those that run on data in another order of axes too."""
