"""Emit a model as a graph of NNAPI 1.0.

Results are stored in any order of their axes, as in the other drivers that have channels last: a
TRANSPOSE is no work by itself. NNAPI 1.0 moves no elements but whole rows of tables, and so every
permutation, cut, repetition and border is a RESHAPE to a table, an EMBEDDING_LOOKUP of its rows and
a RESHAPE back. Tensors have at most four axes there; a value of more is stored with axes joined.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np

from nnir.broadcast import broadcast
from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import FusedActivation, OperandType, OperationType
from nnir.model import Operation, Value
from nnir.records import dataclass
from nnir.types import Precision

from ...emission import Emission
from ...lowering import Lowerings, Plain
from ...orders import Key, Order, Ordered, channels_last, identity
from .graph import FLOAT, INT, QUANT, Dims, Graph, Step, Tensor
from .sizes import join_axes, longest_rows, numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MOST_AXES = 4
BYTES = frozenset({Precision.UINT8, Precision.INT8})
WHOLE = frozenset({Precision.INT32, Precision.INT64})
HELD = BYTES | WHOLE | {Precision.FLOAT32}
"""What operands of NNAPI hold."""
SHIFT = {Precision.UINT8: 0, Precision.INT8: 128}
"""What is added to an integer of 8 bits to store it as TENSOR_QUANT8_ASYMM."""


FUSING = frozenset(
    {
        *(OperationType.ADD, OperationType.MUL, OperationType.CONV_2D),
        *(OperationType.DEPTHWISE_CONV_2D, OperationType.FULLY_CONNECTED),
        *(OperationType.AVERAGE_POOL_2D, OperationType.MAX_POOL_2D, OperationType.L2_POOL_2D),
    }
)
"""Operations whose last input is a fused activation."""


@dataclass(frozen=True, eq=False)
class Ref(Ordered):
    """A result as it is stored: axis k of `shape` is axis `order[k]` of the value.

    `tensor` has the same elements, its axes may be joined. `precision` is the value's: integers of
    8 bits are a tensor of those, or one of FLOAT32 that holds the same numbers. `emitter` makes the
    graph that it is in.
    """

    tensor: Tensor
    shape: Dims
    order: Order
    precision: Precision
    emitter: Emitter = field(repr=False)

    @property
    def sizes(self) -> Dims:
        """The sizes in the value's order."""
        return tuple(self.shape[self.order.index(a)] for a in range(self.rank))

    @property
    def constant(self) -> np.ndarray | None:
        """The data in the value's order, where it is known."""
        data = self.tensor.data
        return None if data is None else data.reshape(self.shape).transpose(np.argsort(self.order))

    @property
    def places(self) -> np.ndarray:
        """Where each element of the value lies in memory, in the value's order."""
        stored = np.arange(math.prod(self.shape)).reshape(self.shape)
        return stored.transpose(np.argsort(self.order))

    def stored(self, shape: Dims, order: Order | None = None) -> Ref:
        """The same tensor, which holds the axes of another value."""
        return replace(self, shape=shape, order=identity(len(shape)) if order is None else order)

    def apply(self, symbol: str, *operands: Operand | float) -> Ref:
        """A sum, a difference or a product of FLOAT32."""
        g, (first, *second) = self.emitter, map(self.emitter.real, operands)
        match symbol, second:
            case "+", [other]:
                return g.binary("ADD", first, other)
            case "*", [other]:
                return g.binary("MUL", first, other)
            case "-", [other]:
                return first + -other
            case "neg", []:
                known = first.constant
                return first * -1 if known is None else g.constant(-known)
        raise NoLowering(f"nnapi has no operation for {symbol}")


Operand = Value | Ref | None
Argument = Tensor | Ref | int | float | None


