"""Which precisions ONNX Runtime's CPU kernels lack, and what to compute in instead."""

from __future__ import annotations

from nnir.types import Precision

WIDER = {
    Precision.BFLOAT16: Precision.FLOAT32,
    Precision.FLOAT16: Precision.FLOAT32,
    Precision.BOOL8: Precision.INT32,
    Precision.INT8: Precision.INT32,
    Precision.UINT8: Precision.INT32,
    Precision.INT16: Precision.INT32,
    Precision.UINT16: Precision.INT32,
    Precision.UINT32: Precision.INT64,
    Precision.INT32: Precision.INT64,
}
KERNELS: dict[str, frozenset[Precision]] = {}
"""ONNX operator to the precisions it has kernels for; an operator that is absent has all."""


def compute_precision(op: str, given: Precision, domain: str = "") -> Precision:
    """The precision to run `op` in: `given`, or the next wider one that has a kernel."""
    supported = KERNELS.get(op) if not domain else None
    wide: Precision | None = given
    while supported is not None and wide is not None and wide not in supported:
        wide = WIDER.get(wide)
    return given if wide is None else wide
