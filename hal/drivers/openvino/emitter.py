"""Emit a model as an OpenVINO graph. Lowerings call `node`, `pair` and `constant`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

import numpy as np

from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Model, Operation, Value
from nnir.stateful import user_inputs, user_outputs
from nnir.types import Precision

from ...emission import Emission, asking
from ...formulas import Formula
from ...lowering import Lowerings, Plain
from ...quirks import report_met
from . import elements
from .constants import fitting, tensor_of
from .division import EXACT, is_divided_well
from .elements import HIGHEST, LOWEST, NAMES
from .fusing import COMPARING, fuses, is_far, is_near
from .gates import has_kernel_rank, joins_gate
from .joining import Products, scales_channels
from .nodes import NodeFactory
from .nothing import nothing
from .quirks import CHANNELS_OF_A_PRODUCT, GATE_BEHIND_ATTENTION

if TYPE_CHECKING:
    import openvino
    from numpy.typing import ArrayLike, DTypeLike


SYMBOLS = {
    "+": "Add",
    "-": "Subtract",
    "*": "Multiply",
    "==": "Equal",
    "!=": "NotEqual",
    "<": "Less",
    "<=": "LessEqual",
}
SINGLE = {"neg": "Negative", "abs": "Abs"}
WORDS = {"&": "And", "|": "Or", "^": "Xor", "~": "Not"}
"""The nodes that Python's symbols stand for; these words follow Logical or Bitwise."""

EXCHANGED = {">": "<", ">=": "<="}
"""Comparisons the other way round: OpenVINO's own hold for NaN."""


class Ref(Formula):
    """An output of a node of the graph, which `emitter` makes."""

    __slots__ = ("emitter", "output", "precision")

    def __init__(self, output: openvino.Output, emitter: Emitter) -> None:
        self.output = output
        self.emitter = emitter
        name = output.get_element_type().to_string()
        if name not in elements.PRECISIONS:
            raise NoLowering(f"openvino: elements of type {name}")
        self.precision = elements.PRECISIONS[name]

    @property
    def is_float(self) -> bool:
        return self.precision.is_float

    @property
    def rank(self) -> int:
        return int(self.output.get_partial_shape().rank.get_length())

    def cast(self, to: Precision) -> Ref:
        """The result in another precision."""
        return self.emitter.cast(self, to)

    def apply(self, symbol: str, *operands: Operand | float) -> Ref:
        """A node; integers are divided toward zero."""
        g = self.emitter
        if symbol in EXCHANGED:
            return self.apply(EXCHANGED[symbol], *reversed(operands))
        if symbol in WORDS:
            kind = "Logical" if self.precision == Precision.BOOL8 else "Bitwise"
            name = kind + WORDS[symbol]
            return g.node(name, self) if symbol == "~" else g.pair(name, *operands)
        if symbol in SINGLE:
            return g.node(SINGLE[symbol], self)
        return g.divide(*operands) if symbol == "/" else g.pair(SYMBOLS[symbol], *operands)


class Missing(Ref):
    """Stands for what has an element type that OpenVINO does not compute in."""

    def __init__(self, value: Value, emitter: Emitter) -> None:
        self.precision = value.precision
        self.emitter = emitter

    @property
    def output(self) -> openvino.Output:
        raise NoLowering(f"openvino does not compute in {self.precision.name}")


Operand = Value | Ref | None
Refs = tuple[Ref, ...]
Attribute = int | float | str | np.ndarray | Sequence[int] | Sequence[float] | Sequence[str] | None
"""The value of an attribute of a node; None for one that is not there."""


