"""Models: values (the standard's operands) and the operations that make them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeAlias, get_args

import numpy as np

from .affine import keep_as
from .algebra import Algebra
from .decomposition import Decomposition, Level
from .dim import Dim, Expr, symbol
from .errors import VALUES, BadModel, BadType, NNAdapterError, NotConstant, describe
from .legible import legible
from .printer import Printed
from .provenance import Provenance
from .schema import Pattern, Rule, Schema
from .state import State
from .types import INTEGERS, Precision, TensorType, integer_limits, precision_of

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Result = TypeVar("Result", covariant=True, default="Value")
else:
    from typing import TypeVar

    Result = TypeVar("Result")

CONTENT_LIMIT = 64
EXTENSION = 1000
Content = Callable[..., np.ndarray | None]


class Value(Algebra):
    """One operand: a model input, a constant, or the output of an operation.

    `constant` is the data where it is known; the array is never written to and may be a view into
    a file. `content` holds what is known of a small integer tensor made from shapes. `is_number`
    marks what is a number and no tensor in its source, and takes part in type promotion as such.
    """

    __slots__ = (
        *("_content", "_name", "constant", "index", "is_number", "model", "producer", "type"),
        "uses",
    )

    def __init__(self, model: Model, type: TensorType, name: str | None = None) -> None:
        self.model = model
        self.type = type
        self._name = name if name is None else legible(name)
        self.constant: np.ndarray | None = None
        self.producer: Operation | None = None
        self.index = 0
        self.is_number = False
        self.uses: dict[Operation, None] = {}
        self._content: np.ndarray | None = None

    @property
    def name(self) -> str | None:
        """What it is called, in legible text; None where the source does not say."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        self._name = name if name is None else legible(name)

    def name_once(self, name: str) -> None:
        """Give it a name, where it has none."""
        if self._name is None:
            self._name = legible(name)

    @property
    def precision(self) -> Precision:
        return self.type.precision

    @property
    def dtype(self) -> np.dtype:
        return self.type.dtype

    @property
    def shape(self) -> tuple[Dim, ...]:
        return self.type.shape

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape where all of it is known while converting; NotConstant otherwise."""
        sizes = tuple(d for d in self.type.shape if isinstance(d, int))
        if len(sizes) < self.rank:
            raise NotConstant(f"{self.type}, whose sizes must be known")
        return sizes

    @property
    def rank(self) -> int:
        return len(self.type.shape)

    @property
    def is_float(self) -> bool:
        return self.type.precision.is_float

    @property
    def is_integer(self) -> bool:
        return self.type.precision.is_integer

    @property
    def is_static(self) -> bool:
        return self.type.is_static

    @property
    def content(self) -> np.ndarray | None:
        """The elements as an object array of dimensions, where they are known while converting."""
        array = self.constant
        if self._content is None and array is not None and self.is_integer:
            self._content = array.astype(object) if array.size <= CONTENT_LIMIT else None
        return self._content

    @content.setter
    def content(self, dims: np.ndarray) -> None:
        self._content = dims

    @property
    def known(self) -> np.ndarray | None:
        """The data, from the constant or from a content without symbols; None where unknown."""
        if self.constant is not None:
            return self.constant
        if self._content is None or any(isinstance(d, Expr) for d in self._content.flat):
            return None
        return self._content.astype(self.dtype)

    def as_real(self) -> Value:
        """What stands for the numbers that quantised integers mean; itself where it is not such."""
        if not self.precision.is_quantized:
            return self
        return Value(self.model, self.type.with_precision(Precision.FLOAT32), self.name)

    def __repr__(self) -> str:
        return f"<Value {self.name or '?'}: {self.type}>"


ONLY_VALUES = frozenset({Value})
"""The types of operands of which none is left out, or a number."""

Index: TypeAlias = Annotated[Value, np.int64]
"""A tensor of positions, axes or sizes: Python ints given for it become an int64 constant."""

Mask: TypeAlias = Annotated[Value, np.bool_]
"""A tensor of truth values, whose precision says nothing about numbers beside it."""


class Operator(Schema, Generic[Result]):
    """An operator of the standard set or an extension of it.

    Calling it with values appends an operation to their model and returns its output, or a tuple
    of them; see `Schema` for what it takes.
    """

    def __init__(
        self,
        rule: Rule,
        reference: Callable[..., Any],
        code: int,
        since: str = "v1",
        content: Content | None = None,
        is_random: bool = False,
        order: tuple[str, ...] | None = None,
        steps: Callable[[int, int], int] | None = None,
        pattern: Pattern = Pattern.COMBINING,
        commutes: bool = False,
    ) -> None:
        super().__init__(rule, order)
        self.reference = reference
        self.code = code
        self.since = "ext" if code >= EXTENSION else since
        self.content = content
        self.is_random = is_random
        self.steps = steps
        self.pattern = pattern
        self.commutes = commutes
        self._decompositions: list[Decomposition] = []
        self.__doc__ = rule.__doc__
        self.__module__ = rule.__module__

    @property
    def family(self) -> str:
        """The module that defines the operator, the same word in every package: where to look."""
        return self.__module__.rpartition(".")[2]

    @cached_property
    def has_models(self) -> bool:
        """Whether an attribute may be a sub-model."""
        hints = [self.hints[name] for name in self.attributes]
        return any(h is Any or Model in (h, *get_args(h)) for h in hints)

    @property
    def reads_quantization(self) -> bool:
        """Whether the reference takes the quantisation of the first operand as `quantization`."""
        return "quantization" in self._reference_names

    @property
    def reads_result(self) -> bool:
        """Whether the reference takes the type of the result as `result`: it rounds itself."""
        return "result" in self._reference_names

    @cached_property
    def _reference_names(self) -> frozenset[str]:
        try:
            return frozenset(inspect.signature(self.reference).parameters)
        except ValueError:  # one of NumPy's own: they have signatures since NumPy 2.4
            return frozenset()

    def __call__(self, *inputs: Any, **attributes: Any) -> Result:
        outputs = self.append(inputs, attributes)
        result: Any = outputs[0] if len(outputs) == 1 and not self.is_list else outputs
        return result

    def append(self, inputs: tuple[Any, ...], attributes: Mapping[str, Any]) -> tuple[Value, ...]:
        """Bind the operands and add the operation to their model; all outputs as a tuple."""
        bound = self.bind_attributes(attributes)
        for value in inputs:
            if isinstance(value, Value):
                return value.model.append(self, self.bind_inputs(value.model, inputs), bound)
        raise BadType(f"{self.name.lower()} needs at least one operand of a model")

    def bind_inputs(self, model: Model, given: tuple[Any, ...]) -> tuple[Value | None, ...]:
        """One value or None per tensor parameter; Python numbers become constants."""
        names = self.tensors
        if len(given) == len(names) and ONLY_VALUES.issuperset(map(type, given)):  # as most
            return given
        if len(given) < self.required or (len(given) > len(names) and not self.variadic):
            takes = ", ".join(names) + (", ..." if self.variadic else "")
            raise BadType(f"{self.name.lower()} got {len(given)} operands, it takes ({takes})")
        bound = []
        for position, value in enumerate(given):
            if value is not None and not isinstance(value, Value):
                name = names[position] if position < len(names) else self.variadic
                value = model.constant(value, self._constant_dtype(name, given))
            bound.append(value)
        if None in bound:
            for name, value in zip(names[: self.required], bound, strict=False):
                if value is None and type(None) not in get_args(self.hints[name]):
                    raise BadType(f"{self.name.lower()} needs {name!r}")
        bound.extend([None] * (len(names) - len(given)))
        if self.variadic and None in given[len(names) :] and not self.takes_gaps:
            raise BadType(f"{self.name.lower()} needs every one of {self.variadic!r}")
        return tuple(bound)

    def _constant_dtype(self, name: str | None, given: tuple[Any, ...]) -> Any:
        if name in self.own_dtypes:
            return self.own_dtypes[name]
        names = (*self.tensors, *[self.variadic] * len(given))
        typed = [(n, v.dtype) for n, v in zip(names, given, strict=False) if isinstance(v, Value)]
        return next((d for n, d in typed if n not in self.own_dtypes), typed[0][1])

    def infer(
        self,
        inputs: tuple[Value | None, ...],
        attributes: Mapping[str, Any],
        stated: Sequence[TensorType] = (),
    ) -> tuple[TensorType, ...]:
        """The types of the outputs; BadType for operands and constants that do not go together.

        Where one of the `stated` types is quantised, the operation computes with the numbers that
        quantised operands stand for, and rounds its results to what is stated.
        """
        if stated and any(t.precision.is_quantized for t in stated):
            real = self.infer(tuple(v if v is None else v.as_real() for v in inputs), attributes)
            wanted = [*stated, *[None] * len(real)]
            return tuple(keep_as(t, w, self.name) for t, w in zip(real, wanted, strict=False))
        try:
            result = self.rule(*inputs, **attributes)
        except NNAdapterError:
            raise
        except Exception as error:
            types = ", ".join("none" if v is None else str(v.type) for v in inputs)
            if isinstance(error, VALUES):
                raise BadType(f"{self.name.lower()} of {types}: {describe(error)}") from error
            error.add_note(f"in the type rule of {self.name} on {types}")
            raise  # a bug of the rule, which is not to pass for a bad model
        return (result,) if isinstance(result, TensorType) else tuple(result)

    @property
    def decompositions(self) -> Sequence[Decomposition]:
        """How the operator is written in others; what changes least comes first."""
        import_module(".decompositions", __package__).register(self.family)
        return self._decompositions

    @property
    def decomposition(self) -> Decomposition | None:
        """The decomposition that changes least, for a device that lacks the operator."""
        return self.decompositions[0] if self.decompositions else None

    def decomposes(
        self, *, level: Level = Level.EXACT, ulps: float | None = None, absolute: float = 0.0
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: how this operator is written in others; same parameters as the rule.

        There may be several: the first that expresses the operands is taken, those of the least
        `level` before the others. See `Decomposition` for `ulps` and `absolute`.
        """

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self._decompositions.append(Decomposition(function, level, ulps, absolute))
            self._decompositions.sort(key=lambda d: list(Level).index(d.level))
            return function

        return register

    def __repr__(self) -> str:
        return f"<operator {self.name}>"


