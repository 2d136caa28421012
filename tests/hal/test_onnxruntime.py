"""The onnxruntime device: valid files, borrowed weights, properties, gaps listed at once."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import ModuleType
from unittest.mock import MagicMock

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import nnadapter as nna
from hal.device import Cache
from hal.drivers.onnxruntime import keeping, writer
from hal.drivers.onnxruntime.driver import OnnxRuntime, emit, ortvalue
from hal.drivers.onnxruntime.keeping import Kept, Weight, unpack_kept
from hal.drivers.onnxruntime.kernels import compute_precision
from hal.drivers.onnxruntime.lending import Loan, Packed, lending, mapped_places
from hal.runtime.cache import map_file as cache_file
from nnir.dim import symbol
from nnir.errors import BadCall, DeviceError, NoLowering
from nnir.mapping import LEAST_MAPPED, map_file
from nnir.model import Model
from nnir.ops import (
    activation,
    binary,
    control,
    conv,
    linear,
    pool,
    quant,
    reduce,
    shape,
    unary,
)
from nnir.progress import listening
from nnir.types import AutoPad, Precision, TensorType


@pytest.mark.parametrize("name", ["mlp", "cnn", "loop"])
def test_the_written_file_is_valid_and_equal(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    model = nna.load(request.getfixturevalue(name))
    path = tmp_path / "out.onnx"
    nna.convert(model, path)
    onnx.checker.check_model(path, full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    sizes = {"batch": 2, "n": 2}
    rng = np.random.default_rng(0)
    arrays = [
        np.asarray(rng.normal(0, 3, [sizes.get(str(d), d) for d in v.shape])).astype(v.dtype)
        for v in model.inputs
    ]
    want = nna.compile(model, "onnxruntime")(*arrays)
    got = session.run(
        [n for n, _ in model.named_outputs()],
        dict(zip([v.name for v in model.inputs], arrays, strict=True)),
    )
    for mine, theirs in zip(want, got, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("unstacks", [True, False])
def test_many_pieces_are_read_back(unstacks: bool, tmp_path: Path) -> None:
    """More than a tensor has axes, or a vector elements that are followed."""
    count = 70
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2, count * (1 if unstacks else 2))))
    if unstacks:
        model.outputs = list(shape.unstack(x, axis=1, num=count))
    else:
        lengths = model.constant(np.tile([1, 3], count // 2))
        model.outputs = list(shape.split(x, lengths, axis=1))
    nna.convert(model, tmp_path / "out.onnx")
    again = nna.load(tmp_path / "out.onnx")
    assert [v.shape for v in again.outputs] == [v.shape for v in model.outputs]
    array = np.random.default_rng(0).standard_normal(x.shape, np.float32)
    pairs = zip(*(nna.compile(m, "builtin")(array) for m in (model, again)), strict=True)
    for want, got in pairs:
        np.testing.assert_array_equal(got, want)


def test_pieces_of_lengths_that_are_computed() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (80,)))
    lengths = model.input("lengths", TensorType(Precision.INT64, (70,)))
    model.outputs = list(shape.split(x, lengths, axis=0))
    given = np.array([0, 2] * 10 + [1] * 40 + [2] * 10)
    array = np.arange(80, dtype=np.float32)
    found = nna.compile(model, "onnxruntime")(array, given)
    np.testing.assert_array_equal(np.concatenate(found), array)
    assert [a.size for a in found] == given.tolist()


def test_writing_is_deterministic(cnn: onnx.ModelProto, tmp_path: Path) -> None:
    for name in ("a", "b"):
        nna.convert(nna.load(cnn), tmp_path / f"{name}.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


def test_large_models_get_external_data(
    mlp: onnx.ModelProto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "LARGEST", 100)
    model = big_model()
    nna.convert(model, tmp_path / "big.onnx")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["big.onnx", "big.onnx.data"]
    onnx.checker.check_model(tmp_path / "big.onnx", full_check=True)
    x = np.ones(5000, np.float32)
    np.testing.assert_array_equal(
        nna.compile(nna.load(tmp_path / "big.onnx"))(x)[0], nna.compile(model)(x)[0]
    )


def big_model() -> Model:
    model = Model("big")
    x = model.input("x", TensorType(Precision.FLOAT32, (5000,)))
    weight = model.constant(np.arange(5000, dtype=np.float32), name="weight")
    model.outputs = [binary.mul(x, weight)]
    return model


def test_weights_are_borrowed() -> None:
    aligned = np.arange(5000, dtype=np.float32)
    assert ortvalue(onnxruntime, aligned).data_ptr() == aligned.ctypes.data
    unaligned = np.frombuffer(b"\0" + aligned.tobytes(), np.float32, 5000, 1)
    assert ortvalue(onnxruntime, unaligned).data_ptr() != unaligned.ctypes.data


def test_unaligned_weights_lie_in_a_file_while_a_session_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    rng = np.random.default_rng(0)
    square = rng.random((600, 600), np.float32)
    shifted = np.frombuffer(b"\0" + square.tobytes(), np.float32, square.size, 1)
    weights = {"aligned": square, "shifted": shifted.reshape(square.shape), "turned": square.T}
    with lending(onnxruntime, weights, {}) as loan:
        assert loan.folder is not None
        assert list(loan.tensors) == ["aligned"]
        held = np.fromfile(loan.folder / "weights", np.float32)
    np.testing.assert_array_equal(held, np.stack([square, square.T]).reshape(-1))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with lending(onnxruntime, weights, {}) as loan:
        assert loan.folder is None
        assert list(loan.tensors) == list(weights)
    assert list(tmp_path.iterdir()) == []


def test_weights_in_a_file_are_read_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever they begin, also transposed ones, and those of a cache; they are lent when the file
    is not there any more."""
    path, x = tmp_path / "model.onnx", np.eye(2, 600, dtype=np.float32)
    numbers = [np.random.default_rng(k).random((600, 600), np.float32) for k in range(3)]
    names = ("as", "turned", "known")
    nodes = [
        helper.make_node("MatMul", ["x", "as"], ["0"]),
        helper.make_node("Transpose", ["turned"], ["1"]),
        helper.make_node("MatMul", ["0", "1"], ["2"]),
        helper.make_node("MatMul", ["2", "known"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, (2, 600)) for n in "xy"]
    held = [numpy_helper.from_array(a, n) for a, n in zip(numbers, names, strict=True)]
    graph = helper.make_graph(nodes, "g" * 3, ends[:1], ends[1:], held)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path
    )
    want = onnxruntime.InferenceSession(path).run(None, {"x": x})[0]

    model = nna.load(path)
    emitter, _ = emit(model)
    places = mapped_places(onnxruntime, emitter.weights)
    assert len(places) == 3
    assert any(offset % 4 for _, offset in places.values())
    for file, offset in places.values():
        array = np.fromfile(f"/{file}", np.float32, 600 * 600, offset=offset).reshape(600, 600)
        assert any(np.array_equal(array, n) for n in numbers)
    asked, add_to = list[bool](), Loan.add_to

    def note(loan: Loan, options: onnxruntime.SessionOptions) -> None:
        asked.append(loan.is_rooted)
        add_to(loan, options)

    monkeypatch.setattr(Loan, "add_to", note)
    for _ in range(2):  # to a cache, and from it
        found = nna.compile(model, "onnxruntime", cache_dir=tmp_path)(x)[0]
        np.testing.assert_allclose(found, want, rtol=1e-5)
    found = nna.compile(model, "onnxruntime")(x)[0]
    assert asked == [True] * 3  # none had to be opened again without files
    path.unlink()
    heard = MagicMock()
    with listening(heard):
        np.testing.assert_array_equal(nna.compile(model, "onnxruntime")(x)[0], found)
    assert asked[3:] == [True, False]
    (told,) = heard.note.call_args.args
    assert told.startswith("onnxruntime gets copies of weights: ")
    assert {p.suffix for p in tmp_path.iterdir()} == {".nnc"}


