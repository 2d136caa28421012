"""Whole models in the framework that they came from."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from frontends import onnx, paddle, tensorflow, tflite, torch
from frontends.torch.signature import OVERWRITTEN
from nnir.errors import Unsupported
from nnir.model import Model

from .gate import admit
from .oracle import Oracle

TIMEOUT = 600
Arrays = list[np.ndarray]


def run_origin(source: Any, model: Model, arrays: Sequence[np.ndarray]) -> tuple[str, Arrays]:
    """The origin framework's name and its outputs, for the inputs and outputs of `model`."""
    place = Path(source) if isinstance(source, str) else source
    for frontend, run in ORIGINS:
        if frontend.detects(place):
            return run(place, model, list(arrays))
    raise Unsupported("verify needs the original file or object, to run it in its own framework")


def _run_onnx(source: Any, model: Model, arrays: Arrays) -> tuple[str, Arrays]:
    """ONNX Runtime on the file as it is; where it refuses, ONNX's reference evaluator."""
    if not isinstance(source, (Path, bytes)):
        source = source.SerializeToString()
    with (
        admit("onnx", source) as admitted,
        Oracle("conformance.oracles.onnx", timeout=TIMEOUT) as oracle,
    ):
        head: dict[str, Any] = {"engine": "onnxruntime", "path": str(admitted)}
        try:
            return "onnxruntime", oracle.ask(head, arrays)
        except Unsupported:
            return "onnx reference", oracle.ask({**head, "engine": ""}, arrays)


def _run_torch(source: Any, model: Model, arrays: Arrays) -> tuple[str, Arrays]:
    """PyTorch on the exported program. What the program overwrites is among the outputs."""
    with tempfile.TemporaryDirectory() as folder:
        path = source
        if not isinstance(source, Path):
            path = Path(folder) / "model.pt2"
            _save_program(source, path, arrays)
        with (
            admit("torch", path) as admitted,
            Oracle("conformance.oracles.torch", timeout=TIMEOUT) as oracle,
        ):
            overwritten = model.metadata.get(OVERWRITTEN, "")
            return "torch", oracle.ask({"path": str(admitted), "overwritten": overwritten}, arrays)


def _run_tensorflow(source: Any, model: Model, arrays: Arrays) -> tuple[str, Arrays]:
    """TensorFlow on a SavedModel or a frozen graph."""
    if not isinstance(source, Path):
        raise Unsupported("verify needs a SavedModel or a frozen graph; export the object first")
    if source.suffix == ".keras":
        return _run_keras(source, model, arrays)
    head: dict[str, Any] = {}
    about: dict[str, Any] = {k: model.metadata.get(k) for k in ("signature", "tags")}
    if tensorflow.is_saved(source):
        head |= about
    else:
        head["inputs"] = [v.name for v in model.inputs]
        head["outputs"] = about["outputs"] = [name for name, _ in model.named_outputs()]
    with (
        admit("tensorflow", source, **about) as admitted,
        Oracle("conformance.oracles.tensorflow", timeout=TIMEOUT) as oracle,
    ):
        return "tensorflow", oracle.ask({**head, "path": str(admitted)}, arrays)


def _run_keras(source: Path, model: Model, arrays: Arrays) -> tuple[str, Arrays]:
    """Keras on an archive."""
    head = {"path": str(source.resolve()), "keras": [v.name for v in model.inputs]}
    with Oracle("conformance.oracles.tensorflow", timeout=TIMEOUT) as oracle:
        return "keras", oracle.ask(head, arrays)


def _run_tflite(source: Any, model: Model, arrays: Arrays) -> tuple[str, Arrays]:
    """LiteRT with the kernels that it uses by default."""
    if not isinstance(source, Path):
        raise Unsupported("verify needs a TFLite file, not its bytes")
    head = {
        "signature": model.metadata.get("signature"),
        "inputs": [v.name for v in model.inputs],
        "outputs": [name for name, _ in model.named_outputs()],
    }
    with (
        admit("tflite", source) as admitted,
        Oracle("conformance.oracles.litert", timeout=TIMEOUT) as oracle,
    ):
        return "litert", oracle.ask({**head, "path": str(admitted)}, arrays)


def _run_paddle(source: Any, model: Model, arrays: Arrays) -> tuple[str, Arrays]:
    """Paddle on a program with its parameters beside it; an object is saved first."""
    with tempfile.TemporaryDirectory() as folder:
        path = paddle.program_of(source) if isinstance(source, Path) else None
        if path is None:
            from frontends.paddle import objects  # whoever has the object has imported Paddle

            path = Path(folder) / "program.json"
            objects.save(source, path.with_suffix(""), arrays)
        is_legacy = paddle.is_legacy(path)
        module = "paddle_legacy" if is_legacy else "paddle"
        with (
            admit("paddle", path) as admitted,
            Oracle(f"conformance.oracles.{module}", timeout=TIMEOUT) as oracle,
        ):
            return "paddle", oracle.ask({"path": str(admitted)}, arrays)


def _save_program(source: Any, path: Path, arrays: Arrays) -> None:
    if isinstance(source, bytes):
        path.write_bytes(source)
        return
    from frontends.torch import objects  # needs PyTorch, which whoever has the object has imported

    objects.save(source, path, arrays)


ORIGINS: tuple[tuple[Any, Callable[[Any, Model, Arrays], tuple[str, Arrays]]], ...] = (
    (onnx, _run_onnx),
    (tflite, _run_tflite),
    (tensorflow, _run_tensorflow),
    (torch, _run_torch),
    (paddle, _run_paddle),
)