class Operation:
    """An operator applied to values."""

    __slots__ = ("_origin", "attributes", "inputs", "operator", "outputs")

    def __init__(
        self,
        operator: Operator[Any],
        inputs: tuple[Value | None, ...],
        attributes: dict[str, Any],
        origin: str | None,
    ) -> None:
        self.operator = operator
        self.inputs = inputs
        self.attributes = attributes
        self._origin = origin if origin is None else legible(origin)
        self.outputs: tuple[Value, ...] = ()

    @property
    def origin(self) -> str | None:
        """The node of the source that it came from, in legible text."""
        return self._origin

    @origin.setter
    def origin(self, origin: str | None) -> None:
        self._origin = origin if origin is None else legible(origin)

    @property
    def label(self) -> str:
        """What it is called: by its source, else by its first result, else by its operator."""
        named = self.outputs[0].name if self.outputs else None
        return self.origin or named or self.operator.name

    @property
    def is_on_integers(self) -> bool:
        """Whether it computes with what quantised integers stand for, and rounds its results.

        QUANTIZE does not, which reads real numbers, nor does DEQUANTIZE, which gives them.
        """
        reads_result = self.operator.reads_result
        return not reads_result and any(v.precision.is_quantized for v in self.outputs)

    def infer(self) -> tuple[TensorType, ...]:
        """The types of the outputs by the operator's rule; see `Operator.infer`."""
        stated = [v.type for v in self.outputs]
        return self.operator.infer(self.inputs, self.attributes, stated)

    @property
    def models(self) -> list[Model]:
        """The sub-models among the attributes."""
        if not self.operator.has_models:
            return []
        return [a for a in self.attributes.values() if isinstance(a, Model)]

    def __repr__(self) -> str:
        return f"<{self.operator.name} {self.origin or ''}>"


