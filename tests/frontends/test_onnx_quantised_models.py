"""Models that ONNX Runtime's own tools quantise, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from onnxruntime import quantization

import nnadapter as nna

from ..saturation import needs_exact_sums

RANDOM = np.random.default_rng(0)
IMAGE = RANDOM.normal(size=(1, 3, 12, 12)).astype(np.float32)
ROWS = RANDOM.normal(size=(4, 64)).astype(np.float32)
KINDS = {"uint8": quantization.QuantType.QUInt8, "int8": quantization.QuantType.QInt8}


def weight(name: str, *shape: int) -> onnx.TensorProto:
    """A small random weight."""
    values = RANDOM.normal(size=shape) / np.sqrt(np.prod(shape[1:] or (1,)))
    return numpy_helper.from_array(values.astype(np.float32), name)


def save_model(
    path: Path,
    nodes: list[onnx.NodeProto],
    weights: list[onnx.TensorProto],
    x: np.ndarray,
) -> Path:
    """A model of nodes from `x` to `y`."""
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        weights,
    )
    versions = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=versions, ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)
    return path


def save_cnn(folder: Path) -> Path:
    """Convolutions with an addition, a concatenation, pools, a gate and a dense layer."""
    nodes = [
        helper.make_node("Conv", ["x", "w0", "b0"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "w1"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["b", "c"], ["d"]),
        helper.make_node("LeakyRelu", ["d"], ["e"], alpha=0.1),
        helper.make_node("AveragePool", ["e"], ["f"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Sigmoid", ["f"], ["g"]),
        helper.make_node("Mul", ["f", "g"], ["h"]),
        helper.make_node("Concat", ["f", "h"], ["i"], axis=1),
        helper.make_node("GlobalAveragePool", ["i"], ["j"]),
        helper.make_node("Flatten", ["j"], ["k"]),
        helper.make_node("Gemm", ["k", "w2", "b2"], ["l"], transB=1),
        helper.make_node("Softmax", ["l"], ["y"]),
    ]
    weights = [weight("w0", 8, 3, 3, 3), weight("b0", 8), weight("w1", 8, 8, 3, 3)]
    weights += [weight("w2", 5, 16), weight("b2", 5)]
    return save_model(folder / "cnn.onnx", nodes, weights, IMAGE)


def save_mlp(folder: Path) -> Path:
    """Two dense layers."""
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"]),
        helper.make_node("Add", ["a", "b0"], ["b"]),
        helper.make_node("Relu", ["b"], ["c"]),
        helper.make_node("MatMul", ["c", "w1"], ["y"]),
    ]
    weights = [weight("w0", 64, 32), weight("b0", 32), weight("w1", 32, 6)]
    return save_model(folder / "mlp.onnx", nodes, weights, ROWS)


class Samples(quantization.CalibrationDataReader):  # type: ignore[misc]  # it has no types
    """A few images to find ranges on."""

    def __init__(self) -> None:
        self.left = iter([{"x": IMAGE * scale} for scale in (0.5, 1.0)])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.left, None)


def ask_runtime(path: Path, x: np.ndarray) -> np.ndarray:
    """What ONNX Runtime gives, operator by operator as the file says."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (result,) = session.run(None, {"x": x})
    return np.asarray(result)


def check(path: Path, x: np.ndarray, atol: float) -> None:
    """AssertionError unless both devices, and each file that is written, agree."""
    want = ask_runtime(path, x)
    model = nna.load(path)
    for device in ("builtin", "onnxruntime"):
        (got,) = nna.compile(model, device=device)(x)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=atol, err_msg=device)
    for suffix in (".onnx", ".nnir", ".xml"):
        target = path.with_name(f"written{suffix}")
        nna.convert(path, target, verify=False)
        if suffix != ".xml":  # which an engine that may be absent runs
            (got,) = nna.compile(nna.load(target), device="builtin")(x)
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=atol, err_msg=suffix)


def operators_of(path: Path) -> set[str]:
    """The operators of ONNX Runtime's own domain in a file."""
    return {n.op_type for n in onnx.load(path).graph.node if n.domain == "com.microsoft"}


@pytest.fixture
def _quiet() -> Iterator[None]:
    """Quantising logs advice through the root logger."""
    import logging

    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("_quiet")
@pytest.mark.parametrize("kind", KINDS)
def test_network_of_integers(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "quantised.onnx"
    quantization.quantize_static(
        save_cnn(tmp_path),
        target,
        Samples(),
        quant_format=quantization.QuantFormat.QOperator,
        activation_type=KINDS[kind],
        weight_type=quantization.QuantType.QInt8,
        per_channel=kind == "int8",
    )
    assert {"QLinearAdd", "QLinearMul", "QLinearConcat", "QLinearAveragePool"} <= operators_of(
        target
    )
    check(target, IMAGE, atol=2 / 256)  # results come in steps of about 1/256


@needs_exact_sums
@pytest.mark.parametrize("count", [1, 6])
def test_products_between_borders(count: int, tmp_path: Path) -> None:
    """The integers that ONNX gives, within one."""
    grids = {"x": (0.03, 120), "w": (np.linspace(0.01, 0.02, count), np.zeros(count)), "y": (1, 99)}
    kinds = {"x": np.uint8, "w": np.int8, "y": np.uint8}
    constants = {f"{n}_s": np.asarray(s, np.float32) for n, (s, _) in grids.items()}
    constants |= {f"{n}_z": np.asarray(z, kinds[n]) for n, (_, z) in grids.items()}
    constants["w"] = RANDOM.integers(-127, 128, (64, 6)).astype(np.int8)
    reads = [f"{n}{part}" for n in ("q", "w", "y") for part in ("", "_s", "_z")]
    reads = [r.replace("q_", "x_") for r in reads if r != "y"]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "x_s", "x_z"], ["q"]),
        helper.make_node("QLinearMatMul", reads, ["p"]),
        helper.make_node("DequantizeLinear", ["p", "y_s", "y_z"], ["y"]),
    ]
    weights = [numpy_helper.from_array(a, n) for n, a in constants.items()]
    path = save_model(tmp_path / "m.onnx", nodes, weights, ROWS)
    model = nna.load(path, qdq=True)
    assert {o.operator.name for o in model.operations} == {
        *("QUANTIZE_LINEAR", "MAT_MUL", "DEQUANTIZE_LINEAR")
    }
    distance = np.abs(nna.compile(model)(ROWS)[0] - ask_runtime(path, ROWS))
    assert distance.max() <= 1.001
    assert (distance > 0.5).mean() < 0.05


@pytest.mark.usefixtures("_quiet")
def test_dynamic_network(tmp_path: Path) -> None:
    target = tmp_path / "quantised.onnx"
    quantization.quantize_dynamic(save_mlp(tmp_path), target)
    check(target, ROWS, atol=1e-5)


@pytest.mark.usefixtures("_quiet")
@pytest.mark.parametrize("symmetric", [True, False])
def test_network_of_4_bits(symmetric: bool, tmp_path: Path) -> None:
    pytest.importorskip("onnx_ir", reason="onnx_ir is not installed, which ONNX Runtime asks for")
    from onnxruntime.quantization import matmul_nbits_quantizer

    target = tmp_path / "quantised.onnx"
    made = matmul_nbits_quantizer.MatMulNBitsQuantizer(
        onnx.load(save_mlp(tmp_path)), block_size=32, is_symmetric=symmetric
    )
    made.process()
    made.model.save_model_to_file(str(target))
    assert operators_of(target) == {"MatMulNBits"}
    check(target, ROWS, atol=1e-4)
