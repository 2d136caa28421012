"""Emit a model as a TFLite graph.

Results are stored in any order of their axes: a convolution gives channels last, and what follows
works on that until an operation needs the order that the model says. A TRANSPOSE of the model is
no work by itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from nnir.broadcast import broadcast
from nnir.dim import Dim, Expr, Symbol, symbol
from nnir.errors import NoLowering
from nnir.formats.tflite import schema
from nnir.model import Model, Operation, Value
from nnir.types import Precision, Quantization, precision_of

from ... import lowering, orders
from ...lowering import Lowerings
from ...nothing import without_running
from ...orders import Order, OrderedEmission, channels_last, identity
from ...quirks import report_met
from .kernels import (
    FUSED,
    FUSING,
    HALVES,
    SAME_BITS,
    STORED,
    carrier,
    compute_precision,
    has_kernel,
)
from .quirks import CONSTANT_BRANCH
from .static import cast_data
from .writer import Field, Graph, Step, Tensor, type_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

MOST_AXES = 8
COMPARISONS = frozenset({"EQUAL", "NOT_EQUAL", "LESS", "GREATER", "LESS_EQUAL", "GREATER_EQUAL"})


Ref = orders.Ref[Tensor]
Operand = Value | Ref | None
Refs = tuple[Ref, ...]
Notes = dict[Tensor, tuple[Tensor, Quantization]]
"""Of which tensor another one is made, and how integers stand for numbers between them."""


SYMBOLS = {
    "+": "ADD",
    "-": "SUB",
    "*": "MUL",
    "/": "DIV",
    "%": "FLOOR_MOD",
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
"""The steps that Python's symbols stand for."""