class Model(Printed):
    """Operations over values, with ordered inputs and outputs.

    Operations may be added in any order; `sorted` puts them in order of execution. `symbols` maps
    the name of a dynamic dimension to its range (min, max or None). `output_names` are the names
    the source gave its outputs, where they are more than the values' own. A sub-model knows the
    model it is made in (`outer`), so that their new symbols differ. Names are legible text from
    the moment they are given: what commands a terminal is written out in them. `provenance` is what
    the source says of its nodes: no part of what the model computes, nor of its digest.
    """

    def __init__(self, name: str = "model", outer: Model | None = None) -> None:
        self.name = name
        self.outer = outer
        self.output_names = []
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.operations: list[Operation] = []
        self.symbols: dict[str, tuple[int, int | None]] = {}
        self.metadata: dict[str, str] = {}
        self.provenance = Provenance()
        self.states: list[State] = []
        self.origin: str | None = None

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = legible(name)

    @property
    def output_names(self) -> list[str]:
        """The names that the source gives its outputs."""
        return self._output_names

    @output_names.setter
    def output_names(self, names: Iterable[str]) -> None:
        self._output_names = [legible(n) for n in names]

    def input(self, name: str, type: TensorType) -> Value:
        """Add a model input."""
        value = Value(self, type, name)
        self.inputs.append(value)
        return value

    def constant(self, data: Any, dtype: Any = None, *, name: str | None = None) -> Value:
        """A value with known data. The array is shared, not copied."""
        try:
            array = np.asarray(data, dtype)
        except (TypeError, ValueError, OverflowError) as error:
            is_open = isinstance(data, (list, tuple)) and any(isinstance(d, Expr) for d in data)
            refusal = NotConstant if is_open else BadType
            raise refusal(f"{data!r:.80} as {dtype}: {error}") from None
        value = Value(self, TensorType(precision_of(array.dtype), array.shape), name)
        value.constant = array
        return value

    def fresh(self, stem: str = "u") -> Expr:
        """A new symbol for a size that is only known while running."""
        if self.outer is not None:
            made = self.outer.fresh(stem)
            self.symbols[str(made)] = (0, None)
            return made
        number = len(self.symbols)
        while (name := f"{stem}{number}") in self.symbols:
            number += 1
        self.symbols[name] = (0, None)
        return symbol(name)

    def append(
        self,
        operator: Operator[Any],
        inputs: tuple[Value | None, ...],
        attributes: dict[str, Any],
        stated: Sequence[TensorType] = (),
        known: Sequence[TensorType] = (),
    ) -> tuple[Value, ...]:
        """Add an operation whose operands are already bound; its outputs.

        `stated` says how results are quantised, as no rule infers that; see `Operator.infer`.
        What is `known` is not inferred.
        """
        types = known or operator.infer(inputs, attributes, stated)
        operation = Operation(operator, inputs, attributes, self.origin)
        outputs = operation.outputs = tuple([Value(self, type) for type in types])
        for index, value in enumerate(outputs):
            value.producer, value.index = operation, index
        for read in inputs:
            if read is not None:
                read.uses[operation] = None
        self.operations.append(operation)
        if len(outputs) == 1 and types[0].precision in INTEGERS:
            set_content(operation)
        return outputs

    def named_outputs(self) -> list[tuple[str, Value]]:
        """The outputs with distinct names: the source's, else the values' own, else numbers."""
        given = self.output_names if len(self.output_names) == len(self.outputs) else []
        names: dict[str, Value] = {}
        for position, value in enumerate(self.outputs):
            name = (given[position] if given else value.name) or f"output{position}"
            while name in names:
                name = f"{name}_{position}"
            names[name] = value
        return list(names.items())

    def values(self) -> Iterator[Value]:
        """Every value once: inputs, then constants and outputs in order of operations."""
        return iter(dict.fromkeys(self._mentions()))

    def _mentions(self) -> Iterator[Value]:
        yield from self.inputs
        for operation in self.operations:
            yield from (v for v in operation.inputs if v is not None)
            yield from operation.outputs
        yield from self.outputs

    def replace(self, old: Value, new: Value) -> None:
        """Let everything that read `old` read `new`, which says where it comes from like `old`."""
        for user in old.uses:
            user.inputs = tuple(new if v is old else v for v in user.inputs)
        new.uses.update(old.uses)
        old.uses = {}
        if old in self.outputs:
            self.outputs = [new if v is old else v for v in self.outputs]
        if new.name is None:
            new.name = old.name
        if new.producer is not None and new.producer.origin is None and old.producer is not None:
            new.producer.origin = old.producer.origin

    def replace_all(self, same: Mapping[Value, Value]) -> None:
        """As `replace` for many values at once; none of the new ones is replaced itself."""
        readers: dict[Operation, None] = {}
        for old, new in same.items():
            readers.update(old.uses)
            new.uses.update(old.uses)
            old.uses = {}
        for reader in readers:
            reader.inputs = tuple(v if v is None else same.get(v, v) for v in reader.inputs)
        for value in self.outputs:
            if value in same and same[value].name is None:
                same[value].name = value.name
        self.outputs = [same.get(v, v) for v in self.outputs]

    def remove(self, dead: Iterable[Operation]) -> None:
        """Take operations out whose outputs nobody reads."""
        gone = dict.fromkeys(dead)
        for operation in gone:
            for value in operation.inputs:
                if value is not None:
                    value.uses.pop(operation, None)
        self.operations = [o for o in self.operations if o not in gone]

    def sorted(self) -> list[Operation]:
        """The operations, producers before readers and otherwise as added; BadModel on a cycle."""
        if _is_ordered(self.operations):
            return list(self.operations)
        waiting: dict[Operation, int] = {}
        ready: list[Operation] = []
        for operation in self.operations:
            made = {v.producer for v in operation.inputs if v is not None and v.producer}
            waiting[operation] = len(made)
            if not made:
                ready.append(operation)
        order: list[Operation] = []
        ready.reverse()
        while ready:
            operation = ready.pop()
            order.append(operation)
            readers = dict.fromkeys(u for v in operation.outputs for u in v.uses)
            for reader in reversed(readers):
                waiting[reader] -= 1
                if not waiting[reader]:
                    ready.append(reader)
        if left := len(self.operations) - len(order):
            raise BadModel(f"the model has a cycle or reads a removed value: {left} operations")
        return order


