"""Whole models as ONNX Runtime's optimisers and tools write them, beside ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import nnadapter as nna

from .onnxruntime_models import (
    HEAD,
    KEY_HEADS,
    LAYERS,
    questions,
    write_decoder,
    write_encoder,
)

DEVICES = ("builtin", "onnxruntime")
ROUNDS = {"rtol": 1e-5, "atol": 1e-5}
"""Two layers of sums of 64 products in another order; results are below 5."""
STEPS = 6
Arrays = dict[str, np.ndarray]


def session_of(path: Path, **options: Any) -> onnxruntime.InferenceSession:
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    for name, value in options.items():
        setattr(settings, name, value)
    return onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])


def operators(path: Path) -> set[str]:
    return {n.op_type for n in onnx.load(path).graph.node if n.domain == "com.microsoft"}


def optimize_in_session(source: Path, target: Path) -> set[str]:
    level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    session_of(source, graph_optimization_level=level, optimized_model_filepath=str(target))
    return {"BiasGelu", "FusedMatMul"}


def optimize_by_script(source: Path, target: Path) -> set[str]:
    from onnxruntime.transformers import optimizer

    sizes = {"num_heads": 4, "hidden_size": 32}
    made = optimizer.optimize_model(str(source), model_type="bert", opt_level=0, **sizes)
    made.save_model_to_file(str(target))
    return {"Attention", "BiasGelu", "EmbedLayerNormalization", "SkipLayerNormalization"}


@pytest.mark.parametrize("optimize", [optimize_in_session, optimize_by_script])
def test_optimised_encoder(optimize: Callable[[Path, Path], set[str]], tmp_path: Path) -> None:
    source, target = tmp_path / "plain.onnx", tmp_path / "optimised.onnx"
    write_encoder(source)
    assert optimize(source, target) <= operators(target)
    session = session_of(target)
    kinds = {i.name: np.int32 if "int32" in i.type else np.int64 for i in session.get_inputs()}
    given = {name: questions()[name].astype(kind) for name, kind in kinds.items()}
    (want,) = session.run(None, given)
    model = nna.load(target)
    for device in DEVICES:
        (got,) = nna.compile(model, device=device).run(given).values()
        np.testing.assert_allclose(got, want, **ROUNDS, err_msg=device)


def decode(step: Callable[[Arrays], list[np.ndarray]]) -> tuple[list[int], np.ndarray]:
    """The most likely words after a few, one after the other, and the last logits."""
    ids, words = np.array([[3, 14, 15, 9]]), []
    empty = np.zeros((1, KEY_HEADS, 0, HEAD), np.float32)
    caches = [empty] * (2 * LAYERS)
    names = [f"past_{what}_{k}" for k in range(LAYERS) for what in ("key", "value")]
    for _ in range(STEPS):
        length = caches[0].shape[2] + ids.shape[1]
        given = {"input_ids": ids, "attention_mask": np.ones((1, length), np.int64)}
        logits, *caches = step(given | dict(zip(names, caches, strict=True)))
        words.append(int(logits[0, -1].argmax()))
        ids = np.array([words[-1:]])
    return words, logits[0, -1]


def test_decoder_with_caches(tmp_path: Path) -> None:
    path = tmp_path / "decoder.onnx"
    write_decoder(path)
    assert operators(path) >= {"GroupQueryAttention", "SkipSimplifiedLayerNormalization"}
    session, model = session_of(path), nna.load(path)
    words, want = decode(lambda given: session.run(None, given))
    for device in DEVICES:
        program = nna.compile(model, device=device)
        mine, got = decode(lambda given, run=program.run: list(run(given).values()))
        assert mine == words, device
        np.testing.assert_allclose(got, want, **ROUNDS, err_msg=device)
