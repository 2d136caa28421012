"""Emit a model as a graph of torch.fx. Lowerings are torch code on the proxies of results."""

from __future__ import annotations

import inspect
import keyword
import operator as python_operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import torch
from torch import fx

from nnir.broadcast import contents, length_of
from nnir.dim import Call, Dim, Expr, Symbol, symbol
from nnir.errors import NoLowering
from nnir.model import Model, Operation, Value
from nnir.operator import Operator
from nnir.provenance import Place
from nnir.types import Fuse, Precision

from ...emission import Emission
from ...lowering import Lowerings
from ...positions import origin_of_elements
from . import cuda
from .dtypes import CARRIED, COMPUTED, LOWEST, PLAIN, dtype_of, plain, tensor_of
from .origins import NO_WORD, Tracer, register

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

SIZE = torch.ops.aten.sym_size.int
CALLS: dict[str, Callable[..., Any]] = {
    "//": python_operator.floordiv,
    "%": python_operator.mod,
    "min": torch.sym_min,
    "max": torch.sym_max,
}
UNSIGNED = (Precision.UINT16, Precision.UINT32, Precision.UINT64)
"""What is computed in other integers, and wraps."""


CPU = torch.device("cpu")
CREATORS = (torch.arange, torch.rand, torch.randn, torch.tensor, torch.zeros)
"""Functions that make tensors of no others: they are told the device."""

Result: TypeAlias = torch.Tensor
"""What torch code takes and gives: while a graph is made, a proxy that records what is done to it.

A size is an int, or such a proxy of one.
"""
Results: TypeAlias = tuple[Result, ...]
T = TypeVar("T")


F = TypeVar("F", bound=Callable[..., Result])


class Formulas(Lowerings[Result]):
    """Lowerings, many of which are formulas of tensors."""

    def formula(self, *operators: Operator[object]) -> Callable[[F], F]:
        """Decorator: what torch computes of operands, in a type that it has kernels for.

        The function takes tensors and attributes by the operator's own names. The result has the
        precision of the first operand.
        """

        def add(function: F) -> F:
            def lowering(g: Emitter, *operands: Value | None, **attributes: object) -> Result:
                tensors = [None if v is None else g.of(v) for v in operands]
                first = operands[0]
                made = function(*tensors, **attributes)
                return made if first is None else g.back(made, first.precision)

            own = inspect.signature(function).parameters.values()
            emitter = inspect.Parameter("g", inspect.Parameter.POSITIONAL_ONLY)
            vars(lowering)["__signature__"] = inspect.Signature([emitter, *own])
            self.lower(*operators)(lowering)
            return function

        return add

    def functions(self, table: Mapping[Operator[object], Callable[[Result], Result]]) -> None:
        """Operators that are one function of one tensor."""

        def apply(function: Callable[[Result], Result]) -> Callable[[Result], Result]:
            def formula(input: Result) -> Result:
                return function(input)

            return formula

        for operator, function in table.items():
            self.formula(operator)(apply(function))


