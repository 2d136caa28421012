"""Keras SavedModels: reading them against OpenVINO, tf2onnx and TensorFlow itself.

    python -m benchmarks.tensorflow_bench FOLDER NAME

writes the SavedModel of a Keras application with random weights; needs tensorflow.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .measure import Row

NAMES = ("ResNet50", "MobileNetV2", "EfficientNetB0")


def ensure(folder: Path, name: str) -> Path:
    """The folder of a SavedModel, made in a process of its own where missing."""
    path = folder / name
    if not (path / "saved_model.pb").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [sys.executable, "-W", "ignore", "-m", __name__, str(folder), name],
            check=True, stdout=subprocess.DEVNULL, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )  # fmt: skip
    return path


def rows(folder: Path, tf2onnx: str | None) -> list[Row]:
    """Reading, in fresh processes; the first of a model is ours.

    `tf2onnx`: the Python of an environment that has tf2onnx, which needs older packages.
    """
    found = []
    for name in NAMES:
        path = str(ensure(folder, name))
        mine = "import nnadapter as nna, frontends.tensorflow, nnir.passes"
        label = f"Keras {name}"
        found += [
            Row(label, "nnadapter.load", mine, f"m = nna.load({path!r})"),
            Row(label, "openvino convert_model", "import openvino as ov",
                f"m = ov.convert_model({path!r})"),
            Row(label, "tf.saved_model.load", "import tensorflow as tf",
                f"m = tf.saved_model.load({path!r})"),
        ]  # fmt: skip
        if tf2onnx:
            target = str(folder / "converted.onnx")
            command = ["x", "--saved-model", path, "--output", target, "--opset", "18"]
            body = f"sys.argv = {command!r}; c.main()"
            setup = "import sys, tf2onnx.convert as c"
            found.append(Row(label, "tf2onnx.convert", setup, body, tf2onnx))
    return found


def write(folder: str, name: str) -> None:
    """Export a Keras application; statistics of batch normalisation as a trained model has them."""
    import keras
    import numpy as np

    keras.utils.set_random_seed(0)
    generator = np.random.default_rng(0)
    model = getattr(keras.applications, name)(weights=None)
    for layer in model.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            scale, offset, mean, variance = layer.get_weights()
            mean = generator.normal(0, 0.1, mean.shape)
            variance = generator.uniform(0.8, 1.2, variance.shape)
            layer.set_weights([scale, offset, mean, variance])
    model.export(str(Path(folder) / name), verbose=False)


if __name__ == "__main__":
    write(*sys.argv[1:])
