"""Devices against their own engines: the same network, through us and without us."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import nnadapter as nna
from conformance.verifying.inputs import random_inputs

from .turns import in_turns

KERAS = """
import sys, numpy as np, tensorflow as tf
network = tf.keras.applications.ResNet50(weights=None)
network.export(sys.argv[1])
converter = tf.lite.TFLiteConverter.from_saved_model(sys.argv[1])
open(sys.argv[2], "wb").write(converter.convert())
"""
"""Writes a SavedModel, and what TensorFlow's own converter makes of it."""


def table(out: Console, folder: Path, files: dict[str, Path], calls: int) -> None:
    """Latency in turns, then compilation without and with a cache."""
    shown = Table("network", "device", "nnadapter ms", "its own engine ms", "ratio")
    for name, device, ours, peer in _pairs(folder, files):
        found = in_turns({"ours": ours, "peer": peer}, calls)
        mine, theirs = found["ours"] * 1e3, found["peer"] * 1e3
        shown.add_row(name, device, f"{mine:.2f}", f"{theirs:.2f}", f"{mine / theirs:.3f}")
    out.print(shown)
    warm = Table("network", "device", "cold ms", "warm ms", "times faster", title="Compilation")
    for device in ("openvino", "onnxruntime", "litert", "torch"):
        cold, again = compile_times(files["resnet50"], device, folder / "cache")
        row = (f"{cold * 1e3:.0f}", f"{again * 1e3:.0f}", f"{cold / again:.1f}")
        warm.add_row("resnet50", device, *row)
    out.print(warm)


Pair = tuple[str, str, Callable[[], Any], Callable[[], Any]]


def _pairs(folder: Path, files: dict[str, Path]) -> Iterator[Pair]:
    for name, path in files.items():
        yield (name, "openvino", *_openvino(path))
    saved, lite = folder / "keras_resnet50", folder / "keras_resnet50.tflite"
    if not lite.exists():
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [sys.executable, "-c", KERAS, str(saved), str(lite)]
        subprocess.run(command, check=True, capture_output=True, env=environment)
    yield ("ResNet50 of Keras", "litert", *_litert(saved, lite, folder))


def _openvino(path: Path) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A file through us, and read by OpenVINO itself."""
    import openvino

    model = nna.load(path)
    arrays = random_inputs(model)
    program = nna.compile(model, "openvino", "INTEL_OPENVINO_INFERENCE_NUM_THREADS=2;")
    core = openvino.Core()
    hints = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    plan = core.compile_model(core.read_model(path), "CPU", hints | {"INFERENCE_NUM_THREADS": 2})
    request = plan.create_infer_request()
    return lambda: program(*arrays), lambda: request.infer(arrays, share_inputs=True)


def _litert(saved: Path, lite: Path, folder: Path) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Our file of a SavedModel and TensorFlow's, in the same interpreter."""
    mine = folder / "ours_resnet50.tflite"
    nna.convert(saved, mine, verify=False, sizes={"batch": 1})
    image = np.random.default_rng(0).random((1, 224, 224, 3), np.float32)
    return _interpreter(mine, image), _interpreter(lite, image)


def _interpreter(path: Path, image: np.ndarray) -> Callable[[], Any]:
    from ai_edge_litert.interpreter import Interpreter

    made = Interpreter(str(path), num_threads=2)
    made.allocate_tensors()
    place = made.get_input_details()[0]["index"]

    def run() -> None:
        made.set_tensor(place, image)
        made.invoke()

    return run


def compile_times(path: Path, device: str, folder: Path, rounds: int = 5) -> tuple[float, float]:
    """Median seconds of `compile` into an empty cache, and with what it left there."""
    model = nna.load(path)
    nna.compile(model, device)  # opening the device is no part of it
    cold, warm = [], []
    for _ in range(rounds):
        shutil.rmtree(folder, ignore_errors=True)
        for times in (cold, warm):
            started = time.perf_counter()
            nna.compile(model, device, cache_dir=folder)
            times.append(time.perf_counter() - started)
    shutil.rmtree(folder, ignore_errors=True)
    return statistics.median(cold), statistics.median(warm)
