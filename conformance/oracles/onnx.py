"""The ONNX oracle: ONNX's reference evaluator, or ONNX Runtime. Runs as a worker process."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from ..oracle import serve


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> list[Any]:
    """Run a case (`case` in the head) or a whole model (the blob, the file `path`, or `text`).

    For a text, the model's bytes come after the outputs.
    """
    if "text" in head:
        parsed = onnx.parser.parse_model(head["text"])
        data = parsed.SerializeToString()
        rest = {k: v for k, v in head.items() if k != "text"}
        outputs = [] if head.get("parse_only") else answer(rest, arrays, data)
        return [*outputs, np.frombuffer(data, np.uint8)]
    model = case_model(head["case"], arrays) if "case" in head else _model(head, blob)
    names = [i.name for i in model.graph.input]
    weights = {t.name for t in model.graph.initializer}
    feeds = dict(zip([n for n in names if n not in weights], arrays[: len(names)], strict=False))
    if head.get("engine") == "onnxruntime":
        return list(_run_onnxruntime(head, model, feeds))
    return list(ReferenceEvaluator(model).run(None, feeds))


def _run_onnxruntime(head: dict[str, Any], model: onnx.ModelProto, feeds: dict[str, Any]) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    source = head.get("path") or model.SerializeToString()
    session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def _model(head: dict[str, Any], blob: bytes) -> onnx.ModelProto:
    return onnx.load(head["path"]) if "path" in head else onnx.ModelProto.FromString(blob)


def case_model(case: dict[str, Any], arrays: list[np.ndarray]) -> onnx.ModelProto:
    """A model of one node. `case["inputs"]` says for each input: "run", "const" or ""."""
    inputs, weights, names = [], [], []
    left = iter(arrays)
    for position, kind in enumerate(case["inputs"]):
        names.append(f"x{position}" if kind else "")
        if kind == "run":
            array = next(left)
            code = helper.np_dtype_to_tensor_dtype(array.dtype)
            inputs.append(helper.make_tensor_value_info(names[-1], code, array.shape))
    for position, kind in enumerate(case["inputs"]):
        if kind == "const":
            weights.append(onnx.numpy_helper.from_array(next(left), f"x{position}"))
    tensors = {k: onnx.numpy_helper.from_array(next(left)) for k in case["tensors"]}
    outputs = [f"y{k}" for k in range(case["outputs"])]
    attributes = case["attrs"] | tensors
    node = helper.make_node(case["op"], names, outputs, domain=case["domain"], **attributes)
    graph = helper.make_graph(
        [node], "case", inputs, [helper.make_empty_tensor_value_info(o) for o in outputs], weights
    )
    versions = [helper.make_opsetid(d, v) for d, v in case["versions"].items()]
    return helper.make_model(graph, opset_imports=versions, ir_version=10)


if __name__ == "__main__":
    serve(answer)