class Emitter(Emission[Ref]):
    """One OpenVINO graph in the making; sub-graphs have an emitter of their own.

    `runtime` is the package openvino, `held` keeps alive what the graph borrows. `limits` are, by
    the model input that holds indices, the sizes of the axes that they are for.
    """

    device = "openvino"
    root: Emitter

    def __init__(
        self, lowerings: Lowerings[Ref], runtime: ModuleType, outer: Emitter | None = None
    ) -> None:
        super().__init__(lowerings, outer)
        self.runtime = runtime
        self.factory: NodeFactory = outer.factory if outer else NodeFactory(runtime)
        self.checked: set[tuple[str, tuple[str, ...]]] = set()
        self.symbols: dict[str, tuple[int, int | None]] = {}
        self.limits: dict[Value, int] = {}
        self.products = Products()
        self.held: list[Any] = []
        self.borrowed: dict[tuple[Any, ...], tuple[Any, np.ndarray]] = {}

    def stand_in(self, value: Value) -> Ref:
        if elements.stored_precision(value.precision) not in NAMES:
            return Missing(value, self)
        return Ref(self.parameter(value).output(0), self)

    def mark(self) -> None:
        """Nodes that nobody reads are no part of the graph."""

    def undo(self, mark: None) -> None:
        """As `mark`."""

    def lower(self, operation: Operation) -> None:
        """As the base; what is made of nothing or is nothing is a constant."""
        if elements.computes_carried(operation):
            self._taken_apart(operation)
            return
        try:
            made = nothing(operation)
        except NoLowering as error:
            stand_ins = self._give_up(operation, error)
            for value, stand_in in zip(operation.outputs, stand_ins, strict=True):
                self.names[value] = stand_in  # type: ignore[assignment]  # as made above
            return
        if made is None:
            super().lower(operation)
            return
        try:
            refs = [self.constant(a) for a in made]
        except NoLowering:
            super().lower(operation)
            return
        for value, ref in zip(operation.outputs, refs, strict=True):
            self.names[value] = ref

    def _taken_apart(self, operation: Operation) -> None:
        """By its decomposition alone: lowerings take the bytes of carried elements for numbers."""
        values = (*operation.inputs, *operation.outputs)
        precisions = {v.precision for v in values if v is not None}
        kinds = {p.name for p in precisions & elements.CARRIED}
        names = ", ".join(sorted(kinds))
        error = NoLowering(f"openvino does not compute in {names}: {operation.operator.name}")
        for value, made in zip(operation.outputs, self._decompose(operation, error), strict=True):
            ref = self.ref(made)
            if ref is not None:
                self.names[value] = self.typed(ref, value)

    def typed(self, ref: Ref, value: Value) -> Ref:
        """The result of an operation, which has its name and must have its type."""
        if isinstance(ref, Missing):
            return ref
        wanted = elements.stored_precision(value.precision)
        if ref.precision != wanted:
            return self.cast(ref, wanted)
        if value.name and ref.output.get_index() == 0:
            node = ref.output.get_node()
            is_named = node.get_friendly_name() == value.name
            if not is_named and node.get_type_name() not in ("Parameter", "Constant"):
                node.set_friendly_name(self.name(value.name, keep=True))
        return ref

    # What lowerings use

    @overload
    def node(  # type: ignore[overload-overlap]  # any number of outputs but 1
        self, op: str, *inputs: Operand, outputs: Literal[1] = 1, **attributes: Attribute
    ) -> Ref: ...
    @overload
    def node(self, op: str, *inputs: Operand, outputs: int, **attributes: Attribute) -> Refs: ...
    def node(
        self, op: str, *inputs: Operand, outputs: int = 1, **attributes: Attribute
    ) -> Ref | Refs:
        """A node; the Ref of its first output, or a tuple of Refs when `outputs` is above 1."""
        made = self._nodes(op, inputs, attributes, outputs)
        return made if outputs > 1 else made[0]

    def native(
        self, kernel: str, inputs: Sequence[Value | None], fields: Mapping[str, Plain]
    ) -> Ref:
        """A node with one result."""
        return self._nodes(kernel, inputs, fields)[0]

    def _nodes(
        self,
        op: str,
        inputs: Sequence[Operand],
        attributes: Mapping[str, Attribute],
        outputs: int = 1,
    ) -> Refs:
        operands = [r for r in map(self.ref, inputs) if r is not None]
        is_same = (
            op in elements.UNSIGNED or attributes.get("destination_type") == NAMES[Precision.INT32]
        )
        for operand in operands:
            if operand.precision == Precision.UINT32 and not is_same:
                raise NoLowering(f"openvino computes UINT32 as INT32, also in {op}")
        given: dict[str, Attribute] = {k: v for k, v in attributes.items() if v is not None}
        if self._is_joined(op, operands):
            report_met(CHANNELS_OF_A_PRODUCT)
            last = len(operands) if len(operands) == 2 else 1  # vectors are those of axis 1
            wide = [*(self.unsqueeze(r, -1) for r in operands[:last]), *operands[last:]]
            return (self.squeeze(self._made(op, wide, given)[0], -1),)
        if joins_gate(op, [r.output for r in operands]):
            report_met(GATE_BEHIND_ATTENTION)
            wide = [self.unsqueeze(r, 0) if has_kernel_rank(r.output) else r for r in operands]
            return (self.squeeze(self._made(op, wide, given)[0], 0),)
        return self._made(op, operands, given, outputs)

    def _is_joined(self, op: str, operands: Sequence[Ref]) -> bool:
        """Whether OpenVINO would take channels for the columns of a product above."""
        ends = [r.output for r in operands]
        if not scales_channels(op, ends):
            return False
        return self is not self.root or any(map(self.products.reach, ends))

    def _made(
        self,
        op: str,
        operands: Sequence[Ref],
        given: dict[str, Attribute],
        outputs: int = 1,
    ) -> Refs:
        outputs_of = [r.output for r in operands]
        with asking("openvino", op, RuntimeError):
            made = self.factory.create(op, outputs_of, given)
        self._check(op, made, given)
        if (
            op == "Divide"
            and operands[0].is_float
            and is_divided_well(*(o.output for o in operands))
        ):
            made.get_rt_info()[EXACT] = True
        made.set_friendly_name(self.node_name(op))
        return tuple(Ref(made.output(k), self) for k in range(outputs))

    def _check(self, op: str, made: openvino.Node, given: Mapping[str, Attribute]) -> None:
        """OpenVINO passes over attributes that it does not know."""
        key = op, tuple(given)
        if key not in self.root.checked:
            unknown = given.keys() - made.get_attributes().keys()
            if unknown:
                raise TypeError(f"openvino: {op} has no attributes {sorted(unknown)}")
            self.root.checked.add(key)

    def pair(self, op: str, left: Operand | float, right: Operand | float) -> Ref:
        """A node of two operands that broadcast as in NumPy."""
        a, b = self.alike(left, right)
        return self._exact_pair(op, a, b) or self.node(op, a, b, auto_broadcast="numpy")

    def divide(self, left: Operand | float, right: Operand | float) -> Ref:
        """A quotient; that of integers is rounded toward zero."""
        given: dict[str, Any] = {"auto_broadcast": "numpy", "m_pythondiv": False}
        return self.node("Divide", *self.alike(left, right), **given)

    def alike(self, left: Operand | float, right: Operand | float) -> tuple[Ref, Ref]:
        """Two operands; a number takes the precision of the result beside it."""
        if isinstance(left, (int, float)):
            other = self.take(right)  # type: ignore[arg-type]  # one of them is no number
            return self.number(left, other), other
        first = self.take(left)
        if isinstance(right, (int, float)):
            return first, self.number(right, first)
        return first, self.take(right)

    def _exact_pair(self, op: str, a: Ref, b: Ref) -> Ref | None:
        """A comparison, or the larger or smaller one, of integers; None where the node will do.

        OpenVINO compares integers as float32. What differs there is in that order; what does not
        is close together, so that the difference does not overflow.
        """
        if a.precision not in elements.WIDE or op not in COMPARING | {"Maximum", "Minimum"}:
            return None
        if op in ("Maximum", "Minimum"):  # together they would become a Clamp in float32
            if not (is_far(a.output) or is_far(b.output)):
                return None
            return self.where(a < b, b, a) if op == "Maximum" else self.where(a < b, a, b)
        if is_near(a.output) or is_near(b.output):
            return None
        plain: dict[str, Any] = {"auto_broadcast": "numpy"}
        gap = self.node("Subtract", a, b, **plain)
        close = self.node(op, gap, self.number(0, gap), **plain)
        if op in ("Equal", "NotEqual"):
            return close
        apart = self.node(op.removesuffix("Equal"), a, b, **plain)
        same = self.node("Equal", a, b, **plain)
        return apart | (same & close)

    def where(self, mask: Operand, yes: Operand | float, no: Operand | float) -> Ref:
        """One of two; a negation parts a choice of integers from a comparison."""
        test, (a, b) = self.take(mask), self.alike(yes, no)
        if a.precision in elements.WIDE and fuses(test.output):
            return self.node("Select", ~test, b, a, auto_broadcast="numpy")
        return self.node("Select", test, a, b, auto_broadcast="numpy")

    def cast(self, operand: Operand, to: Precision) -> Ref:
        """A Convert node, left out where nothing changes."""
        ref = self.take(operand)
        if ref.precision == to:
            return ref
        if to not in NAMES:
            raise NoLowering(f"openvino does not compute in {to.name}")
        if (ref.precision, to) == (Precision.FLOAT32, Precision.FLOAT16):
            ref = self._overflow_like_half(ref)
        return self.node("Convert", ref, destination_type=NAMES[to])

    def _overflow_like_half(self, ref: Ref) -> Ref:
        """What is infinite as a float16: OpenVINO goes on in float32."""
        return self.where((abs(ref) < 65520) | self.node("IsNaN", ref), ref, ref * np.inf)

    def number(self, value: float, like: Value | Ref) -> Ref:
        """A constant of one element in the precision of `like`."""
        return self.constant(np.array(value, like.precision.dtype))

    def ints(self, *values: Dim) -> Ref:
        """A constant int64 vector; what is beyond 32 bits is as far as they go."""
        if any(isinstance(v, Expr) for v in values):
            text = ", ".join(map(str, values))
            raise NoLowering(f"openvino: sizes [{text}] that are only known while running")
        return self.constant(np.clip(np.array(values, np.int64), LOWEST, HIGHEST))

    def scalar(self, value: int) -> Ref:
        return self.constant(np.array(value, np.int64))

    def int64(self, operand: Operand, *, flat: bool = True) -> Ref:
        """Positions or sizes as an int64 vector; constants are limited to 32 bits."""
        if isinstance(operand, Value):
            known = operand.known
            if known is not None:
                clipped = np.clip(known.astype(np.int64), LOWEST, HIGHEST)
                return self.constant(clipped.reshape(-1) if flat else clipped)
        ref = self.cast(operand, Precision.INT64)
        return self.reshape(ref, [-1]) if flat else ref

    def reshape(
        self, operand: Operand, shape: Operand | Sequence[Dim], *, copy: bool = False
    ) -> Ref:
        """`operand` in a shape, whose 0 copies a size with `copy`; of a constant one that shares
        its memory."""
        if isinstance(shape, (Value, Ref)):
            return self.node("Reshape", operand, shape, special_zero=copy)
        target = self.ints(*(shape or ()))
        if isinstance(operand, Value) and operand.constant is not None and not copy:
            sizes = [d for d in shape or () if isinstance(d, int)]
            return self.constant(fitting(operand.constant.reshape(sizes)))
        return self.node("Reshape", operand, target, special_zero=copy)

    def one(self, operand: Value | Ref) -> Ref:
        """A single element as rank 0."""
        return self.reshape(operand, []) if operand.rank else self.take(operand)

    def column(self, vector: Value, rank: int) -> Ref:
        """A vector of channels for a tensor of `rank`, in float32."""
        return self.reshape(vector, [1, -1, *(1,) * (rank - 2)]).cast(Precision.FLOAT32)

    def broadcast(self, operand: Operand, *sizes: Operand) -> Ref:
        """As many copies as sizes, one vector after the other, say; of no axes itself."""
        target = self.concat(*sizes)
        if target.output.get_partial_shape() == self.runtime.PartialShape([0]):
            return self.take(operand)
        return self.node("Broadcast", operand, target, mode="numpy")

    def dims(self, operand: Operand) -> Ref:
        """The shape of a tensor."""
        return self.node("ShapeOf", operand, output_type="i64")

    def squeeze(self, operand: Operand, *axes: int) -> Ref:
        """`operand` without axes of size 1: without none of them, not all as by Squeeze."""
        return self.node("Squeeze", operand, self.ints(*axes)) if axes else self.take(operand)

    def unsqueeze(self, operand: Operand, *axes: int) -> Ref:
        """`operand` with axes of size 1, which are counted in the result."""
        return self.node("Unsqueeze", operand, self.ints(*axes)) if axes else self.take(operand)

    def transpose(self, operand: Operand, *perm: int) -> Ref:
        """`operand` with its axes in another order."""
        return self.node("Transpose", operand, self.ints(*perm))

    def gather(self, operand: Operand, positions: Operand, axis: int) -> Ref:
        """The entries of an axis at positions."""
        return self.node("Gather", operand, positions, self.scalar(axis), batch_dims=0)

    def line(self, end: Operand) -> Ref:
        """0, 1, ... below a number."""
        return self.node("Range", self.scalar(0), end, self.scalar(1), output_type="i64")

    def ranked(
        self, operand: Operand, count: Operand, axis: int, mode: str, **attributes: Attribute
    ) -> Refs:
        """The first elements of an axis in the order of a `mode`, "max" or "min", and where they
        lie."""
        given: dict[str, Attribute] = {"axis": axis, "mode": mode, "sort": "value"}
        given |= {"index_element_type": "i64"} | attributes
        return self.node("TopK", operand, count, outputs=2, **given)

    def part(self, vector: Operand, start: int, end: int) -> Ref:
        """Elements of a vector."""
        cut = [self.ints(v) for v in (start, end, 1, 0)]
        return self.node("Slice", vector, *cut)

    def first(self, operand: Operand, count: Operand, axis: int) -> Ref:
        """So many elements of an axis, a vector of one."""
        return self.node("Slice", operand, self.ints(0), count, self.ints(1), self.ints(axis))

    def size(self, operand: Operand, axis: int) -> Ref:
        """The size of one axis, rank 0."""
        return self.gather(self.dims(operand), self.scalar(axis), 0)

    def concat(self, *parts: Operand, axis: int = 0) -> Ref:
        return self.node("Concat", *parts, axis=axis) if len(parts) > 1 else self.take(parts[0])

    def constant(self, data: ArrayLike, dtype: DTypeLike | None = None) -> Ref:
        """A constant that shares the memory of the array."""
        array = np.asarray(data, dtype)
        if array.dtype == np.uint32 and array.max(initial=0) > np.iinfo(np.int32).max:
            raise NoLowering("openvino holds no constants of UINT32 beyond 2^31")
        place = array.__array_interface__["data"][0], array.shape, array.strides, array.dtype
        if place not in self.root.borrowed:  # what a model reads as two constants is copied once
            self.root.borrowed[place] = tensor_of(self.runtime, array), array
        (tensor, kept), _ = self.root.borrowed[place]
        self.root.held.append(kept)
        with asking("openvino", "a constant", RuntimeError):
            made = self.runtime.op.Constant(tensor, shared_memory=True)
        made.set_friendly_name(self.name("Constant"))
        return Ref(made.output(0), self)

    def ref(self, operand: Operand) -> Ref | None:
        """The output that an operand stands for; constants are made on their first use."""
        if operand is None or isinstance(operand, Ref):
            return operand
        if operand not in self.names:
            if operand.constant is None:
                raise NoLowering(f"{operand!r} is read before it is made")
            self.names[operand] = self.weight(operand, operand.constant)
        return self.names[operand]

    def weight(self, operand: Value, array: np.ndarray) -> Ref:
        """A constant under the name of an operand whose numbers it holds."""
        made = self.constant(fitting(array))
        if operand.name:
            made.output.get_node().set_friendly_name(self.name(operand.name, keep=True))
        return made

    def parameter(self, value: Value) -> openvino.op.Parameter:
        """An input of the graph."""
        kind = self.element(value.precision)
        shape = partial(self.runtime, value, self.root.symbols)
        with asking("openvino", "a parameter", RuntimeError):
            made = self.runtime.op.Parameter(kind, shape)
        made.set_friendly_name(self.name(value.name or "input", keep=True))
        return made

    def element(self, precision: Precision) -> openvino.Type:
        """OpenVINO's element type; NoLowering where it computes in a narrower one or in none."""
        name = NAMES.get(elements.stored_precision(precision))
        if name is None:
            raise NoLowering(f"openvino does not compute in {precision.name}")
        return getattr(self.runtime.Type, name)

    def inner(
        self, model: Model, operands: Sequence[Value], loose: Sequence[Value] = ()
    ) -> tuple[Emitter, list[openvino.op.Parameter]]:
        """An emitter for a sub-model, and its inputs, of the types and shapes of what is given to
        them; `loose` ones may have any sizes."""
        made, parameters = Emitter(self.lowerings, self.runtime, self), []
        made.names = {}  # sub-graphs capture nothing
        for value, operand in zip(model.inputs, operands, strict=True):
            given = self.take(operand).output
            shape = given.get_partial_shape()
            if value in loose:
                shape = self.runtime.PartialShape([self.runtime.Dimension()] * value.rank)
            parameters.append(self.runtime.op.Parameter(given.get_element_type(), shape))
            parameters[-1].set_friendly_name(made.name(operand.name or "input"))
        return made, parameters

    def body(
        self,
        model: Model,
        parameters: Sequence[openvino.op.Parameter],
        step: str = "",
        variables: Keeping | None = None,
        end: Callable[[int, Value], Ref] | None = None,
    ) -> tuple[openvino.Model, list[openvino.op.Result]]:
        """The graph of a sub-model and its results; the first parameters are its inputs. What
        `variables` keep is no result; `end` gives what another result is, by its number."""
        waiting = [v for v in model.inputs if v not in self.names]
        for value, parameter in zip(waiting, parameters, strict=False):
            self.names[value] = Ref(parameter.output(0), self)
        self.lower_all(model)
        self.require_lowered(step)
        sinks = variables.assign() if variables else []
        seen = model.outputs if variables is None else user_outputs(model)
        results = [self.result(end(k, v) if end else v) for k, v in enumerate(seen)]
        ends = (results, sinks, list(parameters)) if sinks else (results, list(parameters))
        with asking("openvino", "the graph", RuntimeError):
            return self.runtime.Model(*ends, model.name), results

    def result(self, value: Value | Ref) -> openvino.op.Result:
        made = self.runtime.op.Result(self.take(value).output)
        made.set_friendly_name(self.name("Result"))
        return made