def _is_ordered(operations: list[Operation]) -> bool:
    made: set[Operation | None] = {None}
    for operation in operations:
        for value in operation.inputs:
            if value is not None and value.producer not in made:
                return False
        made.add(operation)
    return True


def set_content(operation: Operation) -> None:
    """Carry the elements of small integer tensors, dimensions included, through an operation."""
    (output,) = operation.outputs
    if not output.is_integer or output.rank > 2 or not output.is_static:
        return
    if math.prod(d for d in output.shape if isinstance(d, int)) > CONTENT_LIMIT:
        return
    function = operation.operator.content or _reference_of(operation)
    try:
        dims = None if function is None else function(*operation.inputs, **operation.attributes)
    except (NNAdapterError, *VALUES):  # it fails while running too, or grows too large
        return
    if dims is not None and _is_exact(dims, output.dtype):
        output.content = dims


def _is_exact(dims: np.ndarray, dtype: np.dtype) -> bool:
    """Whether no element would wrap."""
    limits = integer_limits(dtype)
    return all(isinstance(d, Expr) or limits.min <= d <= limits.max for d in dims.flat)


def _reference_of(operation: Operation) -> Callable[..., np.ndarray] | None:
    """An operator that carries no dimensions still computes what has none."""
    values = [v for v in operation.inputs if v is not None]
    if operation.operator.is_random or any(v.content is None or v.known is None for v in values):
        return None

    def compute(*inputs: Value | None, **attributes: Any) -> np.ndarray:
        known = [None if v is None else v.known for v in inputs]
        return np.asarray(operation.operator.reference(*known, **attributes)).astype(object)

    return compute
