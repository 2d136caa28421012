"""Rows of the other themes again, with other values for attributes that they leave alone.

What differs is the name of the row; inputs are the row's own where none are given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nnir.errors import NNAdapterError, NoLowering, Unsupported

from ...case import ROUNDS, Case, Const, Limit, f, i, rand
from . import detect, index, math, more, nn, quant, shape
from .nn import BACK, IMAGE, INT32, KERNEL, LAST, VOLUME

PLAIN: dict[str, Case] = {}
for _theme in (detect, index, math, more, nn, quant, shape):
    PLAIN |= {case.op: case for case in reversed(_theme.CASES) if case.raises is None}

FIRST = PLAIN["arg_min"].inputs[0]["X"]
SOLID = rand(1, 4, 5, 6, 2)
LINE = rand(2, 5, 3)
CORNER = Const(rand(2, 3, 2, 2, 2))
EACH = Const(rand(4, 1, 3, 3))
BESIDE = {"X": rand(2, 3, 4, low=0.5), "Y": rand(3, seed=1, low=0.5)}
WHOLE = {"X": i(7, -8, 9, 4, 5, 6).reshape(2, 3, 1), "Y": i(2, 3, 4)}
ENDS = {"X": rand(2, 3), "Y": rand(3, seed=1)}
BROKEN = {"Input": f(1, np.nan), "Other": f(1.2, np.nan)}
SLICES = {"X": i(3, 1, 3, 1, 2, 5).reshape(3, 2)}
MANY = {"X": rand(1, 8, 8, 8), "ROIs": detect.CORNERS, "RoisNum": detect.ONE}
PLANES = {"Logits": rand(2, 4, 3), "Label": i(1, 2, 0, 3, 2, 1).reshape(2, 1, 3)}
AWARE = {"X": rand(1, 16, 2, 2), "ImgSize": i(64, 64, dtype=INT32).reshape(1, 2)}
STACKED = {
    "Input": rand(4, 5, 3),
    "PreState": [rand(2, 5, 2, seed=k) for k in (7, 8)],
    "WeightList": [
        *(Const(rand(8, size, seed=k)) for k, size in enumerate((3, 2, 2, 2))),
        *(Const(rand(8, seed=k)) for k in range(4)),
    ],
}
RESERVE = (*nn.BATCH, "ReserveSpace")
SIZES = ("out_d", "out_h", "out_w")
INTERPOLATIONS = tuple(
    f"{kind}_interp{version}"
    for kind in ("bicubic", "bilinear", "linear", "nearest", "trilinear")
    for version in ("", "_v2")
)


def again(
    op: str,
    inputs: dict[str, Any] | None = None,
    *,
    raises: type[NNAdapterError] | None = None,
    without: tuple[str, ...] = (),
    results: tuple[Any, ...] = (),
    **attrs: Any,
) -> Case:
    """The first row of an operator, with other attributes."""
    row = PLAIN[op]
    given = {k: v for k, v in row.attrs.items() if k not in without} | attrs
    return replace(
        row,
        inputs=row.inputs if inputs is None else (inputs,),
        attrs=given,
        results=results or row.results,
        why="with " + ",".join(f"{k}={v}" for k, v in attrs.items()),
        raises=raises,
    )


def each(op: str, **attrs: Any) -> list[Case]:
    """A row for each attribute."""
    return [again(op, **{name: value}) for name, value in attrs.items()]


def deformable(op: str, size: tuple[int, int], parts: int, filter: Const, **attrs: Any) -> Case:
    """A convolution with offsets for results of a size."""
    given = {"Input": IMAGE, "Filter": filter}
    given["Offset"] = rand(2, 18 * parts, *size, low=-1, high=1)
    if op == "deformable_conv":
        given["Mask"] = rand(2, 9 * parts, *size, seed=1)
    return again(op, given, **attrs)


def resized(op: str) -> list[Case]:
    """What interpolations over one, two or three axes have in common."""
    rank = {"l": 1, "t": 3}.get(op[0], 2)
    last = {"X": (LINE, LAST, SOLID)[rank - 1]}
    one = op in ("bilinear_interp", "nearest_interp")
    unused = {"out_d": 3, "out_h": 3}
    return [
        *each(op, align_mode=0, **dict(list(unused.items())[: 3 - rank])),
        again(op, last, data_layout="NDHWC" if rank == 3 else "NHWC"),
        again(op, without=SIZES, scale=1.5 if one else [1.5] * rank),
    ]


CONVOLUTIONS = [
    *each("conv2d_transpose", padding_algorithm="SAME", dilations=[1, 2], groups=2),
    again("conv2d_transpose", {"Input": LAST, "Filter": BACK}, data_format="NHWC"),
    *each("conv3d", padding_algorithm="SAME", strides=[2, 1, 2], dilations=[1, 2, 1]),
    again("conv3d", {"Input": VOLUME, "Filter": Const(rand(4, 1, 2, 2, 2))}, groups=2),
    again("conv3d", {"Input": SOLID, "Filter": Const(rand(3, 2, 2, 2, 2))}, data_format="NDHWC"),
    *each(
        "conv3d_transpose",
        padding_algorithm="SAME",
        output_size=[8, 6, 12],
        paddings=[1, 0, 1],
        dilations=[1, 2, 1],
        output_padding=[1, 0, 1],
        groups=2,
    ),
    again("conv3d_transpose", {"Input": SOLID, "Filter": CORNER}, data_format="NHWC"),
    *each("depthwise_conv2d", padding_algorithm="SAME", strides=[2, 1], dilations=[1, 2]),
    *(
        again(f"depthwise_conv2d{end}", {"Input": LAST, "Filter": EACH}, data_format="NHWC")
        for end in ("", "_transpose")
    ),
    *each(
        "depthwise_conv2d_transpose",
        padding_algorithm="SAME",
        strides=[2, 1],
        paddings=[1, 0],
        dilations=[1, 2],
    ),
    again("depthwise_conv2d_transpose", strides=[2, 2], output_size=[14, 16]),
    again("depthwise_conv2d_transpose", strides=[2, 2], output_padding=[1, 0]),
]
for _op in ("deformable_conv", "deformable_conv_v1"):
    CONVOLUTIONS += [
        deformable(_op, (4, 5), 2, KERNEL, deformable_groups=2),
        deformable(_op, (4, 5), 1, Const(KERNEL.array[:, :2]), groups=2),
        deformable(_op, (2, 5), 1, KERNEL, strides=[2, 1]),
        deformable(_op, (6, 5), 1, KERNEL, paddings=[1, 0]),
        deformable(_op, (4, 3), 1, KERNEL, dilations=[1, 2]),
    ]
POOLS = [
    *each("max_pool2d_with_index", paddings=[1, 1], global_pooling=True, ceil_mode=True),
    *each(
        "max_pool3d_with_index",
        paddings=[1, 1, 1],
        global_pooling=True,
        ceil_mode=True,
        adaptive=True,
    ),
    *(
        replace(again("pool3d", pooling_type="avg", **how), tol=ROUNDS)
        for how in (
            {"exclusive": False, "paddings": [1, 1, 1]},
            {"padding_algorithm": "SAME"},
            {"adaptive": True},
            {"global_pooling": True},
            {"ceil_mode": True},
        )
    ),
    again("pool3d", {"X": SOLID}, data_format="NDHWC"),
    *each("unpool", paddings=[1, 0]),
    *each("unpool3d", paddings=[1, 0, 0]),
    again("unpool", data_format="NHWC", raises=Unsupported),
    again("unpool3d", data_format="NDHWC", raises=Unsupported),
]
NORMS = [
    *each("sync_batch_norm", epsilon=0.001, use_global_stats=True),
    again("sync_batch_norm", {"X": LAST, **nn.FOUR}, data_layout="NHWC"),
    *(
        row
        for op in ("batch_norm", "sync_batch_norm")
        for row in (
            again(op, momentum=0.5),
            again(op, trainable_statistics=True, results=RESERVE),
        )
    ),
    *(again(op, epsilon=0.001) for op in ("group_norm", "instance_norm")),
    *(again(op, epsilon=0.1) for op in ("norm", "p_norm")),
    again("lrn", k=1.0),
    *each("rnn", seed=3, dropout_prob=0.5),
    again("rnn", STACKED, num_layers=2),
]
QUANTISED = [
    *(
        again(f"{op}quantize_linear", **how)
        for op in ("", "de")
        for how in (
            {"round_type": 1},
            {"only_observer": True},
            {"qmin": -8, "qmax": 7, "bit_length": 4},
        )
    ),
    *(
        row
        for op in (
            "channel_wise_quantize_abs_max",
            "channel_wise_quantize_dequantize_abs_max",
            "quantize_abs_max",
            "quantize_dequantize_abs_max",
            "quantize_moving_average_abs_max",
            "quantize_range_abs_max",
        )
        for row in each(f"fake_{op}", round_type=0, bit_length=4)
    ),
    again("fake_channel_wise_quantize_dequantize_abs_max", quant_axis=1),
    again("fake_quantize_dequantize_moving_average_abs_max", round_type=0),
    again("fake_quantize_dequantize_moving_average_abs_max", moving_rate=0.5),
    again("fake_quantize_moving_average_abs_max", moving_rate=0.5),
    again("fake_quantize_range_abs_max", window_size=100),
    *each("fake_channel_wise_dequantize_max_abs", quant_bits=[4], x_num_col_dims=2),
]
ELEMENTS = [
    *(again(f"elementwise_{op}", BESIDE, axis=1) for op in ("div", "max", "min", "pow")),
    *(again(f"elementwise_{op}", WHOLE, axis=1) for op in ("mod", "floordiv")),
    *(again(op, ENDS, axis=1) for op in math.COMPARISONS),
    *(
        row
        for op in ("allclose", "isclose")
        for row in (again(op, BROKEN, equal_nan=True), again(op, BROKEN, rtol="0.3"))
    ),
    again("isclose", BROKEN, atol="0.3"),
    again("prelu", {"X": rand(2, 3, 4, 3), "Alpha": Const(f(0.1, 0.2, 0.3))}, data_format="NHWC"),
    *each("selu", scale=1.2, alpha=0.7),
    *each("stanh", scale_a=0.5, scale_b=1.2),
    again("maxout", axis=-1, groups=3),
    again("mish", threshold=1.0),
    again("round", decimals=1),
    again("thresholded_relu", value=-3.0),
    again("hard_swish", scale=5.0, raises=Unsupported),
    again("hard_swish", offset=2.0, raises=Unsupported),
    again("fc", activation_type="relu"),
    again("fc", padding_weights=True, raises=Unsupported),
]
REDUCED = [
    *(
        row
        for op in (*(f"reduce_{k}" for k in ("all", "any", "max", "min")), "frobenius_norm")
        for row in each(op, reduce_all=True, keep_dim=True)
    ),
    *(
        again(f"reduce_a{kind}", dim=dim, reduce_all=True)
        for kind in ("max", "min")
        for dim in ([], [1])
    ),
    *each("reduce_mean", keep_dim=True),
    *each("reduce_prod", keep_dim=True),
    *(
        again(f"reduce_{kind}", out_dtype=6, raises=Unsupported)
        for kind in ("all", "amax", "amin", "any", "max", "mean", "min", "prod")
    ),
    again("frobenius_norm", out_dtype=6, raises=Unsupported),
    *each("logsumexp", reduce_all=True, keepdim=True),
    *each("cumprod", reverse=True, exclusive=True),
    *each("logcumsumexp", reverse=True, exclusive=True),
    again("logcumsumexp", flatten=True, axis=0),
    again("dist", p=1.0),
    again("trace", offset=1),
    again("histogram", min=1.0, max=3.0),
    again("histogram", density=True),
    again("nanmedian", {"X": f(1, 3, 4, 2)}, mode="min"),
]
PLACED = [
    *each("arg_min", flatten=True, keepdims=True, dtype=2),
    *each("argsort", stable=True),
    *each("cummax", dtype=2),
    *each("kthvalue", keepdim=True),
    again("mode", {"X": rand(2, 3)}, keepdim=True),
    again("top_k_v2", sorted=False, k=1),
    *each("unique", dtype=2),
    again("unique", SLICES, axis=[0]),
    again("unique_consecutive", SLICES, axis=[0]),
    *each("searchsorted", out_int32=True),
    again("index_add", {"X": FIRST, "Index": i(2, 0), "AddValue": rand(4, 2)}, axis=1),
    *each("index_put", accumulate=True),
    *each("put_along_axis", Include_self=False),
    *each("repeat_interleave", output_size=6),
    *each("one_hot_v2", dtype=3),
    again("set_value", decrease_axes=[0], ends=[2]),
    again("set_value", none_axes=[0]),
    *each("shard_index", ignore_value=-7),
    *each("tril_indices", offset=1, dtype=2),
    *each("triu_indices", dtype=2),
    *each("eye", dtype=3),
    *each("empty", dtype=3),
    *each("gaussian_random", mean=5.0, std=2.0, seed=3, dtype=6),
    *each("uniform_random", min=-5.0, max=5.0, seed=3, dtype=6),
    *each("randint", dtype=2),
]
SHAPED = [
    again("channel_shuffle", {"X": rand(2, 3, 5, 4)}, data_format="NHWC"),
    again("pixel_unshuffle", {"X": rand(2, 4, 6, 3)}, data_format="NHWC"),
    *each("temporal_shift", shift_ratio=0.4),
    again("temporal_shift", {"X": rand(2, 3, 5, 4)}, data_format="NHWC"),
    *each("diag", offset=1, padding_value=2.0),
    *each("diag_embed", offset=1),
    again("diag_embed", dim1=0, dim2=1),
    *each("fill_diagonal", offset=1),
    again("fill_diagonal", {"X": rand(3, 3, 3)}, wrap=True),
    *each("fill_diagonal_tensor", offset=1),
    again("fill_diagonal_tensor", {"X": rand(2, 3, 4), "Y": rand(4, 2)}, dim1=1, dim2=0),
    again("frame", {"X": rand(8, 2)}, axis=0),
    again("overlap_add", {"X": rand(3, 4)}, axis=0),
    again("unbind", axis=1, results=(("Out", 3),)),
]
SOLVED = [
    again("cholesky_solve", {"X": rand(3, 2), "Y": more.LOWER.T.copy()}, upper=True),
    *each("eigh", UPLO="U"),
    *each("qr", mode="complete"),
    again("svd", {"X": rand(3, 2)}, full_matrices=True),
    *each("triangular_solve", unitriangular=True),
]
LOSSES = [
    *each("kldiv_loss", log_target=True),
    *each("nll_loss", reduction="sum", ignore_index=3),
    again(
        "sigmoid_cross_entropy_with_logits",
        {"X": rand(1, 4), "Label": f(0, 1, -1, 1).reshape(1, 4)},
        ignore_index=-1,
        normalize=True,
    ),
    *each("softmax_with_cross_entropy", numeric_stable_mode=False, ignore_index=3),
    again(
        "softmax_with_cross_entropy",
        {"Logits": more.CHANCES, "Label": i(1, 0, 3).reshape(3, 1)},
        use_softmax=False,
    ),
    again("softmax_with_cross_entropy", PLANES, axis=1),
    *each("viterbi_decode", include_bos_eos_tag=False),
]
BOXES = [
    again(
        "box_coder",
        {
            "PriorBox": detect.CORNERS[:2],
            "PriorBoxVar": np.full((2, 4), 0.2, np.float32),
            "TargetBox": rand(2, 3, 4),
        },
        axis=1,
    ),
    *each("distribute_fpn_proposals", pixel_offset=False),
    *each("matrix_nms", normalized=False, use_gaussian=True),
    again("matrix_nms", use_gaussian=True, gaussian_sigma=3.0),
    *(
        row
        for version in ("", "2", "3")
        for row in each(f"multiclass_nms{version}", normalized=False, nms_eta=0.9)
    ),
    *each(
        "prior_box",
        step_w=3.0,
        step_h=5.0,
        flip=False,
        clip=False,
        offset=0.3,
        min_max_aspect_ratios_order=True,
    ),
    *each("psroi_pool", spatial_scale=0.5),
    again("psroi_pool", MANY, pooled_height=2),
    *each("roi_align", aligned=True),
    *each("roi_pool", spatial_scale=0.5),
    *each("yolo_box", downsample_ratio=16, clip_bbox=False, scale_x_y=1.2),
    again("yolo_box", AWARE, iou_aware=True, iou_aware_factor=0.4),
]

CASES = [
    *(*CONVOLUTIONS, *POOLS, *NORMS, *QUANTISED, *ELEMENTS, *REDUCED, *PLACED, *SHAPED),
    *(*SOLVED, *LOSSES, *BOXES),
    *(row for op in INTERPOLATIONS for row in resized(op)),
]
LIMITS = [
    Limit(
        "max_pool3d_with_index",
        device="onnxruntime",
        case="adaptive",
        raises=NoLowering,
        why="bins that overlap",
    ),
    *(
        Limit(
            f"multiclass_nms{version}",
            device="onnxruntime",
            case=case,
            raises=NoLowering,
            why=why,
        )
        for version in ("", "2", "3")
        for case, why in (
            ("with normalized=False", "boxes of pixels"),
            ("with nms_eta", "a threshold that falls"),
        )
    ),
    *(
        Limit(
            f"reduce_a{kind}",
            case="dim=[1],reduce_all",
            why="Paddle 3 reads over reduce_all, which in older programs means every axis",
        )
        for kind in ("max", "min")
    ),
]
