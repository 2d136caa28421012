"""The oracle of NNRt's operations: formulas of PyTorch, TensorFlow and LiteRT, by operation.

There is no NNRt outside of its devices. Runs as a worker process.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from flatbuffers import flexbuffers

from nnir.formats.nnrt.names import python_name

from ..processes.worker_loop import serve
from . import litert, nnrt_tensorflow, nnrt_torch
from .nnrt_origins import LITERT, PRODUCTS, is_of_tensorflow


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> list[np.ndarray]:
    """The results of one operation; integers with scales stand for real numbers."""
    op = head["op"]
    attributes = {python_name(k): v for k, v in head["attrs"].items()}
    if op == "QUANT_DTYPE_CAST":
        return [cast(arrays[0], head, attributes)]
    real = [read(a, how) for a, how in zip(arrays, head["scales"], strict=True)]
    if op in PRODUCTS and len(real) > 2 and all(head["scales"][:2]) and not head["scales"][2]:
        real[2] = read(arrays[2], product_of(*head["scales"][:2]))
    found = iter(real)
    inputs = [None if absent else next(found) for absent in head["absent"]]
    results = compute(op, inputs, attributes)
    hows = head["results"] or [None] * len(results)
    return [write(a, how) for a, how in zip(results, hows, strict=True)]


def compute(op: str, inputs: list[Any], attributes: dict[str, Any]) -> list[np.ndarray]:
    """The results of an operation on arrays."""
    if op in LITERT:
        return detect(inputs, attributes)
    if is_of_tensorflow(op, attributes.get("pad_mode")):
        tensors = [nnrt_tensorflow.constant(a) for a in inputs]
        made = nnrt_tensorflow.FORMULAS[op](*tensors, **attributes)
    else:
        tensors = [None if a is None else torch.from_numpy(np.array(a)) for a in inputs]
        with torch.no_grad():
            made = nnrt_torch.FORMULAS[op](*tensors, **attributes)
    many = isinstance(made, (tuple, list))
    return [np.asarray(m) for m in (made if many else [made])]


def read(array: np.ndarray, how: dict[str, Any] | None) -> np.ndarray:
    """What integers stand for."""
    if how is None:
        return array
    return nnrt_torch.dequantize(torch.from_numpy(array), how["scale"], how["zero"]).numpy()


def write(array: np.ndarray, how: dict[str, Any] | None) -> np.ndarray:
    """Integers that stand for a result."""
    if how is None:
        return array
    tensor = torch.from_numpy(np.array(array))
    return nnrt_torch.quantize(tensor, how["dtype"], how["scale"], how["zero"]).numpy()


def product_of(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """The scales of the products of an input and a weight."""
    scales = np.float32(first["scale"][0]) * np.array(second["scale"], np.float32)
    return {"scale": scales.tolist(), "zero": [0] * len(scales)}


def cast(array: np.ndarray, head: dict[str, Any], attributes: dict[str, Any]) -> np.ndarray:
    """From integers, to integers, or both."""
    axis = attributes.get("axis", 0)
    source, (target,) = head["scales"][0], head["results"] or (None,)
    tensor = torch.from_numpy(array)
    if source is not None:
        tensor = nnrt_torch.dequantize(tensor, source["scale"], source["zero"], axis)
    if target is None:
        return tensor.to(nnrt_torch.TYPES[attributes["dst_t"]]).numpy()
    rows = target["dtype"], target["scale"], target["zero"]
    return nnrt_torch.quantize(tensor, *rows, axis).numpy()


def detect(inputs: list[np.ndarray], attributes: dict[str, Any]) -> list[np.ndarray]:
    """LiteRT's TFLite_Detection_PostProcess."""
    y, x, height, width = attributes["scale"]
    options = {
        "max_detections": attributes["max_detections"],
        "max_classes_per_detection": attributes["max_classes_per_detection"],
        "detections_per_class": attributes["detections_per_class"],
        "nms_score_threshold": attributes["nms_score_threshold"],
        "nms_iou_threshold": attributes["nms_iou_threshold"],
        "num_classes": attributes["num_classes"],
        "y_scale": y,
        "x_scale": x,
        "h_scale": height,
        "w_scale": width,
        "use_regular_nms": attributes["use_regular_nms"],
    }
    head = {
        "op": "TFLite_Detection_PostProcess",
        "version": 1,
        "tensors": [{"dtype": a.dtype.name, "constant": k == 2} for k, a in enumerate(inputs)],
        "inputs": [0, 1, 2],
        "options": {"custom_options": list(flexbuffers.Dumps(options))},
        "graphs": [],
        "results": [{"dtype": "float32"}] * 4,
        "run": True,
    }
    _, *results = litert.answer(head, inputs, b"")
    return results


if __name__ == "__main__":
    serve(answer)
