"""`nnadapter.quantize` for weights alone: a small transformer as each kind of file."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner

import nnadapter as nna
from nnadapter.cli import main
from nnir.errors import Unsupported
from nnir.model import Model, Value
from nnir.ops import activation, index, linear, norm, shape
from nnir.types import Precision, TensorType

pytest.importorskip("onnxruntime")

WORDS, WIDTH, LENGTH, ROWS = 20, 40, 6, 2
BLOCK = 16
"""No divisor of the width: the last block is shorter."""


def transformer() -> Model:
    """One block of a language model: attention, a perceptron, and the table of words twice."""
    model, rng = Model(), np.random.default_rng(0)

    def weights(*sizes: int, name: str) -> Value:
        array = rng.normal(size=sizes) / np.sqrt(sizes[-1])
        return model.constant(array.astype(np.float32), name=name)

    def scaled(x: Value) -> Value:
        ones, none = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)
        return norm.layer_normalization(
            x, model.constant(ones), model.constant(none), begin_norm_axis=2
        )

    words = model.input("words", TensorType(Precision.INT64, (ROWS, LENGTH)))
    table = weights(WORDS, WIDTH, name="table")
    x = index.gather(table, words, axis=0)
    near = scaled(x)
    query, key, value = (linear.mat_mul(near, weights(WIDTH, WIDTH, name=n)) for n in "qkv")
    scores = linear.mat_mul(query, key, transpose_y=True) * WIDTH**-0.5
    mixed = linear.mat_mul(activation.softmax(scores, axis=-1), value)
    x = x + linear.mat_mul(mixed, weights(WIDTH, WIDTH, name="out"), transpose_y=True)
    rows = shape.reshape(scaled(x), [ROWS * LENGTH, WIDTH])
    bias = model.constant(np.zeros(3 * WIDTH, np.float32), name="bias")
    wide = activation.gelu(linear.fully_connected(rows, weights(3 * WIDTH, WIDTH, name="up"), bias))
    down = linear.mat_mul(wide, weights(3 * WIDTH, WIDTH, name="down"))
    x = x + shape.reshape(down, [ROWS, LENGTH, WIDTH])
    model.outputs = [linear.mat_mul(x, table, transpose_y=True)]
    return model


def texts() -> list[list[np.ndarray]]:
    rng = np.random.default_rng(1)
    return [[rng.integers(0, WORDS, (ROWS, LENGTH))] for _ in range(8)]


def sqnr(found: nna.Quantized) -> float:
    (ratio,) = found.sqnr.values()
    return ratio


def count_weights(found: nna.Quantized) -> int:
    """How many numbers products have."""
    return sum(
        v.constant.size
        for v in found.model.values()
        if v.constant is not None and v.precision in (Precision.INT4, Precision.UINT4)
        if not (v.name or "").endswith("zero_point")
    )


@pytest.mark.parametrize("weights", ["int4", "uint4", "int8"])
@pytest.mark.parametrize("suffix", [".nnir", ".onnx", ".xml"])
def test_files_are_as_good_as_the_model(suffix: str, weights: str, tmp_path: Path) -> None:
    if suffix == ".xml":
        pytest.importorskip("openvino")
    model, file = transformer(), tmp_path / f"m{suffix}"
    options = {"weights": weights, "activations": None, "block": BLOCK}
    written = nna.quantize(model, texts(), file, **options)
    kept = nna.quantize(model, texts(), **options)
    assert not written.notes
    assert sqnr(written) > min(sqnr(kept) - 1, 34)
    assert len(written.integer) == 7


@pytest.mark.parametrize(("suffix", "block"), [(".nnir", BLOCK), (".onnx", BLOCK), (".tflite", 0)])
def test_files_hold_4_bits_in_half_a_byte(suffix: str, block: int, tmp_path: Path) -> None:
    if suffix == ".tflite":
        pytest.importorskip("ai_edge_litert")
    sizes, count = {}, 0
    for weights in ("int4", "int8"):
        file = tmp_path / f"{weights}{suffix}"
        found = nna.quantize(
            transformer(), texts(), file, weights=weights, activations=None, block=block
        )
        sizes[weights] = file.stat().st_size
        count = max(count, count_weights(found))
    saved = sizes["int8"] - sizes["int4"]
    assert count / 2 <= saved + 1024  # headers differ by less
    assert saved <= count * 0.6


def test_openvino_reads_4_bits(tmp_path: Path) -> None:
    pytest.importorskip("openvino")
    file = tmp_path / "m.xml"
    nna.quantize(transformer(), texts(), file, weights="int4", activations=None, block=BLOCK)
    assert file.read_text().count('element_type="i4"') >= 7


def test_pytorch_unpacks_4_bits(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    file, options = tmp_path / "m.pt2", {"weights": "int4", "activations": None, "block": BLOCK}
    found = nna.quantize(transformer(), texts(), file, verify=False, **options)
    with zipfile.ZipFile(file) as whole:
        sizes = [entry.file_size for entry in whole.infolist()]
    assert sizes.count(3 * WIDTH * WIDTH // 2) == 2
    (got, want) = (nna.compile(m)(*texts()[0]) for m in (nna.load(file), found.model))
    np.testing.assert_allclose(got[0], want[0], rtol=1e-5, atol=1e-5)


def test_products_are_summed_along_the_first_axis_in_onnx(tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    nna.quantize(transformer(), texts(), file, weights="int4", activations=None, block=BLOCK)
    nodes = onnx.load(file).graph.node
    makers = {o: n for n in nodes for o in n.output}
    products = [n for n in nodes if n.op_type == "MatMul"]
    known = [m for n in products if (m := makers.get(n.input[1])) is not None]
    assert sum(m.op_type == "DequantizeLinear" for m in known) == 6


@pytest.mark.parametrize("activations", [None, "int8"])
def test_inputs_help_to_round(activations: str | None) -> None:
    options = {"weights": "int4", "activations": activations, "block": 0 if activations else BLOCK}
    nearest, better = (
        nna.quantize(transformer(), texts(), weight_method=m, **options)
        for m in ("nearest", "gptq")
    )
    assert sqnr(better) > sqnr(nearest)


def test_the_command_rounds_by_inputs(tmp_path: Path) -> None:
    nna.save(transformer(), tmp_path / "m.nnir")
    np.savez(tmp_path / "texts.npz", words=np.concatenate([words for (words,) in texts()]))
    paths = [str(tmp_path / name) for name in ("m.nnir", "q.onnx")]
    options = "--weights int4 --activations float --block 16 --weight-method gptq"
    options += f" --weight-zero-points --data {tmp_path / 'texts.npz'}"
    done = CliRunner().invoke(main, ["quantize", *paths, *options.split()])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "q.onnx").exists()


@pytest.mark.parametrize("suffix", [".nnir", ".onnx", ".xml"])
def test_files_have_zero_points(suffix: str, tmp_path: Path) -> None:
    if suffix == ".xml":
        pytest.importorskip("openvino")
    options = {"weights": "uint4", "activations": None, "block": BLOCK, "weight_zero_points": True}
    written = nna.quantize(transformer(), texts(), tmp_path / f"m{suffix}", **options)
    kept = nna.quantize(transformer(), texts(), **options)
    assert sqnr(written) > sqnr(kept) - 1
    zeros = [v.constant for v in kept.model.values() if (v.name or "").endswith("zero_point")]
    assert all(len(np.unique(z)) > 1 for z in zeros if z is not None)


def test_litert_has_rows_alone(tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    with pytest.raises(Unsupported, match=r"block=16: LiteRT .* write .onnx, .xml or .nnir"):
        nna.quantize(transformer(), texts(), tmp_path / "m.tflite", activations=None, block=BLOCK)
    with pytest.raises(Unsupported, match="weight_zero_points"):
        nna.quantize(
            transformer(), texts(), tmp_path / "m.tflite", activations=None, weight_zero_points=True
        )