class Emitter(Emission[Result]):
    """One graph in the making; sub-models become modules with graphs of their own.

    A result is a `torch.fx.Proxy`: whatever torch code does with it is recorded. `symbols` are the
    dynamic sizes by name: a result and the axis whose size they are. `target` is where the graph
    will run; `bounds` are inputs of the model that must be positions on axes of so many elements.
    `places` are given for a file: where the nodes of the source were written.
    """

    device = "torch"
    root: Emitter

    def __init__(
        self,
        lowerings: Lowerings[Result],
        outer: Emitter | None = None,
        *,
        target: torch.device = CPU,
        places: Mapping[str, Place] | None = None,
    ) -> None:
        super().__init__(lowerings)
        self.target, self.inputs = target, dict[Value, int]()
        self.bounds: dict[tuple[int, int], None] = {}
        self.checked: dict[tuple[Value, Dim], Result] = {}
        if outer is not None:
            self.root = outer.root
            self.target = outer.target
        self.places = places
        self.graph = fx.Graph()
        self.tracer = Tracer(self.graph, self._place)
        self.module = torch.nn.Module()
        self.symbols: dict[str, tuple[Result, int]] = {}
        self.known: dict[Any, Any] = {}
        self.locals = 0

    def _place(self) -> Place | None:
        """Where what is emitted now was written."""
        origin = self.made_for and self.made_for.origin
        return (self.root.places or {}).get(origin or "")

    @property
    def on_cuda(self) -> bool:
        """Whether the kernels are those of CUDA, which lack some and round others differently."""
        return self.target.type == "cuda"

    # What the walk needs

    def ref(self, operand: Value | Result | None) -> Result:
        if not isinstance(operand, Value):
            return operand  # type: ignore[return-value]  # only `raw` asks for what is there
        if operand not in self.names:
            if operand.constant is None:
                raise NoLowering(f"{operand!r} is read before it is made")
            self.names[operand] = self.constant(operand.constant, name=operand.name)
        return self.names[operand]

    def stand_in(self, value: Value) -> Result:
        made = self.placeholder("missing")
        self.typed(made, value)
        return made

    def mark(self) -> fx.Node:
        return self._last

    def undo(self, mark: fx.Node) -> None:
        gone = set()
        while self._last is not mark:
            gone.add(self._last)
            self.graph.erase_node(self._last)
        if gone:
            for table in (self.names, self.known):
                for key in [k for k, v in table.items() if _node(v) in gone]:
                    del table[key]

    @property
    def _last(self) -> fx.Node:
        return self.graph._root._prev

    def typed(self, ref: Result, value: Value) -> Result:
        for axis, dim in enumerate(value.shape):
            if isinstance(dim, Expr):
                self.symbols.setdefault(str(dim), (ref, axis))
        return ref

    def lower(self, operation: Operation) -> None:
        before = self._last
        super().lower(operation)
        node = before.next
        while node is not self.graph._root:
            node.meta.setdefault("operation", operation)
            node = node.next

    # What lowerings use

    def raw(self, value: Value) -> Result:
        """The tensor as it is."""
        dtype_of(value.precision)
        return self.ref(value)

    def of(self, value: Value) -> Result:
        """The tensor in a type that torch computes in: `back` undoes it."""
        kind = plain(value.precision)
        if kind == Precision.UINT64:
            return self.raw(value).view(torch.int64)
        return self.raw(value).to(COMPUTED[kind]) if kind in COMPUTED else self.raw(value)

    def back(self, result: Result, precision: Precision) -> Result:
        """A result that was computed with `of`, in its type."""
        kind = plain(precision)
        if kind == Precision.UINT64:
            return result.view(torch.uint64)
        return result.to(PLAIN[kind]) if kind in COMPUTED else result

    def ordered(self, value: Value) -> Result:
        """As `of`, in the order of the numbers too: unsigned ones of 64 bits are shifted."""
        result = self.of(value)
        return result ^ LOWEST if value.precision == Precision.UINT64 else result

    def disordered(self, result: Result, precision: Precision) -> Result:
        """A result that was computed with `ordered`, in its type."""
        whole = result ^ LOWEST if precision == Precision.UINT64 else result
        return self.back(whole, precision)

    def bits(self, value: Value) -> Result:
        """The tensor in a type that torch moves about: `unbits` undoes it."""
        kind = CARRIED.get(plain(value.precision))
        return self.raw(value) if kind is None else self.raw(value).view(kind)

    def unbits(self, result: Result, precision: Precision) -> Result:
        """A result that was made with `bits`, in its type."""
        kind = plain(precision)
        return result.view(PLAIN[kind]) if kind in CARRIED else result

    def index(self, value: Value) -> Result:
        """Positions as int64."""
        return self.to(self.raw(value), value.precision, Precision.INT64)

    def index_within(self, value: Value, size: Dim) -> Result:
        """Positions as int64 on an axis of `size` elements; CUDA does not notice those outside.

        What the caller of the model gives is checked before it is on the device, and what is
        computed once, as a check waits for the device.
        """
        at = self.index(value)
        if not self.on_cuda or value.known is not None:
            return at
        given = self.inputs.get(origin_of_elements(value))
        if given is not None and isinstance(size, int):
            self.bounds[given, size] = None
            return at
        if (value, size) not in self.checked:
            self.checked[value, size] = self.call(cuda.check_positions, at, self.size(size))
        return self.checked[value, size]

    def multiply(self, x: Result, y: Result, precision: Precision) -> Result:
        """The product of matrices."""
        if self.on_cuda and precision.dtype.kind in "iu":
            return self.call(cuda.multiply_integers, x, y)
        return torch.matmul(x, y)

    def to(self, ref: Result, precision: Precision, wanted: Precision) -> Result:
        """A cast, left out where nothing changes."""
        return ref if precision == wanted else ref.to(dtype_of(wanted))

    def call(self, function: Callable[..., T], *arguments: object, **keywords: object) -> T:
        """A call of a function that takes no tensor, which a proxy would not see."""
        if function in CREATORS and self.target != CPU:
            keywords = {"device": self.target, **keywords}
        made: Any = self.tracer.create_proxy("call_function", function, arguments, keywords)
        return made

    def constant(
        self, data: ArrayLike, dtype: DTypeLike | None = None, *, name: str | None = None
    ) -> Result:
        """A buffer on the memory of an array, in a file under the name that its source has."""
        array = np.asarray(data, dtype)
        if name and self.root.places is not None:
            target = register(self.module, name, tensor_of(array))
        else:  # a path through modules takes time at every call
            stem = "c_" + (NO_WORD.sub("_", name) if name else "constant")
            target, count = stem, 0
            while hasattr(self.module, target):
                count += 1
                target = f"{stem}_{count}"
            self.module.register_buffer(target, tensor_of(array))
        made: Any = self.tracer.create_proxy("get_attr", target, (), {})
        return made

    def placeholder(self, name: str) -> Result:
        """An input of the graph."""
        made: Any = self.tracer.create_proxy("placeholder", name, (), {})
        return made

    def part(self, module: torch.nn.Module, *arguments: object) -> Results:
        """A call of a module that becomes part of this one."""
        count = len(list(self.module.children()))
        while hasattr(self.module, target := f"part_{count}"):  # a weight may be called so
            count += 1
        self.module.add_module(target, module)
        made: Any = self.tracer.create_proxy("call_module", target, arguments, {})
        return made

    def branch(self, model: Model) -> fx.GraphModule:
        """A sub-model as a module."""
        inner = Emitter(self.lowerings, self)
        return inner.whole(model)

    # Sizes

    def axes(self, value: Value) -> tuple[Dim, ...]:
        """The sizes of a tensor; those that are not known are symbols of this very tensor."""
        return tuple(
            self._local(value, k) if isinstance(d, Expr) else int(d)
            for k, d in enumerate(value.shape)
        )

    def _local(self, value: Value, axis: int) -> Expr:
        key = ("axis", value, axis)
        if key not in self.known:
            self.locals += 1
            name = f"size {self.locals}"
            self.symbols[name] = (self.ref(value), axis)
            self.known[key] = symbol(name)
        return self.known[key]

    def size(self, dim: Dim) -> int:
        """A dimension as an int, or as a result that is one; NoLowering for an unknown symbol."""
        if not isinstance(dim, Expr):
            return int(dim)
        if str(dim) not in self.known:
            self.known[str(dim)] = self._size(dim)
        return self.known[str(dim)]

    def _size(self, dim: Expr) -> Any:
        if str(dim) in self.symbols:
            ref, axis = self.symbols[str(dim)]
            return self.call(SIZE, ref, axis)
        total: Any = None
        for monomial, factor in dim.terms:
            term: Any = None
            for atom in monomial:
                made = self._atom(atom)
                term = made if term is None else term * made
            term = factor if term is None else term if factor == 1 else term * factor
            total = term if total is None else total + term
        return total

    def _atom(self, atom: Symbol | Call) -> Any:
        if isinstance(atom, Symbol):
            if atom.name not in self.symbols:
                raise NoLowering(f"the size {atom.name!r} is only known while running")
            return self.size(symbol(atom.name))
        return self.call(CALLS[atom.kind], self.size(atom.left), self.size(atom.right))

    def sizes(self, value: Value) -> list[int]:
        """The elements of an operand of sizes, positions or axes: ints, or results that are."""
        known = contents(value)
        try:
            if known is not None:
                return [self.size(d) for d in known]
        except NoLowering:  # an unknown symbol: from the tensor itself
            pass
        key = ("list", value)
        if key not in self.known:
            self.known[key] = self.raw(value).reshape(-1).tolist()
        return [self.known[key][k] for k in range(length_of(value))]

    def shape(self, value: Value) -> list[int]:
        """The sizes of all axes."""
        return [self.size(d) for d in self.axes(value)]

    def fused(self, result: Result, code: Fuse) -> Result:
        """Apply the activation of a fuse code; to numbers, not to those that stand for them."""
        if self.operation.outputs[0].precision in UNSIGNED and code != Fuse.NONE:
            raise NoLowering(f"torch has no activation of {self.operation.outputs[0].type}")
        match code:
            case Fuse.NONE:
                return result
            case Fuse.RELU:
                return torch.relu(result)
            case Fuse.RELU1:
                return torch.clamp(result, 0, 1)
            case Fuse.RELU6:
                return torch.clamp(result, 0, 6)
        raise NoLowering(f"torch has no fuse code {code!r}")

    # Whole graphs

    def whole(self, model: Model, names: Sequence[str] = ()) -> fx.GraphModule:
        """Emit all operations; a module of the model's inputs and outputs."""
        for position, value in enumerate(model.inputs):
            name = names[position] if names else f"input{position}"
            self.names[value] = self.typed(self.placeholder(name), value)
            if self.root is self:
                self.inputs[value] = position
            try:
                dtype_of(value.precision)
            except NoLowering as error:
                self.refuse(error, value)
        self.lower_all(model)
        if self.root.problems:
            return fx.GraphModule(torch.nn.Module(), fx.Graph())
        results = tuple(_node(self.ref(v)) for v in model.outputs)
        self.graph.output(results)
        self.graph.eliminate_dead_code(lambda node: node.op in ("placeholder", "output"))
        return fx.GraphModule(self.module, self.graph)


def _node(ref: Any) -> Any:
    return ref.node if isinstance(ref, fx.Proxy) else ref


def identifiers(names: Sequence[str]) -> list[str]:
    """Names that Python takes for arguments, all different."""
    made: dict[str, None] = {}
    for name in names:
        stem = NO_WORD.sub("_", name) or "input"
        is_plain = stem.isidentifier() and not keyword.iskeyword(stem) and stem not in RESERVED
        stem = stem if is_plain else f"input_{stem}"
        found, count = stem, 0
        while found in made:
            count += 1
            found = f"{stem}_{count}"
        made[found] = None
    return [*made]


RESERVED = frozenset(("self", "torch", "inf", "nan", "device", "NoneType"))
