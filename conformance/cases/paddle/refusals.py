"""Paddle's operators that are refused: operands that do not fit, or what is not taken yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, NotConstant, Unsupported
from nnir.types import Precision

from ...case import Case, Const, f, i, rand, scalar

X, IMAGE = rand(2, 3, 4), rand(2, 3, 5, 6)
COUNTS = i(1, 1, dtype=np.int32)
REGIONS = f(0, 0, 4, 4, 1, 1, 3, 3).reshape(2, 4)
NORM: dict[str, Any] = {
    "is_test": True,
    "momentum": 0.9,
    "epsilon": 1e-5,
    "data_format": "NCHW",
    "use_global_stats": False,
    "trainable_statistics": False,
}
NO_STATE = (None, None)
STEPS: dict[str, Any] = {"bit_length": 8, "qmin": -128, "qmax": 127, "round_type": 0}
STEPS |= {"is_test": True, "only_observer": False}
POOL: dict[str, Any] = {"ceil_mode": False, "exclusive": True, "data_format": "NCHW"}
POOL |= {"global_pooling": False, "adaptive": False, "padding_algorithm": "EXPLICIT"}
OTHERS: list[tuple[str, tuple[Any, ...], dict[str, Any], type[NNAdapterError], str]] = [
    *(("pool2d", (IMAGE, [6, 2], [1, 1], [0, 0]),
       POOL | {"exclusive": exclusive, "pooling_type": kind}, BadType,
       f"{kind} of a window larger than the image")
      for kind, exclusive in (("max", True), ("avg", False))),
    *(("embedding", (i(0, 1), Const(rand(2, 3))), {"padding_idx": n}, BadType, f"row {n} of 2")
      for n in (2, -3)),
    ("full_batch_size_like", (X,), {"shape": [2, 0], "dtype": Precision.FLOAT32, "value": 1.0,
                                    "input_dim_idx": 0, "output_dim_idx": 0}, Unsupported,
     "no columns"),
    ("linspace", (Const(f(1, 2)), Const(f(3)), Const(i(3, dtype=np.int32)), Precision.FLOAT32),
     {}, BadType, "two first numbers"),
    ("linspace", (f(1), f(3), i(3, dtype=np.int32), Precision.FLOAT32), {}, NotConstant,
     "as many as is told while running"),
    *((op, ([x, x],), {"start_index": 0, "length": 1}, NotConstant, f"{x.ndim} axes")
      for op in ("partial_concat", "partial_sum") for x in (f(1, 2), rand(1, 2, 2))),
    ("unpool", (rand(1, 1, 1, 1), i(0, dtype=np.int32).reshape(1, 1, 1, 1)),
     {"ksize": [2, 2], "strides": [2, 2], "padding": [0, 0], "output_size": [4, 4],
      "data_format": "NHWC"}, Unsupported, "channels last"),
    ("quantize_linear", (X, f(1, 2), f(0), *NO_STATE), STEPS | {"quant_axis": 0}, BadType,
     "two scales, one zero"),
    ("quantize_linear", (X, f(1, 2), f(0, 0), *NO_STATE), STEPS | {"quant_axis": -1},
     Unsupported, "two scales for all"),
    *((op, (scalar(2.0), Const(scalar(0, np.int64))),
       {"keepdims": True, "flatten": True, "dtype": Precision.INT64}, Unsupported,
       "a number whose axes are kept") for op in ("argmax", "argmin")),
    ("interp_antialias", (IMAGE, None, None, None),
     {"interp_method": "bilinear", "out_h": 2, "out_w": 2, "align_corners": False,
      "align_mode": 1}, Unsupported, "another mode"),
    ("interp_antialias", (IMAGE, None, None, None),
     {"interp_method": "nearest", "out_h": 2, "out_w": 2}, Unsupported, "another method"),
    *(("set_value_with_tensor", (rand(3, 4), f(5)),
       {"starts": [0], "ends": [1], "steps": steps, "axes": [axis], "decrease_axes": [],
        "none_axes": extra}, error, why)
      for steps, axis, extra, error, why in (
          ([1], -1, [], Unsupported, "an axis from the end"),
          ([0], 0, [], NotConstant, "no step"),
          ([1], 0, [0, 1], Unsupported, "two axes more"))),
    ("set_value_with_tensor", (rand(3, 4), rand(2, 1, 4)),
     {"starts": [0], "ends": [1], "steps": [1], "axes": [0], "decrease_axes": [],
      "none_axes": []}, BadType, "axes more that are not 1"),
    ("slice", (X, [0], [0], [1], [1], [1]), {}, BadType, "drops an axis that stays whole"),
    *(("pool2d", (x, [2, 2], [1, 1], [0, 0]),
       POOL | {"pooling_type": kind}, BadType, f"{kind} of {x.ndim} axes")
      for kind in ("max", "avg") for x in (X, rand(1, 1, 1, 3, 3))),
    *(("pool2d", (IMAGE, [2, 2], [1, 1], pads),
       POOL | {"exclusive": False, "pooling_type": "avg"},
       Unsupported, f"windows in padding {pads} alone") for pads in ([2, 0], [0, 0, 0, 2])),
]  # fmt: skip
CASES: list[Case] = [
    *(Case(op, given, attrs, raises=BadType, why=why) for op, given, attrs, why in (
        ("psroi_pool", (IMAGE, REGIONS, COUNTS),
         {"pooled_height": 2, "pooled_width": 2, "output_channels": 2}, "other channels"),
        ("fill_diagonal", (f(1, 2),), {}, "a vector"),
        ("split", (X, [-1, -1], 1), {}, "two rests"),
        ("split", (X, [-2, 2], 1), {}, "a size below 0"),
        ("lp_pool2d", (X, [2, 2]), {"norm_type": 2.0}, "three axes"),
        ("temporal_shift", (X, 2), {}, "three axes"),
        ("affine_grid", (rand(2, 2, 3), None), {}, "no size"),
        ("expand_as", (X, None, None), {}, "no shape"),
        ("bilinear_interp", (IMAGE, None, None, None), {"out_h": 0, "out_w": 0}, "no size"),
        ("interp_antialias", (IMAGE, None, None, None), {"out_h": 0, "out_w": 0}, "no size"),
        ("as_strided", (rand(2, 3, dtype=np.float64), [2], [1], 3), {}, "half an element"),
        ("dropout", (X, None, -0.5), {"mode": "upscale_in_train", "is_test": True},
         "a share below 0"),
        ("self_dp_attention", (rand(2, 4, 3, 2, 5),), {"alpha": 0.3, "head_number": 3},
         "other heads"),
        ("assign_value_", (f(1), [2], Precision.FLOAT32, [1.5]), {}, "one number of two"),
        ("send_uv", (rand(2, 1), rand(2, 1), i(0, dtype=np.int16), i(1, dtype=np.int16)),
         {"message_op": "ADD"}, "short positions"),
        ("einsum", ([X[0]], "ii->i"), {}, "no square"),
        ("batch_norm", (IMAGE, rand(3), rand(3, 1), rand(3), rand(3)),
         NORM, "a variance of two axes"),
        ("max_pool2d_with_index", (IMAGE, [2, 7]), {"strides": [1, 1]},
         "a window larger than the image"),
        ("lp_pool2d", (IMAGE, [6, 2]), {"norm_type": 2.0}, "a window larger than the image"),
        ("fractional_max_pool2d", (IMAGE, [6, 6]), {"random_u": 0.3}, "more bins than elements"),
        ("fake_channel_wise_quantize_abs_max", (f(1, 2),), {}, "a vector of channels"),
        ("dequantize_log", (i(1, dtype=np.int8), rand(1, 128)), {}, "a table of two axes"),
        ("affine_grid", (rand(2, 2, 4), [2, 3, 4, 5]), {}, "matrices of another form"),
        ("affine_grid", (rand(3, 2, 3), [2, 3, 4, 5]), {}, "matrices of another batch"),
        ("crop", (X, [1, 3, 4], [2, 0, 0]), {}, "a box that reaches out"),
        ("repeat_interleave", (X, 2, 1), {"output_size": 8}, "another size"),
        ("repeat_interleave", (X, 2, 1), {"output_size": 1}, "another size, one"),
        ("gammaincc", (f(1), f(1, 2)), {}, "two shapes"),
        ("index_add", (X, i(0), rand(2, 2, 4), 1), {}, "one position for two rows"),
        ("fft_c2r", (rand(2, 3, dtype=np.complex64), [1], "backward", False, 6), {},
         "more samples than there are frequencies for"),
        ("quantize_linear", (X, scalar(0.5), f(0, 0), *NO_STATE), STEPS | {"quant_axis": 1},
         "one scale for two zeros"),
        ("take_along_axis", (X, i(0, dtype=np.int16).reshape(1, 1, 1), 1), {}, "short positions"),
        ("put_along_axis", (X, i(0, dtype=np.int8).reshape(1, 1, 1), f(1).reshape(1, 1, 1), 1), {},
         "short positions"),
        ("add_n", ([f(1, 2), f(1)],), {}, "other shapes"),
        ("assign_value", ([2], Precision.BOOL8, [0.75, 1]), {}, "half a truth"),
        ("eye", (Const(f(2, dtype=np.complex64)), Const(f(2))), {}, "complex rows"),
        ("masked_fill", (f(1, 2), np.array([True, False]), f(1, 2).reshape(1, 2)), {},
         "numbers of another shape"),
        ("index_put", (f(1, 2), [np.array([True])], f(1)), {}, "a mask that is too short"),
        ("send_ue_recv", (f(1, 2), rand(2, 1), i(0, 1), i(1, 1)), {"message_op": "MUL"},
         "other ranks"),
        ("matrix_rank_atol_rtol", (rand(3, 3), scalar(0), f(0)), {}, "other ranks"),
        ("fc", (rand(1, 2), rand(2, 2), f(1)), {}, "one bias of two"),
        ("baddbmm", (rand(2, 2, 1), rand(1, 2, 2), rand(2, 2, 1)), {}, "other batches"),
        ("label_smooth", (rand(2, 1), rand(1, 2)), {"epsilon": 0.3}, "other labels"),
        ("partial_sum", ([rand(1, 4)] * 2,), {"start_index": -7, "length": 2}, "out of the row"),
        ("unpool", (rand(1, 1, 1, 1), i(0, dtype=np.int32).reshape(1, 1, 1, 1)),
         {"ksize": [2, 2], "strides": [2, 2], "padding": [0, 0], "output_size": [4],
          "data_format": "NCHW"}, "one size of two"),
        ("conv3d", (rand(1, 1, 1, 2, 1), rand(3, 1, 1, 3, 1)),
         {"strides": [1, 1, 1], "paddings": [0, 0, 0], "dilations": [1, 1, 1]},
         "a filter larger than the data"),
        ("quantize_linear", (X, f(1, 2), f(0, 0), *NO_STATE), STEPS | {"quant_axis": 1},
         "two scales of three"),
        ("mode", (np.zeros(0, np.float32),), {}, "no elements"),
        ("gather", (X, i(1, dtype=np.int16), 1), {}, "short positions"),
        ("lu_solve", (rand(2, 1), rand(2, 2), i(2, dtype=np.int32), "N"), {}, "one pivot of two"),
    )),
    *(Case(op, given, attrs, raises=Unsupported, why=why) for op, given, attrs, why in (
        ("split", (X, [1, 3], -1), {}, "an axis from the end"),
        ("baddbmm", (rand(2, 1), rand(2, 2, 2), rand(2, 2, 1)), {"beta": 1.0, "alpha": 1.0},
         "a matrix for all"),
        ("divide_", (np.array(True), np.array(True)), {}, "truth values"),
        ("scale", (np.array([True]),), {"scale": 0.5}, "a share of the truth"),
        ("svdvals", (rand(1, 1, 2, 2),), {}, "four axes"),
        ("fill_diagonal", (rand(2, 1),), {"value": 2.0, "offset": -1}, "below the diagonal"),
        ("pool2d", (IMAGE, [2, 2]),
         {"strides": [1, 1], "paddings": [0, 0], "ceil_mode": False, "exclusive": True,
          "data_format": "NCHW", "pooling_type": "max", "global_pooling": True, "adaptive": True,
          "padding_algorithm": "EXPLICIT"}, "two ways at once"),
        ("int_bincount", (i(1), -7, 5, Precision.INT64), {}, "from below 0"),
        ("bicubic_interp", (IMAGE, None, None, None),
         {"interp_method": "bicubic", "out_h": 2, "out_w": 1, "align_corners": False},
         "one column of several"),
        ("bilinear_interp", (i(1, 2, dtype=np.uint8).reshape(1, 1, 1, 2), None, None, None),
         {"interp_method": "bilinear", "out_h": 2, "out_w": 4}, "bytes"),
        ("batch_norm", (rand(1, 2, 1, 1), rand(2), rand(2), rand(2), rand(2)),
         NORM | {"is_test": False}, "one element of each channel"),
        ("round", (rand(2, dtype=np.complex64), 2), {}, "complex numbers"),
        ("shuffle_channel", (rand(1, 2, 1, 1, dtype=np.float64), 2), {}, "float64"),
        ("frobenius_norm", (rand(2, 3, dtype=np.complex64), [0], True, False), {}, "complex"),
        ("affine_channel", (IMAGE, rand(3), rand(3)), {"data_layout": "NWHC"}, "a layout"),
        ("memory_efficient_attention",
         (*[rand(1, 4, 2, 3)] * 3, *[None] * 5),
         {"max_seqlen_q": 4.0, "max_seqlen_k": 4.0, "causal": False, "dropout_p": 0.5,
          "scale": 0.5, "is_test": False}, "training"),
    )),
    *(Case(op, given, attrs, raises=error, why=why) for op, given, attrs, error, why in OTHERS),
]  # fmt: skip
