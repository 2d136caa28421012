"""Emit a model as a graph of NNRt operations, in any orders of axes (see `hal.orders`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nnir.broadcast import broadcast
from nnir.dim import Dim, Expr
from nnir.errors import BadType, NoLowering
from nnir.formats.nnrt.check import check_operand
from nnir.formats.nnrt.enums import DATA_TYPES
from nnir.formats.nnrt.operations import OPERATIONS, Definition
from nnir.model import Model, Operation, Value
from nnir.types import Precision, precision_of

from ... import orders
from ...lowering import Lowerings, Plain
from ...nothing import without_running
from ...orders import Order, OrderedEmission, identity
from .graph import Graph, Step, Tensor, data_type, parameter_type

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

Ref = orders.Ref[Tensor]
Operand = Value | Ref | None
Refs = tuple[Ref, ...]

FLOAT = DATA_TYPES[Precision.FLOAT32]
COMPARISONS = frozenset({"EQUAL", "NOT_EQUAL", "LESS", "GREATER", "LESS_EQUAL", "GREATER_EQUAL"})


SYMBOLS = {
    "+": "ADD",
    "-": "SUB",
    "*": "MUL",
    "/": "DIV",
    "%": "MOD",
    "neg": "NEG",
    "abs": "ABS",
    "==": "EQUAL",
    "!=": "NOT_EQUAL",
    "<": "LESS",
    ">": "GREATER",
    "<=": "LESS_EQUAL",
    ">=": "GREATER_EQUAL",
    "&": "LOGICAL_AND",
    "|": "LOGICAL_OR",
    "^": "NOT_EQUAL",
    "~": "LOGICAL_NOT",
}
"""The operations that Python's symbols stand for."""


