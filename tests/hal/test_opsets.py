"""`.onnx` files for older and newer operator sets: valid, and with the same results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import nnadapter as nna
from hal.drivers.onnxruntime.driver import OnnxRuntime, numpy_of, ortvalue
from hal.drivers.onnxruntime.kernels import compute_precision
from hal.drivers.onnxruntime.older import missing
from nnir.errors import NNAdapterError, NoLowering, Unsupported
from nnir.model import Model, Value
from nnir.ops import (
    activation,
    binary,
    compare,
    control,
    index,
    norm,
    pool,
    quant,
    reduce,
    shape,
    signal,
    unary,
)
from nnir.types import PadMode, Precision, TensorType, precision_of

X = np.random.default_rng(0).standard_normal((2, 3, 4, 4)).astype(np.float32)


def constant(x: Value, *numbers: Any, dtype: Any = np.float32) -> Value:
    return x.model.constant(np.array(numbers), dtype)


CASES: dict[str, tuple[Callable[[Value], Any], int]] = {
    "mean": (lambda x: reduce.reduce_mean(x, [1, 3], keepdim=True), 13),
    "log sum exp": (lambda x: reduce.reduce_log_sum_exp(x, [2], keepdim=False), 13),
    "gelu": (lambda x: activation.gelu(x), 13),
    "gelu by tanh": (lambda x: activation.gelu(x, approximate=True), 13),
    "hard swish": (lambda x: activation.hard_swish(x, alpha=1 / 6, beta=0.5), 13),
    "layer norm": (
        lambda x: norm.layer_normalization(
            x, constant(x, 1, 2, 3, 4), constant(x, 0, 1, 0, 1), begin_norm_axis=3, epsilon=1e-5
        ),
        13,
    ),
    "pad": (lambda x: shape.pad(x, [0, 0, 0, 0, 1, 2, 3, 0], mode=PadMode.REFLECT), 13),
    "wrap": (lambda x: shape.pad(x, [0, 0, 0, 0, 1, 2, 3, 0], mode=PadMode.WRAP), 13),
    "float8": (
        lambda x: unary.cast(unary.cast(x, dtype=Precision.FLOAT8E4M3FN), dtype=Precision.FLOAT32),
        19,
    ),
    "split": (lambda x: shape.split(x, [1, 3], axis=2), 13),
    "unstack": (lambda x: shape.unstack(x, axis=1, num=3), 13),
    "reshape": (lambda x: shape.reshape(x, [2, -1]), 13),
    "average": (
        lambda x: pool.average_pool_2d(
            x, kernel_shape=(2, 2), strides=(2, 2), pads=(0, 0, 0, 0), count_include_pad=False
        ),
        13,
    ),
    "scatter": (
        lambda x: index.scatter_nd(
            x,
            constant(x, [0], [0], dtype=np.int64),
            constant(x, *np.ones((2, 3, 4, 4))),
            reduction="add",
        ),
        13,
    ),
    "where": (lambda x: compare.where(compare.greater(x, constant(x, 0)), x, constant(x, 2)), 13),
    "dft": (lambda x: signal.dft(shape.unsqueeze(x, [4]), None, [2]), 13),
}


def model_of(function: Callable[[Value], Any]) -> Model:
    model = Model("case")
    x = model.input("x", TensorType(Precision.FLOAT32, X.shape))
    made = function(x)
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    return model


OPSETS = (13, 16, 17, 18, 20, 21, 23)


@pytest.mark.parametrize("opset", OPSETS)
def test_each_operator_set(opset: int, tmp_path: Path) -> None:
    """All that there is in a set, in one file: `convert` runs each file in a process of its own."""
    model, path = Model("cases"), tmp_path / "m.onnx"
    x = model.input("x", TensorType(Precision.FLOAT32, X.shape))
    names = []
    for name, (function, since) in CASES.items():
        if since <= opset:
            made = function(x)
            outputs = list(made) if isinstance(made, tuple) else [made]
            model.outputs += outputs
            names += [name] * len(outputs)
    nna.convert(model, path, opset=opset)
    written = onnx.load(path)
    onnx.checker.check_model(written, full_check=True)
    assert written.opset_import[0].version == opset
    again = nna.compile(nna.load(path))(X)
    for name, ours, theirs in zip(names, again, nna.compile(model)(X), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize(
    ("case", "opset"), [(c, o) for c, (_, since) in CASES.items() for o in OPSETS if o < since]
)
def test_what_a_set_has_not_yet(case: str, opset: int, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    with pytest.raises(NoLowering, match=r"needs opset .*another --target-opset"):
        nna.convert(model_of(CASES[case][0]), path, opset=opset)
    assert not path.exists()


@pytest.mark.parametrize("opset", [12, 26])
def test_sets_that_are_not_written(opset: int, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="opset 13 to 25"):
        nna.convert(model_of(CASES["mean"][0]), tmp_path / "m.onnx", opset=opset)


def axis(x: Value, number: int = 0) -> Value:
    return x.model.constant(np.array(number, np.int64))


def other(x: Value) -> Value:
    """Numbers to divide and compare by, of which some are 0 and -1."""
    return x.model.constant(np.array([[3, -1, 0], [2, 7, 1]]).astype(x.dtype))


def running_product(x: Value) -> Any:
    return reduce.cum_prod(x, axis(x), exclusive=False, reverse=False)


def chosen(x: Value) -> Any:
    """An If that gives its operand or the same number twice."""
    branches = []
    for count in (1, 2):
        branch = Model("branch")
        inner = branch.input("x", x.type)
        branch.outputs = [index.slice_(shape.concat(*[inner] * count, axis=0), [0], [0], [2])]
        branches.append(branch)
    flag = x.model.constant(np.array(True))
    return control.if_(flag, x, then_model=branches[0], else_model=branches[1])


def repeated(x: Value) -> Any:
    """A loop that ends after its first iteration, which only its body knows."""
    body = Model("body")
    body.outputs = [body.constant(np.array(False)), body.input("x", x.type)]
    return control.while_(x.model.constant(np.array(True)), x, body=body, carried=1)


def quantized(x: Value) -> Any:
    scale = x.model.constant(np.array(0.5, np.float32))
    zero = x.model.constant(np.zeros((), x.dtype))
    real = quant.dequantize_linear(x, scale, zero)
    return quant.quantize_linear(unary.floor(real), scale, zero, dtype=x.precision)


TYPED: dict[str, Callable[[Value], Any]] = {
    "add": lambda x: binary.add(x, x),
    "sub": lambda x: binary.sub(x, binary.mul(x, x)),
    "mul": lambda x: binary.mul(x, x),
    "div": lambda x: binary.div(x, other(x)),
    "floor div": lambda x: binary.floor_div(x, other(x)),
    "pow": lambda x: binary.pow_(x, x.model.constant(np.array(3, x.dtype))),
    "square": lambda x: unary.square(x),
    "cum sum": lambda x: reduce.cum_sum(x, axis(x), exclusive=False, reverse=False),
    "cum prod": running_product,
    "max": lambda x: reduce.reduce_max(x, [1], keepdim=False),
    "relu": lambda x: activation.relu(x),
    "leaky relu": lambda x: activation.leaky_relu(x, alpha=0.5),
    "log sum exp": lambda x: reduce.reduce_log_sum_exp(x, [1], keepdim=True),
    "less": lambda x: compare.less_equal(x, other(x)),
    "where": lambda x: compare.where(compare.equal(x, x), x, x),
    "transpose": lambda x: shape.transpose(x, perm=(1, 0)),
    "squeeze": lambda x: shape.squeeze(shape.unsqueeze(x, [0]), [0]),
    "pad": lambda x: shape.pad(x, [1, 0, 0, 1]),
    "flatten": lambda x: shape.flatten(x, start_axis=0, end_axis=1),
    "concat": lambda x: shape.concat(x, x, axis=0),
    "quantized": quantized,
    "if": chosen,
    "repeat": repeated,
}
PRECISIONS = [
    Precision.BOOL8,
    Precision.INT8,
    Precision.UINT8,
    Precision.INT16,
    Precision.UINT16,
    Precision.INT32,
    Precision.FLOAT16,
    Precision.BFLOAT16,
    Precision.FLOAT8E4M3FN,
    Precision.FLOAT8E5M2,
]
NUMBERS = np.array([[100, -100, 3], [-128, 127, 0]])


def numbers(precision: Precision) -> np.ndarray:
    """Numbers near the bounds of small integers; small floats and an infinite one."""
    if precision.is_integer:
        return NUMBERS.astype(precision.dtype)
    high = 448 if precision == Precision.FLOAT8E4M3FN else np.inf
    return np.array([[1.5, -2, high], [-0.25, 3, 0]], np.float32).astype(precision.dtype)


def typed_model(function: Callable[[Value], Any], precision: Precision) -> Model | None:
    """None where the operator does not take such operands."""
    model = Model("case")
    x = model.input("x", TensorType(precision, NUMBERS.shape))
    try:
        made = function(x)
    except NNAdapterError:
        return None
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    return model


def is_written(model: Model, path: Path, opset: int) -> bool:
    """Whether there is a file now; where there is none, an operator set is to blame."""
    try:
        OnnxRuntime().export(model, path, opset=opset)  # `convert` runs the file, and so do we
    except NoLowering as error:
        if "needs opset" not in str(error) or path.exists():
            raise
        return False
    return True


def run_file(path: Path, x: np.ndarray, kind: Precision) -> np.ndarray:
    """What ONNX Runtime makes of the file itself."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])
    feeds = {session.get_inputs()[0].name: ortvalue(onnxruntime, x)}
    found = session.run_with_ort_values([o.name for o in session.get_outputs()], feeds)
    return numpy_of(found[0], kind)


