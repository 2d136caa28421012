"""`nnadapter quantize` and `nnadapter.quantize`: from a model and data to a file of integers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import nnadapter as nna
from nnadapter import conversion
from nnadapter.cli import main
from nnadapter.looking.noise_heat import heat_of_quantization
from nnadapter.quantisation.measuring import Likeness, ratio_in_decibels
from nnadapter.quantisation.samples import read_samples
from nnir.dim import symbol
from nnir.errors import BadFile, BadInput, Differs, Unsupported
from nnir.model import Model
from nnir.ops import activation, conv, index, linear, pool, quant, shape
from nnir.specialise import fix_sizes
from nnir.types import Fuse, Precision, TensorType

from ..saturation import needs_exact_sums

F32 = Precision.FLOAT32


def random(seed: int, *sizes: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(sizes).astype(np.float32)


@pytest.fixture(scope="module")
def model() -> Model:
    """Two convolutions, a maximum, a real function, a dense layer and a softmax; an open batch."""
    made = Model("net")
    made.symbols["n"] = (1, 64)
    x = made.input("x", TensorType(F32, (symbol("n"), 3, 8, 8)))
    window = {"strides": (1, 1), "dilations": (1, 1), "fuse_code": Fuse.RELU}
    made.origin = "net/first"
    first = conv.conv_2d(x, random(0, 8, 3, 3, 3), random(1, 8), pads=(1, 1, 1, 1), **window)
    made.origin = "net/pool"
    small = pool.max_pool_2d(first, kernel_shape=(2, 2), strides=(2, 2))
    made.origin = "net/second"
    second = conv.conv_2d(small, random(2, 8, 8, 1, 1), random(3, 8), **window)
    made.origin = "net/gelu"
    flat = shape.reshape(activation.gelu(second), [-1, 128])
    made.origin = "net/dense"
    logits = linear.fully_connected(flat, random(4, 5, 128), random(5, 5))
    made.origin = "net/scores"
    made.outputs = [logits, activation.softmax(logits, axis=-1)]
    made.output_names = ["logits", "scores"]
    return made


@pytest.fixture(scope="module")
def data() -> np.ndarray:
    return random(6, 24, 3, 8, 8)


@pytest.fixture
def files(model: Model, data: np.ndarray, tmp_path: Path) -> Path:
    nna.save(model, tmp_path / "net.nnir")
    np.savez(tmp_path / "data.npz", x=data)
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["quantize", *map(str, words)])


# Files of every format


@needs_exact_sums
@pytest.mark.parametrize("suffix", [".onnx", ".tflite", ".xml", ".nnir"])
def test_a_file_is_measured_in_its_engine(
    model: Model, data: np.ndarray, tmp_path: Path, suffix: str
) -> None:
    sizes = {"n": 1} if suffix == ".tflite" else None
    target = tmp_path / f"net{suffix}"
    found = nna.quantize(model, {"x": data}["x"].reshape(24, 1, 3, 8, 8), target, sizes=sizes)
    engines = {".onnx": "onnxruntime", ".tflite": "litert", ".xml": "openvino", ".nnir": "builtin"}
    assert found.device == engines[suffix]
    assert found.sqnr["logits"] > 25
    assert found.agreement["logits"] == 1
    assert found.samples == 24
    operators = [r.operator for r in found.integer]
    products = ["CONV_2D", "CONV_2D", "FULLY_CONNECTED"]
    if suffix == ".tflite":
        assert operators == [*products[:2], "GELU", products[2], "SOFTMAX"]
    else:
        assert operators == products
        assert [r.operator for r in found.rows if r.reason] == ["GELU", "SOFTMAX"]
    before, after = found.sizes
    assert after < before / 2.5


@pytest.mark.parametrize("suffix", [".onnx", ".tflite", ".xml", ".nnir"])
def test_inputs_and_outputs_may_be_integers(
    model: Model, data: np.ndarray, tmp_path: Path, suffix: str
) -> None:
    target = tmp_path / f"net{suffix}"
    sizes = {"n": 1} if suffix == ".tflite" else None
    samples = [d[None] for d in data]
    found = nna.quantize(model, samples, target, sizes=sizes, integer_io=True)
    kinds = [v.precision for v in found.model.outputs]
    whole = suffix == ".tflite"
    assert [v.precision for v in found.model.inputs] == [Precision.INT8]
    assert kinds == ([Precision.INT8] * 2 if whole else [F32] * 2)
    assert found.sqnr["logits"] > 25
    if whole:
        again = nna.load(target)
        assert [v.precision for v in (*again.inputs, *again.outputs)] == [Precision.INT8] * 3


def test_the_source_stays_as_it_is(model: Model, data: np.ndarray) -> None:
    before = str(model)
    found = nna.quantize(model, [data])
    assert str(model) == before
    assert found.model is not model
    kinds = [o.operator for o in found.model.operations]
    assert quant.quantize_linear in kinds


def test_a_target_may_not_be_its_source(files: Path) -> None:
    for target in ("net.nnir", "data.npz"):
        result = run(files / "net.nnir", files / target, "--data", files / "data.npz")
        assert result.exit_code == 1
        assert "the source is read from it" in result.stderr
    assert nna.load(files / "net.nnir").operations


def test_a_file_that_is_worse_does_not_appear(
    model: Model, data: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = conversion.form

    def spoil(given: Model, *rest: Any) -> Any:
        worse = fix_sizes(given, {})
        stored = [v for v in worse.values() if v.constant is not None and v.rank == 4]
        stored[0].constant = np.roll(stored[0].constant, 1)
        return exact(worse, *rest)

    monkeypatch.setattr(conversion, "form", spoil)
    with pytest.raises(Differs, match=r"net.onnx in onnxruntime has .* dB"):
        nna.quantize(model, [data], tmp_path / "net.onnx")
    assert not list(tmp_path.iterdir())


# What stays real


def test_named_operations_stay(model: Model, data: np.ndarray) -> None:
    found = nna.quantize(model, [data], keep_float=["net/sec*", "FULLY_CONNECTED"])
    reasons = {r.operation: r.reason for r in found.rows}
    assert reasons["net/second"] == "kept by 'net/sec*'"
    assert reasons["net/dense"] == "kept by 'FULLY_CONNECTED'"
    assert [r.operation for r in found.integer] == ["net/first"]


def test_a_name_that_nothing_has_is_answered(model: Model, data: np.ndarray) -> None:
    with pytest.raises(
        BadInput, match="no operation is called 'net/frist': did you mean net/first"
    ):
        nna.quantize(model, [data], keep_float="net/frist")


def test_the_noisiest_stay_until_a_ratio_is_reached(model: Model, data: np.ndarray) -> None:
    plain = nna.quantize(model, [data])
    wanted = min(plain.sqnr.values()) + 3
    found = nna.quantize(model, [data], min_sqnr=wanted)
    assert min(found.sqnr.values()) >= wanted
    assert 0 < len(found.integer) < len(plain.integer)
    kept = [r for r in found.rows if "for accuracy" in r.reason]
    assert max(r.sqnr or 0 for r in kept) <= min(r.sqnr or 0 for r in found.integer)
    everything = nna.quantize(model, [data], min_sqnr=500)
    assert not everything.integer
    assert all(r > 500 for r in everything.sqnr.values())


def test_what_is_not_finite_stays(model: Model, data: np.ndarray) -> None:
    broken = data.copy()
    broken[0, 0, 0, 0] = np.nan
    found = nna.quantize(model, [broken], method="minmax")
    reasons = {r.operation: r.reason for r in found.rows}
    assert reasons["net/first"] == "its values are infinite or NaN on the calibration data"


# Data


@pytest.mark.parametrize(
    "make",
    [
        lambda d: {"x": d},
        lambda d: {"arr_0": d},
        lambda d: {"images": d},
    ],
)
def test_an_archive_is_cut_along_its_first_axis(
    model: Model, data: np.ndarray, tmp_path: Path, make: Callable[[np.ndarray], dict[str, Any]]
) -> None:
    np.savez(tmp_path / "data.npz", **make(data))
    samples = read_samples(model, tmp_path / "data.npz")
    assert [s[0].shape for s in samples] == [(1, 3, 8, 8)] * 24
    np.testing.assert_array_equal(np.concatenate([s[0] for s in samples]), data)


def test_a_folder_has_a_file_for_each_call(model: Model, data: np.ndarray, tmp_path: Path) -> None:
    for place in range(3):
        np.save(tmp_path / f"{place}.npy", data[place : place + 2])
    assert [s[0].shape[0] for s in read_samples(model, tmp_path)] == [2, 2, 2]


def test_two_inputs_are_told_apart_by_name(tmp_path: Path) -> None:
    two = Model("two")
    a, b = (two.input(n, TensorType(F32, (4,))) for n in "ab")
    two.outputs = [a + b]
    arrays = {"b": np.ones((3, 4), np.float32), "a": np.zeros((3, 4), np.float32)}
    np.savez(tmp_path / "data.npz", **arrays)
    samples = read_samples(two, tmp_path / "data.npz")
    assert [(s[0].sum(), s[1].sum()) for s in samples] == [(0, 4)] * 3
    np.savez(tmp_path / "data.npz", c=arrays["a"], d=arrays["b"])
    with pytest.raises(BadInput, match="data for c, d; inputs are a, b"):
        read_samples(two, tmp_path / "data.npz")


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.ones((4, 3, 8, 8)), "input 'x' is float64, not float32"),
        (np.ones((4, 2, 8, 8), np.float32), "input 'x' has shape"),
        (np.ones((8, 8), np.float32), r"data of float32\[8, 8\] for float32\[n, 3, 8, 8\]"),
    ],
)
def test_data_that_does_not_fit_is_refused(
    model: Model, tmp_path: Path, array: np.ndarray, said: str
) -> None:
    np.savez(tmp_path / "data.npz", x=array)
    with pytest.raises(BadInput, match=said):
        read_samples(model, tmp_path / "data.npz")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00"])
def test_damaged_data_is_said(model: Model, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data.npz").write_bytes(content)
    with pytest.raises(BadFile, match=r"cannot read .*data.npz"):
        read_samples(model, tmp_path / "data.npz")


def test_a_pickle_in_an_archive_is_not_run(model: Model, tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", x=np.array([{"run": "this"}], object))
    with pytest.raises(BadFile, match="cannot read"):
        read_samples(model, tmp_path / "data.npz")


def test_no_data_is_refused(model: Model, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no calibration data"):
        read_samples(model, [])
    with pytest.raises(BadFile, match="no such file"):
        read_samples(model, tmp_path / "none.npz")


# The command


@needs_exact_sums
def test_the_command_tells_what_became_of_it(files: Path) -> None:
    target = files / "net8.onnx"
    result = run(files / "net.nnir", target, "--data", files / "data.npz", "--layers")
    assert result.exit_code == 0, result.stderr
    assert re.search(r"logits .* \d\d\.\d dB .* 100.0%", result.stdout)
    assert "net/first" in result.stdout
    assert "measured in onnxruntime" in result.stdout
    assert "1 with real numbers: GELU stays as it is for ONNX Runtime" in result.stderr
    assert target.stat().st_size > 0


def test_json_has_every_operation(files: Path) -> None:
    words = ("--data", files / "data.npz", "--keep-float", "*", "--json")
    result = run(files / "net.nnir", files / "net8.nnir", *words)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout, parse_constant=pytest.fail)
    assert all(ratio > 100 for ratio in found["sqnr"].values())
    assert {o["kind"] for o in found["operations"]} == {"float"}


def test_random_numbers_are_no_data(files: Path) -> None:
    result = run(files / "net.nnir", files / "net8.nnir", "--data", "random", "--no-verify")
    assert result.exit_code == 0, result.stderr
    assert "warning: random numbers are no data: the ranges are guesses" in result.stderr
    assert "NOT VERIFIED" in result.stdout


@needs_exact_sums
def test_the_page_shows_the_noise(files: Path) -> None:
    page = files / "noise.html"
    words = ("--data", files / "data.npz", "--html", page)
    assert run(files / "net.nnir", files / "net8.onnx", *words).exit_code == 0
    text = page.read_text()
    assert "Quantisation noise of each operation by itself" in text
    assert "net/second" in text


def test_a_page_that_cannot_be_made_is_said_before_any_work(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.reports.page.find_spec", lambda name: None)
    words = ("--data", files / "data.npz", "--html", files / "noise.html")
    result = run(files / "net.nnir", files / "net8.onnx", *words)
    assert result.exit_code == 1
    assert "the HTML report needs Jinja2" in result.stderr
    assert not (files / "net8.onnx").exists()


def test_noise_and_reasons_are_marks(model: Model, data: np.ndarray) -> None:
    heat = heat_of_quantization(nna.quantize(model, [data], keep_float="net/dense"))
    marks = {o.label: m for o, m in heat.marks.items() if not isinstance(o, str)}
    assert re.fullmatch(r"\d\d\.\d dB", marks["net/first"].text)
    assert marks["net/dense"].text == "real numbers"
    assert ("Why", "kept by 'net/dense'") in marks["net/dense"].details
    assert marks["net/first"].amount > marks["net/dense"].amount == 0


# Schemes


@pytest.mark.parametrize("method", ["minmax", "percentile", "entropy", "mse"])
@pytest.mark.parametrize("activations", ["int8", "uint8", "int16"])
def test_every_method_and_precision(
    model: Model, data: np.ndarray, method: Any, activations: str
) -> None:
    found = nna.quantize(model, [data], method=method, activations=activations, device="builtin")
    assert found.sqnr["logits"] > 20


@pytest.mark.parametrize("weights", ["int8", "int4", "uint4"])
def test_weights_alone(model: Model, data: np.ndarray, weights: str) -> None:
    found = nna.quantize(model, [data], weights=weights, activations=None)
    assert not any(o.operator is quant.quantize_linear for o in found.model.operations)
    assert found.sqnr["logits"] > (35 if weights == "int8" else 12)
    before, after = found.sizes
    assert after < before * (0.4 if weights == "int8" else 0.3)


def test_per_channel_is_better_than_one_scale(data: np.ndarray) -> None:
    uneven = Model("uneven")
    x = uneven.input("x", TensorType(F32, (24, 3, 8, 8)))
    scale = np.float32([1e-3, 1, 10, 1e-2]).reshape(4, 1, 1, 1)
    window = {"strides": (1, 1), "dilations": (1, 1)}
    made = conv.conv_2d(x, random(0, 4, 3, 1, 1) * scale, np.zeros(4, np.float32), **window)
    uneven.outputs = [index.slice_(made, [1], [0], [1])]
    both = [
        nna.quantize(uneven, [data], activations=None, per_channel=p).sqnr["output0"]
        for p in (True, False)
    ]
    assert both[0] > both[1] + 10


def test_a_precision_that_there_is_not(model: Model, data: np.ndarray) -> None:
    with pytest.raises(BadInput, match="'int9' is no precision"):
        nna.quantize(model, [data], weights="int9")
    with pytest.raises(BadInput, match="activations of INT32"):
        nna.quantize(model, [data], activations="int32")


def test_a_model_without_anything_to_quantise_is_refused(data: np.ndarray) -> None:
    half = Model("half")
    x = half.input("x", TensorType(Precision.FLOAT16, (2, 4)))
    half.outputs = [linear.mat_mul(x, half.constant(random(0, 4, 4).astype(np.float16)))]
    said = "nothing .* integers: 1 x it computes in FLOAT16, not FLOAT32"
    with pytest.raises(Unsupported, match=said):
        nna.quantize(half, [np.zeros((2, 4), np.float16)])


def test_what_is_quantised_is_not_quantised_again(model: Model, data: np.ndarray) -> None:
    found = nna.quantize(model, [data], activations=None)
    with pytest.raises(BadInput, match=r"quantised already \(3 DEQUANTIZE_LINEAR\)"):
        nna.quantize(found.model, [data])


def test_options_of_load_are_for_files(model: Model, data: np.ndarray) -> None:
    with pytest.raises(BadInput, match="signature: not for a model that is loaded already"):
        nna.quantize(model, [data], signature="x")


def test_likeness_counts_squares_and_largest_elements() -> None:
    one = Likeness()
    one.add(np.float32([[3, 4], [1, 0]]), np.float32([[3, 5], [0, 1]]))
    assert one.sqnr == pytest.approx(10 * np.log10(26 / 3))
    assert one.agreement == 0.5
    assert ratio_in_decibels(1, 0) == np.inf
    assert ratio_in_decibels(0, 1) == -np.inf


@pytest.mark.parametrize("count", [40, 400, 4000])
def test_equally_strong_noise_differs_by_so_many_decibels(count: int) -> None:
    apart = []
    for seed in range(400):
        first, second = Likeness(), Likeness()
        for place, one in enumerate((first, second)):
            one.add(np.ones(count), 1 + 0.01 * random(2 * seed + place, count))
        apart.append(first.sqnr - second.sqnr)
    assert np.std(apart) == pytest.approx(first.uncertainty, rel=0.15)