class Emitter(Emission[Ref]):
    """One graph in the making.

    `makers` has the step of each tensor, `twins` the integers that a tensor of FLOAT32 stands for,
    `memo` what was made of a tensor already. `picked` says of what a tensor consists whose elements
    were moved: the tensor, their places and what stands at the place -1.
    """

    device = "nnapi"

    def __init__(self, lowerings: Lowerings[Ref], outer: Emission[Ref] | None = None) -> None:
        super().__init__(lowerings, outer)
        self.graph = Graph()
        self.makers: dict[Tensor, Step] = {}
        self.twins: dict[Tensor, Tensor] = {}
        self.picked: dict[Tensor, tuple[Ref, np.ndarray, Tensor | None]] = {}
        self.memo: dict[Key, Tensor] = {}
        self.log: list[Key] = []

    # What the walk over the model asks for

    def ref(self, operand: Operand) -> Ref | None:
        if not isinstance(operand, Value):
            return operand
        if operand not in self.names and operand.constant is not None:
            self.names[operand] = self.constant(operand.constant, operand.precision)
        return self.names.get(operand)

    def stand_in(self, value: Value) -> Ref:
        try:
            shape = numbers(value.shape)
            tensor = self.blank(value.precision, shape)
        except NoLowering as error:
            self.refuse(error, value)
            return self._nothing(value)
        return self.hold(tensor, shape, precision=value.precision)

    def _nothing(self, value: Value) -> Ref:
        """In place of what was refused, to find all else that is."""
        shape = (1,) * value.rank
        return self.hold(Tensor(FLOAT, join_axes(shape)), shape, precision=value.precision)

    def hold(
        self,
        tensor: Tensor,
        shape: Dims,
        order: Order | None = None,
        precision: Precision = Precision.FLOAT32,
    ) -> Ref:
        """A tensor as a result, in the order of the model where none is said."""
        order = identity(len(shape)) if order is None else order
        return Ref(tensor, shape, order, precision, self)

    def blank(self, precision: Precision, shape: Dims) -> Tensor:
        """A tensor for values of a precision that comes from elsewhere."""
        require_elements(shape)
        dims = join_axes(shape)
        if precision in BYTES:
            return Tensor(QUANT, dims, None, 0.0, 0)
        return Tensor(kind_of(precision), dims)

    def mark(self) -> tuple[int, int]:
        return len(self.graph.steps), len(self.log)

    def undo(self, mark: tuple[int, int]) -> None:
        del self.graph.steps[mark[0] :]
        for key in self.log[mark[1] :]:
            self.memo.pop(key, None)
        del self.log[mark[1] :]

    def lower(self, operation: Operation) -> None:
        wrong = [v for v in operation.outputs if v.precision not in HELD or 0 in v.shape]
        if not wrong:
            super().lower(operation)
            return
        self.refuse(
            NoLowering(
                f"nnapi has no operands of {wrong[0].type}: it has FLOAT32, INT32 and integers of "
                "8 bits with a scale"
            ),
            operation,
        )
        self.names.update({v: self._nothing(v) for v in operation.outputs})

    def typed(self, ref: Ref, value: Value) -> Ref:
        if ref.sizes != numbers(value.shape):
            raise NoLowering(f"nnapi: a result {list(ref.sizes)} for {value.type}")
        return replace(ref, precision=value.precision)

    def native(
        self, kernel: str, inputs: Sequence[Value | None], fields: Mapping[str, Plain]
    ) -> Ref:
        """An operation without scalars, element by element, of one tensor or of two that
        broadcast."""
        first, *second = map(self.real, inputs)
        if fields:
            raise NoLowering(f"nnapi has no {kernel} with {', '.join(fields)}")
        return self.binary(kernel, first, *second) if second else self.map(kernel, first)

    # Steps

    def step(
        self,
        type: OperationType,
        inputs: Sequence[Argument],
        dims: Dims,
        kind: OperandType = FLOAT,
        grid: tuple[float, int] = (0.0, 0),
    ) -> Tensor:
        """An operation of one result."""
        made = Tensor(kind, dims, None, *grid)
        label = "" if self._operation is None else (self._whole or self._operation).label
        step = Step(type, [self.argument(t) for t in inputs], [made], label)
        self.graph.steps.append(step)
        self.makers[made] = step
        return made

    def one(
        self,
        kernel: str,
        inputs: Sequence[Argument],
        shape: Dims | None = None,
        order: Order | None = None,
        like: Ref | None = None,
    ) -> Ref:
        """An operation of one result, of FLOAT32 or as `like`, whose activation is none yet.

        It has the axes of `shape`, or those that the operation which is lowered has in `order`.
        """
        type = OperationType[kernel]
        shape = result_shape(self, order) if shape is None else shape
        more = (int(FusedActivation.NONE),) if type in FUSING else ()
        source = like.tensor if like is not None else None
        how = (source.type, source.grid) if source is not None and source.type != FLOAT else ()
        made = self.step(type, [*inputs, *more], shape, *how)
        return self.hold(made, shape, order, like.precision if like else Precision.FLOAT32)

    def argument(self, given: Argument) -> Tensor | None:
        """A tensor, that of a result as it is stored, or a scalar as one; equal scalars are one."""
        if isinstance(given, Ref):
            return self.whole(given)
        if given is None or isinstance(given, Tensor):
            return given
        kind = OperandType.FLOAT32 if isinstance(given, float) else OperandType.INT32
        key = (kind, given)
        if key not in self.memo:
            self.memo[key] = Tensor(kind, (), np.array(given, kind.dtype))
        return self.memo[key]

    def constant(self, data: ArrayLike, precision: Precision = Precision.FLOAT32) -> Ref:
        """A constant; integers of 8 bits are stored with a scale once one is known."""
        array = np.asarray(data)
        require_elements(array.shape)
        dims = join_axes(array.shape)
        if precision in BYTES:
            stored = (array.astype(np.int16) + SHIFT[precision]).astype(np.uint8)
            tensor = Tensor(QUANT, dims, stored.reshape(dims))
        else:
            kind = kind_of(precision)
            if kind == INT and np.any(array != array.astype(np.int32)):
                raise NoLowering("nnapi has INT32 alone: a constant goes beyond it")
            tensor = Tensor(kind, dims, array.astype(kind.dtype, copy=False).reshape(dims))
        return self.hold(tensor, array.shape, precision=precision)

    def table(self, data: np.ndarray) -> Tensor:
        """Numbers as a constant tensor of their own axes."""
        kind = FLOAT if data.dtype.kind == "f" else INT
        return Tensor(kind, data.shape, data.astype(kind.dtype, copy=False))

    def remember(self, key: Key, tensor: Tensor) -> Tensor:
        """Keep what was made, until it is undone."""
        self.memo[key] = tensor
        self.log.append(key)
        return tensor

    # Kinds of numbers

    def dequantized(self, integers: Tensor) -> Tensor:
        """The FLOAT32 that integers with a scale stand for."""
        key = (integers, "real")
        if key not in self.memo:
            made = self.step(OperationType.DEQUANTIZE, [integers], integers.dims)
            self.twins[self.remember(key, made)] = integers
        return self.memo[key]

    def twin(self, tensor: Tensor) -> Tensor | None:
        """The integers, no constant, that a tensor of FLOAT32 stands for."""
        found = self.twins.get(tensor)
        return found if found is not None and found.data is None else None

    def settle(self, tensor: Tensor, grid: tuple[float, int]) -> bool:
        """Give integers a scale and zero point; whether they are those that it has."""
        if tensor.scale:
            return tensor.grid == grid
        tensor.scale, tensor.zero = grid
        step = self.makers.get(tensor)
        for source in step.inputs if step is not None else ():
            if source is not None and source.type == QUANT:
                self.settle(source, grid)
        return True

    def real(self, operand: Operand | float) -> Ref:
        """A result of FLOAT32, or a number; NoLowering for others."""
        if isinstance(operand, (int, float)):
            return self.constant(np.float32(operand))
        ref = self.take(operand)
        if ref.precision != Precision.FLOAT32:
            raise NoLowering(f"nnapi calculates with FLOAT32, not {ref.precision.name}")
        return ref

    # Axes

    def dims(self, ref: Ref, dims: Dims) -> Tensor:
        """The tensor with these axes, whose elements lie as they are."""
        tensor = ref.tensor
        if tensor.dims == dims:
            return tensor
        twin = self.twin(tensor)
        if twin is not None:
            return self.dequantized(self.dims(replace(ref, tensor=twin), dims))
        key = (tensor, "dims", dims)
        if key in self.memo:
            return self.memo[key]
        if tensor.data is not None:
            made = replace(tensor, dims=dims, data=tensor.data.reshape(dims))
            if tensor in self.twins:
                self.twins[made] = replace(
                    self.twins[tensor], dims=dims, data=self._twin_data(tensor).reshape(dims)
                )
            return self.remember(key, made)
        if tensor.type == INT:
            raise NoLowering("nnapi reshapes no INT32")
        if len(dims) > MOST_AXES:
            raise NoLowering(f"nnapi has at most {MOST_AXES} axes, not {list(dims)}")
        grid = tensor.grid
        shape = self.table(np.array(dims, np.int32))
        made = self.step(OperationType.RESHAPE, [tensor, shape], dims, tensor.type, grid)
        if tensor in self.picked:
            self.picked[made] = self.picked[tensor]
        return self.remember(key, made)

    def _twin_data(self, tensor: Tensor) -> np.ndarray:
        data = self.twins[tensor].data
        if data is None:
            raise NoLowering("nnapi: a constant of integers without data")
        return data

    def whole(self, ref: Ref) -> Tensor:
        """The tensor with the axes that are stored, joined where there are too many."""
        return self.dims(ref, join_axes(ref.shape))

    def plain(self, operand: Operand) -> Ref:
        """The result in the order of the model."""
        ref = self.take(operand)
        return self.ordered(ref, identity(ref.rank))

    def ordered(self, operand: Operand, order: Order) -> Ref:
        """The result with its axes stored in `order`."""
        ref = self.take(operand)
        if ref.order == order:
            return ref
        return self.moved(ref, ref.places.transpose(order), order)

    def moved(
        self,
        ref: Ref,
        places: np.ndarray,
        order: Order | None = None,
        fill: Tensor | None = None,
    ) -> Ref:
        """Elements by their places in memory, as they are to be stored; -1 is `fill`."""
        tensor = self.pick(ref, np.ascontiguousarray(places), fill)
        return self.hold(tensor, places.shape, order, ref.precision)

    def pick(self, ref: Ref, places: np.ndarray, fill: Tensor | None = None) -> Tensor:
        """Elements by their places in memory; -1 is `fill`, one number.

        What lies together is moved together, as rows of a table, and once: what was moved before
        is taken from where it lay.
        """
        require_elements(places.shape)
        tensor, flat = ref.tensor, places.reshape(-1)
        if fill is None and np.array_equal(flat, np.arange(math.prod(ref.shape))):
            return self.dims(ref, join_axes(places.shape))
        twin = self.twin(tensor)
        if twin is not None and fill is None:
            return self.dequantized(self.pick(replace(ref, tensor=twin), places))
        key = (tensor, "pick", fill, flat.tobytes())
        if key in self.memo:
            return self.dims(replace(ref, tensor=self.memo[key]), join_axes(places.shape))
        if tensor in self.picked:
            source, before, border = self.picked[tensor]
            if fill is None or border is None or np.array_equal(fill.data, border.data):  # type: ignore[arg-type]
                moved = np.where(flat < 0, -1, before[flat]).reshape(places.shape)
                return self.pick(source, moved, border if fill is None else fill)
        if tensor.data is not None:
            made = self._pick_constant(tensor, flat, fill, join_axes(places.shape))
            return self.remember((*key, places.shape), made)
        rows = longest_rows(places, math.prod(ref.shape))
        heads = flat.reshape(-1, rows)[:, 0] // rows
        table = self.dims(ref, (math.prod(ref.shape) // rows, rows))
        if fill is not None:
            table = self._append(table, fill, rows)
            heads = np.where(heads < 0, table.dims[0] - 1, heads)
        found = self.step(
            OperationType.EMBEDDING_LOOKUP,
            [self.table(heads.astype(np.int32)), table],
            (len(heads), rows),
            tensor.type,
            tensor.grid,
        )
        self.remember(key, found)
        self.picked[found] = ref, flat, fill
        return self.dims(replace(ref, tensor=found), join_axes(places.shape))

    def _pick_constant(
        self, tensor: Tensor, flat: np.ndarray, fill: Tensor | None, dims: Dims
    ) -> Tensor:
        """Elements of a constant, and of the integers that it stands for: these have a 0."""
        number = 0 if fill is None else np.asarray(fill.data).item()

        def pick(data: np.ndarray, other: float) -> np.ndarray:
            moved = np.where(flat < 0, other, data.reshape(-1)[flat])
            return moved.astype(data.dtype).reshape(dims)

        made = replace(tensor, dims=dims, data=pick(np.asarray(tensor.data), number))
        if tensor in self.twins and number == 0:
            twin = self.twins[tensor]
            self.twins[made] = replace(
                twin, dims=dims, data=pick(self._twin_data(tensor), twin.zero)
            )
        return made

    def _append(self, table: Tensor, fill: Tensor, rows: int) -> Tensor:
        """One more row, of one number."""
        last = replace(
            fill, dims=(1, rows), data=np.full((1, rows), np.asarray(fill.data).reshape(-1)[0])
        )
        sizes = table.dims[0] + 1, rows
        inputs: list[Argument] = [table, last, 0]
        return self.step(OperationType.CONCATENATION, inputs, sizes, table.type, table.grid)

    def last(self, operand: Operand, axes: Sequence[int]) -> Ref:
        """The result with some axes stored last, in their order, the others in any."""
        ref = self.take(operand)
        if ref.order[ref.rank - len(axes) :] == tuple(axes):
            return ref
        return self.ordered(ref, (*(a for a in ref.order if a not in axes), *axes))

    def reshape(self, operand: Operand, shape: Dims) -> Ref:
        """The elements in the order of the model in another shape; nothing is done yet."""
        return self.plain(operand).stored(shape)

    # Element by element

    def map(self, kernel: str, ref: Ref) -> Ref:
        """An operation of one tensor, in whatever order it is stored."""
        tensor = self.whole(ref)
        return replace(ref, tensor=self.step(OperationType[kernel], [tensor], tensor.dims))

    def binary(self, kernel: str, a: Ref, b: Ref) -> Ref:
        """ADD or MUL of operands that broadcast."""
        (left, right), shape, order = self.aligned(a, b)
        first, second, dims = self.joined(left, right, shape)
        made = self.step(OperationType[kernel], [first, second, int(FusedActivation.NONE)], dims)
        return self.hold(made, shape, order)

    def rectify(self, ref: Ref) -> Ref:
        return self.map("RELU", ref)

    def aligned(self, *operands: Operand | float) -> tuple[list[Ref], Dims, Order]:
        """Operands that broadcast, all stored in the order that most elements have already; the
        sizes that they broadcast to in that order, and the order."""
        refs = [self.real(o) for o in operands]
        rank = max(r.rank for r in refs)
        votes: dict[Order, int] = {}
        for ref in refs:
            if ref.rank == rank and ref.tensor.data is None:
                votes[ref.order] = votes.get(ref.order, 0) + math.prod(ref.shape)
        natural = channels_last(rank)
        order = max(votes, key=lambda o: (votes[o], o == natural), default=identity(rank))
        wide = [self.widened(r, order) for r in refs]
        return wide, numbers(broadcast(*(r.shape for r in wide))), order

    def widened(self, ref: Ref, order: Order) -> Ref:
        """An operand of fewer axes, or of as many, stored in `order`."""
        missing = len(order) - ref.rank
        if missing:
            plain = self.plain(ref)
            wide = (1,) * missing + plain.shape
            ref = plain.stored(wide)
        return self.ordered(ref, order)

    def joined(self, a: Ref, b: Ref, shape: Dims) -> tuple[Tensor, Tensor, Dims]:
        """Two operands and the result with at most four axes each."""
        if len(shape) <= MOST_AXES:
            rows = [s or (1,) for s in (a.shape, b.shape, shape)]
        else:
            rows = join_alike(a.shape, b.shape, shape)
        return self.dims(a, rows[0]), self.dims(b, rows[1]), rows[2]

    # Ends

    def end(self, value: Value) -> Tensor:
        """The tensor of an output: of the value's own axes, made by a step, and no output yet."""
        ref = self.plain(value)
        tensor = self.whole(ref)
        taken = any(t is tensor for t in (*self.graph.inputs, *self.graph.outputs))
        if taken or tensor.data is not None:
            tensor = self._copy(tensor)
        self.graph.outputs.append(tensor)
        return tensor

    def _copy(self, tensor: Tensor) -> Tensor:
        """The same elements once more."""
        if tensor.type == INT and len(tensor.dims) < 2:
            raise NoLowering("nnapi copies no vectors of INT32")
        dims = tensor.dims
        if tensor.type == INT:
            rows = self.table(np.arange(dims[0], dtype=np.int32))
            return self.step(OperationType.EMBEDDING_LOOKUP, [rows, tensor], dims, INT)
        shape = self.table(np.array(dims, np.int32))
        return self.step(OperationType.RESHAPE, [tensor, shape], dims, tensor.type, tensor.grid)


def require_elements(shape: Sequence[int]) -> None:
    """NoLowering for a tensor without elements."""
    if 0 in shape:
        raise NoLowering(f"nnapi has no tensors without elements, such as {list(shape)}")


def kind_of(precision: Precision) -> OperandType:
    """The type of the tensors that hold values of a precision other than of 8 bits."""
    if precision == Precision.FLOAT32:
        return FLOAT
    if precision in WHOLE:
        return INT
    raise NoLowering(
        f"nnapi has no operands of {precision.name}: it has FLOAT32, INT32 and integers of 8 bits "
        "with a scale"
    )


def join_alike(*shapes: Dims) -> list[Dims]:
    """Shapes that broadcast, with neighbours joined that do alike; the last is the result's."""
    columns = [c for c in zip(*shapes, strict=True) if c[-1] != 1]
    found: list[list[int]] = []
    for column in columns:
        pattern = [n == 1 for n in column]
        if found and [n == 1 for n in found[-1]] == pattern:
            found[-1] = [a * b for a, b in zip(found[-1], column, strict=True)]
        else:
            found.append(list(column))
    if len(found) > MOST_AXES:
        raise NoLowering(f"nnapi broadcasts at most {MOST_AXES} axes, not {shapes}")
    rows = found or [[1] * len(shapes)]
    return [tuple(row[k] for row in rows) for k in range(len(shapes))]


def result_shape(g: Emitter, order: Order | None = None) -> Dims:
    """The sizes of the first result of the operation that is lowered, as an order stores them."""
    shape = numbers(g.operation.outputs[0].shape)
    return shape if order is None else tuple(shape[a] for a in order)


Taken = Annotated[Ref, Emitter.take]
"""What a lowering reads as it is stored."""
Real = Annotated[Ref, Emitter.real]
"""What a lowering calculates with, in FLOAT32."""
