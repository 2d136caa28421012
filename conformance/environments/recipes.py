"""What each framework and engine needs beside itself, and what of it works with old versions.

The rows of `PINS` were found by installing these versions and asking the oracle for every case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from nnir.errors import BadInput

TYPES = "ml_dtypes>=0.5.3"
"""Installed last and without questions: old frameworks ask for older ones, but work with it."""

OURS = ("click>=8.1", "platformdirs>=4", "rich>=13")
"""What the command line needs: devices run in the environment itself."""


@dataclass(frozen=True)
class Recipe:
    """How a framework is installed and asked.

    `package` is its name for pip. `frontends`: whose origin it is. `device`: the device it is.
    `beside`: packages that its oracle or driver needs too. `workers`: modules that must open in
    the environment. `index`: where its packages without CUDA are, which have `+cpu` in their
    version.
    """

    package: str
    workers: tuple[str, ...]
    frontends: tuple[str, ...] = ()
    device: str = ""
    beside: tuple[str, ...] = ()
    index: str = ""


@dataclass(frozen=True)
class Pin:
    """Versions below `below` need `requirements`, because of what `why` says."""

    below: tuple[int, ...]
    requirements: tuple[str, ...]
    why: str


ORACLES = "conformance.oracles"
RECIPES = {
    "onnx": Recipe("onnx", (f"{ORACLES}.onnx",), ("onnx",)),
    "onnxruntime": Recipe(
        "onnxruntime", (f"{ORACLES}.onnx", "onnxruntime"), ("onnx",), "onnxruntime", ("onnx",)
    ),
    "torch": Recipe(
        *("torch", (f"{ORACLES}.torch",), ("torch",), "torch"),
        index="https://download.pytorch.org/whl/cpu",
    ),
    "tensorflow": Recipe("tensorflow-cpu", (f"{ORACLES}.tensorflow",), ("tensorflow",)),
    "litert": Recipe(
        "ai-edge-litert", (f"{ORACLES}.litert",), ("tflite",), "litert", ("flatbuffers",)
    ),
    "paddle": Recipe("paddlepaddle", (f"{ORACLES}.paddle_legacy",), ("paddle", "paddle-legacy")),
    "openvino": Recipe("openvino", ("openvino",), (), "openvino"),
}
ALIASES = {
    "tflite": "litert",
    "ai-edge-litert": "litert",
    "tensorflow-cpu": "tensorflow",
    "paddlepaddle": "paddle",
}

PINS: dict[str, tuple[Pin, ...]] = {
    "tensorflow": (
        Pin((2, 18), ("numpy<2", "setuptools<81"), "built for NumPy 1; imports pkg_resources"),
    ),
    "paddle": (Pin((3,), ("numpy<2",), "built for NumPy 1"),),
    "onnxruntime": (
        Pin((1, 19), ("numpy<2",), "built for NumPy 1"),
        Pin((1, 19), ("onnx<1.18",), "the onnx of its time; newer ones want newer NumPy"),
    ),
    "onnx": (Pin((1, 17), ("numpy<2",), "its evaluator refuses more cases with NumPy 2"),),
}
"""By name."""


def find_recipe(text: str) -> tuple[str, str, Recipe]:
    """The name, the version and the recipe of NAME==VERSION; BadInput for others."""
    given = re.fullmatch(r"([\w-]+)==([\w.+!-]+)", text.strip())
    if given is None:
        raise BadInput(f"environment {text!r} is not NAME==VERSION, such as torch==2.6.0")
    name = ALIASES.get(given[1], given[1])
    if name not in RECIPES:
        raise BadInput(f"no environment of {given[1]!r}: there are {', '.join(RECIPES)}")
    return name, given[2], RECIPES[name]


def pins_of(name: str, version: str) -> tuple[str, ...]:
    """What an old version needs, as requirements for pip."""
    number = read_version(version)
    return tuple(r for pin in PINS.get(name, ()) if number < pin.below for r in pin.requirements)


def read_version(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with: 2.13.0+cpu is (2, 13, 0)."""
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()
