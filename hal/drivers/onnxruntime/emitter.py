"""Emit a model as an ONNX graph. Lowerings call `node` and `constant`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.onnx import code_of
from nnir.model import Model, Operation, Value
from nnir.provenance import Place
from nnir.types import Fuse, Precision, precision_of

from ...emission import Emission
from ...formulas import Formula
from ...lowering import Lowerings, Plain
from ...nothing import holds_nothing
from ...quirks import report_met
from . import hosting, kernels, older, proto
from .ends import copy_end, is_padded, is_quantised_behind_transpose
from .quirks import PADDED_END, QUANTISED_END

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

OPSET = older.NEWEST_FORM
INLINE = 1024
SMALL = 64
NATIVE = frozenset(p for p in Precision if p < 24)
"""Precisions that ONNX Runtime exchanges as NumPy arrays."""

MOST_SEARCHES = 1_000_000
"""Nodes that are looked at for names of outputs, which takes a tenth of a second."""


class Ref(Formula, str):  # type: ignore[misc]  # symbols are arithmetic, not that of names
    """The ONNX name of an intermediate result, with its precision and the graph that it is in."""

    precision: Precision
    emitter: Emitter

    def __new__(cls, name: str, precision: Precision, emitter: Emitter) -> Ref:
        self = super().__new__(cls, name)
        self.precision = precision
        self.emitter = emitter
        return self

    def apply(self, symbol: str, *operands: Operand | float) -> Ref:
        """A node; numbers take the precision of this result."""
        g = self.emitter
        if symbol == "!=":
            return ~self.apply("==", *operands)
        given = [g.number(o, self) if isinstance(o, (int, float)) else o for o in operands]
        return g.node(kernels.SYMBOLS[symbol], *given)

    def seen_as(self, precision: Precision) -> Ref:
        """The same result, which is known to be of another precision."""
        return Ref(self, precision, self.emitter)

    def cast(self, to: Precision) -> Ref:
        """The result in another precision."""
        return self.emitter.cast(self, to)


Operand = Value | Ref | None
Refs = tuple[Ref, ...]


class Emitter(Emission[Ref]):
    """One ONNX graph in the making; sub-graphs have an emitter of their own.

    `weights` are initializers of the whole model that are handed over without a copy. `target` is
    the opset that a file is asked for; without it, the opset is what the operators need, and at
    least 21, and `lowest` is the one that they need. `tails` are the names of its outputs,
    `metadata` what a file says beside the graph, `places` where the nodes of the source were
    written, `untold` results whose types are not those of the model, `hides` what masks are known
    to do. `shares`: the CPU runs a part.
    """

    device = "onnxruntime"
    root: Emitter

    def __init__(
        self,
        lowerings: Lowerings[Ref],
        outer: Emitter | None = None,
        target: int | None = None,
        *,
        for_file: bool = False,
        shares: bool = False,
    ) -> None:
        super().__init__(lowerings, outer)
        self.outer = outer
        self.host: hosting.Host | None = None
        if outer or shares:
            self.host = outer.host if outer else hosting.Host()
        self.for_file: bool = outer.for_file if outer else for_file
        self.target: int | None = outer.target if outer else target
        self.known: dict[str, np.ndarray] = outer.known if outer else {}
        self.hides: dict[Value, bool | None] = outer.hides if outer else {}
        self.nodes: list[bytes] = []
        self.small: dict[str, bytes] = {}
        self.made: list[Value] = []
        self.weights: dict[str, np.ndarray] = {}
        self.ends: set[str] = set()
        self.opset = target or OPSET
        self.lowest = older.OLDEST
        self.domains: dict[str, None] = {}
        self.tails: list[str] = []
        self.reads: set[str] = set()
        self.untold: set[str] = set()
        self.metadata: dict[str, str] = {}
        self.places: Mapping[str, Place] = {}
        self.initializers: set[str] = set()

    def by_lowering(self, operation: Operation) -> list[Ref | None]:
        """Kernels and what ONNX Runtime fuses fail on windows that do not fit and on weights of no
        outputs: what holds nothing is a constant."""
        if not holds_nothing(operation, NATIVE):
            return super().by_lowering(operation)
        return [self.constant(np.zeros(v.sizes, v.dtype)) for v in operation.outputs]

    def stand_in(self, value: Value) -> Ref:
        return Ref("missing", value.precision, self)

    def mark(self) -> tuple[int, ...]:
        return *map(len, self._kept()), self.root.opset, self.root.lowest

    def undo(self, mark: tuple[int, ...]) -> None:
        """Initializers go too, which nobody would read, and the opset that was needed."""
        *counts, self.root.opset, self.root.lowest = mark
        for value in self.made[counts[0] :]:
            del self.names[value]
        for kept, count in zip(self._kept(), counts, strict=True):
            while len(kept) > count:
                kept.pop() if isinstance(kept, list) else kept.popitem()

    def _kept(self) -> tuple[list[Value] | list[bytes] | dict[str, Any], ...]:
        return self.made, self.nodes, self.small, self.weights, self.root.domains

    def typed(self, ref: Ref, value: Value) -> Ref:
        """The result of an operation, which has its type."""
        wanted = value.precision
        return ref.seen_as(wanted) if ref.precision.dtype == value.dtype else self.cast(ref, wanted)

    # What lowerings use

    @overload
    def node(  # type: ignore[overload-overlap]  # any number of outputs but 1
        self,
        op: str,
        *inputs: Operand,
        outputs: Literal[1] = 1,
        precision: Precision | None = None,
        domain: str = "",
        **attributes: proto.Attribute,
    ) -> Ref: ...
    @overload
    def node(
        self,
        op: str,
        *inputs: Operand,
        outputs: int,
        precision: Precision | None = None,
        domain: str = "",
        **attributes: proto.Attribute,
    ) -> Refs: ...
    def node(
        self,
        op: str,
        *inputs: Operand,
        outputs: int = 1,
        precision: Precision | None = None,
        domain: str = "",
        **attributes: proto.Attribute,
    ) -> Ref | Refs:
        """Append a node; the Ref of its output, or a tuple of Refs when `outputs` is above 1.

        `precision` is that of the first output where it differs from the first input's and from
        what ONNX says (truth values of comparisons, INT64 of places and sizes). Where
        ONNX Runtime has no kernel for the precision of the operands, the node computes in a wider
        one between casts.
        """
        made = self._nodes(op, inputs, attributes, outputs, precision, domain)
        return made if outputs > 1 else made[0]

    def native(
        self, kernel: str, inputs: Sequence[Value | None], fields: Mapping[str, Plain]
    ) -> Refs:
        """A node with the results of the operation; positions and sizes are INT64, which ONNX asks
        for."""
        operator = self.operation.operator
        names = (*operator.tensors, *[operator.variadic] * len(inputs))
        operands: list[Operand] = [
            v if operator.own_dtypes.get(n or "") is not np.int64 else self.int64(v)
            for n, v in zip(names, inputs, strict=False)
        ]
        if kernel in kernels.SINGLE:
            return (self.single(kernel, *operands, **fields),)
        return self._nodes(kernel, operands, fields, len(self.operation.outputs))

    def summed_in(self, given: Precision) -> Precision:
        """The precision that sums of numbers are computed in: halves are too narrow for them.

        A file says FLOAT16 all the same, as accelerators add up in FLOAT32 by themselves.
        """
        is_said = given == Precision.FLOAT16 and self.for_file
        narrow = given.is_float and given.dtype.itemsize < 4 and not is_said
        return Precision.FLOAT32 if narrow else given

    def require_single(self, op: str, given: Precision) -> None:
        """NoLowering for elements that are no numbers for a kernel that computes in FLOAT32."""
        is_single = given.is_float and given != Precision.FLOAT64
        self.need(is_single, f"has no kernel of {op} for {given.name}")

    def single(self, op: str, *inputs: Operand, **attributes: proto.Attribute) -> Ref:
        """A node of a kernel that computes in FLOAT32; NoLowering for FLOAT64."""
        given = self.take(inputs[0]).precision
        self.require_single(op, given)
        if self.summed_in(given) == given == Precision.FLOAT16:
            return self._nodes(op, inputs, attributes)[0]
        floats = (v is not None and v.precision.is_float for v in inputs)
        pairs = zip(inputs, floats, strict=True)
        wide = [self.cast(v, Precision.FLOAT32) if is_float else v for v, is_float in pairs]
        return self._nodes(op, wide, attributes)[0]

    def _nodes(
        self,
        op: str,
        inputs: Sequence[Operand],
        attributes: Mapping[str, proto.Attribute],
        outputs: int = 1,
        precision: Precision | None = None,
        domain: str = "",
    ) -> Refs:
        precision = precision or kernels.GIVEN.get(op)
        operands = [self.ref(i) for i in inputs]
        first_typed = 0 if domain else kernels.operand_of(op)
        typed = operands[first_typed:]
        given = next((o.precision for o in typed if o is not None), Precision.FLOAT32)
        wide = kernels.compute_precision(op, given, domain, self._missing(op, first_typed))
        self.require_types(op, wide, precision or wide)
        if wide != given:
            typed = [self.cast(o, wide) if o and o.precision == given else o for o in typed]
            operands = operands[:first_typed] + typed
        made = [self.node_name(op) for _ in range(outputs)]
        names = ["" if o is None else o for o in operands]
        while names and not names[-1]:
            names.pop()
        kept: proto.Attributes = {k: v for k, v in attributes.items() if proto.is_said(v)}
        if domain:
            self.root.domains[domain] = None
        else:
            names, kept = self._write_node(op, names, kept, operands)
        node = proto.node(op, names, made, made[0], domain, kept)
        self._append(node + self._mark(op, operands, kept, made))
        made_in = wide if precision in (None, given) else precision
        first = Ref(made[0], made_in, self)
        if wide != given and precision in (None, given):
            first = self.cast(first, given)
        rest = [Ref(n, kernels.FURTHER.get(op, given), self) for n in made[1:]]
        return first, *rest

    def _append(self, node: bytes) -> None:
        """Add a node, in a file with where what it is made for was written."""
        origin = (self.made_for and self.made_for.origin) or ""
        place = self.root.places.get(origin)
        self.nodes.append(node if place is None else node + proto.place(place, origin))

    def _mark(self, op: str, operands: Sequence[Ref | None], *about: Any) -> bytes:
        """What says that a node is the CPU's, where it `shares` the graph."""
        if self.host is None:
            return b""
        kinds = [o.precision if o else None for o in operands]
        about = ([*filter(None, operands)], kinds, *about, self.root.initializers, self._operation)
        return self.host.mark(op, *about)

    def _write_node(
        self, op: str, names: list[str], kept: proto.Attributes, operands: Sequence[Ref | None]
    ) -> older.Node:
        """A node as the opset that is asked for has it."""
        kinds = [None if o is None else o.precision for o in operands]
        if self.target is not None:
            return older.write_older(op, names, kept, kinds, self.target, self.known)
        root = self.root
        root.lowest = older.lowest(op, names, kept, kinds, self.known, root.lowest)
        return names, kept

    def head(self, size: int) -> bytes:
        """What stands before the `size` bytes of the graph in a file."""
        version = older.ir_version(self.opset)
        return proto.model_head(size, self.opset, version, self.domains, self.metadata)

    def require(self, opset: int, what: str) -> None:
        """Let the model be of at least the opset that `what` needs; NoLowering where a lower one
        is asked for."""
        if self.target is not None and opset > self.target:
            raise NoLowering(f"{what} needs opset {opset}, not {self.target}")
        self.root.opset = max(self.root.opset, opset)
        self.root.lowest = max(self.root.lowest, opset)

    def require_types(self, what: str, *precisions: Precision) -> None:
        """Let the opset of the model have these element types, of which `what` is."""
        for precision in precisions:
            self.require(kernels.MIN_OPSET.get(precision, 0), f"{what} of {precision.name}")

    def has(self, op: str) -> bool:
        """Whether the opset that is asked for has an ONNX operator."""
        return self.target is None or older.SINCE.get(op, 0) <= self.target

    def _missing(self, op: str, position: int) -> frozenset[Precision]:
        """What an operand of a file for an older opset cannot be, though the newest takes it."""
        if self.target is None:
            return frozenset()
        return kernels.late(op, self.target).union(older.missing(op, position, self.target))

    def cast(self, operand: Operand, to: Precision) -> Ref:
        """A Cast node, left out where nothing changes; what float8 cannot hold becomes infinite or
        NaN, as in NumPy."""
        ref = self.ref(operand) or Ref("", to, self)
        if ref.precision == to:
            return ref
        made = self.node_name("Cast")
        self.require_types("Cast", to, ref.precision)
        attributes: proto.Attributes = {"to": code_of(to), **kernels.rounding_to(to)}
        node = proto.node("Cast", [ref], [made], made, "", attributes)
        self._append(node + self._mark("Cast", [ref], attributes, [made]))
        return Ref(made, to, self)

    def int64(self, operand: Operand) -> Ref | None:
        """Positions or sizes as INT64, which ONNX asks for."""
        return None if operand is None else self.cast(operand, Precision.INT64)

    def number(self, value: float, like: Value | Ref) -> Ref:
        """A constant of one element in the precision of `like`."""
        return self.constant(value, like.precision.dtype)

    def ints(self, *values: int) -> Ref:
        """An INT64 vector."""
        return self.constant(values, np.int64)

    def fused(self, result: Ref, code: Fuse) -> Ref:
        """The activation of a fuse code."""
        match code:
            case Fuse.NONE:
                return result
            case Fuse.RELU:
                return self.rectified(result)
            case Fuse.RELU1 | Fuse.RELU6:
                high = 1 if code == Fuse.RELU1 else 6
                return self.clipped(result, self.number(0, result), self.number(high, result))
        raise NoLowering(f"fuse code {code!r}")

    def rectified(self, input: Value | Ref) -> Ref:
        """max(0, x); Relu has kernels for few integers."""
        if input.precision.is_float:
            return self.node("Relu", input)
        return self.node("Max", input, self.number(0, input))

    def clipped(self, input: Value | Ref, low: Operand, high: Operand) -> Ref:
        """Clip between two numbers; for some precisions it is a function without a kernel."""
        wide = kernels.CLIPPED.get(input.precision, input.precision)
        bounded = [self.cast(b, wide) for b in (input, low, high)]
        return self.cast(self.node("Clip", *bounded), input.precision)

    def where(self, mask: Operand, yes: Operand | float, no: Operand | float) -> Ref:
        """The elements of one operand where the mask holds, those of the other elsewhere."""
        like = self.take(no if isinstance(yes, (int, float)) else yes)  # type: ignore[arg-type]
        operands = (self.number(x, like) if isinstance(x, (int, float)) else x for x in (yes, no))
        return self.node("Where", mask, *operands)

    def reshape(self, operand: Operand, *sizes: int) -> Ref:
        """An operand in another shape, where one of the sizes may be -1."""
        return self.node("Reshape", operand, self.ints(*sizes))

    def squeeze(self, operand: Operand, *axes: int) -> Ref:
        """An operand without axes of size 1."""
        return self.node("Squeeze", operand, self.ints(*axes))

    def unsqueeze(self, operand: Operand, *axes: int) -> Ref:
        """An operand with axes of size 1, which are counted in the result."""
        return self.node("Unsqueeze", operand, self.ints(*axes))

    def concat(self, *parts: Operand, axis: int = 0) -> Ref:
        return self.node("Concat", *parts, axis=axis)

    def dims(self, operand: Operand) -> Ref:
        """The shape of a tensor."""
        return self.node("Shape", operand)

    def part(self, vector: Operand, start: int, end: int) -> Ref:
        """Elements of a vector."""
        return self.node("Slice", vector, self.ints(start), self.ints(end))

    def size(self, operand: Operand, axis: int) -> Ref:
        """The size of one axis, of rank 0."""
        return self.node("Gather", self.dims(operand), self.constant(axis, np.int64))

    def constant(self, data: ArrayLike, dtype: DTypeLike | None = None) -> Ref:
        """An initializer."""
        array = np.asarray(data, dtype)
        return self._initializer(self.name("const"), array)

    def ref(self, operand: Operand) -> Ref | None:
        """The ONNX name of an operand; constants become initializers on their first use.

        What is made with it is made here, also where the graph around this one has made it.
        """
        if operand is None:
            return None
        found = operand if isinstance(operand, Ref) else self._named(operand)
        return found if found.emitter is self else Ref(found, found.precision, self)

    def _named(self, operand: Value) -> Ref:
        if operand not in self.names:
            if operand.constant is None:
                raise NoLowering(f"{operand!r} is read before it is made")
            name = self.name(operand.name or "weight", keep=True)
            self.names[operand] = self._initializer(name, operand.constant)
            self.made.append(operand)
        return self.names[operand]

    def branch(self, model: Model, inputs: Sequence[Operand]) -> proto.Graph:
        """A sub-model as a graph attribute; its inputs are values of this graph, which ONNX
        captures."""
        inner = self._inner(model)
        for value, operand in zip(model.inputs, inputs, strict=True):
            inner.names[value] = self.ref(operand) or Ref("", value.precision, self)
        return proto.Graph(inner.graph(model, [], "branch"))

    def loop_body(
        self, model: Model, carried: int, fixed: Sequence[Operand], *, counts: bool = True
    ) -> proto.Graph:
        """The body of a Loop, or of a Scan, which does not count: iteration number, condition and
        state are inputs of the graph."""
        inner = self._inner(model)
        count = {"iteration": Precision.INT64, "condition": Precision.BOOL8} if counts else {}
        heads = [proto.value_info(self.name(n), kind, ()) for n, kind in count.items()]
        for value in model.inputs[:carried]:
            name = Ref(self.name("state"), value.precision, inner)
            heads.append(proto.value_info(name, value.precision, None))
            inner.names[value] = name
        for value, operand in zip(model.inputs[carried:], fixed, strict=True):
            inner.names[value] = self.ref(operand) or Ref("", value.precision, self)
        return proto.Graph(inner.graph(model, heads, "body"))

    def _inner(self, model: Model) -> Emitter:
        return Emitter(self.lowerings, self)

    # Whole graphs

    def graph(self, model: Model, heads: Sequence[bytes], name: str) -> bytes:
        """Emit all operations; the GraphProto without the large weights."""
        self.lower_all(model)
        tails = [self._noted_tail(n, v) for n, v in model.named_outputs()]
        between = self._types_between(model) if self.for_file and self.outer is None else []
        if self.for_file:
            self._leave_out_unread()
        return proto.graph(name, self.nodes, [*self.small.values()], heads, tails, between)

    def _leave_out_unread(self) -> None:
        """Drop constants of forms that were given up: engines warn of them in a file."""
        self.reads.update(self.tails, *map(proto.names_read, self.nodes))
        self.small = {n: tensor for n, tensor in self.small.items() if n in self.reads}
        self.weights = {n: array for n, array in self.weights.items() if n in self.reads}
        if self.outer is not None:
            self.outer.reads |= self.reads

    def _types_between(self, model: Model) -> list[bytes]:
        """The types of what is neither input nor output, which a file need not say."""
        known = {*(self.names[v] for v in model.inputs), *self.initializers, *self.tails}
        known |= self.untold
        found: dict[str, bytes] = {}
        for operation in model.operations:
            for value in operation.outputs:
                ref = self.names.get(value)
                if ref is not None and ref not in known and ref not in found:
                    found[ref] = proto.value_info(ref, ref.precision, value.shape)
        return list(found.values())

    def _noted_tail(self, stem: str, value: Value) -> bytes:
        """A graph output; what the whole model cannot give is noted beside all else."""
        try:
            return self._tail(stem, value)
        except NoLowering as error:
            if self.outer is not None:
                raise
            self.refuse(error, value)
            return b""

    # Names

    def _initializer(self, name: str, array: np.ndarray) -> Ref:
        ref = Ref(name, precision_of(array.dtype), self)
        self.root.initializers.add(name)
        if array.size <= SMALL:
            self.known[name] = array
        self.require_types(f"constant {name!r}", ref.precision)
        if array.nbytes >= INLINE and self.outer is None and ref.precision in NATIVE:
            self.weights[name] = array
        else:
            self.small[name] = proto.tensor(name, array)
        return ref

    def _tail(self, stem: str, value: Value) -> bytes:
        """A graph output; an output must be made by a node of this graph, once."""
        ref = self.ref(value)
        if ref is None:
            raise NoLowering(f"{value!r} has no ONNX name")
        self.require_types(f"output {stem!r}", value.precision)
        if self.outer and self.target is not None:  # If, Loop and Scan give what a Scan takes
            since = older.missing("Scan", 0, self.target).get(value.precision, 0)
            self.require(since, f"output {stem!r} of a sub-graph of {value.precision.name}")
        is_kept = stem in self.ends
        self.ends.discard(stem)
        made = stem if is_kept else self.name(stem)
        ref = self._apart(ref, value)
        if not (self._rename(ref, made) or copy_end(self.nodes, ref, made)):
            made = ref
        self.tails.append(made)
        shape = None if self.outer else value.shape
        return proto.value_info(made, value.precision, shape)

    def _rename(self, ref: Ref, stem: str) -> bool:
        """Let the node that makes a result name the output; whether one of this graph does.

        An Identity is a copy where something else reads the result, such as that of a cache.
        """
        searches = (len(self.tails) + 1) * len(self.nodes)
        if self.outer or ref in self.tails or searches > MOST_SEARCHES:
            return False
        key = ref.encode()
        readers = {k: n for k, n in enumerate(self.nodes) if key in n}
        changed = {k: proto.rename_end(n, ref, stem) for k, n in readers.items()}
        renamed = {k: n for k, n in changed.items() if n is not None}
        if len(renamed) < len(changed) or not any(makes for _, makes in renamed.values()):
            return False
        for k, (node, _) in renamed.items():
            self.nodes[k] = node
        for value, name in self.names.items():
            if name == ref:
                self.names[value] = Ref(stem, name.precision, self)
        return True

    def _apart(self, ref: Ref, value: Value) -> Ref:
        """An output that no optimisation of ONNX Runtime takes for something else."""
        if not kernels.has_kernel("Max", ref.precision):
            return ref
        met = ((QUANTISED_END, is_quantised_behind_transpose), (PADDED_END, is_padded))
        found = [quirk for quirk, holds in met if holds(value)]
        for quirk in found:
            report_met(quirk)
        return self.node("Max", ref) if found else ref


