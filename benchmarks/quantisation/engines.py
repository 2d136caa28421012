"""Run a file in the stock engine of its format, as a user does, in a process of its own.

python -m benchmarks.quantisation.engines FILE SAMPLES.npz OUT.npy
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .samples import read_samples

Run = Callable[[dict[str, np.ndarray]], np.ndarray]


def open_file(path: Path) -> Run:
    """What gives the first output of a file for the inputs of a sample."""
    return {".onnx": open_onnx, ".xml": open_openvino, ".tflite": open_litert}[path.suffix](path)


def open_onnx(path: Path) -> Run:
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    return lambda sample: session.run(None, match(names, sample))[0]


def open_openvino(path: Path) -> Run:
    import openvino

    compiled = openvino.Core().compile_model(path, "CPU")
    names = [i.any_name for i in compiled.inputs]
    return lambda sample: compiled(match(names, sample))[0].copy()


def open_litert(path: Path) -> Run:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(str(path))
    interpreter.allocate_tensors()
    inputs = {d["name"]: d for d in interpreter.get_input_details()}
    output = interpreter.get_output_details()[0]

    def run(sample: dict[str, np.ndarray]) -> np.ndarray:
        for name, array in match(list(inputs), sample).items():
            interpreter.set_tensor(inputs[name]["index"], to_integers(array, inputs[name]))
        interpreter.invoke()
        return to_real(interpreter.get_tensor(output["index"]), output)

    return run


def match(names: list[str], sample: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays by an engine's names: the same ones, else in the same order."""
    if set(names) == set(sample):
        return {name: sample[name] for name in names}
    return dict(zip(names, sample.values(), strict=True))


def to_integers(array: np.ndarray, details: dict[str, Any]) -> np.ndarray:
    """An array as an input of LiteRT takes it."""
    dtype, (scale, zero) = details["dtype"], details["quantization"]
    if not scale or array.dtype.kind != "f":
        return array.astype(dtype)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(array / scale) + zero, limits.min, limits.max).astype(dtype)


def to_real(array: np.ndarray, details: dict[str, Any]) -> np.ndarray:
    """The numbers that an output of LiteRT stands for."""
    scale, zero = details["quantization"]
    if array.dtype.kind == "f" or not scale:
        return array
    return ((array.astype(np.float32) - zero) * np.float32(scale)).astype(np.float32)


def main(file: str, samples: str, out: str) -> None:
    run = open_file(Path(file))
    np.save(out, np.concatenate([run(sample) for sample in read_samples(Path(samples))]))


if __name__ == "__main__":
    main(*sys.argv[1:])
