"""StableHLO's operators that LiteRT has no kernels for, against NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from conformance.case import Case, Const, f, i, rand
from conformance.cases.tflite import CASES
from conformance.engines.tflite import Body, run
from conformance.oracles.oracle import Oracle
from frontends.tflite import TABLE
from nnir.errors import BadType, NNAdapterError, Unsupported

DEVICES = ("builtin", "onnxruntime")
X, Y = rand(3, 4, 5), rand(3, 4, 5, seed=1)
ABOVE = rand(3, 4, 5, low=0.1, high=4)
COUNTS = rand(3, 4, dtype=np.int32, low=-9, high=9)
P, S = rand(3, 4, dtype=np.bool_), rand(3, 4, dtype=np.bool_, seed=1)
DIRECTIONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}
ZERO = np.zeros((), np.float32)
BOOL = (np.bool_,)


class Row(NamedTuple):
    """An operator on inputs, and what it gives."""

    op: str
    inputs: tuple[Any, ...]
    want: Any
    attrs: Mapping[str, Any] = MappingProxyType({})
    why: str = ""

    def __str__(self) -> str:
        return f"{self.op}-{self.why or dict(self.attrs) or 'plain'}"


def direction(name: str, kind: str = "NOTYPE") -> dict[str, Any]:
    return {
        "comparison_direction": f"STABLEHLO_COMPARISON_DIRECTION_{name}",
        "compare_type": f"STABLEHLO_COMPARISON_TYPE_{kind}",
    }


def body(op: str, dtype: Any = np.float32, result: Any = None, **options: Any) -> Body:
    number = np.zeros((), dtype)
    return Body(op, (number, number), dtype if result is None else result, options)


def order(name: str) -> Body:
    return body("STABLEHLO_COMPARE", np.float32, np.bool_, **direction(name, "FLOAT_TOTAL_ORDER"))


def convolved(x: np.ndarray, w: np.ndarray, stride: int, pad: int, gap: int, wide: int) -> Any:
    """[N, C, L] with [O, C, K] along one axis."""
    spread = np.zeros((*x.shape[:2], (x.shape[2] - 1) * gap + 1), x.dtype)
    spread[:, :, ::gap] = x
    spread = np.pad(spread, ((0, 0), (0, 0), (pad, pad)))
    reach = (w.shape[2] - 1) * wide + 1
    steps = range(0, spread.shape[2] - reach + 1, stride)
    return np.stack(
        [np.einsum("nck,ock->no", spread[:, :, s : s + reach : wide], w) for s in steps], axis=2
    )


def line(*, strides: int = 1, pad: int = 0, gap: int = 1, wide: int = 1, **more: Any) -> Any:
    """Options of a convolution along one axis."""
    return {
        "window_strides": (strides,), "padding": (pad, pad), "lhs_dilation": (gap,),
        "rhs_dilation": (wide,), "window_reversal": (False,),
        "input_batch_dimension": 0, "input_feature_dimension": 1,
        "input_spatial_dimensions": (2,), "kernel_output_feature_dimension": 0,
        "kernel_input_feature_dimension": 1, "kernel_spatial_dimensions": (2,),
        "output_batch_dimension": 0, "output_feature_dimension": 1,
        "output_spatial_dimensions": (2,), "feature_group_count": 1, "batch_group_count": 1,
    } | more  # fmt: skip


def spread(x: np.ndarray, down: int, across: int) -> np.ndarray:
    """Zeros between the elements of images."""
    sizes = ((x.shape[2] - 1) * down + 1, (x.shape[3] - 1) * across + 1)
    wide = np.zeros((*x.shape[:2], *sizes), x.dtype)
    wide[:, :, ::down, ::across] = x
    return wide


def of_planes(
    x: np.ndarray, w: np.ndarray, steps: tuple[int, int] = (1, 1), wide: tuple[int, int] = (1, 1)
) -> np.ndarray:
    """[N, C, H, W] with [O, C, h, w]."""
    spans = [(n - 1) * d + 1 for n, d in zip(w.shape[2:], wide, strict=True)]
    seen = np.lib.stride_tricks.sliding_window_view(x, spans, (2, 3))
    seen = seen[:, :, :: steps[0], :: steps[1], :: wide[0], :: wide[1]]
    return np.einsum("ncyxkl,ockl->noyx", seen, w)


WAVE, TAPS = rand(2, 3, 9), rand(4, 3, 2, seed=1)
CHANNELS_LAST: dict[str, Any] = {
    "input_feature_dimension": 2, "input_spatial_dimensions": (1,),
    "kernel_output_feature_dimension": 2, "kernel_spatial_dimensions": (0,),
    "output_feature_dimension": 2, "output_spatial_dimensions": (1,),
}  # fmt: skip
PLANE = rand(1, 3, 6, 5)
FILTER = rand(4, 3, 2, 2, seed=1)
PLANES: dict[str, Any] = line() | {
    "window_strides": (1, 1), "padding": (-1, 0, 0, -1), "lhs_dilation": (), "rhs_dilation": (),
    "window_reversal": (True, False), "input_spatial_dimensions": (2, 3),
    "kernel_spatial_dimensions": (2, 3), "output_spatial_dimensions": (2, 3),
}  # fmt: skip
SLIDING = np.lib.stride_tricks.sliding_window_view(PLANE[:, :, 1:, :4], (2, 2), (2, 3))
BLOCK, CUBES = rand(1, 2, 4, 5, 6), rand(3, 2, 2, 1, 3, seed=1)
WINDOWS = np.lib.stride_tricks.sliding_window_view(BLOCK, (2, 1, 3), (2, 3, 4))
BLOCKS: dict[str, Any] = PLANES | {
    "window_strides": (), "padding": (), "window_reversal": (),
    "input_spatial_dimensions": (2, 3, 4), "kernel_spatial_dimensions": (2, 3, 4),
    "output_spatial_dimensions": (2, 3, 4),
}  # fmt: skip
LINE = f(3, 4, 6, 5)
WHOLE = rand(3, 2, 4, dtype=np.int32, low=0, high=255) | 4
PRODUCT: dict[str, Any] = {
    "lhs_batching_dimensions": (0,), "rhs_batching_dimensions": (2,),
    "lhs_contracting_dimensions": (2,), "rhs_contracting_dimensions": (0,),
}  # fmt: skip
KEYS = f([3, 1, 2, 1], [0, -1, 5, 5]).reshape(2, 4)
FALLING = np.argsort(-KEYS, axis=1, kind="stable")

ROWS = [
    Row("STABLEHLO_ABS", (X,), np.abs(X)),
    Row("STABLEHLO_COSINE", (X,), np.cos(X)),
    Row("STABLEHLO_EXPONENTIAL", (X,), np.exp(X)),
    Row("STABLEHLO_FLOOR", (X,), np.floor(X)),
    Row("STABLEHLO_LOG", (ABOVE,), np.log(ABOVE)),
    Row("STABLEHLO_LOGISTIC", (X,), 1 / (1 + np.exp(-X))),
    Row("STABLEHLO_NEGATE", (X,), -X),
    Row("STABLEHLO_RSQRT", (ABOVE,), 1 / np.sqrt(ABOVE)),
    Row("STABLEHLO_TANH", (X,), np.tanh(X)),
    Row("STABLEHLO_CBRT", (f(-8, 0, 27, -0.5),), np.cbrt(f(-8, 0, 27, -0.5))),
    Row("STABLEHLO_SUBTRACT", (X, Y), X - Y),
    Row("STABLEHLO_DIVIDE", (X, Y), X / Y),
    Row("STABLEHLO_DIVIDE", (i(7, -7, 7), i(2, 2, -2)), i(3, -3, -3), why="towards zero"),
    Row("STABLEHLO_POWER", (ABOVE, Y), ABOVE**Y),
    Row("STABLEHLO_REMAINDER", (X, Y), np.fmod(X, Y)),
    Row("STABLEHLO_REMAINDER", (i(7, -7, 7), i(3, 3, -3)), i(1, -1, 1), why="int64"),
    Row("STABLEHLO_OR", (P, S), P | S),
    Row("STABLEHLO_OR", (COUNTS, COUNTS + 5), COUNTS | (COUNTS + 5), why="bits"),
    Row("STABLEHLO_AND", (COUNTS, COUNTS + 5), COUNTS & (COUNTS + 5), why="bits"),
    Row("STABLEHLO_ADD", (P, S), P | S, why="bool"),
    *(Row("STABLEHLO_COMPARE", (X.round(), Y.round()), g(X.round(), Y.round()), direction(n))
      for n, g in DIRECTIONS.items()),
    *(Row("STABLEHLO_COMPARE", (P, S), g(P, S), direction(n), why=f"bool {n}")
      for n, g in DIRECTIONS.items()),
    Row("STABLEHLO_SELECT", (P, X[:, :, 0].copy(), Y[:, :, 0].copy()),
        np.where(P, X[:, :, 0], Y[:, :, 0])),
    Row("STABLEHLO_SELECT", (np.array(False), X, Y), Y, why="one for all"),
    Row("STABLEHLO_CLAMP", (np.float32(-0.5).reshape(()), X, np.float32(1).reshape(())),
        np.clip(X, -0.5, 1)),
    Row("STABLEHLO_CONVERT", (f(-1.7, 2.2),), i(-1, 2, dtype=np.int32)),
    Row("STABLEHLO_CONVERT", (P,), P.astype(np.float32), why="bool"),
    Row("STABLEHLO_RESHAPE", (X,), X.reshape(4, 15)),
    Row("STABLEHLO_TRANSPOSE", (X,), X.transpose(2, 0, 1), {"permutation": (2, 0, 1)}),
    Row("STABLEHLO_BROADCAST_IN_DIM", (f(1, 2, 3),), np.broadcast_to(f(1, 2, 3)[:, None], (3, 4)),
        {"broadcast_dimensions": (0,)}),
    Row("STABLEHLO_BROADCAST_IN_DIM", (rand(3, 2),),
        np.broadcast_to(rand(3, 2).T[:, None], (2, 4, 3)), {"broadcast_dimensions": (2, 0)},
        why="turned"),
    Row("STABLEHLO_BROADCAST_IN_DIM", (np.zeros((0, 1), np.float32),),
        np.zeros((3, 0, 2), np.float32), {"broadcast_dimensions": (1, 2)}, why="nothing"),
    Row("STABLEHLO_BROADCAST_IN_DIM", (ZERO,), np.zeros((2, 3), np.float32), why="a number"),
    Row("STABLEHLO_CONCATENATE", (X,), X, {"dimension": 1}, why="one"),
    Row("STABLEHLO_CONCATENATE", (X, Y), np.concatenate([X, Y], axis=1), {"dimension": 1}),
    Row("STABLEHLO_SLICE", (X,), X[1:3, 0:4:2, 4:5],
        {"start_indices": (1, 0, 4), "limit_indices": (3, 4, 5), "strides": (1, 2, 1)}),
    Row("STABLEHLO_SLICE", (ZERO,), ZERO, why="a number"),
    Row("STABLEHLO_SLICE", (X,), X[3:, 1:1],
        {"start_indices": (3, 1, 0), "limit_indices": (3, 1, 5), "strides": (1, 1, 1)},
        why="nothing"),
    Row("STABLEHLO_DYNAMIC_SLICE", (ZERO,), ZERO, why="a number"),
    Row("STABLEHLO_DYNAMIC_SLICE", (LINE, np.array(2)), LINE[2:2], {"slice_sizes": (0,)},
        why="nothing"),
    Row("STABLEHLO_DYNAMIC_SLICE", (LINE, np.array(2)), LINE[1:], {"slice_sizes": (3,)},
        why="one axis"),
    *(Row("STABLEHLO_DYNAMIC_SLICE", (X, *(k if known is None else known(k) for k in starts)),
          X[2:3, 1:4, 0:5], {"slice_sizes": (1, 3, 5)}, why=why)
      for why, known in (("at run time", None), ("known", Const))
      for starts in ([i(9)[0:1].reshape(()), i(1)[0:1].reshape(()), i(-4)[0:1].reshape(())],)),
    Row("STABLEHLO_DYNAMIC_UPDATE_SLICE",
        (np.zeros((3, 4), np.float32), np.ones((2, 2), np.float32), np.array(9), np.array(-1)),
        np.pad(np.ones((2, 2), np.float32), ((1, 0), (0, 2)))),
    Row("STABLEHLO_DYNAMIC_UPDATE_SLICE", (ZERO, ZERO + np.float32(2)), ZERO + np.float32(2),
        why="a number"),
    Row("STABLEHLO_DYNAMIC_UPDATE_SLICE", (LINE, f(9, 8), np.array(1)), f(3, 9, 8, 5),
        why="one axis"),
    *(Row("STABLEHLO_IOTA", (), np.indices(shape, np.int32)[axis], {"iota_dimension": axis},
          why=f"axis {axis} of {shape}")
      for axis, shape in ((0, (3, 2)), (2, (2, 1, 3)), (1, (0, 3)), (0, (0,)))),
    Row("STABLEHLO_IOTA", (), np.broadcast_to(np.arange(4, dtype=np.int32)[:, None], (2, 4, 3)),
        {"iota_dimension": 1}),
    Row("STABLEHLO_DOT_GENERAL", (X, rand(5, 2, 3)), np.einsum("bik,kjb->bij", X, rand(5, 2, 3)),
        PRODUCT),
    Row("STABLEHLO_DOT_GENERAL", (rand(2, 3, 4, 5), rand(5, 3, 4, 2, 6, seed=1)),
        np.einsum("abij,jbiak->abk", rand(2, 3, 4, 5), rand(5, 3, 4, 2, 6, seed=1)),
        {"lhs_batching_dimensions": (0, 1), "rhs_batching_dimensions": (3, 1),
         "lhs_contracting_dimensions": (3, 2), "rhs_contracting_dimensions": (0, 2)},
        why="two axes of each kind"),
    Row("STABLEHLO_DOT_GENERAL", (rand(3, 4), rand(2, 5)),
        np.einsum("ij,kl->ijkl", rand(3, 4), rand(2, 5)), why="an outer product"),
    *(Row("STABLEHLO_CONVOLUTION", (WAVE, TAPS), convolved(WAVE, TAPS, s, p, g, w),
          line(strides=s, pad=p, gap=g, wide=w), why=f"{s} {p} {g} {w}")
      for s, p, g, w in ((1, 0, 1, 1), (2, 1, 1, 2), (1, 3, 2, 1))),
    Row("STABLEHLO_CONVOLUTION",
        (WAVE.transpose(0, 2, 1).copy(), TAPS.transpose(2, 1, 0).copy()),
        convolved(WAVE, TAPS, 2, 1, 1, 1).transpose(0, 2, 1),
        line(strides=2, pad=1, **CHANNELS_LAST), why="channels last"),
    Row("STABLEHLO_CONVOLUTION", (WAVE, rand(6, 1, 2)),
        np.concatenate([convolved(WAVE[:, k : k + 1], rand(6, 1, 2)[2 * k : 2 * k + 2], 1, 0, 1, 1)
                        for k in range(3)], axis=1),
        line(feature_group_count=3), why="groups"),
    Row("STABLEHLO_CONVOLUTION", (PLANE, FILTER),
        np.einsum("ncyxkl,ockl->noyx", SLIDING, FILTER[:, :, ::-1]), PLANES,
        why="backwards, less than no padding"),
    Row("STABLEHLO_CONVOLUTION", (PLANE, FILTER), of_planes(PLANE, FILTER, (2, 1), (1, 3)),
        PLANES | {"window_strides": (2, 1), "padding": (), "rhs_dilation": (1, 3),
                  "window_reversal": ()}, why="other steps along each axis"),
    Row("STABLEHLO_CONVOLUTION", (PLANE, FILTER),
        of_planes(np.pad(spread(PLANE, 1, 3), ((0, 0), (0, 0), (0, 1), (2, 0))), FILTER[..., ::-1]),
        PLANES | {"padding": (0, 1, 2, 0), "lhs_dilation": (1, 3),
                  "window_reversal": (False, True)}, why="elements between along one axis"),
    Row("STABLEHLO_CONVOLUTION", (BLOCK, CUBES),
        np.einsum("ncdhwxyz,ocxyz->nodhw", WINDOWS, CUBES), BLOCKS, why="three axes"),
    Row("STABLEHLO_REDUCE", (X[0], Const(ZERO + np.float32(0.5))), X[0] + np.float32(0.5),
        {"dimensions": (), "body_subgraph_index": body("STABLEHLO_ADD")}, why="no axis"),
    *(Row("STABLEHLO_REDUCE", (X, Const(ZERO + np.float32(0.5))), want,
          {"dimensions": (0, 2), "body_subgraph_index": body(op)}, why=op)
      for op, want in (("STABLEHLO_ADD", X.sum((0, 2)) + 0.5), ("ADD", X.sum((0, 2)) + 0.5),
                       ("STABLEHLO_MULTIPLY", X.prod((0, 2)) / 2),
                       ("MAXIMUM", X.max((0, 2)).clip(0.5)),
                       ("STABLEHLO_MINIMUM", X.min((0, 2)).clip(None, 0.5)))),
    Row("STABLEHLO_REDUCE", (P, Const(np.array(True))), P.all(1),
        {"dimensions": (1,), "body_subgraph_index": body("STABLEHLO_AND", np.bool_)}, why="all"),
    Row("STABLEHLO_REDUCE", (P, Const(np.array(False))), P.any(1),
        {"dimensions": (1,), "body_subgraph_index": body("LOGICAL_OR", np.bool_)}, why="any"),
    Row("STABLEHLO_REDUCE", (COUNTS, Const(np.array(0, np.int32))),
        np.bitwise_or.reduce(COUNTS, axis=1),
        {"dimensions": (1,), "body_subgraph_index": body("STABLEHLO_OR", np.int32)}, why="bits"),
    Row("STABLEHLO_REDUCE", (WHOLE, Const(np.array(5, np.int32))),
        np.bitwise_and.reduce(WHOLE, axis=(0, 2)) & 5,
        {"dimensions": (2, 0), "body_subgraph_index": body("STABLEHLO_AND", np.int32)},
        why="bits of two axes and of the start"),
    Row("STABLEHLO_WHILE", (np.array(True),), np.array(False),
        {"cond_subgraph_index": Body("", (np.array(True),), np.bool_),
         "body_subgraph_index": Body("LOGICAL_NOT", (np.array(True),), np.bool_)}),
    Row("STABLEHLO_SORT", (KEYS,), np.sort(KEYS, axis=1),
        {"dimension": 1, "comparator_subgraph_index": order("LT")}),
    Row("STABLEHLO_SORT", (KEYS,), np.sort(KEYS, axis=0),
        {"dimension": 0, "comparator_subgraph_index": body("LESS", np.float32, np.bool_)},
        why="by LESS"),
    *(Row("STABLEHLO_SORT", (KEYS,), -np.sort(-KEYS, axis=1),
          {"dimension": 1, "comparator_subgraph_index": by}, why=why)
      for why, by in (("falling", order("GT")), ("falling, GE", order("GE")),
                      ("by GREATER_EQUAL", body("GREATER_EQUAL", np.float32, np.bool_)),
                      ("the second before the first", Body("LESS", (ZERO, ZERO), np.bool_,
                                                           reads=(1, 0))))),
    Row("STABLEHLO_SORT", (KEYS, Const(np.arange(8, dtype=np.int32).reshape(2, 4))),
        (np.take_along_axis(KEYS, FALLING, 1),
         np.take_along_axis(np.arange(8, dtype=np.int32).reshape(2, 4), FALLING, 1)),
        {"dimension": 1, "comparator_subgraph_index":
         Body("STABLEHLO_COMPARE", (ZERO, ZERO, np.int32(0).reshape(()), np.int32(0).reshape(())),
              np.bool_, direction("GT"), reads=(0, 1))}, why="with positions"),
]  # fmt: skip

REFUSED = [
    *((Row("STABLEHLO_IOTA", (), X[0], {"iota_dimension": a}, why=f"axis {a} of 2"), BadType)
      for a in (-1, 2)),
    *((Row("STABLEHLO_BROADCAST_IN_DIM", (X[0],), X, {"broadcast_dimensions": a}, why=f"{a}"),
       BadType) for a in ((0, 3), (-1, 1), (1,))),
    *((Row("STABLEHLO_SLICE", (LINE,), LINE, {"start_indices": s, "limit_indices": (4,),
                                             "strides": (1,)}, why=f"from {s}"), BadType)
      for s in ((-1,), (0, 0))),
    *((Row("STABLEHLO_DYNAMIC_SLICE", (LINE, np.array(0)), LINE, {"slice_sizes": n}, why=f"{n}"),
       BadType) for n in ((5,), (-1,), (1, 1))),
    *((Row("STABLEHLO_DOT_GENERAL", (X[0], X[1]), X[0], PRODUCT | {
        "lhs_batching_dimensions": (), "rhs_batching_dimensions": (),
        "lhs_contracting_dimensions": a, "rhs_contracting_dimensions": b}, why=f"{a} {b}"), BadType)
      for a, b in (((0,), ()), ((2,), (0,)), ((0,), (2,)), ((-1,), (0,)), ((0,), (-1,)))),
    *((Row("STABLEHLO_CONVOLUTION", (WAVE, TAPS), WAVE, line(**more), why=f"{more}"), error)
      for more, error in (({"window_strides": (1, 1)}, Unsupported), ({"padding": (0,)}, BadType),
                          ({"rhs_dilation": (1, 1)}, Unsupported),
                          ({"kernel_spatial_dimensions": (1,)}, BadType))),
    (Row("STABLEHLO_CONVOLUTION", (X[0], Y[0]), X[0], line() | {
        "window_strides": (), "padding": (), "lhs_dilation": (), "rhs_dilation": (),
        "window_reversal": (), "input_spatial_dimensions": (), "kernel_spatial_dimensions": (),
        "output_spatial_dimensions": ()}, why="no axis"), Unsupported),
    (Row("STABLEHLO_REDUCE", (X, X, Const(ZERO), Const(ZERO)), X.sum(0),
         {"dimensions": (0,), "body_subgraph_index": body("ADD")}, why="two at once"), Unsupported),
    (Row("STABLEHLO_CASE", (np.array(0, np.int32), X), X, {"branch_subgraph_indices": ()}),
     BadType),
    (Row("STABLEHLO_COMPARE", (X, Y), X > Y, direction("GT", "FLOAT_TOTAL_ORDER")), Unsupported),
    (Row("STABLEHLO_REDUCE", (X, Const(ZERO)), X.sum(0),
         {"dimensions": (0,), "body_subgraph_index": body("SUB")}), Unsupported),
    (Row("STABLEHLO_SLICE", (X,), X, {"start_indices": (1,)}), BadType),
    (Row("STABLEHLO_CONVOLUTION", (WAVE, TAPS), WAVE, line(batch_group_count=2)), Unsupported),
    (Row("STABLEHLO_CONVOLUTION", (WAVE, TAPS), WAVE, line(output_batch_dimension=2)), BadType),
    (Row("STABLEHLO_SORT", (KEYS,), KEYS,
         {"dimension": 1, "comparator_subgraph_index": body("EQUAL", np.float32, np.bool_)}),
     Unsupported),
    (Row("STABLEHLO_DYNAMIC_SLICE", (X, np.array(0)), X, {"slice_sizes": (1, 3, 5)}), BadType),
    (Row("STABLEHLO_BROADCAST_IN_DIM", (f(1, 2),), f(1, 2), {"broadcast_dimensions": (3,)}),
     BadType),
]  # fmt: skip


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle("conformance.oracles.litert", timeout=120) as worker:
        yield worker


def ran(row: Row, device: str, oracle: Oracle) -> list[np.ndarray]:
    results = wanted(row)
    case = Case(row.op, row.inputs, dict(row.attrs), results=results, outputs=len(results))
    return run(case, device, oracle)


def wanted(row: Row) -> tuple[np.ndarray, ...]:
    return row.want if isinstance(row.want, tuple) else (row.want,)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row, device: str, oracle: Oracle) -> None:
    got = ran(row, device, oracle)
    for mine, theirs in zip(got, wanted(row), strict=True):
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(("row", "error"), REFUSED, ids=lambda x: str(x))
def test_refused(row: Row, error: type[NNAdapterError], oracle: Oracle) -> None:
    with pytest.raises(error):
        ran(row, "builtin", oracle)


def test_every_operator_is_here_or_a_case() -> None:
    mine = {n for n in TABLE.entries if n.startswith("STABLEHLO_")}
    assert mine == {r.op for r in ROWS} | {c.op for c in CASES if c.op in mine}
