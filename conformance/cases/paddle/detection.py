"""Paddle's operators on boxes and regions of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadModel, NNAdapterError, NoLowering, NotConstant, Unsupported

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand

NEAR = Tolerance(relative=1e-4, absolute=1e-5)
I32 = np.int32


def boxes(*lead: int, seed: int = 0, size: float = 10.0) -> np.ndarray:
    """Corners, the first one nearer to the origin."""
    low = rand(*lead, 2, seed=seed, low=0, high=size)
    return np.concatenate([low, low + rand(*lead, 2, seed=seed + 1, low=0.5, high=size)], -1)


def case(
    op: str,
    *inputs: Any,
    why: str = "",
    raises: type[NNAdapterError] | None = None,
    read: int | None = None,
    tol: Tolerance = NEAR,
    **attrs: Any,
) -> Case:
    """An operator on boxes."""
    return Case(op, inputs, attrs, tol=tol, why=why, raises=raises, read=read)


IMAGE = rand(2, 3, 8, 9)
ROIS = boxes(5, size=8)
COUNTS = i(2, 3, dtype=I32)
HEAD: dict[str, Any] = {"anchors": [10, 13, 16, 30], "class_num": 3, "downsample_ratio": 8}
PRIORS: dict[str, Any] = {"min_sizes": [4.0, 8.0], "variances": [0.1, 0.1, 0.2, 0.2]}
NMS: dict[str, Any] = {"score_threshold": 0.2, "nms_top_k": -1, "keep_top_k": -1}
MANY = boxes(2, 12, size=6)
SCORES = rand(2, 3, 12, low=0, high=1)
RPN = (
    rand(1, 3, 4, 5, low=0, high=1),
    rand(1, 12, 4, 5, low=-0.5, high=0.5),
    f(40, 50).reshape(1, 2),
    boxes(4, 5, 3, size=30),
    rand(4, 5, 3, 4, low=0.5, high=1),
)
TWO = (
    rand(2, 3, 4, 5, low=0, high=1),
    rand(2, 12, 4, 5, low=-0.5, high=0.5),
    f(40, 50, 30, 60).reshape(2, 2),
    *RPN[3:],
)
PROPOSE: dict[str, Any] = {
    "pre_nms_top_n": 30,
    "post_nms_top_n": 10,
    "nms_thresh": 0.5,
    "min_size": 4.0,
    "eta": 1.0,
}
LEVELS: dict[str, Any] = {"min_level": 2, "max_level": 5, "refer_level": 4, "refer_scale": 224}

CASES = [
    case("yolo_box", rand(2, 16, 3, 4), i(40, 50, 60, 70, dtype=I32).reshape(2, 2), **HEAD),
    case(
        "yolo_box",
        rand(2, 16, 3, 4),
        i(40, 50, 60, 70, dtype=I32).reshape(2, 2),
        **HEAD,
        clip_bbox=False,
        scale_x_y=1.2,
        conf_thresh=0.4,
    ),
    case(
        "yolo_box",
        rand(2, 18, 3, 4),
        i(40, 50, 60, 70, dtype=I32).reshape(2, 2),
        **HEAD,
        iou_aware=True,
        iou_aware_factor=0.4,
    ),
    case("prior_box", rand(1, 2, 3, 4), rand(1, 3, 24, 40), **PRIORS),
    case(
        "prior_box",
        rand(1, 2, 3, 4),
        rand(1, 3, 24, 40),
        **PRIORS,
        max_sizes=[6.0, 10.0],
        aspect_ratios=[1.0, 2.0],
        clip=False,
        step_w=9.0,
        step_h=8.0,
        offset=0.3,
    ),
    case(
        "prior_box",
        rand(1, 2, 3, 4),
        rand(1, 3, 24, 40),
        **PRIORS,
        max_sizes=[6.0, 10.0],
        aspect_ratios=[2.0],
        flip=False,
        min_max_aspect_ratios_order=True,
    ),
    case(
        "anchor_generator",
        rand(1, 2, 3, 4),
        anchor_sizes=[32.0, 64.0],
        aspect_ratios=[0.5, 1.0],
        variances=[0.1, 0.1, 0.2, 0.2],
        tol=ROUNDS,
    ),
    case(
        "anchor_generator",
        rand(1, 2, 3, 4),
        anchor_sizes=[32.0],
        aspect_ratios=[2.0],
        variances=[1.0, 1.0, 1.0, 1.0],
        stride=[8.0, 4.0],
        offset=0.25,
        tol=ROUNDS,
    ),
    case("box_coder", boxes(4), rand(4, 4, low=0.5), boxes(5, seed=3)),
    case("box_coder", boxes(4), None, boxes(5, seed=3), variance=[0.1, 0.1, 0.2, 0.2]),
    case("box_coder", boxes(4), None, boxes(5, seed=3), box_normalized=False),
    case("box_coder", boxes(4), rand(4, 4, low=0.5), rand(5, 4, 4), code_type="decode_center_size"),
    case(
        "box_coder",
        boxes(5),
        rand(5, 4, low=0.5),
        rand(5, 4, 4),
        code_type="decode_center_size",
        axis=1,
        box_normalized=False,
    ),
    case(
        "box_coder",
        boxes(4),
        None,
        rand(5, 4, 4),
        code_type="decode_center_size",
        variance=[0.1, 0.1, 0.2, 0.2],
    ),
    case("box_coder", boxes(4), None, rand(5, 4, 4), code_type="other", raises=Unsupported),
    case("roi_align", IMAGE, ROIS, COUNTS, pooled_height=2, pooled_width=3),
    case(
        "roi_align",
        IMAGE,
        ROIS,
        COUNTS,
        pooled_height=2,
        pooled_width=2,
        spatial_scale=0.5,
        sampling_ratio=2,
        aligned=True,
    ),
    case("roi_align", IMAGE, ROIS, i(0, 5, dtype=I32), why="no region in the first image"),
    case("roi_pool", IMAGE, ROIS, COUNTS, pooled_height=2, pooled_width=3),
    case("roi_pool", IMAGE, ROIS, COUNTS, pooled_height=3, pooled_width=2, spatial_scale=0.5),
    case(
        "psroi_pool",
        rand(2, 12, 8, 9),
        ROIS,
        COUNTS,
        pooled_height=2,
        pooled_width=3,
        output_channels=2,
    ),
    case(
        "psroi_pool",
        rand(2, 12, 8, 9),
        ROIS,
        COUNTS,
        pooled_height=2,
        pooled_width=2,
        output_channels=3,
        spatial_scale=0.5,
    ),
    case("nms", boxes(12, size=4), threshold=0.3),
    case("nms", boxes(12, size=4)),
    case("multiclass_nms3", MANY, SCORES, None, **NMS),
    case("multiclass_nms3", MANY, SCORES, None, **NMS, background_label=-1, nms_threshold=0.1),
    case(
        "multiclass_nms3",
        MANY,
        SCORES,
        None,
        background_label=2,
        score_threshold=0.1,
        nms_top_k=6,
        keep_top_k=5,
        normalized=False,
    ),
    case("multiclass_nms3", MANY, SCORES, None, **NMS, nms_threshold=0.7, nms_eta=0.8),
    case(
        "multiclass_nms3",
        boxes(8, 3, size=6),
        rand(8, 3, low=0, high=1),
        i(3, 5, dtype=I32),
        **NMS,
        why="of regions",
    ),
    case(
        "multiclass_nms3",
        boxes(8, 3, size=6),
        rand(8, 3, low=0, high=1),
        i(3, 5, dtype=I32),
        **NMS | {"keep_top_k": 4},
        why="four of regions",
    ),
    case("matrix_nms", MANY, SCORES, **NMS),
    case(
        "matrix_nms",
        MANY,
        SCORES,
        score_threshold=0.1,
        nms_top_k=7,
        keep_top_k=5,
        post_threshold=0.05,
        use_gaussian=True,
        gaussian_sigma=1.5,
    ),
    case("matrix_nms", MANY, SCORES, **NMS, background_label=-1, normalized=False),
    case("generate_proposals", *RPN, **PROPOSE, pixel_offset=False),
    case("generate_proposals", *RPN, **PROPOSE | {"min_size": 0.5}),
    case("generate_proposals", *TWO, **PROPOSE | {"eta": 0.9, "nms_thresh": 0.7}, why="two images"),
    case("generate_proposals", *RPN, **PROPOSE | {"min_size": 1e3}, why="nothing is left"),
    case("generate_proposals", *RPN, **PROPOSE | {"nms_thresh": 0.0}, raises=NotConstant),
    case(
        "distribute_fpn_proposals",
        boxes(9, size=500),
        i(4, 5, dtype=I32),
        **LEVELS,
        pixel_offset=False,
    ),
    case(
        "distribute_fpn_proposals",
        boxes(9, size=500),
        i(4, 5, dtype=I32),
        **LEVELS,
        pixel_offset=True,
    ),
    case(
        "distribute_fpn_proposals",
        boxes(9, size=500),
        i(4, 5, dtype=I32),
        **LEVELS | {"max_level": LEVELS["min_level"]},
        pixel_offset=True,
        why="one level",
    ),
    case(
        "distribute_fpn_proposals",
        boxes(9, size=500),
        None,
        **LEVELS,
        pixel_offset=True,
        raises=Unsupported,
        why="without counts",
    ),
    case(
        "distribute_fpn_proposals",
        boxes(9, size=500),
        i(4, 5, dtype=I32),
        **LEVELS | {"max_level": LEVELS["min_level"] - 1},
        pixel_offset=True,
        raises=BadModel,
        why="no levels",
    ),
    case(
        "collect_fpn_proposals",
        [boxes(4), boxes(3, seed=2)],
        [rand(4, 1), rand(3, 1)],
        [i(1, 3, dtype=I32), i(2, 1, dtype=I32)],
        post_nms_topn=5,
    ),
]

LIMITS = [
    *(
        Limit("multiclass_nms3", device="onnxruntime", case=case_, raises=NoLowering, why=case_)
        for case_ in ("normalized=False", "nms_eta", "of regions")
    ),
    *(
        Limit("generate_proposals", device="onnxruntime", case=case_, raises=NoLowering, why=case_)
        for case_ in ("min_size=0.5", "two images", "nothing is left")
    ),
]
