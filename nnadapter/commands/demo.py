"""The command that shows the whole in a minute, with a model that it makes itself."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import numpy as np

from nnir.dim import symbol
from nnir.errors import BadInput, DeviceError
from nnir.isolation import search_path
from nnir.model import Model, Value
from nnir.types import Precision, TensorType

from .. import api
from ..progress import Volume, volume
from ..terminal import answer

CLASSES, WIDTH, SIZE = 10, 16, 32
DIFFERENT = 1
"""The status of `diff` for two models that differ in anything."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("nnadapter-demo"))
def demo(folder: Path) -> None:
    """Make a small network in FOLDER, look at it, convert it, run it and compare.

    Each step is a command that you can type; it is printed before it runs.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty: name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    api.convert(network(), folder / "model.onnx", verify=False)
    answer(f"{folder / 'model.onnx'}: a small residual network with random weights\n")
    for why, command in steps():
        answer(f"# {why}\n$ {command}")
        sys.stdout.flush()
        _run(command, folder)
        answer("")
    answer(f"All of it is in {folder}. Next: `nnadapter convert` with a model of yours.")


def steps() -> Iterator[tuple[str, str]]:
    """What is shown, and the command that shows it."""
    yield "What is in it, and what does it cost?", "nnadapter inspect model.onnx"
    yield "Will it run as TFLite?", "nnadapter check model.onnx --target model.tflite"
    yield (
        "Then convert it; the file is compared with its source.",
        ("nnadapter convert model.onnx model.tflite"),
    )
    yield "Are these two the same?", "nnadapter diff model.onnx model.tflite --run --ignore-names"
    yield (
        "Run it, four images at a time.",
        "nnadapter run model.onnx --device builtin --dim batch=4",
    )
    yield (
        "Write it in the operators of the standard alone.",
        ("nnadapter convert model.onnx standard.nnir --opset v1.1"),
    )
    if find_spec("jinja2") is not None:
        yield "Draw it for a browser.", "nnadapter inspect model.onnx --html model.html"


def _run(command: str, folder: Path) -> None:
    """Run a command of ours in the folder; DeviceError where it does not end as it should."""
    quiet = ["--quiet"] if volume() == Volume.QUIET else []
    words = [sys.executable, "-P", "-m", *shlex.split(command), *quiet]
    path = os.pathsep.join(search_path(is_folder_trusted=False))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(words, cwd=folder, env=environment, check=False)
    if done.returncode not in (0, DIFFERENT):
        raise DeviceError(f"`{command}` ends with status {done.returncode}")


def network() -> Model:
    """Images to probabilities: convolutions, a residual block, a mean and a layer."""
    from nnir.ops import activation, conv, linear, reduce

    random = np.random.default_rng(0)
    model = Model("demo")
    image = TensorType(Precision.FLOAT32, (symbol("batch"), 3, SIZE, SIZE))

    def weights(*shape: int) -> Value:
        scale = np.sqrt(2 / max(1, int(np.prod(shape[1:]))))
        return model.constant((random.standard_normal(shape) * scale).astype(np.float32))

    def convolve(x: Value, channels: int, stride: int = 1) -> Value:
        own = weights(WIDTH, channels, 3, 3), weights(WIDTH)
        how = {"pads": (1, 1, 1, 1), "strides": (stride, stride), "dilations": (1, 1), "group": 1}
        return conv.conv_2d(x, *own, **how)

    x = activation.relu(convolve(model.input("image", image), 3, 2))
    y = convolve(activation.relu(convolve(x, WIDTH)), WIDTH)
    means = reduce.reduce_mean(activation.relu(x + y), [2, 3], keepdim=False)
    scores = linear.fully_connected(means, weights(CLASSES, WIDTH), weights(CLASSES))
    model.outputs = [activation.softmax(scores, axis=1)]
    model.output_names = ["probabilities"]
    return model