class Keeping(Protocol):
    """What keeps the states of a model inside of its graph."""

    def read(self) -> None:
        """Give the inputs that are states their refs."""

    def assign(self) -> list[openvino.Node]:
        """What keeps the last outputs."""


def graph(
    emitter: Emitter, model: Model, step: str = "", variables: Keeping | None = None
) -> openvino.Model:
    """The graph of a whole model, whose ends carry its names; NoLowering lists all that is missing,
    and the next `step`. What `variables` keep is no end."""
    emitter.symbols = dict(model.symbols)
    parameters = []
    if variables is not None:
        variables.read()
    for value in model.inputs if variables is None else user_inputs(model):
        if elements.stored_precision(value.precision) not in NAMES:
            error = NoLowering(f"openvino does not compute in {value.precision.name}: {value!r}")
            emitter.refuse(error, value)
            emitter.names[value] = Missing(value, emitter)
            continue
        parameter = emitter.parameter(value)
        parameter.output(0).get_tensor().set_names({value.name or parameter.get_friendly_name()})
        parameters.append(parameter)
    made, results = emitter.body(model, parameters, step, variables)
    for result, (name, _) in zip(results, model.named_outputs(), strict=False):
        result.set_friendly_name(name)
        result.output(0).get_tensor().set_names({name})
    return made


def partial(
    runtime: ModuleType, value: Value, symbols: dict[str, tuple[int, int | None]]
) -> openvino.PartialShape:
    """A shape whose dynamic dimensions have the range of their symbols."""
    dims = []
    for dim in value.shape:
        if isinstance(dim, Expr):
            low, high = symbols.get(str(dim), (0, None))
            dims.append(runtime.Dimension(low, -1 if high is None or high >= HIGHEST else high))
        else:
            dims.append(runtime.Dimension(dim))
    return runtime.PartialShape(dims)