def test_older_releases_do_not_look_for_weights_in_files(tmp_path: Path) -> None:
    array = np.zeros(1 << 16, np.float32)
    array.tofile(tmp_path / "weights")
    weights = {"weight": np.frombuffer(map_file(tmp_path / "weights"), np.float32)}
    assert list(mapped_places(onnxruntime, weights)) == ["weight"]
    assert mapped_places(onnxruntime, {"weight": array}) == {}
    assert mapped_places(ModuleOf("1.21.1"), weights) == {}


class ModuleOf(ModuleType):
    """A module of a release."""

    def __init__(self, release: str) -> None:
        super().__init__("onnxruntime")
        self.__version__ = release


@pytest.mark.parametrize("tempdir", [".", "absent"])
def test_results_are_the_same_with_a_file_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tempdir: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / tempdir))
    model = Model("turned")
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 600)))
    weight = np.arange(600 * 600, dtype=np.float32).reshape(600, 600) % 7
    model.outputs = [linear.mat_mul(x, model.constant(weight.T, name="weight"))]
    x_data = np.eye(2, 600, dtype=np.float32)
    (found,) = nna.compile(model, "onnxruntime")(x_data)
    np.testing.assert_array_equal(found, weight.T[:2])
    assert list(tmp_path.iterdir()) == []


