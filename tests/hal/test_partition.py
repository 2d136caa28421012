"""Models split over devices: never in a circle, always the same results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from hal.device import Device
from hal.drivers.builtin import Builtin
from hal.runtime.context import Context
from hal.runtime.partition import Split, split
from hal.runtime.program import Program
from hal.runtime.subgraph_config import Rules, line_of
from nnir.errors import BadCall, BadFile, NoDevice, NoLowering
from nnir.evaluate import evaluate
from nnir.model import Model
from nnir.ops import activation, binary, generate, unary
from nnir.passes import apply, remove_dead_code
from nnir.types import Precision, TensorType
from tests.hal.random_graphs import SIZE, Picky, random_graph

FLOATS = TensorType(Precision.FLOAT32, (3,))


def installed(monkeypatch: pytest.MonkeyPatch, *devices: Device) -> list[str]:
    """Let the runtime find these devices too; their names."""
    found = {d.name: d for d in (*devices, Builtin())}
    monkeypatch.setattr("hal.runtime.context.acquire", found.__getitem__)
    return list(found)


def is_in_order(found: Split) -> bool:
    """Whether each part reads only what was made before it: no part waits for a later one."""
    made: set[int] = set()
    for part in found.parts:
        if not {i for i in part.inputs if i >= 0} <= made:
            return False
        made.update(part.outputs)
    return True


@pytest.mark.parametrize("seed", range(200))
def test_random_graphs_on_random_devices(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_graph(rng)
    apply(model, (remove_dead_code,))
    count = len(model.operations)
    devices = [Picky(f"d{k}", set(np.flatnonzero(rng.random(count) < 0.5))) for k in range(3)]
    names = installed(monkeypatch, *devices)
    with Context(names) as context:
        found = split(model, context)
    assert is_in_order(found)
    assert sum(len(p.model.operations) for p in found.parts) == count
    arrays = [rng.integers(-9, 9, (SIZE, SIZE)).astype(np.int32) for _ in model.inputs]
    results = Program(model, names)(*arrays)
    for ours, theirs in zip(results, evaluate(model, arrays), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert len({id(r) for r in results}) == len(results)


def chain() -> Model:
    """exp, then relu, then exp, then an addition of the first and the last."""
    model = Model("chain")
    x = model.input("x", FLOATS)
    first = unary.exp(x)
    second = unary.exp(activation.relu(first))
    model.outputs = [binary.add(first, second)]
    for name, operation in zip(("a", "b", "c", "d"), model.operations, strict=True):
        operation.outputs[0].name = name
    return model


def test_neighbours_of_one_device_are_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    names = installed(monkeypatch, Picky("some", {0, 2, 3}))
    program = Program(chain(), names)
    assert program.devices == ["some", "builtin", "some"]
    x = np.array([-1, 0, 2], np.float32)
    np.testing.assert_array_equal(program(x)[0], evaluate(chain(), [x])[0])


def test_independent_branches_do_not_make_more_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model("branches")
    x = model.input("x", FLOATS)
    model.outputs = [binary.add(unary.exp(unary.abs_(x)), unary.exp(unary.sqrt(x)))]
    names = installed(monkeypatch, Picky("some", {0, 2}))
    assert Program(model, names).devices == ["some", "builtin"]


def test_one_device_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    names = installed(monkeypatch, Picky("none", set()))
    assert Program(chain(), names[:1]).devices == ["none"]


def test_what_no_device_runs_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    names = installed(monkeypatch, Picky("p", {0, 2}), Picky("q", {0, 3}))
    with pytest.raises(NoLowering, match=r"p does not run RELU; q: q does not run RELU \(x1\)"):
        Program(chain(), names[:2])


def test_outputs_that_are_inputs_or_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model("ends")
    x = model.input("x", FLOATS)
    y = unary.exp(x)
    model.outputs = [x, y, model.constant([7, 8], np.int32), y]
    names = installed(monkeypatch, Picky("some", {0}))
    given = np.ones(3, np.float32)
    first, second, third, fourth = Program(model, names)(given)
    assert first is not given
    assert second is not fourth
    np.testing.assert_array_equal(first, given)
    np.testing.assert_array_equal(second, fourth)
    np.testing.assert_array_equal(third, [7, 8])


def test_the_config_forces_operations_to_the_host() -> None:
    pytest.importorskip("onnxruntime")
    model, x = chain(), np.array([-1, 0, 2], np.float32)
    whole = nna.compile(model, "onnxruntime")
    for config, devices in {
        "RELU": ["onnxruntime", "builtin", "onnxruntime"],
        "EXP:x:a\nADD": ["builtin", "onnxruntime", "builtin"],
        "EXP::c": ["onnxruntime", "builtin", "onnxruntime"],
        "EXP:b": ["onnxruntime", "builtin", "onnxruntime"],
        "EXP:x:c": ["onnxruntime"],
    }.items():
        program = nna.compile(model, "onnxruntime", partition=config)
        assert program.devices == devices
        np.testing.assert_allclose(program(x)[0], whole(x)[0], rtol=1e-6)


def test_the_config_is_read_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "split.txt"
    path.write_text("\nRELU:a\n\n")
    options = nna.Options().set_nnadapter_device_names(["onnxruntime"])
    options.set_nnadapter_subgraph_partition_config_path(path)
    three = ["onnxruntime", "builtin", "onnxruntime"]
    assert nna.compile(chain(), options).devices == three
    assert nna.compile(chain(), "onnxruntime", partition=path).devices == three
    options.set_nnadapter_subgraph_partition_config_buffer("TANH")
    assert nna.compile(chain(), options).devices == ["onnxruntime"]
    monkeypatch.setenv("SUBGRAPH_PARTITION_CONFIG_FILE", str(path))
    assert nna.compile(chain(), "onnxruntime").devices == three
    monkeypatch.setenv("SUBGRAPH_PARTITION_CONFIG_BUFFER", "TANH")
    assert nna.compile(chain(), "onnxruntime").devices == ["onnxruntime"]


@pytest.mark.parametrize("text", [":x", "RELU:a:b:c", "RELU a"])
def test_bad_configs(text: str) -> None:
    with pytest.raises(BadCall, match="write op_type"):
        Rules.parse(text)


@pytest.mark.parametrize("text", ["FOO", "RELU\nConv:x:y", "\x7fELF", "RELU\0"])
def test_types_that_are_no_operators(text: str) -> None:
    with pytest.raises(BadCall, match=r"no operator '.*'; `nnadapter ops` lists them"):
        Rules.parse(text)


def test_a_config_that_is_not_there(tmp_path: Path) -> None:
    for name in ("none.txt", "", "a\0b"):
        with pytest.raises(BadFile, match="cannot read the partition config"):
            Rules.read(tmp_path / name)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"RELU:a\0b", b"\0\0"])
def test_a_config_that_is_no_text(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "split.txt").write_bytes(data)
    with pytest.raises(BadFile, match="cannot read the partition config"):
        Rules.read(tmp_path / "split.txt")


def test_a_config_of_an_editor_that_marks_it(tmp_path: Path) -> None:
    (tmp_path / "split.txt").write_bytes(b"\xef\xbb\xbfrelu:\xc3\xa9\r\n")
    assert Rules.read(tmp_path / "split.txt") == Rules.parse("relu:é")


def test_lines_of_operations_match_them() -> None:
    model = chain()
    lines = [line_of(o) for o in model.operations]
    assert lines == ["EXP:x:a", "RELU:a:b", "EXP:b:c", "ADD:a,c:d"]
    for operation, line in zip(model.operations, lines, strict=True):
        rules = Rules.parse(line)
        assert [o for o in model.operations if rules.match(o)] == [operation]


def test_contexts_that_make_no_sense() -> None:
    with pytest.raises(BadCall, match="at least one device"):
        Program(chain(), [])
    with pytest.raises(BadCall, match="listed twice"):
        Program(chain(), ["builtin", "builtin_device"])
    with pytest.raises(NoDevice, match="no device 'abacus'"):
        Program(chain(), "builtin,abacus")


def test_the_config_does_not_open_a_way_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    names = installed(monkeypatch, Picky("some", {0, 2, 3}))
    with pytest.raises(NoLowering, match="no device runs: some: some does not run RELU"):
        Program(chain(), names[:1], rules=Rules.parse("ADD"))
    assert Program(chain(), names[:1], rules=Rules.parse("RELU")).devices == [
        "some",
        "builtin",
        "some",
    ]


@pytest.mark.parametrize("read", [0, 1])
def test_inputs_that_nobody_reads(read: int) -> None:
    model = Model()
    x, _ = (model.input(n, TensorType(Precision.FLOAT32, (2,))) for n in ("x", "unread"))
    model.outputs = [unary.exp(x) if read else generate.fill([2], model.constant(np.float32(1)))]
    program = nna.compile(model, ["onnxruntime", "builtin"])
    array = np.array([0, 1], np.float32)
    for _ in range(2):
        (got,) = program(array, array)
        np.testing.assert_allclose(got, np.exp(array) if read else [1, 1], rtol=1e-6)
