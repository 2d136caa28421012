"""Binding: a converter's signature is what the node must give."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from frontends.families import FRONTENDS, LateTable, index, index_of
from frontends.source import SourceGraph, SourceModel
from frontends.table import Absent, Attributes, Items, Prefixed, Table, Wanted
from frontends.translate import Dialect, Translator
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Model, Value
from nnir.ops import activation, binary
from nnir.types import Precision, TensorType

table = Table()
table.same({"Add": binary.add})


@table.convert("Op")
def first(
    x: Value, axis: int | None = None, *, alpha: float = 1.0, dims: tuple[int, ...] = ()
) -> object:
    return ("first", axis, alpha, dims)


@table.convert("Op", since=5)
def fifth(x: Value, *more: Value, mode: str, wanted: Wanted, translator: Translator) -> object:
    return ("fifth", len(more), mode, wanted, translator.model.name)


@table.convert("Seq")
def sequence(items: Items) -> object:
    return len(items)


@dataclass(frozen=True)
class Place(Attributes):
    """Two attributes at once."""

    axis: int = 0
    side: Literal["left", "right"] = "left"


@table.convert("Low", bound=0)
@table.convert("High", bound=9)
def bounded(x: Value, *, bound: int, place: Place) -> object:
    return bound, place


@dataclass(frozen=True)
class Steps(Prefixed):
    """A tensor and its scale, which are named alike."""

    own: Value
    scale: Value | None = None


@dataclass(frozen=True)
class Bounds(Prefixed):
    """Attributes of one thing."""

    low: int
    high: int = 9


@table.convert("Join")
def join(a: Steps, b: Steps, c: Value, d: Steps, *, a_limit: int = 3, clip: Bounds) -> object:
    return a, b, c, d, a_limit, clip


@table.convert("Plain")
def plain(mask: Absent, x: Value, past: Absent = None, *, clip: Absent = None) -> object:
    return mask, x, past, clip


table.same({"Halves": binary.add}, only={"depth": 1, "kind": "real"})


@table.convert("Flagged", only={"count": 2})
def flagged(x: Value, *, keep: bool = True) -> object:
    return keep


@table.each({"One": 1, "Two": 2}, since=3)
def numbered(number: int, x: Value, *, scale: int = 1) -> object:
    return number * scale


@table.convert("Cut", attributes={"axes": None, "bound": 0.5})
@table.convert("Cut", since=2)
def cut(x: Value, axes: Index | None = None, bound: Value | None = None) -> object:
    return axes, bound


table.same({"LeakyRelu": activation.leaky_relu}, alpha=0.25)


@pytest.fixture
def translator() -> Translator:
    source = SourceModel("test", SourceGraph("test"))
    return Translator(Dialect("test", table, lambda op: ""), source)


def x(translator: Translator, name: str = "x") -> Value:
    return translator.model.input(name, TensorType(Precision.FLOAT32, (2,)))


def call(
    translator: Translator, name: str, version: int, inputs: list[object], **attributes: object
) -> object:
    converter = table.find(name, version)
    assert converter is not None
    return converter(translator, inputs, attributes, 2)  # type: ignore[arg-type]


def test_the_newest_version_not_above_the_model(translator: Translator) -> None:
    assert call(translator, "Op", 4, [x(translator)])[0] == "first"  # type: ignore[index]
    assert call(translator, "Op", 9, [x(translator)], mode="m")[0] == "fifth"  # type: ignore[index]
    assert table.find("Op", 0) is None
    assert table.find("Nothing", 9) is None


def test_constants_are_bound_as_annotated(translator: Translator) -> None:
    axis = translator.model.constant(np.array([3], np.int64))
    got = call(translator, "Op", 1, [x(translator), axis], alpha=2, dims=[1, 2])
    assert got == ("first", 3, 2.0, (1, 2))


def test_what_is_computed_from_constants_is_constant(translator: Translator) -> None:
    one = translator.model.constant(np.array([1], np.int64))
    got = call(translator, "Op", 1, [x(translator), binary.add(one, one)])
    assert got[1] == 2  # type: ignore[index]


def test_services_and_variadic(translator: Translator) -> None:
    value = x(translator)
    assert call(translator, "Op", 5, [value, value, value], mode="m") == (
        "fifth",
        2,
        "m",
        2,
        "test",
    )


def test_sequences(translator: Translator) -> None:
    value = x(translator)
    assert call(translator, "Seq", 1, [Items((value, value))]) == 2
    with pytest.raises(BadType, match="takes a sequence for 'items', not a tensor"):
        call(translator, "Seq", 1, [value])
    with pytest.raises(BadType, match="takes a tensor for 'x', not a sequence"):
        call(translator, "Op", 1, [Items((value,))])


@pytest.mark.parametrize(
    ("attributes", "error", "text"),
    [
        ({"beta": 1}, Unsupported, "Op with attribute beta=1"),
        ({"alpha": "x"}, BadType, "Op with alpha='x', which is not float"),
    ],
)
def test_wrong_attributes(
    translator: Translator, attributes: dict[str, object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call(translator, "Op", 1, [x(translator)], **attributes)


def test_missing_things(translator: Translator) -> None:
    with pytest.raises(BadType, match="Op without attribute mode"):
        call(translator, "Op", 5, [x(translator)])
    with pytest.raises(BadType, match="Op with 0 inputs"):
        call(translator, "Op", 1, [])
    with pytest.raises(BadType, match="Op with 3 inputs"):
        call(translator, "Op", 1, [x(translator)] * 3)
    with pytest.raises(BadType, match="Op needs 'x'"):
        call(translator, "Op", 1, [None, translator.model.constant(np.int64(1))])


def test_not_constant_names_the_parameter(translator: Translator) -> None:
    axis = translator.model.input("axis", TensorType(Precision.INT64, (1,)))
    with pytest.raises(NotConstant, match="Op needs a constant 'axis'"):
        call(translator, "Op", 1, [x(translator), axis])


def test_what_is_fixed_is_no_attribute(translator: Translator) -> None:
    assert call(translator, "High", 1, [x(translator)]) == (9, Place())
    assert call(translator, "Low", 1, [x(translator)]) == (0, Place())
    with pytest.raises(Unsupported, match="Low with attribute bound=9"):
        call(translator, "Low", 1, [x(translator)], bound=9)


def test_attributes_in_a_group_have_their_own_names(translator: Translator) -> None:
    got = call(translator, "Low", 1, [x(translator)], axis=2, side="right")
    assert got == (0, Place(2, "right"))
    assert list(table.entries["Low"][1].keywords) == ["axis", "side"]
    with pytest.raises(BadType, match="Low with axis='a', which is not int"):
        call(translator, "Low", 1, [x(translator)], axis="a")


def test_inputs_and_attributes_in_groups_are_named_after_their_parameters(
    translator: Translator,
) -> None:
    a, b, scale, c, d = (x(translator, name) for name in ("a", "b", "b_scale", "c", "d"))
    got = call(translator, "Join", 1, [a, None, b, scale, c, d], clip_low=4)
    assert got == (Steps(a), Steps(b, scale), c, Steps(d), 3, Bounds(4))
    converter = table.entries["Join"][1]
    inputs = ["a", "a_scale", "b", "b_scale", "c", "d", "d_scale"]
    assert [p.name for p in converter.positional] == inputs
    assert list(converter.keywords) == ["a_limit", "clip_low", "clip_high"]
    with pytest.raises(BadType, match="Join with 5 inputs"):
        call(translator, "Join", 1, [a, None, b, scale, c], clip_low=4)
    with pytest.raises(BadType, match="Join needs 'b'"):
        call(translator, "Join", 1, [a, None, None, None, c, d], clip_low=4)
    with pytest.raises(BadType, match="Join without attribute clip_low"):
        call(translator, "Join", 1, [a, None, b, None, c, d])


def test_what_is_refused_wherever_it_is_given(translator: Translator) -> None:
    value = x(translator)
    assert call(translator, "Plain", 1, [None, value]) == (None, value, None, None)
    for inputs, given, name in (
        ([value, value], {}, "mask"),
        ([None, value, value], {}, "past"),
        ([None, value], {"clip": 1.0}, "clip=1.0"),
    ):
        with pytest.raises(Unsupported, match=f"Plain with {name}"):
            call(translator, "Plain", 1, inputs, **given)


@pytest.mark.parametrize("name", ["Halves", "Flagged"])
def test_what_the_function_does_not_know_has_one_value(translator: Translator, name: str) -> None:
    value, converter = x(translator), table.entries[name][1]
    inputs: list[object] = [value, value] if name == "Halves" else [value]
    known = {n: p.default for n, p in converter.keywords.items() if n not in ("keep", "fuse_code")}
    made = [call(translator, name, 1, inputs), call(translator, name, 1, inputs, **known)]
    assert all(isinstance(v, Value) or v is True for v in made)
    for attribute in known:
        with pytest.raises(Unsupported, match=f"{name} with {attribute}=0, which is not"):
            call(translator, name, 1, inputs, **{attribute: 0})


def test_a_flag_is_0_or_1(translator: Translator) -> None:
    for given, wanted in ((0, False), (1, True), (1.0, True), (False, False)):
        assert call(translator, "Flagged", 1, [x(translator)], keep=given) is wanted
    for given in (2, -1, 0.5, "yes"):
        with pytest.raises(BadType, match=f"Flagged with keep={given!r}, which is not bool"):
            call(translator, "Flagged", 1, [x(translator)], keep=given)


@pytest.mark.parametrize(
    ("given", "axes", "bound"),
    [
        ({}, None, np.float32(0.5)),
        ({"axes": []}, None, np.float32(0.5)),
        ({"axes": [1, -1], "bound": 2}, np.array([1, -1]), np.float32(2)),
        ({"axes": 3, "bound": [1, 2.5]}, np.array([3]), np.array([1, 2.5], np.float32)),
    ],
)
def test_inputs_that_are_attributes(
    translator: Translator, given: dict[str, object], axes: object, bound: object
) -> None:
    got = call(translator, "Cut", 1, [x(translator)], **given)
    for value, wanted in zip(got, (axes, bound), strict=True):  # type: ignore[call-overload]
        constant = None if value is None else value.constant
        assert (constant is None) == (wanted is None)
        if wanted is not None:
            np.testing.assert_array_equal(constant, wanted, strict=True)


@pytest.mark.parametrize("given", [{"axes": [1.5]}, {"axes": "all"}, {"bound": "low"}])
def test_attributes_that_are_no_numbers(translator: Translator, given: dict[str, object]) -> None:
    with pytest.raises(BadType, match=f"Cut with {next(iter(given))}="):
        call(translator, "Cut", 1, [x(translator)], **given)
    with pytest.raises(Unsupported, match="Cut with attribute axes"):
        call(translator, "Cut", 2, [x(translator)], axes=[1])


def test_a_word_that_is_not_listed(translator: Translator) -> None:
    with pytest.raises(Unsupported, match="side='up', which is not 'left' or 'right'"):
        call(translator, "Low", 1, [x(translator)], side="up")


def test_operators_that_differ_in_one_thing(translator: Translator) -> None:
    assert call(translator, "Two", 3, [x(translator)], scale=4) == 8
    assert call(translator, "One", 3, [x(translator)]) == 1
    assert table.find("One", 2) is None


def test_functions_whose_parameters_the_source_calls_otherwise() -> None:
    def power(base: float, *, exponent: float = 2.0, scale: float = 1.0) -> float:
        return float(base**exponent * scale)

    table = Table()
    table.named({"Pow pow_": (power, "x y"), "Leaky": (activation.leaky_relu, "x slope")})
    for name in ("Pow", "pow_"):
        converter = table.find(name, 1)
        assert converter is not None
        assert list(converter.parameters) == ["x", "y"]
        assert converter.required == 2
        assert converter.call(x=3, y=2) == 9.0
    leaky = table.find("Leaky", 1)
    assert leaky is not None
    made = leaky.call(x=Model().constant(np.float32([-2, 4])), slope=0.5)
    assert made.producer.attributes == {"alpha": 0.5}
    with pytest.raises(ValueError, match=r"zip\(\)"):
        table.named({"Other": (power, "x y z w")})


def test_an_operator_with_the_defaults_of_the_source(translator: Translator) -> None:
    value = x(translator)
    for given, alpha in (({}, 0.25), ({"alpha": 0.5}, 0.5)):
        result = call(translator, "LeakyRelu", 1, [value], **given)
        assert isinstance(result, Value)
        assert result.producer is not None
        assert result.producer.attributes["alpha"] == alpha


def test_a_converter_that_does_not_take_what_is_fixed(translator: Translator) -> None:
    wrong = Table()
    wrong.convert("Op", bond=1)(bounded)
    with pytest.raises(TypeError, match="Op: its converter does not take bond"):
        list(wrong.entries["Op"][1].parameters)


def test_duplicates_are_refused() -> None:
    other = Table()
    other.same({"Add": binary.add})
    with pytest.raises(ValueError, match="two converters"):
        other.same({"Add": binary.sub})
    with pytest.raises(ValueError, match="two families"):
        Table.merge([table, other])


@pytest.mark.parametrize("frontend", FRONTENDS)
def test_the_index_of_families_is_that_of_the_code(frontend: str) -> None:
    package = f"frontends.{frontend}"
    assert index_of(package).read_text() == index(package), "run `python -m frontends.families`"


def test_only_the_families_that_a_model_needs_are_imported(saved: Path) -> None:
    code = (
        "import sys, nnadapter; "
        f"nnadapter.load({str(saved)!r}); "
        "print(*sorted(m for m in sys.modules if m.startswith('frontends.onnx.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "frontends.onnx.operators.linear" in done.stdout
    assert "frontends.onnx.operators.attention" not in done.stdout


def test_a_converter_that_the_index_does_not_know_is_found() -> None:
    table = LateTable("frontends.onnx")
    table.__dict__["families"] = {"linear": ["Abs"], "unary": []}  # moved since
    for name in ("Abs", "MatMul"):
        found = table.find(name, 13)
        assert found is not None
        assert found.name == name
    assert table.find("Conv", 13) is None