def test_a_restored_session_reads_weights_where_the_cache_is_mapped() -> None:
    device = OnnxRuntime()
    device.open_device()
    context = device.create_context({}, None)
    model = big_model()
    ends = ([v.type for v in model.inputs], [v.type for v in model.outputs])
    kept = Cache(*ends)
    x = np.linspace(-1, 1, 5000, dtype=np.float32)
    want = device.execute_program(device.create_program(context, model, kept), [x])
    restored = device.create_program(context, None, Cache(*ends, kept.buffer))
    found = unpack_kept(kept.view)
    assert isinstance(found, Kept)
    assert [w.nbytes for w in found.weights.values()] == [20_000]
    assert np.shares_memory(next(iter(found.weights.values())), np.frombuffer(kept.view, np.uint8))
    np.testing.assert_array_equal(device.execute_program(restored, [x]), want)


def test_a_cache_finds_weights_in_no_file_but_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever wrote it does not read another file by it, named from the root or from here."""
    monkeypatch.chdir(tmp_path)
    count = LEAST_MAPPED
    secret, place = tmp_path / "secret", tmp_path / "cache"
    np.arange(count, dtype=np.float32).tofile(secret)
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, (count,)) for n in "xy"]
    for path in (str(secret), str(secret).lstrip("/"), "../secret"):
        outer, other = (outside(n, p, count) for n, p in (("w", keeping.WEIGHTS), ("c", path)))
        nodes = [
            helper.make_node("Constant", [], ["c"], value=other),
            helper.make_node("Sum", ["x", "w", "c"], ["y"]),
        ]
        graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [outer])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        head = model.SerializeToString()
        front = keeping.MAGIC + len(head).to_bytes(8, "little") + head
        gap = -len(front) % keeping.ALIGNMENT
        place.write_bytes(front + bytes(gap) + bytes(4 * count))
        device = OnnxRuntime()
        device.open_device()
        types = [TensorType(Precision.FLOAT32, (count,))]
        with pytest.raises(DeviceError):
            device.create_program(
                device.create_context({}, None), None, Cache(types, types, cache_file(place))
            )


def outside(name: str, location: str, count: int) -> onnx.TensorProto:
    """A tensor of floats whose data lie in a file."""
    tensor = onnx.TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[count])
    tensor.data_location = TensorProto.EXTERNAL
    entries = {"location": location, "offset": "0", "length": str(4 * count)}
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


def kept_of(model: Model) -> tuple[Kept, Cache, OnnxRuntime]:
    """What a program leaves behind, in what, and of which device."""
    device = OnnxRuntime()
    device.open_device()
    cache = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
    device.create_program(device.create_context({}, None), model, cache)
    kept = unpack_kept(cache.view)
    assert isinstance(kept, Kept)
    return kept, cache, device


def test_what_kernels_read_is_kept(tmp_path: Path) -> None:
    """Products find weights as they were packed, in the file itself: none is held in memory."""
    numbers = np.random.default_rng(0).random((512, 1000), np.float32)
    model = Model("product")
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 512)))
    model.outputs = [linear.mat_mul(x, model.constant(numbers, name="weight"))]
    kept, _, _ = kept_of(model)
    (form,) = kept.packed["weight"]
    assert form.size >= 4 * 512 * 1008  # columns in groups of 16
    assert form.entry_at(form.origin + 7) == {
        form.key: f"{form.kernel}|{form.offset + 7};{form.size};0"
    }
    array = np.random.default_rng(1).random((3, 512), np.float32)
    want = nna.compile(model, "onnxruntime")(array)[0]
    for _ in range(2):
        program = nna.compile(model, "onnxruntime", cache_dir=tmp_path)
        np.testing.assert_array_equal(program(array)[0], want)
    assert program.is_restored


def test_kernels_read_what_is_kept(tmp_path: Path) -> None:
    """ONNX Runtime packs weights to compare them, by a hash, and then reads those of the file."""
    numbers = np.random.default_rng(0).random((512, 1000), np.float32)
    model = Model("product")
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 512)))
    model.outputs = [linear.mat_mul(x, model.constant(numbers, name="weight"))]
    kept, cache, device = kept_of(model)
    (form,) = kept.packed["weight"]
    whole = np.frombuffer(cache.view, np.uint8)
    start = kept.weights["weight"].ctypes.data - whole.ctypes.data + form.offset - form.origin
    damaged = whole.copy()
    damaged[start : start + form.size] = 0
    damaged.tofile(tmp_path / "cache")
    context = device.create_context({}, None)
    again = Cache(cache.inputs, cache.outputs, cache_file(tmp_path / "cache"))
    program = device.create_program(context, None, again)
    (found,) = device.execute_program(program, [np.ones((3, 512), np.float32)])
    assert not found.any()


def test_forms_that_begin_anywhere_are_packed_anew(tmp_path: Path) -> None:
    """ONNX Runtime writes weights below a megabyte one behind the other; a kernel that loads whole
    registers of what does not begin where it may ends the process."""
    rng = np.random.default_rng(0)
    model = Model("products")
    x = model.input("x", TensorType(Precision.FLOAT32, (64, 270)))
    for k in range(6):
        weight, bias = (rng.random(s, np.float32) for s in ((270, 270), (270,)))
        named = model.constant(weight, name=f"weight{k}"), model.constant(bias, name=f"bias{k}")
        x = activation.relu(linear.fully_connected(x, *named))
    model.outputs = [x]
    kept, _, _ = kept_of(model)
    forms = [form for forms in kept.packed.values() for form in forms]
    assert not all(form.is_readable_at(form.origin) for form in forms)
    array = rng.random((64, 270), np.float32)
    want = nna.compile(model, "onnxruntime")(array)[0]
    for _ in range(2):
        program = nna.compile(model, "onnxruntime", cache_dir=tmp_path)
        np.testing.assert_array_equal(program(array)[0], want)
    assert program.is_restored


def test_whole_registers_are_loaded_from_their_multiples() -> None:
    form = Packed("prepacked_0", "Gemm+1", 100, 164, 4096)
    assert form.is_readable_at(128)
    assert not form.is_readable_at(100)
    assert not form.is_readable_at(160)


@pytest.mark.parametrize(
    "text",
    ["Gemm+1|64;1000;0", "Gemm+1|-64;4128768;0", "Gemm+1|9999999;4128768;0", "Gemm+1|0;2;0;4;5;6"],
)
def test_forms_that_do_not_fit_are_packed_anew(text: str) -> None:
    """Kernels do not look at where they end."""
    form = Packed.of("prepacked_0", text, 0)
    weight = Weight(1, (512, 1000), 0, 2_048_000, () if form is None else (form,))
    assert weight.packed_in(5_000_000) == []
    fits = Weight(1, (512, 1000), 0, 2_048_000, (Packed("p", "Gemm+1", 0, 64, 4_128_768),))
    assert fits.packed_in(4_128_832) == list(fits.packed)
    assert fits.packed_in(4_128_831) == []


@pytest.mark.parametrize("size", [0, 7, 12, 20, 40, 300, 20_000])
def test_a_cache_that_is_cut_is_refused(size: int) -> None:
    device = OnnxRuntime()
    device.open_device()
    context = device.create_context({}, None)
    model = big_model()
    ends = ([v.type for v in model.inputs], [v.type for v in model.outputs])
    kept = Cache(*ends)
    device.create_program(context, model, kept)
    assert len(kept.buffer) > 20_000
    with pytest.raises(DeviceError):
        device.create_program(context, None, Cache(*ends, kept.buffer[:size]))


def test_threads_property() -> None:
    device = OnnxRuntime()
    device.open_device()
    context = device.create_context({"ONNXRUNTIME_NUM_THREADS": "1"}, None)
    assert context.options().intra_op_num_threads == 1
    with pytest.raises(BadCall, match="not a whole number"):
        device.create_context({"ONNXRUNTIME_NUM_THREADS": "many"}, None)


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16, np.uint16, np.int8, np.uint64])
def test_types_without_kernels(dtype: type) -> None:
    model = Model()
    kind = TensorType(nna.Precision(0), (3,))
    from nnir.types import precision_of

    kind = TensorType(precision_of(dtype), (3,))
    x = model.input("x", kind)
    model.outputs = [binary.mul(binary.add(x, x), x)]
    array = np.array([1, 2, 100], dtype)
    (got,) = nna.compile(model, "onnxruntime")(array)
    (want,) = nna.compile(model, "builtin")(array)
    assert got.dtype == want.dtype
    assert got.tobytes() == want.tobytes()


def test_what_cannot_be_widened_is_refused() -> None:
    assert compute_precision("Add", Precision.BFLOAT16) == Precision.FLOAT32
    with pytest.raises(NoLowering, match="no kernel of Conv for FLOAT64"):
        compute_precision("Conv", Precision.FLOAT64)


@pytest.mark.parametrize("pads", [(0, 0, 0, 0, 1, 1, 1, 2), (0, 0, 0, 0, -1, 3, 3, -1)])
def test_a_border_of_zeros_stays_one_before_a_pool(pads: tuple[int, ...]) -> None:
    """ONNX Runtime would make it the border of the MaxPool, which is below every number."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 2, 5, 5)))
    bordered = shape.pad(x, list(pads))
    model.outputs = [pool.max_pool_2d(bordered, kernel_shape=(3, 3), strides=(2, 2))]
    array = np.random.default_rng(0).uniform(-2, -1, (1, 2, 5, 5)).astype(np.float32)
    (got,) = nna.compile(model, "onnxruntime")(array)
    (want,) = nna.compile(model, "builtin")(array)
    np.testing.assert_array_equal(got, want)


