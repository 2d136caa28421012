"""What a lowering reads, and what becomes of operations that say more than that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from hal.emission import Emission, decompositions
from hal.lowering import ROOMS, LateLowerings, Lowerings, Plain
from hal.operands import Axes, Axis, Known
from nnir.model import Model, Value
from nnir.operator import Operator, operator
from nnir.ops import (
    NAMES,
    OPERATORS,
    activation,
    binary,
    index,
    linear,
    pool,
    reduce,
    shape,
    sort,
    unary,
)
from nnir.types import Fuse, Precision, TensorType

DRIVERS = ("litert", "nnapi", "nnrt", "onnxruntime", "openvino", "torch")

FLOATS = TensorType(Precision.FLOAT32, (2, 3))


class Words(Emission[str]):
    """Writes down what it is told."""

    device = "words"

    def __init__(self, table: Lowerings[str]) -> None:
        super().__init__(table)
        self.said: list[str] = []

    def ref(self, operand: Value | str | None) -> str | None:
        if operand is None or isinstance(operand, str):
            return operand
        return self.names.get(operand, operand.name or "c")

    def stand_in(self, value: Value) -> str:
        return "?"

    def mark(self) -> int:
        return len(self.said)

    def undo(self, mark: int) -> None:
        del self.said[mark:]

    def say(self, *words: object) -> str:
        self.said.append(" ".join(map(str, words)))
        return self.said[-1]

    def native(
        self, kernel: str, inputs: Sequence[Value | None], fields: Mapping[str, Plain]
    ) -> str:
        return self.say(kernel, *map(self.ref, inputs), dict(fields))


def said(table: Lowerings[str], build: Any, *types: TensorType) -> Words:
    """What is emitted for a model that `build` makes of inputs."""
    model = Model()
    made = build(*(model.input(f"x{k}", t) for k, t in enumerate(types)))
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    words = Words(table)
    for operation in model.sorted():
        words.lower(operation)
    return words


def test_an_attribute_that_is_not_read_must_have_its_default() -> None:
    table = Lowerings[str]()

    @table.lower(sort.top_k, implied=["return_indices_dtype"])
    def top_k(g: Words, input: Value, k: Value, *, axis: int, largest: bool) -> tuple[str, str]:
        return g.say("values", axis), g.say("places", largest)

    plain = said(table, lambda x: sort.top_k(x, 2, axis=1), FLOATS)
    assert plain.said == ["values 1", "places True"]
    loose = said(table, lambda x: sort.top_k(x, 2, axis=1, sorted=False), FLOATS)
    assert not loose.said
    assert dict(loose.problems) == {"words: TOP_K does not read sorted=False": 1}


def test_what_is_implied_may_be_anything() -> None:
    table = Lowerings[str]()

    @table.lower(sort.top_k, implied=["return_indices_dtype", "sorted"])
    def top_k(g: Words, input: Value, k: Value, *, axis: int, largest: bool) -> str:
        return g.say(g.operation.outputs[1].precision.name)

    def build(x: Value) -> Any:
        return sort.top_k(x, 2, axis=1, sorted=False, return_indices_dtype=Precision.INT32)

    assert said(table, build, FLOATS).said == ["INT32"]


def scaled(input: Value, *, by: float = 1.0) -> TensorType:
    return input.type


SCALED: Operator = operator(code=9100, reference=lambda input, *, by: input * by)(scaled)
SCALED.decomposes()(lambda input, *, by: input * by)


def test_what_is_not_read_is_decomposed() -> None:
    table = Lowerings[str]()

    @table.lower(SCALED)
    def kept(g: Words, input: Value) -> str:
        return g.say("kept")

    table.native(binary.mul, "Mul")
    assert said(table, SCALED, FLOATS).said == ["kept"]
    with decompositions() as found:
        words = said(table, lambda x: SCALED(x, by=2.0), FLOATS)
    assert words.said == ["Mul x0 c {}"]
    assert not words.problems
    assert dict(found) == {("words", "SCALED"): 1}


def test_an_optional_operand_that_is_not_read_must_be_absent() -> None:
    table = Lowerings[str]()

    @table.lower(shape.squeeze)
    def squeeze(g: Words, input: Value) -> str:
        return g.say("squeeze")

    one = TensorType(Precision.FLOAT32, (1, 3))
    assert said(table, shape.squeeze, one).said == ["squeeze"]
    named = said(table, lambda x: shape.squeeze(x, [0]), one)
    assert dict(named.problems) == {"words: SQUEEZE does not read the operand axes": 1}


def test_operands_are_bound_by_name() -> None:
    table = Lowerings[str]()

    @table.lower(index.slice_, implied=["axes"])
    def slice_(g: Words, input: Value, ends: Value, starts: Value) -> str:
        return g.say(*(v.known for v in (starts, ends)))

    words = said(table, lambda x: index.slice_(x, [1], [0], [2]), FLOATS)
    assert words.said == ["[0] [2]"]


def test_a_group_takes_attributes_by_the_names_of_its_fields() -> None:
    @dataclass(frozen=True)
    class Where:
        kernel_shape: tuple[int, ...]
        strides: tuple[int, ...] | None = None
        auto_pad: int = 7

    table = Lowerings[str]()

    @table.lower(pool.max_pool, pool.max_pool_2d, implied=["return_indices_dtype"], how=Where)
    def max_pool(g: Words, input: Value, *, how: Where) -> str:
        return g.say(how.kernel_shape, how.strides, int(how.auto_pad))

    image = TensorType(Precision.FLOAT32, (1, 1, 4, 4))
    plain = said(table, lambda x: pool.max_pool(x, kernel_shape=(2, 2)), image)
    assert plain.said == ["(2, 2) None 7"]
    older = said(table, lambda x: pool.max_pool_2d(x, kernel_shape=(2, 2), strides=(1, 1)), image)
    assert older.said == ["(2, 2) (1, 1) 0"]
    wide = said(table, lambda x: pool.max_pool(x, kernel_shape=(2, 2), pads=(1, 1, 1, 1)), image)
    assert list(wide.problems) == ["words: MAX_POOL does not read pads=(1, 1, 1, 1)"]


def test_a_fuse_code_that_is_not_read_is_emitted_behind() -> None:
    table = Lowerings[str]()
    table.natives({binary.add: "Add"})

    def build(x: Value, y: Value) -> Any:
        return binary.add(x, y, fuse_code=Fuse.RELU)

    assert said(table, binary.add, FLOATS, FLOATS).said == ["Add x0 x1 {}"]
    refused = said(table, build, FLOATS, FLOATS)
    assert list(refused.problems) == [f"words has no fuse code {Fuse.RELU!r}"]

    @table.fuse
    def fused(g: Words, result: str, code: Fuse) -> str:
        return g.say(code.name, "of", result)

    merged = Lowerings[str].merge([Lowerings[str](), table])
    words = said(merged, build, FLOATS, FLOATS)
    assert words.said == ["Add x0 x1 {}", "RELU of Add x0 x1 {}"]


def test_a_kernel_has_attributes_by_its_own_names() -> None:
    table = Lowerings[str]()
    table.native(linear.mat_mul, "MatMul", transpose_x="left", transpose_y="right")
    table.native(activation.leaky_relu, "Leaky", "alpha")
    square = TensorType(Precision.FLOAT32, (3, 3))
    words = said(table, lambda x: linear.mat_mul(x, x, transpose_y=True), square)
    assert words.said == ["MatMul x0 x0 {'left': False, 'right': True}"]
    words = said(table, lambda x: activation.leaky_relu(x, alpha=0.5), square)
    assert words.said == ["Leaky x0 {'alpha': 0.5}"]
    with pytest.raises(TypeError, match=r"Abs is told size: not in ABS\(input\)"):
        table.native(unary.abs_, "Abs", "size")


def test_operators_that_differ_in_one_thing_share_a_function() -> None:
    table = Lowerings[str]()

    @table.each({unary.ceil: "up", unary.floor: "down"})
    def rounded(g: Words, way: str, input: Value) -> str:
        return g.say(way)

    assert said(table, lambda x: unary.floor(unary.ceil(x)), FLOATS).said == ["up", "down"]
    with pytest.raises(TypeError, match=r"a lowering names x: not in ABS\(input\)"):
        table.each({unary.abs_: 1})(lambda g, entry, x: "")


def double(g: Words, operand: Value) -> str:
    return g.say("twice", operand.name)


Twice = Annotated[str, double]


def test_an_annotation_says_what_is_made_of_an_operand() -> None:
    table = Lowerings[str]()

    @table.lower(binary.add, binary.sum_)
    def add(g: Words, *input: Twice) -> str:
        return g.say(*input)

    @table.each({activation.clip: "clip"})
    def clip(g: Words, word: str, input: Twice, min: Value, max: Twice) -> str:
        return g.say(word, input, min.known, max)

    @table.lower(shape.squeeze)
    def squeeze(g: Words, input: Value, axes: Twice | None) -> str:
        return g.say(input.name, axes)

    assert said(table, binary.sum_, FLOATS, FLOATS).said[-1] == "twice x0 twice x1"
    one = TensorType(Precision.FLOAT32, ())
    words = said(table, lambda x, y: activation.clip(x, 0.0, y), FLOATS, one)
    assert words.said == ["twice x0", "twice x1", "clip twice x0 0.0 twice x1"]
    assert said(table, shape.squeeze, FLOATS).said == ["x0 None"]


def test_an_annotation_that_would_not_be_read_is_a_mistake() -> None:
    table = Lowerings[str]()

    def unknown(g: Words, input: Twize) -> str:  # type: ignore[name-defined]  # noqa: F821
        return ""

    def within(g: Words, input: list[Twice]) -> str:
        return ""

    for function in (unknown, within):
        with pytest.raises(TypeError, match="a lowering cannot read input: "):
            table.lower(unary.abs_)(function)


def test_operands_that_must_be_known() -> None:
    table = Lowerings[str]()

    @table.lower(reduce.reduce_sum, implied=["keepdim"])
    def reduce_sum(g: Words, input: Value, axes: Axes) -> str:
        return g.say(axes)

    @table.lower(shape.pad, implied=["value", "mode"])
    def pad(g: Words, input: Value, pads: Known) -> str:
        return g.say(pads)

    @table.lower(activation.softmax)
    def softmax(g: Words, input: Value, *, axis: Axis) -> str:
        return g.say(axis)

    square = TensorType(Precision.FLOAT32, (3, 3))
    assert said(table, lambda x: activation.softmax(x, axis=-1), square).said == ["1"]
    assert said(table, lambda x: reduce.reduce_sum(x, [-1, 0]), square).said == ["(0, 1)"]
    assert said(table, lambda x: reduce.reduce_sum(x, []), square).said == ["(0, 1)"]
    assert said(table, lambda x: shape.pad(x, [0, 1, 0, 2]), square).said == ["(0, 1, 0, 2)"]
    words = said(table, shape.pad, square, TensorType(Precision.INT64, (4,)))
    (problem,) = words.problems
    assert problem.startswith("words needs known pads of PAD;")


def test_names_that_an_operator_has_not_are_found_at_once() -> None:
    table = Lowerings[str]()
    schema = r"SOFTMAX\(input, axis\)"
    with pytest.raises(TypeError, match=rf"a lowering names dim: not in {schema}"):
        table.lower(activation.softmax)(lambda g, input, *, dim: "")  # type: ignore[misc]
    with pytest.raises(TypeError, match=rf"a lowering names \*\*rest: not in {schema}"):
        table.lower(activation.softmax)(lambda g, input, **rest: "")
    with pytest.raises(TypeError, match=rf"a lowering leaves out axis of {schema}"):
        table.lower(activation.softmax)(lambda g, input: "")
    with pytest.raises(TypeError, match=r"a lowering leaves out input of SOFTMAX"):
        table.lower(activation.softmax)(lambda g, *, axis: "")
    with pytest.raises(TypeError, match="SOFTMAX implies dim, which is not in it"):
        table.lower(activation.softmax, implied=["dim"])(lambda g, input, *, axis: "")
    with pytest.raises(ValueError, match="SOFTMAX has two lowerings"):
        table.lower(activation.softmax, activation.softmax)(lambda g, input, *, axis: "")


@pytest.mark.parametrize("device", sorted(DRIVERS))
def test_each_module_of_a_driver_lowers_operators_of_its_family(device: str) -> None:
    """Others would not be found, where modules are imported by the families of a model."""
    late = LateLowerings[Any](f"hal.drivers.{device}")
    tables = {n: late._table(n) for n in NAMES}
    there = {n: t for n, t in tables.items() if t is not None}
    for name, table in there.items():
        for found in (*table.entries, *table.ways):
            assert name in ROOMS.get(found.family, (found.family,)), (name, found)
    assert [n for n, t in there.items() if t.activation] == ["binary"]
    alone = LateLowerings[Any](f"hal.drivers.{device}")
    for found in OPERATORS.values():
        assert alone.find(found) == late.entries.get(found)
        assert alone.ways_of(found) == late.ways.get(found, ())
    assert len(late.entries) > 50
    late.entries = {}
    assert not any(map(late.find, OPERATORS.values()))