def widen(g: Emitter, operand: Operand) -> Ref:
    """An operand in the precision that sums of it are computed in."""
    ref = g.take(operand)
    return g.cast(ref, g.summed_in(ref.precision))


def squeeze(g: Emitter, operand: Value) -> Ref:
    """One element as rank 0."""
    return g.reshape(operand) if operand.rank else g.take(operand)


Taken = Annotated[Ref, Emitter.take]
"""A result to calculate with."""

Sizes = Annotated[Ref, Emitter.int64]
"""Positions or sizes as INT64."""

Wide = Annotated[Ref, widen]
"""Numbers to add up."""

Scalar = Annotated[Ref, squeeze]
"""One element as rank 0."""


def input_infos(emitter: Emitter, model: Model) -> list[bytes]:
    """Name the model's inputs in the graph and describe them; its outputs keep their names too."""
    heads = []
    for value in model.inputs:
        name = Ref(emitter.name(value.name or "input", keep=True), value.precision, emitter)
        emitter.names[value] = name
        heads.append(proto.value_info(name, value.precision, value.shape))
        try:
            emitter.require_types(f"input {name!r}", value.precision)
        except NoLowering as error:
            emitter.refuse(error, value)
    emitter.ends = {name for name, _ in model.named_outputs()} - emitter.taken
    emitter.taken |= emitter.ends
    return heads


__all__ = ["OPSET", "Emitter", "Ref", "input_infos"]