def test_all_gaps_are_listed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from hal.drivers.onnxruntime.driver import LOWERINGS

    assert unary.erf.decompositions  # asking imports those of all operators
    for operator in (unary.erf, unary.sin):
        monkeypatch.delitem(LOWERINGS.entries, operator)
        monkeypatch.setattr(operator, "_decompositions", [])
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [unary.erf(unary.sin(unary.sin(x)))]
    with pytest.raises(NoLowering, match=r"SIN.*\(x2\); .*ERF.*\(x1\); device='builtin'"):
        nna.compile(model, "onnxruntime")


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", [Precision.INT4, Precision.UINT4, Precision.INT8])
def test_products_with_blocks_of_integers_are_exact(kind: Precision, turned: bool) -> None:
    model, rng = Model(), np.random.default_rng(0)
    x = model.input("x", TensorType(Precision.FLOAT32, (4, 64)))
    sizes = (32, 64) if turned else (64, 32)
    whole = rng.integers(0, 7, sizes).astype(kind.dtype)
    scales = rng.uniform(1, 2, (32, 4) if turned else (4, 32)).astype(np.float32)
    zeros = rng.integers(0, 7, scales.shape).astype(kind.dtype)
    parts = [model.constant(a) for a in (whole, scales, zeros)]
    real = quant.dequantize_linear(*parts, axis=int(turned), block_size=16)
    model.outputs = [linear.mat_mul(x, real, transpose_y=turned)]
    data = rng.normal(size=(4, 64)).astype(np.float32)
    (got, want) = (nna.compile(model, device)(data)[0] for device in ("onnxruntime", "builtin"))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_arithmetic_on_what_a_branch_captures_is_in_the_branch() -> None:
    model = Model()
    flag = model.input("flag", TensorType(Precision.BOOL8, ()))
    a, b = (model.input(n, TensorType(Precision.INT32, (3,))) for n in "ab")
    branches = []
    for operator in (binary.floor_div, binary.mod):
        branch = Model("branch", model)
        x, y = (branch.input(n, a.type) for n in "xy")
        branch.outputs = [operator(x, y)]
        branches.append(branch)
    model.outputs = list(control.if_(flag, a, b, then_model=branches[0], else_model=branches[1]))
    operands = np.array([-7, 7, 5], np.int32), np.array([2, -2, 0], np.int32)
    for side in (True, False):
        given = np.array(side), *operands
        want, got = (nna.compile(model, d)(*given)[0] for d in ("builtin", "onnxruntime"))
        np.testing.assert_array_equal(got, want, strict=True)


