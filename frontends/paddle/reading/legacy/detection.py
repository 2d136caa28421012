"""Legacy operators of object detection."""

from __future__ import annotations

from .rule import Rules, same

RULES = Rules()
RULES.same("anchor_generator", "box_coder", "prior_box", "yolo_box")
ROIS = {"ROIs": "boxes", "RoisNum": "boxes_num"}
TOPS = {"pre_nms_topN": "pre_nms_top_n", "post_nms_topN": "post_nms_top_n"}
RULES["roi_align"] = same("roi_align", ROIS)
RULES["roi_pool"] = same("roi_pool", ROIS)
RULES["psroi_pool"] = same("psroi_pool", ROIS)
RULES["multiclass_nms"] = same("multiclass_nms3", results=("Out",))
RULES["multiclass_nms2"] = same("multiclass_nms3", results=("Out", "Index"))
RULES["multiclass_nms3"] = same("multiclass_nms3", results=("Out", "Index", "NmsRoisNum"))
RULES["matrix_nms"] = same("matrix_nms", results=("Out", "Index", "RoisNum"))
RULES["generate_proposals_v2"] = same("generate_proposals", attributes=TOPS)
RULES["distribute_fpn_proposals"] = same(
    "distribute_fpn_proposals", results=("MultiFpnRois", "MultiLevelRoIsNum", "RestoreIndex")
)
RULES["collect_fpn_proposals"] = same(
    "collect_fpn_proposals",
    {"MultiLevelRoIsNum": "multi_level_rois_num"},
    {"post_nms_topN": "post_nms_topn"},
)
