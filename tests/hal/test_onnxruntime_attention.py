"""The onnxruntime device: attention in one kernel, of queries that see nothing, behind masks."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import nnadapter as nna
from hal.device import PROFILE
from hal.drivers.onnxruntime.driver import emit
from nnir import build
from nnir.dim import symbol
from nnir.model import Model
from nnir.ops import activation, attention, linear, norm, shape
from nnir.types import Precision, TensorType

FLOAT32 = Precision.FLOAT32
RNG = np.random.default_rng(0)


def nodes_of(model: Model, *, states: bool = False) -> list[str]:
    """The operators of the graph, without those of its branches."""
    _, graph = emit(model, states=states)
    return [node.op_type for node in onnx.GraphProto.FromString(graph).node]


def normal(model: Model) -> list[np.ndarray]:
    return [RNG.normal(size=v.sizes).astype(v.dtype) for v in model.inputs]


def require_equal(model: Model, arrays: list[np.ndarray], tolerance: float = 2e-6) -> np.ndarray:
    """The results of the device, which are those of the references."""
    got, want = (nna.compile(model, device)(*arrays)[0] for device in ("onnxruntime", "builtin"))
    np.testing.assert_allclose(
        got, want, rtol=0, atol=tolerance * max(1, np.nanmax(abs(want), initial=1))
    )
    return got


@pytest.mark.parametrize(
    ("keys", "states", "is_plain"), [(256, False, True), (255, False, False), (256, True, False)]
)
def test_scores_of_a_long_attention_are_looked_at_where_nothing_is_seen_only(
    keys: int, states: bool, is_plain: bool
) -> None:
    """A short one, and a file that others read, look at them each time."""
    model = Model()
    scores, values = (
        model.input(n, TensorType(Precision.FLOAT32, sizes))
        for n, sizes in (("scores", (256, keys)), ("values", (keys, 2)))
    )
    model.outputs = [linear.mat_mul(attention.safe_softmax(scores), values)]
    _, graph = emit(model, states=states)
    found = {node.op_type for node in onnx.GraphProto.FromString(graph).node}
    assert ("If" in found) == is_plain == ("Where" not in found)


@pytest.mark.parametrize("kind", [Precision.FLOAT32, Precision.FLOAT16, Precision.FLOAT64])
@pytest.mark.parametrize("sizes", [(256, 2), (256,)])
def test_a_query_that_sees_nothing_gives_0(sizes: tuple[int, ...], kind: Precision) -> None:
    """A product with a vector is none of rows and columns, and is left as it is."""
    model = Model()
    scores = model.input("scores", TensorType(kind, (256, 256)))
    values = model.input("values", TensorType(kind, sizes))
    model.outputs = [linear.mat_mul(attention.safe_softmax(scores), values)]
    numbers = np.random.default_rng(0)
    seen = np.where(np.arange(256)[:, None] % 7, numbers.normal(size=(256, 256)), -np.inf)
    arrays = [seen.astype(kind.dtype), numbers.normal(size=sizes).astype(kind.dtype)]
    got, want = (nna.compile(model, device)(*arrays)[0] for device in ("onnxruntime", "builtin"))
    assert not want[::7].any()
    np.testing.assert_allclose(got, want, rtol=2e-3, atol=2e-3)


SIZES = [((2, 3, 128, 8), (2, 3, 130, 8), (2, 3, 130, 5)), ((6, 128, 8), (6, 130, 8), (6, 130, 5))]


def attend(
    sizes: tuple[tuple[int, ...], ...], *, safe: bool, turned: bool, is_open: bool = False
) -> Model:
    """Queries, keys and values of these sizes; keys may come with their axes exchanged. `is_open`:
    of any number of samples."""
    model = Model()
    if is_open:
        model.symbols["b"] = (0, None)
    query, key, values = (
        model.input(name, TensorType(FLOAT32, (symbol("b"), *s[1:]) if is_open else s))
        for name, s in zip("qkv", sizes, strict=True)
    )
    if turned:
        rank = len(sizes[1])
        key = shape.transpose(key, perm=[*range(rank - 2), rank - 1, rank - 2])
    scores = linear.mat_mul(query, key, transpose_y=not turned)
    softmax = attention.safe_softmax if safe else activation.softmax
    model.outputs = [linear.mat_mul(softmax(scores, axis=-1), values)]
    return model


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_attention_without_a_mask_is_one_kernel(
    sizes: tuple[tuple[int, ...], ...], *, safe: bool, turned: bool
) -> None:
    model = attend(sizes, safe=safe, turned=turned)
    found = nodes_of(model)
    assert "MultiHeadAttention" in found
    assert not {"MatMul", "Softmax"} & {*found}
    require_equal(model, normal(model))


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_samples_may_be_open(
    sizes: tuple[tuple[int, ...], ...], *, safe: bool, turned: bool
) -> None:
    model = attend(sizes, safe=safe, turned=turned, is_open=True)
    assert "MultiHeadAttention" in nodes_of(model)
    for batch in (0, 1, 3):
        arrays = normal(attend(tuple((batch, *s[1:]) for s in sizes), safe=safe, turned=turned))
        require_equal(model, arrays)
        if safe and batch:
            arrays[0][-1, ..., 5, :] = 0
            arrays[0][-1, ..., 5, 0] = -np.inf
            arrays[1][-1, ..., 0] = abs(arrays[1][-1, ..., 0]) + 1
            got = require_equal(model, arrays)
            assert not got[-1, ..., 5, :].any()


@pytest.mark.parametrize("axis", [1, 2])
def test_other_open_sizes_are_computed_apart(axis: int) -> None:
    model = Model()
    model.symbols["n"] = (0, None)
    query, key, values = (
        model.input(name, TensorType(FLOAT32, tuple(symbol("n") if a == axis else d for a, d in s)))
        for name, s in zip("qkv", map(enumerate, SIZES[0]), strict=True)
    )
    scores = linear.mat_mul(query, key, transpose_y=True)
    model.outputs = [linear.mat_mul(activation.softmax(scores, axis=-1), values)]
    assert "MultiHeadAttention" not in nodes_of(model)


@pytest.mark.parametrize(("batch", "width", "given"), [(2, 0, 5), (2, 4, 0), (0, 4, 5)])
def test_attention_over_nothing(batch: int, width: int, given: int) -> None:
    sizes = (batch, 3, 128, width), (batch, 3, 130, width), (batch, 3, 130, given)
    model = attend(sizes, safe=True, turned=False)
    require_equal(model, normal(model))


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("number", [-np.inf, np.inf, np.nan])
@pytest.mark.parametrize("safe", [False, True])
def test_one_kernel_keeps_what_is_no_number(
    sizes: tuple[tuple[int, ...], ...], number: float, *, safe: bool
) -> None:
    """A query all of whose scores are -inf gets 0, or NaN from a plain softmax."""
    model = attend(sizes, safe=safe, turned=False)
    query, key, values = normal(model)
    query[..., 5, :] = 0
    query[..., 5, 0], key[..., 0] = number, abs(key[..., 0]) + 1
    got = require_equal(model, [query, key, values])
    is_blind = safe and number == -np.inf
    assert np.isnan(got[..., 5, :]).all() == (not is_blind)
    assert not is_blind or not got[..., 5, :].any()
    assert not np.isnan(got[..., 6, :]).any()


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("as_output", [False, True])
def test_what_something_else_reads_is_computed(*, weights: bool, as_output: bool) -> None:
    model = attend(SIZES[0], safe=False, turned=False)
    (softmax,) = (o for o in model.operations if o.operator is activation.softmax)
    value = softmax.outputs[0] if weights else softmax.inputs[0]
    assert value is not None
    model.outputs.append(value if as_output else activation.relu(value))
    assert "MultiHeadAttention" not in nodes_of(model)
    arrays = normal(model)
    both = (nna.compile(model, device)(*arrays) for device in ("onnxruntime", "builtin"))
    for got, want in zip(*both, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=2e-6)


LOWEST = float(np.finfo(np.float32).min)
MASKS = [-np.inf, LOWEST, -1e4, -100.0]


def hidden(mask: np.ndarray | None, *, safe: bool = False, apart: bool = False) -> Model:
    """Scores of 16 heads behind a mask, which is an input where it is none, times values."""
    model = Model()
    scores = model.input("scores", TensorType(FLOAT32, (16, 64, 64)))
    values = model.input("values", TensorType(FLOAT32, (16, 64, 4)))
    known = model.input("mask", TensorType(FLOAT32, (64, 64))) if mask is None else mask
    if apart:
        scores = shape.reshape(scores + known, build.vector(model, [4, 4, 64, 64]))
        total = shape.reshape(scores + 1.0, build.vector(model, [16, 64, 64]))
    else:
        total = scores + known
    softmax = attention.safe_softmax if safe else activation.softmax
    model.outputs = [linear.mat_mul(softmax(total, axis=-1), values)]
    return model


def later(number: float) -> np.ndarray:
    """A mask that hides what comes later."""
    return np.where(np.triu(np.ones((64, 64), bool), 1), np.float32(number), np.float32(0))


@pytest.mark.parametrize("number", MASKS)
@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("apart", [False, True])
def test_hidden_keys_have_weights_that_are_0(number: float, *, safe: bool, apart: bool) -> None:
    """The values there are too large to have a weight that is only small."""
    model = hidden(later(number), safe=safe, apart=apart)
    assert nodes_of(model).count("Max") == 2
    scores, values = normal(model)
    values[:, 60:] *= 1e28
    got = require_equal(model, [scores, values])
    assert abs(got[:, :60]).max() < 10


@pytest.mark.parametrize("safe", [False, True])
def test_rows_of_no_numbers_stay_so_behind_a_mask(*, safe: bool) -> None:
    mask = later(-np.inf)
    mask[7] = -np.inf
    model = hidden(mask, safe=safe)
    scores, values = normal(model)
    scores[0, 20, 3], scores[0, 21, 3], values[0, 30, 0] = np.nan, np.inf, np.nan
    got = require_equal(model, [scores, values])
    assert np.isnan(got[0, 20:22]).all()
    assert np.isnan(got[0, 30:, 0]).all()
    assert not np.isnan(got[1, 8:]).any()
    assert np.isnan(got[:, 7]).all() == (not safe)


def test_scores_stay_where_no_known_mask_hides_something() -> None:
    plain, given = hidden(later(-50.0)), hidden(None)
    assert "Max" not in {*nodes_of(plain), *nodes_of(given)}
    assert "Max" not in nodes_of(hidden(later(-100.0)), states=True)


def test_weights_that_something_else_reads_are_exact() -> None:
    model = hidden(later(-100.0))
    (softmax,) = (o for o in model.operations if o.operator is activation.softmax)
    model.outputs.append(softmax.outputs[0])
    assert "Max" not in nodes_of(model)


def test_a_sum_and_its_norm_are_two_kernels() -> None:
    """Together they take the processor six times as long."""
    model = Model()
    x, y = (model.input(n, TensorType(FLOAT32, (64, 256))) for n in "xy")
    weight, bias = (model.constant(RNG.normal(size=256).astype(np.float32)) for _ in range(2))
    model.outputs = [norm.layer_normalization(x + y, weight, bias, begin_norm_axis=1)]
    program = nna.compile(model, "onnxruntime", f"{PROFILE}=1;")
    program(*normal(model))
    assert [row.operator for row in program.profile.rows] == ["Add", "LayerNormalization"]