class Emitter(OrderedEmission[Tensor]):
    """One graph in the making. `flat` says of which tensor a tensor is a reshape, `casts` of which
    integers, with scales along which axis, a tensor holds what they stand for."""

    device = "nnrt"
    SYMBOLS = SYMBOLS

    def __init__(self, lowerings: Lowerings[Ref], outer: Emitter | None = None) -> None:
        super().__init__(lowerings, outer)
        self.graph = Graph()
        self.flat: dict[Tensor, Tensor] = {}
        self.casts: dict[Tensor, tuple[Ref, int]] = {}

    # What the walk over the model asks for

    def by_lowering(self, operation: Operation) -> list[Ref | None]:
        known = without_running(operation, DATA_TYPES)
        return super().by_lowering(operation) if known is None else [*map(self.constant, known)]

    def stand_in(self, value: Value) -> Ref:
        return Ref(
            Tensor(value.precision, value.shape), identity(value.rank), value.precision, self
        )

    def mark(self) -> tuple[int, int]:
        return len(self.graph.steps), len(self.log)

    def undo(self, mark: tuple[int, int]) -> None:
        del self.graph.steps[mark[0] :]
        self.forget(mark[1])

    def typed(self, ref: Ref, value: Value) -> Ref:
        """A result of a lowering, which has the type of the value."""
        if ref.rank != value.rank or ref.tensor.precision.dtype != value.dtype:
            name = ref.tensor.precision.name.lower()
            raise NoLowering(f"nnrt: a result {name}{list(ref.shape)} for {value.type}")
        return ref.seen_as(value.precision)

    def ref(self, operand: Operand) -> Ref | None:
        if operand is None or isinstance(operand, orders.Ref):
            return operand
        if operand not in self.names:
            if operand.constant is None:
                raise NoLowering(f"{operand!r} is read before it is made")
            self.names[operand] = self.constant(operand.constant, name=operand.name or "")
        return self.names[operand]

    # Constants

    def constant(self, data: ArrayLike, dtype: DTypeLike | None = None, name: str = "") -> Ref:
        """A tensor with known data."""
        array = np.asarray(data, dtype)
        precision = precision_of(array.dtype)
        tensor = Tensor(precision, array.shape, array, name)
        return Ref(tensor, identity(array.ndim), precision, self)

    def ints(self, *values: Dim) -> Ref:
        """A vector of positions or sizes; NoLowering for what is not known."""
        numbers = self.known(values)
        bounds = np.iinfo(np.int32)
        fits = all(bounds.min <= n <= bounds.max for n in numbers)
        return self.constant(np.array(numbers, np.int32 if fits else np.int64))

    def number(self, value: float, like: Operand) -> Ref:
        """One element in the precision in which `like` is stored."""
        return self.constant(np.array(value, self.take(like).tensor.precision.dtype))

    def known(self, sizes: Sequence[Dim]) -> tuple[int, ...]:
        """Sizes that are known; NoLowering where one is not."""
        found = tuple(d for d in sizes if not isinstance(d, Expr))
        if len(found) < len(sizes):
            text = ", ".join(map(str, sizes))
            raise NoLowering(f"nnrt needs the sizes [{text}]: fix them with --dim NAME=SIZE")
        return found

    # Steps

    def emit(
        self,
        name: str,
        inputs: Sequence[Ref | None],
        results: Sequence[tuple[Precision, tuple[Dim, ...], Order]],
        **parameters: object,
    ) -> list[Ref]:
        """Append an operation; its results have a precision, and sizes in an order.

        NoLowering for operands that it does not take.
        """
        definition = OPERATIONS[name]
        tensors = [None if r is None else r.tensor for r in inputs]
        if any(p.name == "activationType" for p in definition.parameters):
            parameters.setdefault("activationType", 0)
        require_operands(definition, tensors, parameters)
        outputs = [Tensor(p, tuple(s), name=self.node_name(name.lower())) for p, s, _ in results]
        for tensor in outputs:
            data_type(tensor.precision)
        self.graph.steps.append(Step(definition, tensors, outputs, parameters))
        pairs = zip(outputs, results, strict=True)
        return [Ref(t, order, precision, self) for t, (precision, _, order) in pairs]

    def one(
        self,
        name: str,
        inputs: Sequence[Ref | None],
        shape: Sequence[Dim],
        order: Order | None = None,
        precision: Precision | None = None,
        /,
        **parameters: object,
    ) -> Ref:
        """An operation of one result: by default in the order of the model, and of the precision
        of its first input."""
        kind = precision or next(r for r in inputs if r is not None).tensor.precision
        stored = identity(len(shape)) if order is None else order
        return self.emit(name, inputs, [(kind, tuple(shape), stored)], **parameters)[0]

    def permute(self, tensor: Tensor, perm: Order) -> Tensor:
        shape = tuple(tensor.shape[p] for p in perm)
        if tensor.data is not None:
            data = tensor.data.transpose(perm)
            return Tensor(tensor.precision, shape, data, tensor.name, tensor.quantization)
        if tensor in self.casts:
            integers, axis = self.casts[tensor]
            moved = self.permute(integers.tensor, perm)
            stored = Ref(moved, identity(len(perm)), integers.precision, self)
            return self.dequantize(stored, perm.index(axis % len(perm))).tensor
        ref = Ref(tensor, identity(len(perm)), tensor.precision, self)
        long = [p for p in perm if tensor.shape[p] != 1]
        if long == sorted(long):
            return self.reshape(ref, shape).tensor
        return self.keep_scale(tensor, self.one("TRANSPOSE", [ref, self.ints(*perm)], shape).tensor)

    def keep_scale(self, source: Tensor, made: Tensor) -> Tensor:
        """What holds the same integers has the same scale."""
        made.quantization = source.quantization
        return made

    def reshape(self, operand: Operand, shape: Sequence[Dim]) -> Ref:
        """The elements in the order of the model in another shape."""
        ref = self.plain(operand)
        target, tensor = tuple(shape), ref.tensor
        if tensor.shape != target and tensor.data is not None:
            made = Tensor(tensor.precision, target, None, tensor.name, tensor.quantization)
            made.data = tensor.data.reshape(self.known(target))
            self.flat[made] = tensor
            return Ref(made, identity(len(target)), ref.precision, self)
        if tensor.shape != target:
            tensor = self.flat.get(tensor, tensor)
        if tensor.shape == target:
            return Ref(tensor, identity(len(target)), ref.precision, self)
        source = Ref(tensor, identity(len(tensor.shape)), ref.precision, self)
        found = self.reshaped(source, target)
        self.flat[found.tensor] = tensor
        return found

    def reshaped(self, source: Ref, target: tuple[Dim, ...]) -> Ref:
        """A RESHAPE, also to the same sizes."""
        unknown = sum(isinstance(d, Expr) for d in target)
        if unknown > 1:
            raise NoLowering(f"nnrt reshapes to known sizes, not {list(map(str, target))}")
        sizes = self.ints(*(-1 if isinstance(d, Expr) else d for d in target))
        made = self.one("RESHAPE", [source, sizes], target)
        self.keep_scale(source.tensor, made.tensor)
        return made

    def cast(self, operand: Operand, to: Precision) -> Ref:
        """Another type, left out where nothing changes."""
        ref = self.take(operand)
        if ref.tensor.precision == to:
            return ref
        if ref.tensor.data is not None:
            data = ref.tensor.data.astype(to.dtype)
            return Ref(Tensor(to, ref.tensor.shape, data, ref.tensor.name), ref.order, to, self)
        code = self.constant(int(data_type(to)), np.int32)
        return self.one("CAST", [ref, code], ref.tensor.shape, ref.order, to)

    def dequantize(self, integers: Ref, axis: int) -> Ref:
        """What integers with scales stand for, along a stored axis where there are several."""
        fields = {"srcT": int(data_type(integers.tensor.precision)), "dstT": int(FLOAT)}
        shape, order = integers.tensor.shape, integers.order
        made = self.one(
            "QUANT_DTYPE_CAST", [integers], shape, order, Precision.FLOAT32, axis=axis, **fields
        )
        plain = integers.stored(identity(integers.rank))
        self.casts[made.tensor] = plain, axis
        return made

    # What many lowerings are made of

    def elementwise(
        self,
        name: str,
        *operands: Operand | float,
        precision: Precision | None = None,
        **parameters: object,
    ) -> Ref:
        """An operation on operands that broadcast; a comparison gives truth values."""
        kind = Precision.BOOL8 if name in COMPARISONS else precision
        refs, order = self.aligned(*operands)
        shape = broadcast(*(r.tensor.shape for r in refs))
        return self.one(name, refs, shape, order, kind, **parameters)

    def where(self, mask: Operand, yes: Operand | float, no: Operand | float) -> Ref:
        """The elements of one operand where the mask holds, those of the other elsewhere."""
        a, b = self.alike(yes, no)
        return self.elementwise("WHERE", mask, a, b, precision=a.tensor.precision)

    def native(
        self, kernel: str, inputs: Sequence[Value | None], fields: Mapping[str, Plain]
    ) -> Ref:
        """An operation on operands that broadcast."""
        given: dict[str, Any] = dict(fields)
        return self.elementwise(kernel, *inputs, **given)

    # Whole graphs

    def begin(self, value: Value, number: int) -> Ref:
        """An input of the graph."""
        kind = precision_of(value.dtype)
        tensor = Tensor(kind, value.shape, None, value.name or f"input{number}")
        self.graph.inputs.append(tensor)
        try:
            data_type(kind)
        except NoLowering as error:
            self.refuse(error, value)
        return Ref(tensor, identity(value.rank), value.precision, self)

    def end(self, value: Value) -> Tensor:
        """The tensor of an output, in the order of the model, which an operation makes."""
        ref = self.plain(value)
        taken = (*self.graph.inputs, *self.graph.outputs)
        if ref.tensor.data is not None or any(t is ref.tensor for t in taken):
            ref = self.reshaped(ref, ref.tensor.shape)
        self.graph.outputs.append(ref.tensor)
        return ref.tensor

    def run(self, model: Model) -> None:
        """Emit all operations of a model."""
        for number, value in enumerate(model.inputs):
            self.names[value] = self.begin(value, number)
        self.lower_all(model)


def require_operands(
    definition: Definition, tensors: Sequence[Tensor | None], parameters: Mapping[str, object]
) -> None:
    """NoLowering for operands and parameters that an operation does not take."""
    is_wide = any(t is not None and t.precision == Precision.FLOAT64 for t in tensors)
    for name, value in parameters.items():
        parameter_type(definition.named(name), value, is_wide=is_wide)
    for place, tensor in enumerate(tensors):
        if tensor is not None:
            operand = definition.inputs[min(place, len(definition.inputs) - 1)]
            written = tensor.written()
            try:
                check_operand(written, operand, f"{definition.name} {operand.name!r}")
            except BadType as error:
                raise NoLowering(f"nnrt: {error}") from None


def result_shape(g: Emitter, number: int = 0) -> tuple[Dim, ...]:
    """The sizes of a result of the operation that is lowered."""
    return g.operation.outputs[number].shape
