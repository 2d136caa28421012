"""Where ATen operators turn: bounds that are met exactly, and what almost fits."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, NoLowering, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, Limit, Tolerance, f, i, rand, scalar
from .attention import PADDED, WEIGHTS
from .linalg import WHY

X = rand(2, 3, 4)
TINY = float(np.finfo(np.float32).eps)
BYTES = (rand(6, 8), rand(3, 8, 8), i(2, 5, 6, dtype=np.int32))
QUERY = rand(2, 5, 8)
NOTHING = np.zeros((2, 0), np.float32)
FUSED = Tolerance(relative=1e-4, absolute=1e-6)
"""What PyTorch's own kernel of attention rounds, on some processors more than on others."""

FLASH = "aten._scaled_dot_product_flash_attention_for_cpu.default"
CASES: list[Case] = [
    *(Case(op, given, raises=BadType, why=why) for op, given, why in (
        *(("aten.geometric.default", (rand(3), p), f"a chance of {p}") for p in (-0.5, 0.0, 1.0)),
        ("aten.outer.default", (rand(2, 1), f(1, 2)), "a column beside a vector"),
        ("aten.outer.default", (f(1, 2), rand(1, 2)), "a row behind a vector"),
        *(("torchvision.roi_align.default", (rand(1, 2, 5, 5), rand(2, n), 1.0, 2, 2, 2, False),
           f"rows of {n} numbers") for n in (4, 6)),
    )),
    *(
        Case("quantized_decomposed.choose_qparams_per_token_asymmetric.default",
             (f((0, n * TINY), (-n * TINY, 0)), Precision.INT8),
             why=f"a range of {n} steps of the smallest scale")
        for n in (0.5, 1.5)
    ),
    *(
        Case(f"aten.upsample_nearest{len(sizes)}d.default",
             (rand(1, 2, *sizes), [k * n for n in sizes], *[1.3] * len(sizes)),
             why=f"{k} times the size, whatever the scale says")
        for sizes in ((4,), (3, 4), (2, 3, 4)) for k in (1, 2, 3)
    ),
    *(
        Case("aten.upsample_nearest2d.default", (rand(1, 1, 2, n), [2, n], 1.3, 1.3),
             why=f"the same size, 2 and {n}") for n in (126, 127)
    ),
    Case("aten._upsample_nearest_exact1d.default", (rand(1, 2, 4), [8], 1.3), why="another scale"),
    *(Case("aten.fft_fftn.default", (X, s), tol=ROUNDS, why=f"sizes {s}")
      for s in ([-1, 2], [1, 5], [2, -1])),
    *(Case("aten.batch_norm.default",
           (np.zeros(shape, np.float32), None, None, None, None, True, 0.1, 1e-5, False),
           why=f"of {shape}") for shape in ((0,), (0, 3))),
    Case("aten.linalg_vander.default", (scalar(3.0),), {"N": 3}, why="powers of a number"),
    *(
        Case("aten.view.default", (np.ones(shape, np.float32), to), why=f"{shape} as {to}")
        for shape, to in (((2, 3), [-1, 3]), ((1, 3), [-1, 3]), ((0, 3), [-1, 3]),
                          ((2, 3), [2, -1]), ((2, 3), [-1, 2]))
    ),
    Case("aten.split.Tensor", (np.zeros((0, 3), np.float32), 0), why="nothing into nothing"),
    Case("aten.split.Tensor", (np.zeros((0, 3), np.float32), 2), why="nothing into twos"),
    Case("aten._chunk_cat.default", ([rand(3, 2)], 0, 2), why="one tensor"),
    *(Case("aten.diagflat.default", (np.ones(shape, np.float32),), why=f"of {shape}")
      for shape in ((), (0,), (1, 1), (2, 1))),
    Case("aten.linalg_vander.default", (i(3, 2),), {"N": 2}, why="two powers"),
    *(Case("aten.linalg_vander.default", (rand(2, 3),), {"N": n}, why=f"{n} powers, open",
           is_open=True, tol=ROUNDS) for n in (None, 2, 4)),
    *(Case(FLASH, tuple(rand(1, 2, 3, 4, dtype=d, seed=k) for k in range(3)),
           {"attn_mask": rand(3, 3, dtype=d)}, tol=Tolerance(relative=3e-3, absolute=1e-3),
           why=f"a bias of {np.dtype(d).name}") for d in (np.float16, np.float64)),
    *(Case("aten.embedding_bag.default", (rand(6, 3), words, Const(starts)), read=1, tol=ROUNDS,
           why=why)
      for words, starts, why in (
          (i(1, 5, 0, 0, 2), i(0, 2), "known bags of two lengths"),
          (i(1, 5, 0, 2), i(0, 2), "known bags of two"),
          (i(1, 5, 0, 2), i(0, 1), "known bags of which the last is longer"),
          (np.zeros(0, np.int64), i(0, 0), "empty bags"),
          (np.zeros(0, np.int64), np.zeros(0, np.int64), "no bags"))),
    Case("aten.pow.Tensor_Scalar", (f(True, False, dtype=np.bool_), 2), why="truth to 2"),
    Case("aten.ldexp.Tensor", (i(3, -5), i(2, 4)), why="integers"),
    Case("aten.ldexp.Tensor", (f(1, -3, dtype=np.float64), i(1023, -1060)), why="far exponents"),
    *(Case("aten.lerp.Scalar", (rand(3), rand(3, seed=1), w), tol=ROUNDS, why=f"a weight of {w}")
      for w in (0.49, 0.5, -0.5)),
    *(Case("aten.isclose.default", (i(1, 2), i(1, 3)), {"equal_nan": True, **how},
           why=f"integers {how}") for how in ({}, {"rtol": 0.0, "atol": 0.0})),
    Case("aten.einsum.default", ("...ij,jk->ik", [rand(2, 3), rand(3, 4)]), tol=ROUNDS,
         why="an ellipsis for no axes"),
    *(Case("aten.inner.default", pair, tol=ROUNDS, why=why) for pair, why in (
        ((scalar(2.5), rand(2, 3)), "a number first"),
        ((rand(2, 3), scalar(2.5)), "a number behind"),
        ((rand(3), rand(2, 4, 3)), "a vector and more axes"))),
    Case("aten._trilinear.default",
         (rand(2, 3), rand(2, 3, seed=1), rand(2, 3, seed=2), [], [], [], []), tol=ROUNDS,
         why="no axes"),
    Case("aten.logcumsumexp.default", (scalar(1.5), 0), why="a number"),
    Case("aten.logcumsumexp.default", (scalar(1.5), -1), why="a number from behind"),
    *(Case("aten.trapezoid.x", (rand(3, 4), rand(3, 4, seed=1)), {"dim": d}, tol=ROUNDS,
           why=f"points of all along {d}") for d in (0, 1, -2)),
    *(Case("aten.trapezoid.x", (rand(3, 4, 2), rand(4, 2, seed=1)), {"dim": d}, tol=ROUNDS,
           why=f"points of two axes along {d}") for d in (1, 2)),
    *(Case("aten.trapezoid.dx", (x,), tol=ROUNDS, why=why) for x, why in (
        (NOTHING, "of nothing"),
        (f(3), "one"), (i(3, 4), "integers"))),
    *(Case("aten.cosine_similarity.default", pair, {"dim": d}, tol=ROUNDS, why=f"{why} {d}")
      for pair, d, why in (
          ((rand(2, 3), rand(3, seed=1)), -2, "a vector lacks the axis"),
          ((rand(2, 3), rand(3, seed=1)), -1, "a vector has the axis"),
          ((rand(2, 3), rand(3, seed=1)), 0, "a vector lacks the axis"))),
    *(Case("aten._native_multi_head_attention.default", (*given, 8, 2, *WEIGHTS, *mask), tol=FUSED,
           why=why)
      for given, mask, why in (
          ((QUERY, QUERY, rand(2, 5, 8, seed=1)), (), "other values"),
          ((QUERY, QUERY, QUERY), (PADDED.astype(np.float32), True, True, 1),
           "a mask of numbers"))),
    *(Case("aten.linalg_ldl_factor_ex.default", (np.zeros(shape, np.float32),), why=f"of {shape}")
      for shape in ((0, 0), (2, 0, 0))),
    *(Case("aten.index.Tensor", (rand(2, 3), where), why=why) for where, why in (
        ([None, i(2, 0)], "one axis"), ([i(1, 0), None], "all of the second axis"))),
    *(Case("aten.narrow.default", (rand(4, 3), 0, start, n), why=f"{n} from {start}")
      for start, n in ((0, 4), (0, 3), (4, 0), (-4, 4), (-1, 1), (2, 0))),
    Case("aten.cat.default", ([np.zeros(0, np.float32), np.zeros(0, np.float32)],), why="nothing"),
    Case("aten.cat.default", ([np.zeros(0, np.float32), rand(2, 3)],), why="nothing and a matrix"),
    *(Case(f"aten.{op}", (rand(4, 3), 1), why="one piece") for op in
      ("chunk.default", "tensor_split.sections")),
    *(Case(f"aten.{n}split.int", (rand(4, 4, 4), 1), why="one piece") for n in "hvd"),
    *(Case("aten.tensor_split.indices", (rand(4, 3), at), why=f"at {at}")
      for at in ([2, 2], [3, 1], [0, 4], [-1])),
    Case("aten._chunk_cat.default", ([rand(3, 2), rand(1, 2)], 0, 1), why="one chunk"),
    *(Case("aten.addmm.default", (b, x, Const(rand(3, 2, seed=1))), tol=ROUNDS, why=why)
      for b, x, why in (
          (rand(2), rand(4, 3), "a bias of a vector"), (rand(1), rand(4, 3), "a bias of one"),
          (rand(4, 1), rand(4, 3), "a bias of each row"), (scalar(2.0), rand(4, 3), "a number"))),
    *(Case("aten.linear.default", (x, w, b), tol=ROUNDS, why=why) for x, w, b, why in (
        (rand(4, 3), rand(2, 3), rand(1), "a bias of one"),)),
    Case("aten.linalg_vecdot.default",
         (rand(3, 4, dtype=np.float16), rand(3, 4, dtype=np.float16, seed=1)),
         tol=Tolerance(relative=2e-3, absolute=1e-3), why="halves"),
    *(Case("aten.nll_loss_forward.default", (rand(3), np.array(1), w, 1, -100), tol=ROUNDS,
           why=f"a vector, {why}") for w, why in ((None, "no weights"), (f(1, 2, 3), "weights"))),
    *(Case("aten.cross_entropy_loss.default", (x, y, w, 1, -100, s), tol=ROUNDS,
           why=f"smoothing {s}, {why}") for x, y, w, s, why in (
        (rand(2, 3), i(0, 2), None, 1.0, "no weights"), (rand(2, 3), i(0, 2), f(1, 2, 3), 1.0, ""),
        (rand(3), np.array(2), None, 0.3, "a vector"),
        (rand(3), np.array(2), f(1, 2, 3), 0.3, "a weighted vector"))),
    Case("aten.linalg_cond.default", (rand(3, 3),), tol=Tolerance(relative=1e-3),
         why="the norm that it has by default"),
    *(Case("aten.linalg_norm.ord_str", (rand(2, 3), o, [0, 1]), tol=ROUNDS, why=o)
      for o in ("fro", "nuc")),
    Case("aten.linalg_norm.default", (scalar(-2.5),), why="of a number"),
    *(Case("aten.native_batch_norm.default", (x, None, None, None, None, True, 0.1, 1e-5),
           tol=ROUNDS, why=why) for x, why in ((rand(4, 2), "a matrix"), (rand(4, 2, 1), "lines"))),
    Case("aten.histogramdd.int_bins", (np.zeros((0, 2), np.float32), 3), tol=ROUNDS,
         why="no points"),
    *(Case(f"aten.{n}_indices.default", (r, c), why=f"{r} by {c}")
      for n in ("tril", "triu") for r, c in ((0, 3), (3, 0), (1, 1))),
    *(Case("aten._softmax.default", (rand(2, 3, dtype=d), 1, False), tol=ROUNDS,
           why=np.dtype(d).name) for d in (np.float64,)),
    *(Case("aten.sum_to_size.default", (x, to), tol=ROUNDS, why=f"{x.shape} to {to}")
      for x, to in ((rand(2, 3), [1, 3]), (rand(1, 3), [1, 3]), (rand(1, 3), [1, 1]),
                    (rand(2, 3), []), (rand(4, 1, 3), [1, 1]))),
    *(Case("aten.put.default", (rand(4), i(3, -4), f(1, 2), a), why=f"a vector, {a}")
      for a in (False, True)),
    Case("aten.index_add.default",
         (f(True, False, dtype=np.bool_), 0, i(1, 1), f(True, True, dtype=np.bool_)),
         {"alpha": 2}, why="truth, twice"),
    *(Case("aten.view_as.default", (rand(2, 3), rand(*to)), why=f"as {to}")
      for to in ((2, 3), (3, 2), (6,))),
    *(Case("aten.unflatten.int", (np.zeros(shape, np.float32), dim, to), why=f"{shape} to {to}")
      for shape, dim, to in (((6, 0), 0, [2, -1]), ((6, 0), 1, [3, 0]), ((4, 0), 0, [2, 2]))),
    *(Case("aten.fft_fftn.default", (x, None, []), why=f"along none, {x.dtype.name}")
      for x in (rand(2), rand(2, dtype=np.complex64))),
    *(Case("quantized_decomposed.quantize_per_token.default",
           (rand(2, 3, dtype=d), rand(2, 1, dtype=np.float64, low=0.01, high=0.1),
            i(3, -2).reshape(2, 1), -128, 127, Precision.INT8), why=f"scales of float64, {d}")
      for d in ("float32", "float64")),
    *(Case("quantized_decomposed.quantize_per_channel_group.default",
           (rand(2, 4), f(*[0.1] * n).reshape(2, -1), np.zeros((2, n // 2), np.int64),
            -8, 7, Precision.INT8, size), why=f"{n} groups of {size}")
      for n, size in ((2, 4), (4, 2), (2, 5))),
    *(Case("quantized_decomposed.quantize_per_tensor.default",
           (f(-20, 0.2, 20), 0.1, 0, low, high, Precision.INT8), why=f"between {low} and {high}")
      for low, high in ((-128, 127), (-127, 127), (-128, 126))),
    *(Case(f"aten.{op}.default", (scalar(2.0, np.complex64),), raises=error, why="a number")
      for op, error in (("adjoint", None),)),
    *(Case(f"aten.{op}.input", (rand(1, 2, 3), states, params, True, 1, 0.5, False, False, False),
           tol=ROUNDS, outputs=n, why="one step, and what is dropped only in training")
      for op, states, params, n in (
          ("lstm", [rand(1, 2, 4), rand(1, 2, 4, seed=1)],
           [rand(16, 3), rand(16, 4), rand(16), rand(16, seed=1)], 3),
          ("gru", rand(1, 2, 4), [rand(12, 3), rand(12, 4), rand(12), rand(12, seed=1)], 2))),
    Case("aten.lstm.input",
         (rand(1, 2, 3), [rand(1, 2, 2), rand(1, 2, 4, seed=1)],
          [rand(16, 3), rand(16, 2), rand(16), rand(16, seed=1), rand(2, 4)],
          True, 1, 0.0, False, False, False), tol=ROUNDS, outputs=3, why="one step, projected"),
    *(Case("aten.native_group_norm.default", (rand(2, 4, 3), w, b, 2, 4, 3, 2, 1e-5), outputs=3,
           tol=ROUNDS, why=why)
      for w, b, why in ((None, None, "alone"), (rand(4), None, "scaled"),
                        (None, rand(4), "shifted"))),
    *(Case("aten.segment_reduce.default", (x, "mean"), {"lengths": i(2, 0, 1), "initial": n},
           tol=ROUNDS, why=f"{x.shape} from {n}")
      for x in (rand(3), rand(3, 2)) for n in (None, 1.5)),
    *(Case(f"aten.{op}.default", (scalar(1.5), q, 0, k), why=f"a number at {q}, {k}")
      for op in ("quantile", "nanquantile") for q in (scalar(0.5), f(0.2, 0.7))
      for k in (False, True)),
    *(Case("aten.as_strided.default", (x, size, stride), why=f"{x.shape} as {size} by {stride}")
      for x, size, stride in (
          (rand(2, 3), [2, 3], [3, 1]), (rand(6), [2, 2], [2, 1]), (rand(2, 3), [3, 2], [1, 3]),
          (rand(2, 1, 3), [3, 1, 2], [1, 1, 3]), (rand(2, 3), [2, 2], [3, 1]),
          (rand(3, 3), [3, 3], [0, 1]), (rand(6), [6], [1]), (rand(2, 3), [3, 2], [2, 1]))),
    Case("aten.logit.default", (f(0.2, 0.5, 0.8),), {"eps": 0.5}, tol=ROUNDS, why="to the middle"),
    Case("aten._unique2.default", (f((1, np.nan), (np.nan, 1)),), outputs=1, why="NaN in a matrix"),
    *(
        Case(f"aten.max_pool{n}d_with_indices.default",
             (np.full((1, 1, *[3] * n), -np.inf, np.float32), [2] * n, [1] * n, [1] * n),
             why="of -inf the first is met") for n in (2, 3)
    ),
]  # fmt: skip

ALMOST: list[tuple[str, tuple[Any, ...], type[NNAdapterError], str]] = [
    ("aten.isclose.default", (f(1), f(1), 0.0, -1.0), BadType, "a bound below 0"),
    (
        "aten._trilinear.default",
        (rand(2, 3), rand(2), rand(2, 3), [], [], [], []),
        BadType,
        "other ranks",
    ),
    ("aten._weight_norm_interface.default", (rand(2, 3), rand(1), 0), BadType, "one for two"),
    (
        "torchvision.roi_align.default",
        (rand(1, 2, 5, 5), rand(5), 1.0, 2, 2, 2, False),
        BadType,
        "one row",
    ),
    (
        "torchvision.ps_roi_align.default",
        (rand(1, 6, 5, 5), rand(2, 5), 1.0, 2, 2, 2),
        BadType,
        "channels that bins do not share",
    ),
    ("aten.renorm.default", (rand(2, 3), 2, 0, 1j), Unsupported, "a complex bound"),
    (
        "aten._native_multi_head_attention.default",
        (rand(5, 8), rand(5, 8), rand(5, 8), 8, 2, *WEIGHTS),
        BadType,
        "two axes",
    ),
    (
        "aten._native_multi_head_attention.default",
        (QUERY, QUERY, QUERY, 8, 3, *WEIGHTS),
        BadType,
        "heads that do not share",
    ),
    (
        "aten.stft.center",
        (rand(20), 4, None, None, None, True, "mirror", False),
        Unsupported,
        "unknown borders",
    ),
    ("aten.istft.default", (rand(1, 1, 3, 4, dtype=np.complex64), 4), Unsupported, "four axes"),
    *(
        ("aten._grouped_mm.default", given, Unsupported, why)
        for given, why in (
            ((rand(6, 8), rand(8, 8), BYTES[2]), "one matrix"),
            ((rand(3, 6, 8), rand(3, 8, 8), BYTES[2]), "matrices first"),
            (BYTES[:2], "no ends"),
        )
    ),
    (
        "aten.nll_loss_forward.default",
        (rand(2, 3), i(0, 2), rand(1, 3), 1, -100),
        BadType,
        "a matrix of weights",
    ),
    ("aten.hinge_embedding_loss.default", (i(1, 2), i(1, -1)), Unsupported, "integers"),
    (
        "aten.triplet_margin_loss.default",
        tuple(rand(2, 3, dtype=np.complex64, seed=k) for k in range(3)),
        Unsupported,
        "complex",
    ),
    ("aten.multi_margin_loss.default", (rand(2, 3), i(0, 2), 1, 1j), Unsupported, "complex"),
    ("aten.linalg_norm.default", (rand(2, 3), 2j), Unsupported, "a complex order"),
    ("aten.linalg_pinv.atol_rtol_tensor", (rand(2, 3),), BadType, "more bounds"),
    ("aten.histogramdd.int_bins", (scalar(1.0), 3), BadType, "a number"),
    ("aten.narrow.default", (rand(4), 0, 0, -1), BadType, "below 0"),
    ("aten.narrow.default", (rand(4), 0, 2, 3), BadType, "one too many"),
    ("aten.narrow.default", (rand(4), 0, -5, 1), BadType, "before the first"),
    ("aten._chunk_cat.default", ([rand(3)], 0, 0), BadType, "no chunks"),
    *((f"aten.{n}split.int", (rand(4, 4, 4), 0), BadType, "no pieces") for n in "hvd"),
    *(
        (f"aten.{n}_indices.default", (r, c), Unsupported, f"{r} by {c}")
        for n in ("tril", "triu")
        for r, c in ((-1, 3), (3, -1), (1 << 15, 1 << 15))
    ),
    ("aten.pow.Tensor_Scalar", (f(True, False, dtype=np.bool_), True), BadType, "truth to truth"),
    (
        "aten.batch_norm.default",
        (rand(2, 3), None, None, rand(3), None, False, 0.1, 1e-5, False),
        BadType,
        "no variance",
    ),
    (
        "aten.batch_norm.default",
        (rand(2, 3), None, None, None, None, True, 0.1, 0.0, False),
        Unsupported,
        "no epsilon",
    ),
    (
        "quantized_decomposed.quantize_per_tensor.default",
        (f(1), 0.1, 0, -129, 127, Precision.INT8),
        BadType,
        "below the least",
    ),
    (
        "quantized_decomposed.quantize_per_tensor.default",
        (f(1), 0.1, 0, -128, 128, Precision.INT8),
        BadType,
        "above the most",
    ),
    (
        "quantized_decomposed.choose_qparams_per_token.default",
        (rand(2, 3), Precision.UINT8),
        Unsupported,
        "bytes without a sign",
    ),
    (
        "aten.lstm.input",
        (
            rand(2, 3),
            [rand(1, 4), rand(1, 4)],
            [rand(16, 3), rand(16, 4)],
            False,
            1,
            0.0,
            False,
            False,
            False,
        ),
        BadType,
        "two axes",
    ),
    (
        "aten.lstm.input",
        (
            rand(1, 2, 3),
            [rand(1, 2, 4), rand(1, 2, 4)],
            [rand(16, 3)],
            False,
            1,
            0.0,
            False,
            False,
            False,
        ),
        BadType,
        "parameters of less",
    ),
    (
        "aten.gru.input",
        (
            rand(1, 2, 3),
            rand(1, 2, 4),
            [rand(12, 3), rand(12, 4), rand(12)],
            False,
            1,
            0.0,
            False,
            False,
            False,
        ),
        BadType,
        "parameters of more",
    ),
    (
        "aten.grid_sampler_2d.default",
        (rand(1, 1, 2, 2), rand(1, 1, 1, 2), 0, 3, False),
        Unsupported,
        "unknown borders",
    ),
    ("aten.segment_reduce.default", (rand(3), "median"), Unsupported, "an unknown reduction"),
    ("aten.diff.default", (np.arange(1003), 1001), Unsupported, "too often"),
]
CASES += [
    Case(op, given, {"atol": rand(2, 1)} if "pinv" in op else {}, raises=error, why=why)
    for op, given, error, why in ALMOST
]
LIMITS = [
    *(
        Limit(op, device="onnxruntime", case=case, why=WHY, raises=NoLowering)
        for op, case in (
            ("aten.linalg_cond.default", "the norm that it has"),
            ("aten.linalg_norm.ord_str", "-nuc"),
        )
    ),
    *(
        Limit(
            f"aten.max_pool{n}d_with_indices.default",
            device="onnxruntime",
            case="of -inf",
            why="ONNX Runtime's MaxPool with a border gives the least finite number for -inf alone",
        )
        for n in (2, 3)
    ),
    Limit(
        "aten._unique2.default",
        device="onnxruntime",
        case="NaN in a matrix",
        why="ONNX Runtime's TopK puts NaN anywhere",
    ),
]
