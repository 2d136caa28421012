"""ONNX files that tools have changed: ONNX Runtime's quantisers and optimisers, and simplifiers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import onnxsim
import onnxslim
import torch
import transformers
from making import Write, main
from onnxconverter_common import float16
from onnxruntime import quantization as quant
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from onnxruntime.transformers import optimizer
from optimum.exporters.onnx import onnx_export_from_model
from torch_networks import build

SAMPLES = 8
Change = Callable[[Path, Path], None]
"""Reads a file and writes another one."""


def base(name: str, place: Path) -> Path:
    """The file of a network that is changed."""
    network, given = build(name)
    path = place.with_name(f"of-{place.name}")
    axes = {"x": {0: "batch"}}
    torch.onnx.export(
        *(network, (given,), str(path)),
        opset_version=17,
        dynamo=False,
        input_names=["x"],
        dynamic_axes=axes,
    )
    return path


class Samples(quant.CalibrationDataReader):  # type: ignore[misc]
    """What the ranges of tensors are taken from."""

    def __init__(self, path: Path) -> None:
        (given,) = ort.InferenceSession(str(path)).get_inputs()
        shape = [s if isinstance(s, int) else 2 for s in given.shape]
        rng = np.random.default_rng(0)
        if "int64" in given.type:
            drawn = [rng.integers(0, 50, shape) for _ in range(SAMPLES)]
        else:
            drawn = [rng.random(shape, np.float32) for _ in range(SAMPLES)]
        self.left = iter([{given.name: d} for d in drawn])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.left, None)


def quantize(source: Path, target: Path, **options: Any) -> None:
    """Integers by ranges of samples, after the preparation that ONNX Runtime advises."""
    prepared = target.with_name(f"prepared-{target.name}")
    quant.shape_inference.quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
    quant.quantize_static(str(prepared), str(target), Samples(prepared), **options)
    prepared.unlink()


def quantize_weights(source: Path, target: Path, kind: Any) -> None:
    """Weights of 8 bits, and activations by their ranges of the moment."""
    quant.quantize_dynamic(str(source), str(target), weight_type=kind)


def quantize_blocks(source: Path, target: Path) -> None:
    """Weights of 4 bits in blocks."""
    quantizer = MatMulNBitsQuantizer(onnx.load(source), block_size=16, is_symmetric=False)
    quantizer.process()
    quantizer.model.save_model_to_file(str(target))


def optimize(level: Any, source: Path, target: Path) -> None:
    """The graph as ONNX Runtime runs it."""
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.optimized_model_filepath = str(target)
    ort.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])


def simplify(source: Path, target: Path) -> None:
    """As onnxsim leaves it."""
    model, is_equal = onnxsim.simplify(onnx.load(source))
    if not is_equal:
        raise ValueError("onnxsim's own check fails")
    onnx.save(model, target)


def slim(source: Path, target: Path) -> None:
    """As onnxslim leaves it."""
    onnx.save(onnxslim.slim(onnx.load(source)), target)


def halve(keeps: bool, source: Path, target: Path) -> None:
    """Half precision, the ends as they were or not."""
    made = float16.convert_float_to_float16(onnx.load(source), keep_io_types=keeps)
    onnx.save(made, target)


LEVELS = ort.GraphOptimizationLevel
KIND, FORM = quant.QuantType, quant.QuantFormat
CHANGES: dict[str, tuple[Change, tuple[str, ...]]] = {
    "qdq": (
        partial(quantize, quant_format=FORM.QDQ, per_channel=True),
        ("resnet", "mobilenet", "unet", "encoder", "sound"),
    ),
    "qdq-uint8": (
        partial(quantize, activation_type=KIND.QUInt8, weight_type=KIND.QUInt8),
        ("resnet", "detector", "sharper"),
    ),
    "qdq-int16": (
        partial(
            quantize,
            activation_type=KIND.QInt16,
            weight_type=KIND.QInt8,
            extra_options={"UseQDQContribOps": True},
        ),
        ("resnet",),
    ),
    "qoperator": (
        partial(quantize, quant_format=FORM.QOperator, activation_type=KIND.QUInt8),
        ("resnet", "unet", "encoder"),
    ),
    "dynamic": (
        partial(quantize_weights, kind=KIND.QInt8),
        ("encoder", "decoder", "lstm", "gru"),
    ),
    "dynamic-uint8": (partial(quantize_weights, kind=KIND.QUInt8), ("resnet", "decoder")),
    "4-bits": (quantize_blocks, ("decoder", "encoder")),
    "basic": (partial(optimize, LEVELS.ORT_ENABLE_BASIC), ("detector", "lstm", "norms")),
    "extended": (
        partial(optimize, LEVELS.ORT_ENABLE_EXTENDED),
        ("resnet", "encoder", "decoder", "mobilenet"),
    ),
    "all": (partial(optimize, LEVELS.ORT_ENABLE_ALL), ("resnet", "encoder", "unet")),
    "onnxsim": (simplify, ("detector", "encoder", "decoder", "sharper")),
    "onnxslim": (slim, ("detector", "encoder", "decoder", "norms")),
    "float16": (partial(halve, False), ("resnet", "encoder", "unet")),
    "float16-inside": (partial(halve, True), ("mobilenet", "decoder")),
}


def write(name: str, change: Change, place: Path) -> None:
    """The file of a network, changed."""
    source = base(name, place)
    try:
        change(source, place)
    finally:
        source.unlink()


def fuse(kind: str, is_half: bool, place: Path) -> None:
    """A transformer with the operators of ONNX Runtime's own domain."""
    torch.manual_seed(0)
    small = {"vocab_size": 120, "num_hidden_layers": 2, "num_attention_heads": 4}
    if kind == "bert":
        more = {"hidden_size": 32, "intermediate_size": 64}
        model = transformers.BertModel(transformers.BertConfig(**small, **more))
        task = "feature-extraction"
    else:
        config = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=120)
        model, task = transformers.GPT2LMHeadModel(config), "text-generation"
    folder = place.with_name(f"of-{place.stem}")
    onnx_export_from_model(model.eval(), folder, task=task, do_validation=False)
    path = str(folder / "model.onnx")
    made = optimizer.optimize_model(path, kind, num_heads=4, hidden_size=32)
    if is_half:
        made.convert_float_to_float16()
    made.save_model_to_file(str(place))


def list_models() -> dict[str, Write]:
    """Each change of some networks, and transformers that are fused."""
    found: dict[str, Write] = {
        f"{way}-{name}.onnx": partial(write, name, change)
        for way, (change, names) in CHANGES.items()
        for name in names
    }
    for kind in ("bert", "gpt2"):
        found[f"fused-{kind}.onnx"] = partial(fuse, kind, False)
        found[f"fused-float16-{kind}.onnx"] = partial(fuse, kind, True)
    return found


if __name__ == "__main__":
    main(list_models())
