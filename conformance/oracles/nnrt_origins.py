"""Who answers for each of NNRt's operations: there is no NNRt outside of its devices."""

from __future__ import annotations

TENSORFLOW = frozenset(
    {
        *("BATCH_TO_SPACE_ND", "DEPTH_TO_SPACE", "GATHER_ND", "L2_NORMALIZE", "LRN", "ONE_HOT"),
        *("PAD", "RESIZE_BILINEAR", "SCATTER_ND", "SPACE_TO_BATCH_ND", "SPACE_TO_DEPTH"),
        *("SPARSE_TO_DENSE", "STRIDED_SLICE", "TILE"),
    }
)
LITERT = frozenset({"DETECTION_POST_PROCESS"})
CONVOLUTIONS = frozenset({"CONV2D", "CONV2D_TRANSPOSE", "DEPTHWISE_CONV2D_NATIVE"})
PADDED = CONVOLUTIONS | {"AVG_POOL", "MAX_POOL"}
"""Operations that pad: PyTorch answers for all but SAME, which TensorFlow has."""

PRODUCTS = CONVOLUTIONS | {"FULL_CONNECTION"}
"""Operations whose bias has the scale of the products of input and weight."""


def origin_of(op: str) -> str:
    """The framework whose functions an operation is compared with."""
    if op in LITERT:
        return "LiteRT"
    if op in PADDED:
        return "PyTorch, TensorFlow (SAME)"
    return "TensorFlow" if op in TENSORFLOW else "PyTorch"


def is_of_tensorflow(op: str, pad_mode: int | None) -> bool:
    """Whether TensorFlow answers for an operation with this padMode."""
    return op in TENSORFLOW or (op in PADDED and pad_mode == 0)
