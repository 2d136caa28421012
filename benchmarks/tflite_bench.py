"""A quantised `.tflite` file: reading it against OpenVINO and LiteRT.

    python -m benchmarks.tflite_bench FOLDER

writes MobileNetV2 of Keras in integers of 8 bits, by TensorFlow's converter; needs tensorflow.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from . import tensorflow_bench
from .measure import Row

NAME = "MobileNetV2"


def ensure(folder: Path) -> Path:
    """The file, made in a process of its own where missing."""
    path = folder / f"{NAME}-int8.tflite"
    if not path.exists():
        tensorflow_bench.ensure(folder, NAME)
        subprocess.run(
            [sys.executable, "-W", "ignore", "-m", __name__, str(folder)],
            check=True, stdout=subprocess.DEVNULL, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )  # fmt: skip
    return path


def rows(folder: Path) -> list[Row]:
    """Reading, in fresh processes, for the first time and for the second; the first is ours."""
    path = str(ensure(folder))
    readers = (
        ("nnadapter.load", "import nnadapter as nna, frontends.tflite, nnir.passes",
         f"m = nna.load({path!r})"),
        ("openvino read_model", "import openvino as ov; c = ov.Core()",
         f"m = c.read_model({path!r})"),
        ("litert Interpreter", "from ai_edge_litert.interpreter import Interpreter",
         f"m = Interpreter({path!r})"),
    )  # fmt: skip
    label = f"{NAME}, 8 bits"
    first = [Row(label, name, setup, read) for name, setup, read in readers]
    again = [Row(f"{label}, again", name, f"{s}; {read}", read) for name, s, read in readers]
    return first + again


def write(folder: Path) -> None:
    """Quantise the SavedModel by a few random images."""
    import numpy as np
    import tensorflow as tf

    generator = np.random.default_rng(0)
    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder / NAME))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.representative_dataset = lambda: (
        [generator.random((1, 224, 224, 3), np.float32)] for _ in range(4)
    )
    ensured = folder / f"{NAME}-int8.tflite"
    ensured.with_suffix(".part").write_bytes(converter.convert())
    ensured.with_suffix(".part").replace(ensured)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
