"""The calls of the standard: the order of C, and its code for every misuse."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hal import standard
from hal.runtime import compilation as runtime
from hal.standard import (
    Compilation,
    Context,
    Device,
    Execution,
    Model,
    Operand,
    OperandType,
    Result,
)
from nnir import model as nnir
from nnir.errors import BadCall, NNAdapterError
from nnir.ops import unary
from nnir.types import Lifetime, Precision, TensorType

ROOT = Path(__file__).parents[2]
F32 = Precision.FLOAT32
INVALID = Result.INVALID_PARAMETER


def floats(*dimensions: int) -> OperandType:
    return OperandType(F32, dimensions)


def fuse(model: Model) -> Operand:
    operand = model.add_operand(OperandType(Precision.INT32, (1,)))
    model.set_operand_value(operand, np.zeros(1, np.int32))
    return operand


def doubled(dimensions: tuple[int, ...] = (-1, 3)) -> tuple[Model, Operand, Operand]:
    """x + x, not yet identified."""
    model = Model.create()
    x, y = model.add_operand(floats(*dimensions), "x"), model.add_operand(floats(), "y")
    model.add_operation(3, [x, x, fuse(model)], [y])
    return model, x, y


def finished() -> Model:
    model, x, y = doubled()
    model.identify_inputs_and_outputs([x], [y])
    model.finish()
    return model


def context(name: str = "builtin") -> Context:
    return Context.create([Device.acquire(name)])


def compiled() -> Compilation:
    compilation = Compilation.create(finished(), None, None, None, context())
    compilation.finish()
    return compilation


def give(memory: np.ndarray, type: OperandType) -> np.ndarray:
    type.dimensions = memory.shape
    return memory


def take(memory: list[np.ndarray], type: OperandType) -> np.ndarray:
    memory.append(np.empty(type.dimensions, type.precision.dtype))
    return memory[-1]


def test_the_whole_way() -> None:
    compilation = compiled()
    inputs, outputs = compilation.query_inputs_and_outputs()
    assert [t.dimensions for t in (*inputs, *outputs)] == [(-1, 3), (-1, 3)]
    execution = Execution.create(compilation)
    for rows in (2, 0, 5):
        x, found = np.full((rows, 3), 1.5, np.float32), []
        execution.set_input(0, x, give)
        execution.set_output(0, found, take)
        execution.compute()
        np.testing.assert_array_equal(found[0], x + x)
    execution.set_output(0, bytearray(60), lambda memory, type: memory)
    execution.compute()


def test_types_are_inferred_at_once() -> None:
    model, x, y = doubled()
    assert model.get_operand_type(y).dimensions == (-1, 3)
    assert model.get_operand_type(y).precision == F32
    model.identify_inputs_and_outputs([x], [y])
    assert model.get_operand_type(x).lifetime == Lifetime.MODEL_INPUT
    assert model.get_operand_type(y).lifetime == Lifetime.MODEL_OUTPUT


def test_operations_in_any_order() -> None:
    model = Model.create()
    x, y, z = (model.add_operand(floats(3), n) for n in "xyz")
    model.add_operation("ADD", [y, y, fuse(model)], [z])
    model.add_operation("RELU", [x], [y])
    model.identify_inputs_and_outputs([x], [z])
    model.finish()
    compilation = Compilation.create(model, None, None, None, context())
    compilation.finish()


def test_an_input_that_is_an_output() -> None:
    model, x, y = doubled()
    model.identify_inputs_and_outputs([x], [y, x])
    model.finish()
    assert [o.operator.name for o in model.graph.operations] == ["ADD", "ASSIGN"]


def test_values_are_copied_or_not() -> None:
    model, data = Model.create(), np.zeros(3, np.float32)
    copied, shared = model.add_operand(floats(3)), model.add_operand(floats(3))
    model.set_operand_value(copied, data, copy=True)
    model.set_operand_value(shared, data, copy=False)
    assert copied.data is not None
    assert shared.data is not None
    assert not np.shares_memory(copied.data, data)
    assert np.shares_memory(shared.data, data)
    kinds = [model.get_operand_type(o).lifetime for o in (copied, shared)]
    assert kinds == [Lifetime.CONSTANT_COPY, Lifetime.CONSTANT_REFERENCE]


def test_gears() -> None:
    model = Model.create()
    x = model.add_operand(OperandType(F32, (-1, 3), dynamic=((1, 3), (4, 3))), "x")
    y = model.add_operand(floats(), "y")
    model.add_operation("RELU", [x], [y])
    model.identify_inputs_and_outputs([x], [y])
    model.finish()
    compilation = Compilation.create(model, None, None, None, context())
    compilation.finish()
    execution = Execution.create(compilation)
    execution.set_output(0, [], take)
    for rows, code in ((1, None), (4, None), (2, Result.INVALID_DIMENSIONS)):
        execution.set_input(0, np.ones((rows, 3), np.float32), give)
        if code is None:
            execution.compute()
        else:
            assert code_of(execution.compute) == code


def test_the_cache(tmp_path: Path) -> None:
    first = Compilation.create(finished(), "token", None, str(tmp_path), context())
    first.finish()
    data = (tmp_path / "token.nnc").read_bytes()
    for given in (("token", None, str(tmp_path)), ("token", data, None)):
        again = Compilation.create(None, *given, context())
        again.finish()
        assert again.query_inputs_and_outputs() == first.query_inputs_and_outputs()


def code_of(call: Callable[[], Any]) -> Result:
    with pytest.raises(NNAdapterError) as caught:
        call()
    return caught.value.code


BAD_MODELS: dict[str, Callable[[Model, Operand, Operand], Any]] = {
    "finish before identify": lambda m, x, y: m.finish(),
    "an operand of another model": lambda m, x, y: m.add_operation(
        65, [Model.create().add_operand(floats(3))], [m.add_operand(floats(3))]
    ),
    "too few operands": lambda m, x, y: m.add_operation(3, [x, x], [m.add_operand(floats())]),
    "too many operands": lambda m, x, y: m.add_operation(65, [x, x], [m.add_operand(floats())]),
    "no outputs": lambda m, x, y: m.add_operation(65, [x], []),
    "only null outputs": lambda m, x, y: m.add_operation(65, [x], [None]),
    "too many outputs": lambda m, x, y: m.add_operation(
        65, [x], [m.add_operand(floats()), m.add_operand(floats())]
    ),
    "an output made twice": lambda m, x, y: m.add_operation(65, [x], [y]),
    "an output that is constant": lambda m, x, y: m.add_operation(65, [x], [fuse(m)]),
    "an output of another precision": lambda m, x, y: m.add_operation(
        65, [x], [m.add_operand(OperandType(Precision.INT8))]
    ),
    "an output of another shape": lambda m, x, y: m.add_operation(
        65, [x], [m.add_operand(floats(2, 2))]
    ),
    "no such operation": lambda m, x, y: m.add_operation(54321, [x], [m.add_operand(floats())]),
    "a required operand is null": lambda m, x, y: m.add_operation(
        65, [None], [m.add_operand(floats())]
    ),
    "a bad fuse code": lambda m, x, y: m.add_operation(
        3, [x, x, value(m, np.int32([9]))], [m.add_operand(floats())]
    ),
    "an attribute without a value": lambda m, x, y: m.add_operation(
        3, [x, x, m.add_operand(OperandType(Precision.INT32, (1,)))], [m.add_operand(floats())]
    ),
    "types that do not go together": lambda m, x, y: m.add_operation(
        3, [x, value(m, np.int32([9])), fuse(m)], [m.add_operand(floats())]
    ),
    "a value set twice": lambda m, x, y: (
        m.set_operand_value(fuse(m), np.zeros(1, np.int32))
        or m.set_operand_value(value(m, np.int32([1])), np.int32([1]))
    ),
    "a value for what is made": lambda m, x, y: m.set_operand_value(y, np.zeros(3, np.float32)),
    "a value of a wrong length": lambda m, x, y: m.set_operand_value(
        m.add_operand(floats(3)), np.zeros(2, np.float32)
    ),
    "a value of no bytes": lambda m, x, y: m.set_operand_value(m.add_operand(floats(0)), b""),
    "a value that is no buffer": lambda m, x, y: m.set_operand_value(
        m.add_operand(floats(3)), object()
    ),
    "no outputs identified": lambda m, x, y: m.identify_inputs_and_outputs([x], []),
    "an input twice": lambda m, x, y: m.identify_inputs_and_outputs([x, x], [y]),
    "an input that is made": lambda m, x, y: m.identify_inputs_and_outputs([y], [y]),
    "a null input": lambda m, x, y: m.identify_inputs_and_outputs([None], [y]),  # type: ignore[list-item]
    "a null type": lambda m, x, y: m.add_operand(None),  # type: ignore[arg-type]
    "an input that is not identified": lambda m, x, y: (
        m.identify_inputs_and_outputs([], [y]) or m.finish()
    ),
    "an output that nothing makes": lambda m, x, y: (
        m.identify_inputs_and_outputs([x], [m.add_operand(floats(1))]) or m.finish()
    ),
    "a name that is no text": lambda m, x, y: m.add_operand(floats(3), 5),  # type: ignore[arg-type]
    "a type that was spoiled": lambda m, x, y: m.add_operand(spoiled()),
    "null inputs": lambda m, x, y: m.add_operation(65, None, [y]),  # type: ignore[arg-type]
    "null for outputs": lambda m, x, y: m.add_operation(65, [x], None),  # type: ignore[arg-type]
    "a bare operand": lambda m, x, y: m.add_operation(65, x, [y]),  # type: ignore[arg-type]
    "null ends": lambda m, x, y: m.identify_inputs_and_outputs(None, None),  # type: ignore[arg-type]
    "a value of objects": lambda m, x, y: m.set_operand_value(
        m.add_operand(floats(2)), np.array([None])
    ),
    "compile before finish": lambda m, x, y: Compilation.create(m, None, None, None, context()),
    "ask before finish": lambda m, x, y: m.get_supported_operations(context()),
    "a destroyed model": lambda m, x, y: m.destroy() or m.add_operand(floats(3)),
}


def spoiled() -> OperandType:
    type = floats(3)
    type.dimensions = None  # type: ignore[assignment]
    return type


def value(model: Model, array: np.ndarray) -> Operand:
    kind = Precision.INT32 if array.dtype == np.int32 else F32
    operand = model.add_operand(OperandType(kind, array.shape))
    model.set_operand_value(operand, array)
    return operand


@pytest.mark.parametrize("what", BAD_MODELS)
def test_misuse_of_a_model(what: str) -> None:
    model, x, y = doubled()
    assert code_of(lambda: BAD_MODELS[what](model, x, y)) == INVALID


AFTER_FINISH: dict[str, Callable[[Model], Any]] = {
    "finish again": lambda m: m.finish(),
    "add an operand": lambda m: m.add_operand(floats(3)),
    "identify again": lambda m: m.identify_inputs_and_outputs([], []),
    "add an operation": lambda m: m.add_operation(65, [], []),
}


@pytest.mark.parametrize("what", AFTER_FINISH)
def test_a_finished_model_does_not_change(what: str) -> None:
    assert code_of(lambda: AFTER_FINISH[what](finished())) == INVALID


@pytest.mark.parametrize("dimensions", [None, 5, "x", ("a",), (None,), (1.5,), (True,), (-2,)])
def test_dimensions_that_are_none(dimensions: Any) -> None:
    assert code_of(lambda: OperandType(F32, dimensions)) == INVALID
    assert code_of(lambda: OperandType(F32, (-1,), dynamic=(dimensions,))) == INVALID


@pytest.mark.parametrize(
    "more",
    [
        {"dimensions": (1,) * 65},
        {"dimensions": (10**5000,)},
        {"dynamic": 5},
        {"dynamic": (5,)},
        {"quantization": 5},
        {"layout": "x"},
        {"lifetime": 9},
        {"precision": []},
    ],
    ids=lambda more: f"{next(iter(more))}",
)
def test_types_that_are_none(more: dict[str, Any]) -> None:
    assert code_of(lambda: OperandType(**({"precision": F32} | more))) == INVALID


@pytest.mark.parametrize("type", [None, [], object(), b"ADD", b"65", 65.5, True, "65", 10**99])
def test_operations_that_are_none(type: Any) -> None:
    model, x, _ = doubled()
    y = model.add_operand(floats())
    assert code_of(lambda: model.add_operation(type, [x], [y])) == INVALID


def test_misuse_of_devices_and_contexts() -> None:
    device = Device.acquire("builtin_device")
    assert device.get_name() == "builtin"
    assert code_of(lambda: Device.acquire("abacus")) == Result.DEVICE_NOT_FOUND
    assert code_of(lambda: Device.acquire("")) == INVALID
    assert code_of(lambda: Context.create([])) == INVALID
    assert code_of(lambda: Context.create([device, device])) == INVALID
    assert code_of(lambda: Context.create([device], "no pair")) == INVALID
    for bad in (5, device, [5], "builtin"):
        assert code_of(lambda bad=bad: Context.create(bad)) == INVALID
    for bad in (5, b"", [1]):
        assert code_of(lambda bad=bad: Context.create([device], bad)) == INVALID
    assert code_of(lambda: Context.create([device], "", 5)) == INVALID  # type: ignore[arg-type]
    device.release()
    device.release()
    assert code_of(device.get_name) == INVALID
    assert code_of(lambda: Context.create([device])) == INVALID


def test_misuse_of_compilations_and_executions() -> None:
    assert code_of(lambda: Compilation.create(None, None, None, None, context())) == INVALID
    gone = context()
    gone.destroy()
    assert code_of(lambda: Compilation.create(finished(), None, None, None, gone)) == INVALID
    early = Compilation.create(finished(), None, None, None, context())
    assert code_of(lambda: Execution.create(early)) == INVALID
    assert code_of(early.query_inputs_and_outputs) == INVALID
    compilation = compiled()
    assert code_of(compilation.finish) == INVALID
    execution = Execution.create(compilation)
    assert code_of(execution.compute) == INVALID
    assert code_of(lambda: execution.set_input(1, None, give)) == INVALID
    assert code_of(lambda: execution.set_output(-1, None, take)) == INVALID
    assert code_of(lambda: execution.set_input(0, None, None)) == INVALID  # type: ignore[arg-type]
    execution.set_output(0, [], take)
    assert code_of(lambda: execution.set_input(True, None, give)) == INVALID
    assert code_of(lambda: execution.set_input(None, None, give)) == INVALID  # type: ignore[arg-type]
    for bad in (np.ones(3, np.float32), np.ones((2, 4), np.float32)):
        execution.set_input(0, bad, give)
        assert code_of(execution.compute) == Result.INVALID_DIMENSIONS
    execution.set_input(0, b"\0" * 8, lambda memory, type: memory)
    assert code_of(execution.compute) == Result.INVALID_DIMENSIONS
    compilation.destroy()
    compilation.destroy()
    assert code_of(execution.compute) == INVALID


@pytest.mark.parametrize(
    ("token", "buffer", "directory"),
    [
        (5, None, "."),
        (b"t", None, "."),
        ("\ud800", None, "."),
        ("t", 5, None),
        ("t", "text", None),
        ("t", np.array([None]), None),
        ("t", None, 5),
        ("t", None, ["a"]),
        ("t", None, "a\0b"),
    ],
)
def test_misuse_of_caches(
    token: Any, buffer: Any, directory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model, there = finished(), context()
    made = (model, token, buffer, directory, there)
    assert code_of(lambda: Compilation.create(*made)) == INVALID
    assert not list(tmp_path.iterdir())


def test_a_cache_in_any_buffer(tmp_path: Path) -> None:
    Compilation.create(finished(), "token", None, str(tmp_path), context()).finish()
    data = (tmp_path / "token.nnc").read_bytes()
    for buffer in (bytearray(data), memoryview(data), np.frombuffer(data, np.uint8)):
        again = Compilation.create(None, "token", buffer, None, context())  # type: ignore[arg-type]
        again.finish()
        assert again.runtime.is_restored
        assert not again.gears


@pytest.mark.parametrize("what", ["context", "compilation"])
def test_nothing_runs_after_the_end(what: str) -> None:
    compilation = compiled()
    execution = Execution.create(compilation)
    execution.set_input(0, np.ones((2, 3), np.float32), give)
    execution.set_output(0, [], take)
    execution.compute()
    (compilation.context if what == "context" else compilation).destroy()
    assert code_of(execution.compute) == INVALID
    assert code_of(lambda: Execution.create(compilation)) == INVALID
    compilation.destroy()


def test_nothing_is_compiled_after_the_end_of_the_context() -> None:
    compilation = Compilation.create(finished(), None, None, None, context())
    compilation.context.destroy()
    assert code_of(compilation.finish) == INVALID


def leave(dimensions: Any) -> standard.execution.Access:
    def access(memory: Any, type: OperandType) -> Any:
        type.dimensions = dimensions
        return memory

    return access


SIZES = Result.INVALID_DIMENSIONS


@pytest.mark.parametrize(
    ("memory", "dimensions", "code"),
    [
        (np.ones(6, np.float32), None, INVALID),
        (np.ones(6, np.float32), 5, INVALID),
        (np.ones(3, np.float32), (True, True, 3), INVALID),
        (np.ones(6, np.float32), (2.0, 3), INVALID),
        (np.ones(0, np.float32), (0, 2**70), SIZES),
        (np.ones(1, np.float32), (1,) * 100, SIZES),
        (np.ones(6, np.float32), (-2, -3), SIZES),
        (np.array([None] * 3), (2, 3), INVALID),
        (np.ones((3, 2), np.float32).T, (2, 3), INVALID),
        ("text", (2, 3), INVALID),
    ],
    ids=lambda value: f"{value!r:.40}",
)
def test_accessors_that_leave_nonsense(memory: Any, dimensions: Any, code: Result) -> None:
    execution = Execution.create(compiled())
    execution.set_output(0, [], take)
    execution.set_input(0, memory, leave(dimensions))
    assert code_of(execution.compute) == code


def test_accessors_that_raise() -> None:
    def fail(memory: Any, type: OperandType) -> Any:
        raise LookupError("no such memory")

    def full(memory: Any, type: OperandType) -> Any:
        raise MemoryError

    execution = Execution.create(compiled())
    good = (np.ones((2, 3), np.float32), give), ([], take)
    for ends in (((None, fail), good[1]), (good[0], (None, fail))):
        execution.set_input(0, *ends[0])
        execution.set_output(0, *ends[1])
        with pytest.raises(BadCall, match="raised LookupError: no such memory") as caught:
            execution.compute()
        assert isinstance(caught.value.__cause__, LookupError)
    execution.set_output(0, None, full)
    assert code_of(execution.compute) == Result.OUT_OF_MEMORY
    execution.set_output(0, None, lambda *_: np.array([None] * 6))
    assert code_of(execution.compute) == INVALID


def test_an_accessor_does_not_change_the_precision() -> None:
    def access(memory: np.ndarray, type: OperandType) -> np.ndarray:
        type.dimensions, type.precision = memory.shape, None  # type: ignore[assignment]
        return memory

    execution, found = Execution.create(compiled()), []
    execution.set_input(0, np.ones((2, 3), np.float32), access)
    execution.set_output(0, found, take)
    execution.compute()
    np.testing.assert_array_equal(found[0], np.full((2, 3), 2, np.float32))


def test_a_scalar_is_one_element() -> None:
    scalar = nnir.Model()
    x = scalar.input("x", TensorType(F32, ()))
    scalar.outputs = [unary.abs_(x)]
    where = context()
    inner = runtime.Compilation(scalar, where.runtime)
    compilation = Compilation(inner, where, [])
    compilation.finish()
    execution, found = Execution.create(compilation), []
    execution.set_output(0, found, take)
    for shape, code in (((1,), None), ((), None), ((2,), SIZES), ((1, 1), SIZES)):
        execution.set_input(0, np.full(shape, -2, np.float32), give)
        if code is None:
            execution.compute()
        else:
            assert code_of(execution.compute) == code
    assert [array.item() for array in found] == [2, 2]


def test_what_no_device_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from hal.drivers.builtin import Builtin

    model = finished()
    monkeypatch.setattr(Builtin, "validate_program", lambda *_: [False])
    assert model.get_supported_operations(context()) == [False]


ROWS = re.findall(r"^\| `(\w+)` \| `([\w.]+)\(", (ROOT / "docs/api_map.md").read_text(), re.M)


def test_the_map_has_all_functions() -> None:
    functions = [c for c, _ in ROWS if c.startswith("NNAdapter")]
    assert len(functions) == len(set(functions)) == 28


@pytest.mark.parametrize(("function", "name"), ROWS, ids=[c for c, _ in ROWS])
def test_the_map_tells_the_truth(function: str, name: str) -> None:
    from hal.runtime.options import Options

    found: Any = standard if function.startswith("NNAdapter") else Options
    for part in name.split("."):
        found = getattr(found, part)
    assert callable(found)
    assert found.__doc__ or name.rpartition(".")[2].startswith("get_")


@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
def test_the_example_runs(device: str) -> None:
    command = [sys.executable, str(ROOT / "examples/operand_by_operand.py"), device]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "inferred: (-1, 4, 4, 4)" in done.stdout
    assert "result: (2, 4, 4, 4)" in done.stdout
