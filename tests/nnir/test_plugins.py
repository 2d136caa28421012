"""Plug-ins in this process: what they bring is found, what is not theirs is refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from frontends.table import Table
from hal.device import Device
from hal.drivers.builtin import Builtin
from hal.lowering import Lowerings
from nnir import archive
from nnir.errors import BadInput, NNAdapterError, NoDevice, Unsupported
from nnir.model import Model, Value
from nnir.operator import Operator, operator
from nnir.ops import activation, unary
from nnir.plugins import GROUP, REGISTRY, Plugin, PluginWarning
from nnir.types import Precision, TensorType

THREE = np.array([-1, 0, 2], np.float32)


def cube_of(code: int, name: str = "cube") -> Operator:
    def rule(input: Value) -> TensorType:
        return input.type

    rule.__name__ = name
    return operator(code=code, reference=lambda input: input**3)(rule)


CUBE = cube_of(10_100)


@pytest.fixture
def plugin() -> Iterator[Plugin]:
    """A plug-in with an operator, in place while a test runs."""
    made = Plugin("cubes", "2.0", operators=(CUBE,))
    nna.add_plugin(made)
    yield made
    REGISTRY.remove("cubes")


def model_of(operator: Operator) -> Model:
    model = Model("m")
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [operator(x)]
    return model


def run(model: Model, device: str = "builtin") -> list[float]:
    with nna.compile(model, device=device) as program:
        found: list[float] = program(THREE)[0].tolist()
    return found


def test_its_operators_are_listed(plugin: Plugin) -> None:
    assert nna.plugins() == {"cubes": plugin}
    assert nna.ops()["CUBE"] is CUBE
    assert REGISTRY.find_code(10_100) is CUBE
    REGISTRY.remove("cubes")
    assert "CUBE" not in nna.ops()
    assert REGISTRY.find_code(10_100) is None


def test_a_file_remembers_whose_an_operator_is(plugin: Plugin, tmp_path: Path) -> None:
    path = tmp_path / "a.nnir"
    nna.save(model_of(CUBE), path)
    assert run(nna.load(path)) == [-1, 0, 8]
    REGISTRY.remove("cubes")
    with pytest.raises(Unsupported, match=r"CUBE is of the plug-in cubes 2\.0, which is not"):
        nna.load(path)


def test_an_operator_of_nobody_is_not_saved() -> None:
    with pytest.raises(NNAdapterError, match="CUBE: no operators of nnadapter or of a plug-in"):
        archive.dumps(model_of(CUBE))


def test_a_device_without_a_lowering_refuses_it(plugin: Plugin) -> None:
    with pytest.raises(NNAdapterError, match="onnxruntime has no lowering for CUBE"):
        run(model_of(CUBE), "onnxruntime")


def test_lowerings_come_before_ours(plugin: Plugin) -> None:
    table = Lowerings[object]()
    table.native(CUBE, "Abs")
    table.native(unary.abs_, "Neg")
    nna.add_plugin(Plugin("cubes", "2.1", operators=(CUBE,), lowerings={"onnxruntime": table}))
    with pytest.warns(PluginWarning, match="cubes 2.1 lowers ABS for onnxruntime in our place"):
        assert run(model_of(CUBE), "onnxruntime") == [1, 0, 2]
    assert run(model_of(unary.abs_), "onnxruntime") == [1, 0, -2]
    REGISTRY.remove("cubes")
    assert run(model_of(unary.abs_), "onnxruntime") == [1, 0, 2]


def test_converters_come_before_ours() -> None:
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in "xy"]
    node = helper.make_node("Relu", ["x"], ["y"])
    graph = helper.make_graph([node], "g", ends[:1], ends[1:])
    source = helper.make_model(graph).SerializeToString()
    table = Table()
    table.same({"Relu": activation.tanh})
    try:
        nna.add_plugin(Plugin("other", "1", converters={"onnx": table}))
        with pytest.warns(PluginWarning, match="other 1 converts Relu of onnx in our place"):
            model = nna.load(source)
        assert [o.operator.name for o in model.operations] == ["TANH"]
    finally:
        REGISTRY.remove("other")
    assert [o.operator.name for o in nna.load(source).operations] == ["RELU"]


def test_its_devices_are_found() -> None:
    class Toy(Builtin):
        name = "toy"

    try:
        nna.add_plugin(Plugin("toys", "1", devices={"toy": Toy, "half": Device}))
        assert run(model_of(unary.abs_), "toy") == [1, 0, 2]
        assert nna.devices()["toy"] is Toy
        with pytest.raises(NoDevice, match="device 'half' of toys 1 lacks"):
            run(model_of(unary.abs_), "half")
    finally:
        REGISTRY.remove("toys")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (cube_of(1760), "CUBE has code 1760; those of plug-ins begin with 10000"),
        (cube_of(10_101, "relu"), r"the name of RELU \(10101\) is that of RELU of nnadapter"),
        (cube_of(10_100, "other"), r"the code of OTHER \(10100\) is that of CUBE of cubes 2.0"),
        (cube_of(10_102), r"the name of CUBE \(10102\) is that of CUBE of cubes 2.0"),
    ],
)
def test_what_is_taken(plugin: Plugin, made: Operator, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        nna.add_plugin(Plugin("thief", "1", operators=(made,)))
    assert list(nna.plugins()) == ["cubes"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nobody_has_this", "cannot be imported: ModuleNotFoundError"),
        ("PLUGIN = 3", "is 3, no nnadapter.Plugin"),
    ],
)
def test_a_broken_one_takes_no_part(
    source: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\nb = {tmp_path.name}_plugin:PLUGIN\n")
    (tmp_path / f"{tmp_path.name}_plugin.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.warns(PluginWarning, match=f"plug-in b = .*{said}.*; it takes no part"):
        assert nna.plugins() == {}
    assert run(model_of(unary.abs_)) == [1, 0, 2]


def test_cases_may_be_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = f"{tmp_path.name}_cases"
    (tmp_path / f"{module}.py").write_text("ROWS = ['a', 'b']")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(REGISTRY, "_added", {})
    nna.add_plugin(Plugin("named", "1", cases={"nnir": f"{module}:ROWS", "onnx": ["c"]}))
    assert REGISTRY.cases_of("onnx") == ["c"]
    assert module not in sys.modules
    assert REGISTRY.cases_of("nnir") == ["a", "b"]
    for name, said in {
        f"{module}:NONE": "NONE",
        "nobody_has_this:X": "ModuleNotFoundError",
    }.items():
        nna.add_plugin(Plugin("named", "1", cases={"nnir": name}))
        with pytest.raises(BadInput, match=f"named 1: no cases '{name}': .*{said}"):
            REGISTRY.cases_of("nnir")
