"""The ONNX reader: what it reads is what the onnx package reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import nnadapter as nna
from conformance.suites.onnx_backend import cases
from frontends.onnx.reading import reader
from frontends.source import SourceGraph, SourceModel
from nnir.errors import BadFile, Unsupported
from nnir.types import MOST_AXES

from ..conftest import info, model_of, tensor

KINDS = [k for k in TensorProto.DataType.values() if k not in (0, 8)]


def read(model: onnx.ModelProto) -> SourceModel:
    return reader.read(model.SerializeToString())


def same(mine: SourceGraph, theirs: onnx.GraphProto) -> None:
    """Nodes, attributes, weights, inputs and outputs are equal, sub-graphs included."""
    assert [n.op.rpartition("::")[2] for n in mine.nodes] == [n.op_type for n in theirs.node]
    assert [v.name for v in mine.inputs] == [v.name for v in theirs.input]
    assert [v.name for v in mine.outputs] == [v.name for v in theirs.output]
    for name, array in mine.weights.items():
        (stored,) = [t for t in theirs.initializer if t.name == name]
        np.testing.assert_array_equal(array, numpy_helper.to_array(stored))
    for node, original in zip(mine.nodes, theirs.node, strict=True):
        assert node.inputs == list(original.input)
        assert node.outputs == list(original.output)
        assert node.name == original.name
        assert set(node.attributes) == {a.name for a in original.attribute}
        for attribute in original.attribute:
            same_attribute(node.attributes[attribute.name], attribute)


def same_attribute(mine: object, theirs: onnx.AttributeProto) -> None:
    value = helper.get_attribute_value(theirs)
    if isinstance(mine, SourceGraph):
        same(mine, value)
    elif isinstance(mine, np.ndarray) and isinstance(value, TensorProto):
        np.testing.assert_array_equal(mine, numpy_helper.to_array(value))
    elif isinstance(value, bytes):
        assert mine == value.decode()
    elif isinstance(value, (int, float)):
        assert mine == value
    elif isinstance(value, list) and value and isinstance(value[0], bytes):
        assert mine == [v.decode() for v in value]
    elif isinstance(value, list):
        assert mine == list(value)


@pytest.mark.parametrize("name", ["mlp", "cnn", "loop"])
def test_small_models(name: str, request: pytest.FixtureRequest) -> None:
    model = request.getfixturevalue(name)
    same(read(model).graph, model.graph)


@pytest.mark.parametrize("start", range(0, 2000, 250))
def test_the_official_suite(start: int) -> None:
    """Every model of the suite, which has every opset and attribute kind."""
    for name in list(cases())[start : start + 250]:
        if cases()[name].kind == "real":
            continue
        data, _ = cases()[name].load()
        model = onnx.ModelProto.FromString(data)
        if any(t.data_type == TensorProto.STRING for t in model.graph.initializer):
            with pytest.raises(Unsupported, match="string tensors"):
                reader.read(data)
            continue
        mine = reader.read(data)
        same(mine.graph, model.graph)
        assert mine.versions.get("") == next(
            (o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), None
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
def test_every_element_type(kind: int, raw: bool) -> None:
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    data = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    if raw:
        stored = numpy_helper.from_array(data, "w")
    else:
        values = data.reshape(-1)
        flat = [bool(v) if dtype == np.bool_ else v for v in values]
        try:
            stored = helper.make_tensor("w", kind, data.shape, flat)
        except (TypeError, ValueError) as error:
            pytest.skip(f"onnx cannot make it: {error}")
        assert not stored.HasField("raw_data")
    model = model_of(
        [helper.make_node("Identity", ["w"], ["y"])], [], [info("y", None, kind)], [stored]
    )
    found = read(model).graph.weights["w"]
    assert found.dtype == dtype
    assert found.tobytes() == numpy_helper.to_array(stored).tobytes() == data.tobytes()


@pytest.mark.parametrize("values", [[], [-1], [0, 127, 128, -(2**63), 2**63 - 1, 300]])
def test_packed_integers(values: list[int]) -> None:
    node = helper.make_node("Any", [], [], x=values) if values else helper.make_node("Any", [], [])
    if not values:
        node.attribute.append(helper.make_attribute("x", [], attr_type=onnx.AttributeProto.INTS))
    found = read(model_of([node], [], [])).graph.nodes[0]
    assert found.attributes["x"] == values


def test_long_names_and_large_nodes() -> None:
    name = "n" * 300
    value = np.arange(50_000, dtype=np.int64)
    nodes = [
        helper.make_node("Constant", [], [name], value=tensor("", value), name=name),
        helper.make_node("Identity", [name], ["y"]),
    ]
    model = nna.load(model_of(nodes, [], [info("y", [50_000], TensorProto.INT64)]))
    np.testing.assert_array_equal(nna.compile(model)()[0], value)


def test_sparse_initializers() -> None:
    values, indices = tensor("w", np.array([5.0, 7.0], np.float32)), tensor("i", np.array([1, 4]))
    model = model_of([helper.make_node("Identity", ["w"], ["y"])], [], [info("y", [2, 3])])
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [2, 3]))
    np.testing.assert_array_equal(nna.compile(nna.load(model))()[0], [[0, 5, 0], [0, 7, 0]])


def test_sparse_constants() -> None:
    values, indices = tensor("", np.array([5.0, 7.0], np.float32)), tensor("", np.array([1, 4]))
    sparse = helper.make_sparse_tensor(values, indices, [2, 3])
    node = helper.make_node("Constant", [], ["y"], sparse_value=sparse)
    model = nna.load(model_of([node], [], [info("y", [2, 3])]))
    np.testing.assert_array_equal(nna.compile(model)()[0], [[0, 5, 0], [0, 7, 0]])


def test_functions_with_attributes_and_defaults() -> None:
    leaky = helper.make_node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.append(
        onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    )
    function = helper.make_function(
        "local", "Twice", ["a"], ["c"], [leaky, helper.make_node("Add", ["b", "b"], ["c"])],
        [helper.make_opsetid("", 21)], ["slope"],
    )  # fmt: skip
    nodes = [helper.make_node("Twice", ["x"], ["y"], domain="local", slope=0.5)]
    model = model_of(nodes, [info("x", [2])], [info("y", [2])])
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("local", 1))
    (got,) = nna.compile(nna.load(model))(np.array([-2, 3], np.float32))
    np.testing.assert_array_equal(got, [-2, 6])


def test_initializers_that_are_also_inputs() -> None:
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    inputs = [info("x", [2]), info("w", [2])]
    model = model_of(nodes, inputs, [info("y", [2])], [tensor("w", np.ones(2, np.float32))])
    assert [v.name for v in nna.load(model).inputs] == ["x"]


def test_dynamic_dimensions_keep_their_names() -> None:
    nodes = [helper.make_node("Concat", ["x", "x"], ["y"], axis=0)]
    model = nna.load(model_of(nodes, [info("x", ["batch", "2*seq", 3])], [info("y", None)]))
    assert str(model.outputs[0].type) == "float32[2*batch, 2*seq, 3]"


FLOATS = helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, [2])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda i: i.type.tensor_type.ClearField("shape"), "inputs of unknown rank: 'x'"),
        (lambda i: setattr(i.type.tensor_type, "elem_type", 8), "input 'x' is a string tensor"),
        (
            lambda i: i.type.sequence_type.elem_type.sequence_type.elem_type.MergeFrom(FLOATS),
            "input 'x' is a sequence",
        ),
    ],
)
def test_inputs_that_are_no_tensors(
    change: Callable[[onnx.ValueInfoProto], object], text: str
) -> None:
    model = model_of(
        [helper.make_node("Identity", ["x"], ["y"])], [info("x", [2])], [info("y", [2])]
    )
    change(model.graph.input[0])
    with pytest.raises(Unsupported, match=text):
        nna.load(model)


def test_nothing_is_copied(tmp_path: Path) -> None:
    weight = np.arange(1 << 20, dtype=np.float32)
    model = model_of(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [info("x", [1 << 20])],
        [info("y", None)],
        [tensor("w", weight)],
    )
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    (loaded,) = [v.constant for v in nna.load(path).values() if v.constant is not None]
    owner = loaded
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    assert "mmap" in type(owner).__name__ or "memoryview" in type(owner).__name__


def test_attributes_of_files_without_types() -> None:
    """Exporters of the first years left the type of an attribute out, as its field says it."""
    node = helper.make_node("Flatten", ["x"], ["y"], axis=2)
    pool = helper.make_node("MaxPool", ["y4"], ["z"], kernel_shape=[2, 1], strides=[1, 2])
    for attribute in (*node.attribute, *pool.attribute):
        attribute.ClearField("type")
    shaped = helper.make_node("Unsqueeze", ["y"], ["y4"], axes=[0, 1])
    graph = helper.make_graph([node, shaped, pool], "g", [info("x", [2, 3, 4])], [info("z", None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)])
    found = read(model).graph.nodes
    assert found[0].attributes == {"axis": 2}
    assert found[2].attributes == {"kernel_shape": [2, 1], "strides": [1, 2]}


def test_the_own_format_of_onnx_runtime_is_told_by_its_mark() -> None:
    whole = model_of([helper.make_node("Relu", ["x"], ["y"])], [info("x", [2])], [info("y", [2])])
    data = bytearray(whole.SerializeToString())
    assert reader.read(bytes(data)).graph.nodes[0].op == "Relu"
    data[4:8] = reader.OWN_FORMAT
    with pytest.raises(BadFile, match="ONNX Runtime's own format"):
        reader.read(bytes(data))


def test_an_operator_set_without_a_version_is_refused() -> None:
    model = model_of([helper.make_node("Relu", ["x"], ["y"])], [info("x", [2])], [info("y", [2])])
    model.opset_import[0].ClearField("version")
    with pytest.raises(BadFile, match=r"operator set ai\.onnx is imported without a version"):
        read(model)


def test_a_weight_of_as_many_axes_as_there_may_be() -> None:
    def weighed(rank: int) -> onnx.ModelProto:
        weight = helper.make_tensor("w", TensorProto.FLOAT, [1] * rank, [2.0])
        relu = helper.make_node("Relu", ["w"], ["y"])
        return model_of([relu], [], [info("y", None)], [weight])

    assert nna.load(weighed(MOST_AXES)).outputs[0].shape == (1,) * MOST_AXES
    with pytest.raises(BadFile, match="a tensor of shape"):
        read(weighed(MOST_AXES + 1))


def test_sizes_that_say_nothing_are_apart() -> None:
    relu = helper.make_node("Relu", ["x"], ["y"])
    model = model_of([relu], [info("x", [None, "n", None, 3])], [info("y", None)])
    first, named, third, known = nna.load(model).inputs[0].shape
    assert str(first).startswith("unnamed_")
    assert str(third).startswith("unnamed_")
    assert first != third
    assert str(named) == "n"
    assert known == 3


@pytest.mark.parametrize(
    ("value", "absent"), [(1, 0), (0.5, 0.0), ("SAME", "")], ids=["INT", "FLOAT", "STRING"]
)
def test_an_attribute_whose_value_is_left_out_is_zero(value: object, absent: object) -> None:
    node = helper.make_node("Anything", ["x"], ["y"], alpha=value)
    for field in ("i", "f", "s"):
        node.attribute[0].ClearField(field)
    found = read(model_of([node], [info("x", [2])], [info("y", [2])])).graph.nodes[0].attributes
    assert found == {"alpha": absent}
    assert type(found["alpha"]) is type(absent)
