"""Legacy operators of object detection."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering

from ...case import ROUNDS, Case, Const, Limit, Tolerance, f, i, rand

LOOSE = Tolerance(relative=1e-4, absolute=1e-5)
INT32 = np.int32
IMAGE = rand(1, 4, 8, 8)
CORNERS = np.array([[0, 0, 4, 4], [1, 1, 6, 7], [2, 0, 5, 5]], np.float32)
NMS = {
    "score_threshold": 0.1,
    "nms_top_k": 10,
    "keep_top_k": 5,
    "nms_threshold": 0.4,
    "background_label": -1,
}
BOXES = {"BBoxes": CORNERS[None], "Scores": f(0.9, 0.8, 0.3, 0.2, 0.05, 0.7).reshape(1, 2, 3)}
RPN = {
    "Scores": rand(1, 2, 3, 3, low=0.0, high=1.0),
    "BboxDeltas": rand(1, 8, 3, 3, low=-0.2, high=0.2),
    "ImShape": f(20, 20).reshape(1, 2),
    "Anchors": np.tile(np.array([0, 0, 6, 6], np.float32), (3, 3, 2, 1)) + rand(3, 3, 2, 4, low=0),
    "Variances": np.ones((3, 3, 2, 4), np.float32),
}
TOPS = {"pre_nms_topN": 12, "post_nms_topN": 5, "nms_thresh": 0.5, "min_size": 1.0, "eta": 1.0}
ONE = Const(i(3, dtype=INT32))

CASES = [
    Case(
        "anchor_generator",
        ({"Input": IMAGE},),
        {
            "anchor_sizes": [16.0, 32.0],
            "aspect_ratios": [0.5, 1.0],
            "variances": [0.1, 0.1, 0.2, 0.2],
            "stride": [8.0, 8.0],
            "offset": 0.5,
        },
        results=("Anchors", "Variances"),
        tol=ROUNDS,
    ),
    Case(
        "prior_box",
        ({"Input": IMAGE, "Image": rand(1, 3, 32, 32)},),
        {
            "min_sizes": [4.0],
            "max_sizes": [8.0],
            "aspect_ratios": [2.0],
            "flip": True,
            "clip": True,
            "variances": [0.1, 0.1, 0.2, 0.2],
        },
        results=("Boxes", "Variances"),
        tol=ROUNDS,
    ),
    Case(
        "box_coder",
        (
            {
                "PriorBox": CORNERS,
                "PriorBoxVar": np.full((3, 4), 0.2, np.float32),
                "TargetBox": rand(2, 3, 4),
            },
        ),
        {"code_type": "decode_center_size", "box_normalized": False},
        results=("OutputBox",),
        tol=LOOSE,
    ),
    Case(
        "box_coder",
        ({"PriorBox": CORNERS, "TargetBox": CORNERS[:2] + 1},),
        {"code_type": "encode_center_size", "variance": [0.1, 0.1, 0.2, 0.2]},
        results=("OutputBox",),
        tol=LOOSE,
    ),
    Case(
        "yolo_box",
        ({"X": rand(1, 14, 2, 2), "ImgSize": i(64, 64, dtype=INT32).reshape(1, 2)},),
        {"anchors": [10, 13, 16, 30], "class_num": 2, "conf_thresh": 0.1, "downsample_ratio": 32},
        results=("Boxes", "Scores"),
        tol=LOOSE,
    ),
    Case(
        "roi_align",
        ({"X": IMAGE, "ROIs": CORNERS, "RoisNum": ONE},),
        {"pooled_height": 2, "pooled_width": 2, "spatial_scale": 0.5, "sampling_ratio": 2},
        tol=LOOSE,
    ),
    Case(
        "roi_pool",
        ({"X": IMAGE, "ROIs": CORNERS, "RoisNum": ONE},),
        {"pooled_height": 2, "pooled_width": 2, "spatial_scale": 1.0},
        results=("Out", "Argmax"),
        read=1,
        tol=LOOSE,
    ),
    Case(
        "psroi_pool",
        ({"X": IMAGE, "ROIs": CORNERS, "RoisNum": ONE},),
        {"pooled_height": 1, "pooled_width": 2, "output_channels": 2, "spatial_scale": 1.0},
        tol=LOOSE,
    ),
    Case("multiclass_nms3", (BOXES,), NMS, results=("Out", "Index", "NmsRoisNum")),
    Case(
        "multiclass_nms3",
        (BOXES,),
        NMS | {"normalized": False, "keep_top_k": 2},
        results=("Out", "Index", "NmsRoisNum"),
    ),
    Case(
        "multiclass_nms2",
        (BOXES,),
        NMS,
        results=("Out", "Index", "NmsRoisNum"),
        read=2,
        domain="multiclass_nms3",
    ),
    Case("multiclass_nms", (BOXES,), NMS),
    Case(
        "matrix_nms",
        (BOXES,),
        {
            "score_threshold": 0.1,
            "post_threshold": 0.1,
            "nms_top_k": 10,
            "keep_top_k": 5,
            "background_label": -1,
        },
        results=("Out", "Index", "RoisNum"),
        tol=LOOSE,
    ),
    Case(
        "generate_proposals_v2",
        (RPN,),
        TOPS | {"pixel_offset": False},
        results=("RpnRois", "RpnRoiProbs", "RpnRoisNum"),
        tol=LOOSE,
    ),
    Case(
        "distribute_fpn_proposals",
        ({"FpnRois": CORNERS * 20, "RoisNum": ONE},),
        {"min_level": 2, "max_level": 3, "refer_level": 2, "refer_scale": 100},
        results=(("MultiFpnRois", 2), "RestoreIndex", ("MultiLevelRoIsNum", 2)),
    ),
    Case(
        "collect_fpn_proposals",
        (
            {
                "MultiLevelRois": [CORNERS, CORNERS[:2] + 1],
                "MultiLevelScores": [f(0.1, 0.7, 0.3).reshape(3, 1), f(0.9, 0.2).reshape(2, 1)],
                "MultiLevelRoIsNum": [ONE, Const(i(2, dtype=INT32))],
            },
        ),
        {"post_nms_topN": 3},
        results=("FpnRois", "RoisNum"),
    ),
]
LIMITS = [
    Limit(
        "multiclass_nms3",
        device="onnxruntime",
        case="normalized=False",
        raises=NoLowering,
        why="boxes of pixels",
    )
]