@pytest.mark.parametrize("precision", PRECISIONS, ids=lambda p: p.name)
@pytest.mark.parametrize("case", TYPED)
def test_element_types(case: str, precision: Precision, tmp_path: Path) -> None:
    model, x = typed_model(TYPED[case], precision), numbers(precision)
    if model is None:
        return
    (expected,) = nna.compile(model, "builtin")(x)
    for opset in (13, 15, 17, 19, 20):
        path = tmp_path / f"{opset}.onnx"
        if not is_written(model, path, opset):
            continue
        onnx.checker.check_model(onnx.load(path), full_check=True)
        found = run_file(path, x, precision_of(expected.dtype))
        np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))


def test_what_an_older_set_has_not() -> None:
    lacking = missing("Add", 0, 13)
    assert lacking[Precision.INT8] == 14
    assert not missing("Add", 0, 14)
    assert missing("Scan", 5, 15)[Precision.BFLOAT16] == 16
    assert Precision.BFLOAT16 not in missing("Scan", 5, 16)
    assert compute_precision("Add", Precision.INT8, missing=lacking) == Precision.INT32


@pytest.mark.parametrize(
    ("case", "precision", "opset", "message"),
    [
        ("repeat", Precision.BFLOAT16, 15, "sub-graph of BFLOAT16 needs opset 16, not 15"),
        ("transpose", Precision.FLOAT8E5M2, 18, "input 'x' of FLOAT8E5M2 needs opset 19, not 18"),
    ],
)
def test_refusals_say_what(
    case: str, precision: Precision, opset: int, message: str, tmp_path: Path
) -> None:
    model = typed_model(TYPED[case], precision)
    with pytest.raises(NoLowering, match=message):
        nna.convert(model, tmp_path / "m.onnx", opset=opset)
    assert not list(tmp_path.iterdir())


def test_infinities_move() -> None:
    model = typed_model(TYPED["squeeze"], Precision.FLOAT8E5M2)
    x = numbers(Precision.FLOAT8E5M2)
    np.testing.assert_array_equal(nna.compile(model, "onnxruntime")(x)[0], x)