def test_a_lowering_that_refuses_leaves_no_initializers() -> None:
    """PRelu has no kernel for FLOAT64: it is decomposed, and its slope in another form."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT64, (2, 3)))
    model.outputs = [activation.prelu(x, model.constant(np.array([0.2, -0.25, 0.7])))]
    emitter, data = emit(model)
    graph = onnx.GraphProto.FromString(data)
    held = {i.name for i in graph.initializer} | emitter.weights.keys()
    assert held <= {name for node in graph.node for name in node.input}


@pytest.mark.parametrize(
    "kind", [Precision.INT8, Precision.UINT16, Precision.INT32, Precision.INT64]
)
@pytest.mark.parametrize("count", [0, 1, 2, 7, 64])
def test_products_wrap(kind: Precision, count: int) -> None:
    """Of known and of open sizes, along one axis and along several."""
    known, opened = (2, 3, count), tuple(map(symbol, "abc"))
    least, most = np.iinfo(kind.dtype).min, np.iinfo(kind.dtype).max
    data = np.random.default_rng(count).integers(least, most, known, kind.dtype)
    data |= kind.dtype.type(1)  # an even one is soon 0
    for sizes in (known, opened):
        for axes in ([2], [0, 2], []):
            model = Model()
            x = model.input("x", TensorType(kind, sizes))
            model.outputs = [reduce.reduce_prod(x, axes, keepdim=axes == [2])]
            found, wanted = (nna.compile(model, d)(data)[0] for d in ("onnxruntime", "builtin"))
            np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize(("kernel", "strides"), [((1, 1), (2, 2)), ((2, 3), (1, 1))])
def test_same_of_open_sizes_where_they_do_not_matter(
    kernel: tuple[int, int], strides: tuple[int, int]
) -> None:
    """Windows of one element, which ONNX Runtime pads below zero, and those of stride 1."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 2, symbol("h"), symbol("w"))))
    numbers = np.random.default_rng(0)
    taps = model.constant(numbers.standard_normal((3, 2, *kernel), np.float32))
    bias = model.constant(np.zeros(3, np.float32))
    how = {"strides": strides, "auto_pad": AutoPad.SAME, "dilations": (1, 1)}
    model.outputs = [conv.conv_2d(x, taps, bias, **how)]
    program, reference = nna.compile(model, "onnxruntime"), nna.compile(model)
    for size in ((4, 5), (7, 6)):
        image = numbers.standard_normal((1, 2, *size), np.float32)
        (got,), (want,) = program(image), reference(image)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_same_of_an_axis_of_one_element() -> None:
    """TensorFlow's convolutions along one axis have the stride of both."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 2, 1, symbol("w"))))
    taps = model.constant(np.ones((3, 2, 1, 3), np.float32))
    how = {"strides": (2, 2), "auto_pad": AutoPad.SAME, "dilations": (1, 1)}
    model.outputs = [conv.conv_2d(x, taps, model.constant(np.zeros(3, np.float32)), **how)]
    program, reference = nna.compile(model, "onnxruntime"), nna.compile(model)
    for size in (4, 7):
        row = np.random.default_rng(0).standard_normal((1, 2, 1, size), np.float32)
        np.testing.assert_allclose(program(row)[0], reference(row)[0], rtol=1e-5, atol=1e-5)
