"""An engine on the file of a program. Runs as a worker process, also of another version's Python:
of what is installed there it imports the engine and NumPy alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..processes.worker_loop import serve

Arrays = list[np.ndarray]


def answer(head: dict[str, Any], arrays: Arrays, blob: bytes) -> Arrays:
    """What the engine of `device` makes of the file `blob`. Inputs are in the file's order; where
    the head says `weights`, the last array are the bytes of the file beside it."""
    return ENGINES[head["device"]](blob, arrays, bool(head.get("weights")))


def run_onnxruntime(blob: bytes, arrays: Arrays, _: bool) -> Arrays:
    """By the options of users, in one thread: sums come in the same order each time."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(blob, options, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    return list(session.run(None, dict(zip(names, arrays, strict=True))))


def run_openvino(blob: bytes, arrays: Arrays, has_weights: bool) -> Arrays:
    """By the defaults, but in one thread and in float32: on some processors the default is
    narrower."""
    import openvino

    path = Path("program.xml")  # in the folder that the process has for itself
    path.write_bytes(blob)
    if has_weights:
        *arrays, weights = arrays
        path.with_suffix(".bin").write_bytes(weights.tobytes())
    config = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"}
    compiled = openvino.Core().compile_model(str(path), "CPU", config)
    request = compiled.create_infer_request()
    for position, array in enumerate(arrays):
        whole = np.ascontiguousarray(array).reshape(array.shape)  # which makes a vector of a number
        request.set_input_tensor(position, openvino.Tensor(whole))
    request.start_async()  # which tells in one thread, too, what goes wrong
    request.wait()
    places = range(len(compiled.outputs))
    return [np.array(request.get_output_tensor(place).data) for place in places]


def run_litert(blob: bytes, arrays: Arrays, _: bool) -> Arrays:
    """By the defaults, in one thread."""
    from ai_edge_litert.interpreter import Interpreter

    found = Interpreter(model_content=blob, num_threads=1)
    details = found.get_input_details()
    for detail, array in zip(details, arrays, strict=True):
        if tuple(detail["shape"]) != array.shape:
            found.resize_tensor_input(detail["index"], array.shape)
    found.allocate_tensors()
    for detail, array in zip(details, arrays, strict=True):
        found.set_tensor(detail["index"], array)
    found.invoke()
    outputs = found.get_output_details()
    return [
        np.empty(d["shape"], d["dtype"]) if 0 in d["shape"] else found.get_tensor(d["index"])
        for d in outputs
    ]


ENGINES: dict[str, Callable[[bytes, Arrays, bool], Arrays]] = {
    "onnxruntime": run_onnxruntime,
    "openvino": run_openvino,
    "litert": run_litert,
}
"""By the name of the device."""


if __name__ == "__main__":
    serve(answer)
