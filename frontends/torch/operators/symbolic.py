"""Arithmetic on sizes, and what a program promises about them.

Sizes and numbers taken out of tensors are tensors without axes: int64, float64 or bool, as
Python's int, float and bool. The contents of the int64 ones carry dimensions.
"""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import binary, compare, logic, reduce, unary
from nnir.recipes.promotion import COMPLEX, Operand, model_of
from nnir.types import Precision

from ...table import Table

table = Table()


def number(x: Value) -> Value:
    """A number taken out of a tensor; Unsupported where it has axes or is complex."""
    if x.rank or x.precision in COMPLEX:
        raise Unsupported(f"arithmetic of sizes with {x.type}, which is no single real number")
    return x


def numbers(*operands: Operand, least: Precision = Precision.INT64) -> list[Value]:
    """Operands as Python's arithmetic joins them: all ints, or one float makes all floats."""
    model = model_of(operands)
    values = []
    for operand in operands:
        if isinstance(operand, complex):
            raise Unsupported(f"arithmetic of sizes with {operand!r}")
        values.append(number(operand) if isinstance(operand, Value) else model.constant(operand))
    kind = Precision.FLOAT64 if any(v.is_float for v in values) else least
    return [v.cast(kind) for v in values]


def _binary(name: str, operator: Operator) -> None:
    @table.convert(f"_operator.{name}")
    def convert(a: Operand, b: Operand) -> Value:
        return operator(*numbers(a, b))


for _name, _operator in {
    "add": binary.add,
    "eq": compare.equal,
    "floordiv": binary.floor_div,
    "ge": compare.greater_equal,
    "gt": compare.greater,
    "le": compare.less_equal,
    "lt": compare.less,
    "mod": binary.mod,
    "mul": binary.mul,
    "ne": compare.not_equal,
    "pow": binary.pow_,
    "sub": binary.sub,
}.items():
    _binary(_name, _operator)


def _logical(name: str, of_bools: Operator, of_others: Operator) -> None:
    """An operator that gives a truth value of two, and a number of others."""

    @table.convert(name)
    def convert(a: Operand, b: Operand) -> Value:
        x, y = numbers(a, b, least=Precision.BOOL8 if _are_bools(a, b) else Precision.INT64)
        return (of_bools if x.precision == Precision.BOOL8 else of_others)(x, y)


def _are_bools(*operands: Operand) -> bool:
    kinds = (v.precision == Precision.BOOL8 if isinstance(v, Value) else None for v in operands)
    return all(
        isinstance(v, bool) if k is None else k for k, v in zip(kinds, operands, strict=True)
    )


_logical("_operator.and_", logic.and_, logic.bitwise_and)
_logical("_operator.or_", logic.or_, logic.bitwise_or)
_logical("torch.sym_max", logic.or_, binary.max_)
_logical("torch.sym_min", logic.and_, binary.min_)


@table.convert("_operator.truediv")
def truediv(a: Operand, b: Operand) -> Value:
    return binary.div(*numbers(a, b, least=Precision.FLOAT64))


@table.convert("_operator.lshift")
def lshift(a: Operand, b: Operand) -> Value:
    return logic.bit_shift(*numbers(a, b), left=True)


@table.convert("_operator.rshift")
def rshift(a: Operand, b: Operand) -> Value:
    return logic.bit_shift(*numbers(a, b), left=False)


@table.convert("_operator.neg")
def neg(a: Operand) -> Value:
    return binary.sub(*numbers(0, a))


@table.convert("_operator.pos")
def pos(a: Operand) -> Value:
    return numbers(a)[0]


@table.convert("torch.sym_not")
def sym_not(a: Value) -> Value:
    return ~number(a).cast(Precision.BOOL8)


@table.convert("torch.sym_ite")
def sym_ite(b: Value, t: Operand, f: Operand) -> Value:
    yes, no = (number(v) if isinstance(v, Value) else b.model.constant(v) for v in (t, f))
    if yes.precision != no.precision:
        raise Unsupported(f"sym_ite between {yes.type} and {no.type}")
    return compare.where(number(b).cast(Precision.BOOL8), yes, no)


@table.convert("torch.sym_float")
def sym_float(a: Value) -> Value:
    return number(a).cast(Precision.FLOAT64)


@table.convert("torch.sym_int")
def sym_int(a: Value) -> Value:
    return number(a).cast(Precision.INT64)


@table.convert("math.trunc")
def trunc(x: Value) -> Value:
    return number(x).cast(Precision.INT64)


@table.convert("math.ceil")
def ceil(x: Value) -> Value:
    x = number(x)
    return (unary.ceil(x) if x.is_float else x).cast(Precision.INT64)


@table.convert("math.floor")
def floor(x: Value) -> Value:
    x = number(x)
    return (unary.floor(x) if x.is_float else x).cast(Precision.INT64)


@table.convert("torch.sym_sqrt")
def sym_sqrt(a: Value) -> Value:
    return unary.sqrt(number(a).cast(Precision.FLOAT64))


@table.convert("aten._is_all_true.default")
def is_all_true(self: Value) -> Value:
    return reduce.reduce_min(self, [], keepdim=False)


@table.convert("aten._is_any_true.default")
def is_any_true(self: Value) -> Value:
    return reduce.reduce_max(self, [], keepdim=False)


Promise = tuple[()]
"""A promise about sizes or elements has no result, and nothing that follows depends on it."""


@table.convert("aten._assert_scalar.default")
def assert_scalar(self: Operand, assert_msg: str) -> Promise:
    return ()


@table.convert("aten._assert_async.default")
def assert_async(self: Value) -> Promise:
    return ()


@table.convert("aten._assert_async.msg")
def assert_async_msg(self: Value, assert_msg: str) -> Promise:
    return ()


@table.convert("aten._assert_tensor_metadata.default")
def assert_tensor_metadata(
    a: Value,
    size: object = None,
    stride: object = None,
    dtype: Precision | None = None,
) -> Promise:
    if dtype is not None and a.precision != dtype:
        raise Unsupported(f"a program that expects {dtype.name}, where {a.type} is found")
    return ()


@table.convert("aten.promote_types.default")
def promote_types(type1: Precision, type2: Precision) -> Promise:
    """A type, which no value of a graph holds: exports leave the question in where PyTorch traces
    it, and have its answer in the operators behind it."""
    return ()


@table.convert("aten.sym_constrain_range.default")
def sym_constrain_range(
    size: Operand, *, min: int | None = None, max: int | None = None
) -> Promise:
    return ()


@table.convert("aten.sym_constrain_range_for_size.default")
def sym_constrain_range_for_size(
    size: Operand, *, min: int | None = None, max: int | None = None
) -> Promise:
    return ()


@table.convert("aten._functional_assert_scalar.default")
def functional_assert_scalar(self: Operand, assert_msg: str, dep_token: Value) -> Value:
    return dep_token


@table.convert("aten._functional_assert_async.msg")
def functional_assert_async(self: Value, assert_msg: str, dep_token: Value) -> Value:
    return dep_token


@table.convert(
    "aten._functional_sym_constrain_range.default",
    "aten._functional_sym_constrain_range_for_size.default",
)
def functional_constrain(
    size: Operand, min: int | None, max: int | None, dep_token: Value
) -> Value:
    return dep_token