class Emitter(OrderedEmission[Tensor]):
    """One TFLite graph in the making; sub-graphs have an emitter of their own.

    `memo` holds what was made of a tensor already: the same elements in another order or type.
    `flat` says of which tensor a tensor is a reshape, `places` where a size that is only known
    while running can be read. `dequantised` has the integers that a tensor of FLOAT32 stands for,
    `quantised` the FLOAT32 that integers were.
    """

    device = "litert"
    SYMBOLS = SYMBOLS
    root: Emitter

    def __init__(self, lowerings: Lowerings[Ref], outer: Emitter | None = None) -> None:
        super().__init__(lowerings, outer)
        self.names = {}  # a graph sees nothing of the one around it
        self.graph = Graph("main")
        self.flat: dict[Tensor, Tensor] = {}
        self.places: dict[Expr, tuple[Tensor, int]] = {}
        self.makers: dict[Tensor, Step] = {}
        self.dequantised: Notes = {}
        self.quantised: Notes = {}

    # What the walk over the model asks for

    def by_lowering(self, operation: Operation) -> list[Ref | None]:
        known = without_running(operation, STORED)
        return super().by_lowering(operation) if known is None else [*map(self.constant, known)]

    def stand_in(self, value: Value) -> Ref:
        kind = carrier(value.precision)
        return Ref(Tensor(kind, value.shape), identity(value.rank), value.precision, self)

    def mark(self) -> tuple[int, int]:
        return len(self.graph.steps), len(self.log)

    def undo(self, mark: tuple[int, int]) -> None:
        gone = {t for step in self.graph.steps[mark[0] :] for t in step.outputs}
        for size in [s for s, (tensor, _) in self.places.items() if tensor in gone]:
            del self.places[size]
        del self.graph.steps[mark[0] :]
        self.forget(mark[1])

    def typed(self, ref: Ref, value: Value) -> Ref:
        """A result of a lowering, rounded where the value is of 16 bits."""
        if ref.rank != value.rank:
            raise NoLowering(f"litert: a result {ref.shape} for {value.type}")
        if value.precision in HALVES and ref.precision != value.precision:
            ref = self.rounded(ref, value.precision)
        for axis, size in enumerate(value.shape):
            if isinstance(size, Expr):
                self.places.setdefault(size, (ref.tensor, ref.place(axis)))
        return ref.seen_as(value.precision)

    def ref(self, operand: Operand) -> Ref | None:
        if operand is None or isinstance(operand, orders.Ref):
            return operand
        if operand not in self.names:
            if operand.constant is None:
                raise NoLowering(f"{operand!r} is read before it is made")
            self.names[operand] = self._weight(operand)
        return self.names[operand]

    def _weight(self, value: Value) -> Ref:
        data = value.constant
        if data is None:
            raise NoLowering(f"{value!r} is no constant")
        if value.precision in HALVES:
            data = data.astype(np.float32)
        kind = Precision[data.dtype.name.upper()] if value.precision.is_quantized else None
        stored = kind or carrier(value.precision)
        if stored not in STORED:
            raise NoLowering(f"litert has no tensors of {stored.name}")
        tensor = Tensor(stored, data.shape, data, value.name or "", value.type.quantization)
        return Ref(tensor, identity(data.ndim), value.precision, self)

    def real(self, operand: Operand) -> Ref:
        """An operand that is computed with in FLOAT32; NoLowering for others, as FLOAT64."""
        ref = self.take(operand)
        if ref.tensor.precision != Precision.FLOAT32:
            raise NoLowering(f"litert computes no {ref.precision.name} functions, only FLOAT32")
        return ref

    def image(self, operand: Operand) -> Ref:
        """An operand that is computed with in FLOAT32, with channels last."""
        ref = self.real(operand)
        return self.ordered(ref, channels_last(ref.rank))

    # Constants

    def constant(self, data: ArrayLike, dtype: DTypeLike | None = None) -> Ref:
        """A tensor with known data."""
        array = np.asarray(data, dtype)
        precision = precision_of(array.dtype)
        if precision in HALVES:
            array = array.astype(np.float32)
        tensor = Tensor(carrier(precision), array.shape, array)
        return Ref(tensor, identity(array.ndim), precision, self)

    def ints(self, *values: Dim) -> Ref:
        """A vector of INT32, as kernels take axes and sizes; NoLowering for what is not known."""
        if any(isinstance(v, Expr) for v in values):
            text = ", ".join(map(str, values))
            raise NoLowering(
                f"litert needs the sizes [{text}], which grow or are not known: "
                "fix those with --dim NAME=SIZE"
            )
        return self.constant(np.array(values, np.int32))

    def number(self, value: float, like: Operand) -> Ref:
        """One element in the precision in which `like` is stored."""
        return self.constant(np.array(value, self.take(like).tensor.precision.dtype))

    # Steps

    def emit(
        self,
        name: str,
        inputs: Sequence[Ref],
        results: Sequence[tuple[Precision, tuple[Dim, ...]]],
        **fields: Field,
    ) -> list[Tensor]:
        """Append a step; its results, which are stored as they are said to be."""
        if any(len(shape) > MOST_AXES for _, shape in results):
            raise NoLowering(f"litert has no tensors of more than {MOST_AXES} axes")
        for precision, _ in results:
            type_number(precision)
        outputs = [Tensor(p, tuple(s), name=self.node_name(name.lower())) for p, s in results]
        step = Step(name, [r.tensor for r in inputs], outputs, schema.table_of(name), fields)
        self.graph.steps.append(step)
        for tensor in outputs:
            self.makers[tensor] = step
        return outputs

    def several(
        self,
        name: str,
        inputs: Sequence[Ref],
        results: Sequence[tuple[Precision, tuple[Dim, ...]]],
        order: Order | None = None,
        **fields: Field,
    ) -> Refs:
        """A step with these results, in the order of the model where nothing else is said; halves
        are rounded already."""
        stored = [(carrier(p), shape) for p, shape in results]
        pairs = zip(self.emit(name, inputs, stored, **fields), results, strict=True)
        return tuple(Ref(t, order or identity(len(s)), p, self) for t, (p, s) in pairs)

    def one(
        self,
        name: str,
        inputs: Sequence[Ref],
        precision: Precision,
        shape: tuple[Dim, ...] | None = None,
        order: Order | None = None,
        **fields: Field,
    ) -> Ref:
        """A step with one result: that of the operation, in the order of the model, where nothing
        else is said."""
        shape = result_shape(self, order) if shape is None else shape
        (made,) = self.emit(name, inputs, [(precision, shape)], **fields)
        return Ref(made, identity(len(shape)) if order is None else order, precision, self)

    def compute(
        self,
        name: str,
        refs: Sequence[Ref],
        *rest: Ref,
        shape: tuple[Dim, ...] | None = None,
        order: Order | None = None,
        precision: Precision | None = None,
        **fields: Field,
    ) -> Ref:
        """A step that calculates with `refs`, of one precision; `rest` are positions and sizes.

        Its shape, as it is stored, and order are those of the operation where they are not said.
        Where there is no kernel for the precision it is done in a wider one. `precision` is that
        of the result where it differs; a half becomes a FLOAT32 that is yet to be rounded.
        """
        given = refs[0].tensor.precision
        shape, order = self._place(refs[0], shape, order)
        if given == Precision.UINT64 and name in ("ADD", "SUB", "MUL", "EQUAL", "NOT_EQUAL"):
            signed = [self.same_bits(r, Precision.INT64) for r in refs]
            how: dict[str, Any] = {"precision": precision, **fields}
            found = self.compute(name, signed, *rest, shape=shape, order=order, **how)
            return found if precision else self.same_bits(found, given)
        wide = compute_precision(name, given)
        operands = [self.cast(r.seen_as(given), wide) for r in refs]
        (made,) = self.emit(name, [*operands, *rest], [(precision or wide, shape)], **fields)
        result = Ref(made, order, precision or wide, self)
        return result if precision else self.cast(result, given)

    def move(
        self,
        name: str,
        refs: Sequence[Ref],
        *rest: Ref,
        shape: tuple[Dim, ...] | None = None,
        order: Order | None = None,
        **fields: Field,
    ) -> Ref:
        """A step that moves elements of `refs`, whatever they are; see `compute`."""
        given, logical = refs[0].tensor.precision, refs[0].precision
        shape, order = self._place(refs[0], shape, order)
        kind = self.movable(name, given)
        operands = [self.same_bits(r, kind) for r in refs]
        (made,) = self.emit(name, [*operands, *rest], [(kind, shape)], **fields)
        result = self.same_bits(Ref(made, order, kind, self), given)
        return Ref(result.tensor, order, logical, self)

    def cut(self, name: str, operands: Sequence[Ref], order: Order, **fields: Field) -> Refs:
        """A step that cuts its last operand into the results of the operation, stored in an order.

        NoLowering where that would make what nobody reads, or from bits of another type.
        """
        ref, outputs = operands[-1], self.operation.outputs
        if not has_kernel(name, ref.tensor.precision):
            raise NoLowering(f"litert has no kernel of {name} for {ref.tensor.precision.name}")
        if len(outputs) == 1 or not all(v.uses or v in v.model.outputs for v in outputs):
            raise NoLowering(f"litert: of what {name} makes some is not read")
        results = [(ref.precision, tuple(v.shape[a] for a in order)) for v in outputs]
        return self.several(name, operands, results, order, **fields)

    def _place(
        self, ref: Ref, shape: tuple[Dim, ...] | None, order: Order | None
    ) -> tuple[tuple[Dim, ...], Order]:
        """How a result is stored: as its first operand is, where nothing else is said."""
        if shape is not None:
            return shape, identity(len(shape)) if order is None else order
        rank = len(result_shape(self))
        order = order or (ref.order if ref.rank == rank else identity(rank))
        return result_shape(self, order), order

    def movable(self, name: str, given: Precision) -> Precision:
        """The precision in which an operator moves elements."""
        kind = given
        while not has_kernel(name, kind):
            if kind not in SAME_BITS:
                raise NoLowering(f"litert has no kernel of {name} for {given.name}")
            kind = SAME_BITS[kind]
        return kind

    def same_bits(self, ref: Ref, to: Precision) -> Ref:
        """The same bits as another type of the same width."""
        return self._retype(ref, to, "BITCAST", lambda data: data.view(to.dtype))

    def cast(self, operand: Operand, to: Precision) -> Ref:
        """Another type, left out where nothing changes."""
        ref = self.take(operand)
        stored = carrier(to)
        if Precision.UINT64 in (stored, ref.tensor.precision) and stored != ref.tensor.precision:
            raise NoLowering(f"litert casts no {ref.tensor.precision.name} to {stored.name}")
        codes = [type_number(p) for p in (ref.tensor.precision, stored)]
        fields = {"in_data_type": codes[0], "out_data_type": codes[1]}
        return self._retype(ref, stored, "CAST", lambda data: cast_data(data, to), **fields)

    def _retype(
        self,
        ref: Ref,
        to: Precision,
        name: str,
        data: Callable[[np.ndarray], np.ndarray],
        **fields: Field,
    ) -> Ref:
        tensor = ref.tensor
        if tensor.precision == to:
            return ref
        key = (tensor, name, to)
        if key not in self.memo:
            if tensor.data is not None:
                self.remember(key, Tensor(to, tensor.shape, data(tensor.data)))
            else:
                self.remember(key, self.emit(name, [ref], [(to, tensor.shape)], **fields)[0])
        return Ref(self.memo[key], ref.order, to, self)

    def recast(self, ref: Ref, to: Precision) -> Ref:
        """A step that casts to the very type, also of 16 bits."""
        (made,) = self.emit("CAST", [ref], [(to, ref.tensor.shape)])
        return Ref(made, ref.order, to, self)

    def rounded(self, ref: Ref, to: Precision) -> Ref:
        """FLOAT32 with what is not a half rounded to one."""
        if ref.tensor.data is not None:
            data = ref.tensor.data.astype(to.dtype).astype(np.float32)
            return Ref(Tensor(Precision.FLOAT32, data.shape, data), ref.order, to, self)
        real = self.cast(ref.seen_as(ref.tensor.precision), Precision.FLOAT32)
        shape = ref.tensor.shape
        kinds = [type_number(p) for p in (Precision.FLOAT32, to)]
        fields = {"in_data_type": kinds[0], "out_data_type": kinds[1]}
        (half,) = self.emit("CAST", [real], [(to, shape)], **fields)
        back = {"in_data_type": kinds[1], "out_data_type": kinds[0]}
        (made,) = self.emit(
            "CAST", [Ref(half, ref.order, to, self)], [(Precision.FLOAT32, shape)], **back
        )
        return Ref(made, ref.order, to, self)

    # Orders of axes

    def permute(self, tensor: Tensor, perm: Order) -> Tensor:
        shape = tuple(tensor.shape[p] for p in perm)
        if tensor.data is not None:
            return Tensor(tensor.precision, shape, tensor.data.transpose(perm))
        ref = Ref(tensor, identity(len(perm)), tensor.precision, self)
        long = [p for p in perm if tensor.shape[p] != 1]
        dynamic = sum(isinstance(d, Expr) for d in shape)
        if long == sorted(long) and dynamic < 2:
            return self.reshape(ref, shape).tensor
        return self.move("TRANSPOSE", [ref], self.ints(*perm), shape=shape, order=perm).tensor

    # Shapes

    def reshape(self, operand: Operand, shape: Sequence[Dim]) -> Ref:
        """The elements in the order of the model in another shape."""
        ref = self.plain(operand)
        target = tuple(shape)
        tensor = ref.tensor
        if tensor.shape == target:
            return Ref(tensor, identity(len(target)), ref.precision, self)
        order = identity(len(target))
        if tensor.data is not None and not any(isinstance(d, Expr) for d in target):
            data = tensor.data.reshape(target)  # type: ignore[arg-type]  # no symbols
            made_of = Tensor(tensor.precision, target, data)
            self.flat[made_of] = tensor
            return Ref(made_of, order, ref.precision, self)
        tensor = self.flat.get(tensor, tensor)
        if tensor.shape == target:
            return Ref(tensor, order, ref.precision, self)
        source = Ref(tensor, identity(len(tensor.shape)), ref.precision, self)
        made = self._reshape(source, target)
        self.flat[made.tensor] = tensor
        return made

    def _reshape(self, ref: Ref, target: tuple[Dim, ...]) -> Ref:
        dynamic = [k for k, d in enumerate(target) if isinstance(d, Expr)]
        if len(dynamic) > 1 or (dynamic and 0 in target):
            return self.move("RESHAPE", [ref], self.sizes(target), shape=target)
        numbers = [-1 if isinstance(d, Expr) else d for d in target]
        if not numbers:  # a vector of no elements is no constant for LiteRT
            return self.move("RESHAPE", [ref], shape=target, new_shape=[])
        return self.move("RESHAPE", [ref], self.ints(*numbers), shape=target, new_shape=numbers)

    def widen(self, ref: Ref, rank: int) -> Ref:
        """`ref` with axes of size 1 in front of its own, where it has fewer than `rank`."""
        missing = rank - ref.rank
        return self.reshape(ref, (1,) * missing + ref.shape) if missing > 0 else ref

    def reshape_last(self, ref: Ref, shape: Sequence[Dim]) -> Ref:
        """`ref` where it has the shape already, in whatever order."""
        return ref if ref.shape == tuple(shape) else self.reshape(ref, shape)

    def sizes(self, shape: Sequence[Dim]) -> Ref:
        """Sizes as a vector of INT32, read from tensors where they are not known."""
        if not any(isinstance(d, Expr) for d in shape):
            return self.ints(*shape)
        parts = [self.size(d) if isinstance(d, Expr) else self.ints(d) for d in shape]
        if len(parts) == 1:
            return parts[0]
        return self.vector("CONCATENATION", parts, len(parts), axis=0)

    def sizes_of(self, ref: Ref) -> Ref:
        """The sizes of a result as it is stored, as `sizes` gives them, or read from itself."""
        if ref.is_static:
            return self.ints(*ref.tensor.shape)
        return self.vector("SHAPE", [ref], ref.rank, out_type=2)

    def vector(self, name: str, inputs: Sequence[Ref], count: Dim, **fields: int) -> Ref:
        """A step that gives positions or sizes: `count` of INT32."""
        return self.one(name, inputs, Precision.INT32, (count,), None, **fields)

    def knows(self, size: Dim) -> bool:
        """Whether tensors have a size, or all symbols that it is made of by sums and products."""
        if not isinstance(size, Expr) or size in self.places:
            return True
        atoms = [atom for factors, _ in size.terms for atom in factors]
        return all(isinstance(a, Symbol) and symbol(a.name) in self.places for a in atoms)

    def size(self, size: Expr) -> Ref:
        """A size that is only known while running, as a vector of one INT32."""
        if size not in self.places and self.knows(size):
            terms = []
            for factors, number in size.terms:
                sizes = (self.size(symbol(str(factor))) for factor in factors)
                terms.append(reduce(operator.mul, sizes, self.ints(number)))
            return reduce(operator.add, terms)
        if size not in self.places:
            raise NoLowering(
                f"litert: a size {size} that no tensor has; fix the sizes with --dim NAME=SIZE"
            )
        tensor, axis = self.places[size]
        ref = Ref(tensor, identity(len(tensor.shape)), tensor.precision, self)
        return self.vector("SLICE", [self.sizes_of(ref), self.ints(axis), self.ints(1)], 1)

    # What many lowerings are made of

    def elementwise(
        self,
        name: str,
        *operands: Operand | float,
        precision: Precision | None = None,
        **fields: Field,
    ) -> Ref:
        """A step on operands that broadcast; a comparison gives truth values."""
        if name in COMPARISONS:
            precision = Precision.BOOL8
        refs, order = self.aligned(*operands)
        shape = broadcast(*(r.tensor.shape for r in refs))
        if shape and all(d == 1 for d in shape):  # XNNPACK drops them: `litert_axes_behind_a_mean`
            refs = [
                r if r.rank or r.tensor.data is not None else self.reshape(r, shape) for r in refs
            ]
        return self.compute(name, refs, shape=shape, order=order, precision=precision, **fields)

    def where(self, mask: Operand, yes: Operand | float, no: Operand | float) -> Ref:
        """The elements of one operand where the mask holds, those of the other elsewhere."""
        refs, order = self.aligned(mask, *self.alike(yes, no))
        shape = broadcast(*(r.tensor.shape for r in refs))
        given = refs[1].tensor.precision
        kind = self.movable("SELECT_V2", given)
        pair = [self.same_bits(r, kind) for r in refs[1:]]
        (made,) = self.emit("SELECT_V2", [refs[0], *pair], [(kind, shape)])
        result = self.same_bits(Ref(made, order, kind, self), given)
        same = refs[1].precision == refs[2].precision
        return Ref(result.tensor, order, refs[1].precision if same else given, self)

    def fuse(self, result: Ref, activation: int | None) -> bool:
        """Let the last step apply an activation to its result itself; False where it cannot."""
        step, kind = self.makers.get(result.tensor), result.tensor.precision
        if activation is None or step is None or step is not self.graph.steps[-1]:
            return False
        if step.name in FUSING and kind == Precision.FLOAT32:
            step.fields[FUSED] = activation
        return FUSED in step.fields

    def native(
        self, kernel: str, inputs: Sequence[Value | None], fields: Mapping[str, lowering.Plain]
    ) -> Ref:
        """A step on operands that broadcast."""
        given: dict[str, Any] = dict(fields)
        return self.elementwise(kernel, *inputs, **given)

    # Whole graphs

    def run(self, model: Model, inputs: Sequence[Ref], name: str) -> Graph:
        """Emit all operations of a model whose inputs are these."""
        self.graph.name = name
        for value, ref in zip(model.inputs, inputs, strict=True):
            self.names[value] = ref
            for axis, size in enumerate(value.shape):
                if isinstance(size, Expr):
                    self.places.setdefault(size, (ref.tensor, axis))
        self.lower_all(model)
        return self.graph

    def end(self, value: Value) -> Tensor:
        """The tensor of an output, of the value's own type and order, made by a step."""
        ref = self.plain(value)
        tensor = ref.tensor
        if value.precision in HALVES:
            tensor = self.recast(ref, value.precision).tensor
        tensor = self.own(Ref(tensor, ref.order, tensor.precision, self))
        self.graph.outputs.append(tensor)
        return tensor

    def own(self, ref: Ref) -> Tensor:
        """A tensor that a step makes and that is no output yet."""
        taken = (*self.graph.inputs, *self.graph.outputs)
        if ref.tensor.data is None and all(t is not ref.tensor for t in taken):
            return ref.tensor
        return self._copy(ref)

    def _copy(self, ref: Ref) -> Tensor:
        """A copy that a step makes."""
        shape, precision = ref.tensor.shape, ref.tensor.precision
        name = "LOGICAL_OR" if precision == Precision.BOOL8 else "MAXIMUM"
        is_inner = self.root is not self
        if is_inner and ref.tensor.data is not None and has_kernel(name, precision):
            report_met(CONSTANT_BRANCH)
            (made,) = self.emit(name, [ref, ref], [(precision, shape)])
            return made
        if shape:
            target = self.sizes(shape)
            return self.move("RESHAPE", [ref], target, shape=shape, order=ref.order).tensor
        return self.move("RESHAPE", [ref], shape=shape, new_shape=[]).tensor


def result_shape(g: Emitter, order: Order | None = None) -> tuple[Dim, ...]:
    """The sizes of the first result of the operation that is lowered, as an order stores them."""
    shape = g.operation.outputs[0].shape
    return shape if order is None else tuple(shape[a] for a in order)


def single(g: Emitter, operand: Operand) -> Ref:
    """An operand of one element, as a number without axes."""
    return g.reshape(operand, ())


Single = Annotated[Ref, single]
"""The one element of an operand, without axes."""
Taken = Annotated[Ref, Emitter.take]
"""What a lowering reads as it is stored."""
Plain = Annotated[Ref, Emitter.plain]
"""What it reads in the order of the model."""
Real = Annotated[Ref, Emitter.real]
"""What it calculates with in FLOAT32."""
Image = Annotated[Ref, Emitter.image]
"""The same with channels last."""
