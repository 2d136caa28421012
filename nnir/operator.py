"""Operators: a signature, a type rule, a NumPy reference and a docstring in one frozen object."""

from __future__ import annotations

import inspect
import numbers
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, IntEnum
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, get_args, get_origin, get_type_hints, overload

import numpy as np

from .decomposition import Decomposition, Level
from .errors import VALUES, BadType, NNAdapterError, told
from .types import TensorType

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from .model import Model, Value

    Result = TypeVar("Result", covariant=True, default=Value)
else:
    from typing import TypeVar

    Result = TypeVar("Result")

Rule = Callable[..., TensorType | tuple[TensorType, ...]]
Content = Callable[..., np.ndarray | None]
EXTENSION = 1000


class Pattern(Enum):
    """Which elements of the operands an element of a result is computed from."""

    ELEMENTWISE = "elementwise"
    """Those at its own place, after broadcasting."""
    MOVEMENT = "movement"
    """One, of another place: nothing is computed, unless updates are combined."""
    COMBINING = "combining"
    """Many, as in sums, products of matrices and windows."""


class Operator(Generic[Result]):
    """An operator of the standard set or an extension of it.

    Calling it with values appends an operation to their model and returns its output, or a tuple
    of them. The parameters of `rule` are the schema: positional ones are tensors of the graph
    (None where optional and absent), keyword-only ones are compile-time constants.
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
        self.name = rule.__name__.removesuffix("_").upper()
        self.rule = rule
        self.reference = reference
        self.code = code
        self.since = "ext" if code >= EXTENSION else since
        self.content = content
        self.is_random = is_random
        self.steps = steps
        self.pattern = pattern
        self.commutes = commutes
        self._order = order
        self._decompositions: list[Decomposition] = []
        self.__doc__ = rule.__doc__
        self.__module__ = rule.__module__

    @cached_property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.rule)

    @cached_property
    def hints(self) -> Mapping[str, Any]:
        return get_type_hints(self.rule, include_extras=True)

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """Names of the tensor parameters, without a variadic one."""
        positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return tuple(n for n, p in self.signature.parameters.items() if p.kind is positional)

    @cached_property
    def variadic(self) -> str | None:
        """Name of the parameter that takes any number of tensors."""
        parameters = self.signature.parameters.values()
        return next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)

    @cached_property
    def required(self) -> int:
        """How many tensors must be given."""
        parameters = self.signature.parameters
        return sum(parameters[n].default is inspect.Parameter.empty for n in self.tensors)

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """Names of the compile-time constants and their defaults (`inspect.Parameter.empty`)."""
        parameters = self.signature.parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    @cached_property
    def floats(self) -> frozenset[str]:
        """Attributes that are one float: a Python int is taken too."""
        kinds = {n: (self.hints[n], *get_args(self.hints[n])) for n in self.attributes}
        return frozenset(n for n, hints in kinds.items() if float in hints and int not in hints)

    @cached_property
    def reads_quantization(self) -> bool:
        """Whether the reference takes the quantisation of the first operand as `quantization`."""
        return "quantization" in inspect.signature(self.reference).parameters

    @cached_property
    def enums(self) -> dict[str, type[IntEnum]]:
        """Attributes whose values are codes of the standard."""
        found = {}
        for name in self.attributes:
            hint = self.hints[name]
            for kind in (hint, *get_args(hint)):
                if isinstance(kind, type) and issubclass(kind, IntEnum):
                    found[name] = kind
        return found

    @cached_property
    def own_dtypes(self) -> dict[str, type[np.generic]]:
        """Tensor parameters of one type: Python numbers given for them become this type."""
        names = [*self.tensors, *([self.variadic] if self.variadic else [])]
        found = {}
        for name in names:
            hint = self.hints[name]
            for kind in (hint, *get_args(hint)):
                if metadata := getattr(kind, "__metadata__", None):
                    found[name] = metadata[0]
        return found

    @property
    def family(self) -> str:
        """The module that defines the operator, the same word in every package; for people only."""
        return self.__module__.rpartition(".")[2]

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """The names of all operands in the order of the standard."""
        return self._order or tuple(self.signature.parameters)

    def __call__(self, *inputs: Any, **attributes: Any) -> Result:
        outputs = self.append(inputs, attributes)
        result: Any = outputs[0] if len(outputs) == 1 and not self.is_list else outputs
        return result

    @cached_property
    def is_list(self) -> bool:
        """Whether the number of outputs depends on the operands: the result is always a tuple."""
        return "..." in str(self.signature.return_annotation)

    def append(self, inputs: tuple[Any, ...], attributes: Mapping[str, Any]) -> tuple[Value, ...]:
        """Bind the operands and add the operation to their model; all outputs as a tuple."""
        bound = self.bind_attributes(attributes)
        model = next((v.model for v in inputs if hasattr(v, "model")), None)
        if model is None:
            raise BadType(f"{self.name.lower()} needs at least one operand of a model")
        return model.append(self, self.bind_inputs(model, inputs), bound)

    def bind_attributes(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes with defaults filled in; BadType for an unknown or missing one."""
        bound = dict(self.attributes)
        for name, value in given.items():
            if name not in bound:
                raise BadType(f"{self.name.lower()} has no attribute {name!r}; {self.signature}")
            bound[name] = _plain(value)
            if name in self.floats and isinstance(bound[name], int):
                bound[name] = float(bound[name])
        for name, kind in self.enums.items():
            if isinstance(bound[name], int):
                bound[name] = _code(kind, bound[name], f"{name} of {self.name.lower()}")
        missing = [n for n, v in bound.items() if v is inspect.Parameter.empty]
        if missing:
            raise BadType(f"{self.name.lower()} needs {', '.join(missing)}")
        for name, value in bound.items():
            if value is not self.attributes[name] and not _is_a(value, self.hints[name]):
                what = f"{name}={value!r:.80} of {self.name.lower()}"
                raise BadType(f"{what}, not {self.hints[name]}")
        return bound

    def bind_inputs(self, model: Model, given: tuple[Any, ...]) -> tuple[Value | None, ...]:
        """One value or None per tensor parameter; Python numbers become constants."""
        names = self.tensors
        if len(given) < self.required or (len(given) > len(names) and not self.variadic):
            takes = ", ".join(names) + (", ..." if self.variadic else "")
            raise BadType(f"{self.name.lower()} got {len(given)} operands, it takes ({takes})")
        bound = []
        for position, value in enumerate(given):
            if value is not None and not hasattr(value, "model"):
                name = names[position] if position < len(names) else self.variadic
                value = model.constant(value, self._constant_dtype(name, given))
            bound.append(value)
        bound.extend([None] * (len(names) - len(given)))
        for position in range(self.required):
            if bound[position] is None and type(None) not in get_args(self.hints[names[position]]):
                raise BadType(f"{self.name.lower()} needs {names[position]!r}")
        if self.variadic and None in given[len(names) :] and not self._takes_gaps:
            raise BadType(f"{self.name.lower()} needs every one of {self.variadic!r}")
        return tuple(bound)

    @cached_property
    def _takes_gaps(self) -> bool:
        """Whether the variadic parameter takes None."""
        return self.variadic is not None and type(None) in get_args(self.hints[self.variadic])

    def _constant_dtype(self, name: str | None, given: tuple[Any, ...]) -> Any:
        if name in self.own_dtypes:
            return self.own_dtypes[name]
        names = (*self.tensors, *[self.variadic] * len(given))
        typed = [(n, v.dtype) for n, v in zip(names, given, strict=False) if hasattr(v, "model")]
        return next((d for n, d in typed if n not in self.own_dtypes), typed[0][1])

    def infer(
        self, inputs: tuple[Value | None, ...], attributes: Mapping[str, Any]
    ) -> tuple[TensorType, ...]:
        """The types of the outputs; BadType for operands and constants that do not go together."""
        try:
            result = self.rule(*inputs, **attributes)
        except NNAdapterError:
            raise
        except Exception as error:
            types = ", ".join("none" if v is None else str(v.type) for v in inputs)
            if isinstance(error, VALUES):
                raise BadType(f"{self.name.lower()} of {types}: {told(error)}") from error
            error.add_note(f"in the type rule of {self.name} on {types}")
            raise  # a bug of the rule, which is not to pass for a bad model
        return (result,) if isinstance(result, TensorType) else tuple(result)

    @property
    def decompositions(self) -> Sequence[Decomposition]:
        """How the operator is written in others; what changes least comes first."""
        import_module(".decompositions", __package__)  # they are made of operators
        return self._decompositions

    @property
    def decomposition(self) -> Decomposition | None:
        """The decomposition that changes least, for a device that lacks the operator."""
        return self.decompositions[0] if self.decompositions else None

    def decomposes(
        self, *, level: Level = Level.EXACT, ulps: float | None = None
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: how this operator is written in others; same parameters as the rule.

        There may be several: the first that expresses the operands is taken, those of the least
        `level` before the others. See `Decomposition` for `ulps`.
        """

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self._decompositions.append(Decomposition(function, level, ulps))
            self._decompositions.sort(key=lambda d: list(Level).index(d.level))
            return function

        return register

    def __repr__(self) -> str:
        return f"<operator {self.name}>"


class Definition:
    """A decorator that makes an operator of its type rule; see `operator`."""

    def __init__(self, **properties: Any) -> None:
        self.properties = properties

    @overload
    def __call__(self, rule: Callable[..., TensorType]) -> Operator: ...
    @overload
    def __call__(
        self, rule: Callable[..., tuple[TensorType, TensorType]]
    ) -> Operator[tuple[Value, Value]]: ...
    @overload
    def __call__(
        self, rule: Callable[..., tuple[TensorType, TensorType, TensorType]]
    ) -> Operator[tuple[Value, Value, Value]]: ...
    @overload
    def __call__(
        self, rule: Callable[..., tuple[TensorType, TensorType, TensorType, TensorType]]
    ) -> Operator[tuple[Value, Value, Value, Value]]: ...
    @overload
    def __call__(
        self, rule: Callable[..., tuple[TensorType, ...]]
    ) -> Operator[tuple[Value, ...]]: ...
    @overload
    def __call__(
        self, rule: Callable[..., TensorType | tuple[TensorType, TensorType]]
    ) -> Operator[Any]: ...
    def __call__(self, rule: Rule) -> Operator[Any]:
        return Operator(rule, **self.properties)


def operator(
    *,
    code: int,
    reference: Callable[..., Any],
    since: str = "v1",
    content: Content | None = None,
    is_random: bool = False,
    order: tuple[str, ...] | None = None,
    steps: Callable[[int, int], int] | None = None,
    pattern: Pattern = Pattern.COMBINING,
    commutes: bool = False,
) -> Definition:
    """Make an operator of a type rule.

    `code` is the standard's operation code, 1000 and above for extensions; `since` the version of
    the standard that has it; `content` carries the elements of small integer tensors symbolically;
    `is_random` keeps it from being computed while converting; `order` is the order of the operands
    in the standard where the signature cannot show it (a constant between two tensors); `steps`
    says what the reference costs, from the numbers of elements that it reads and makes, where that
    is more than to touch each once; `pattern` which elements a result depends on; `commutes` that
    its two operands may change places.
    """
    return Definition(
        code=code,
        reference=reference,
        since=since,
        content=content,
        is_random=is_random,
        order=order,
        steps=steps,
        pattern=pattern,
        commutes=commutes,
    )


def pairs(read: int, made: int) -> int:
    """Steps where every result depends on everything that is read, such as a matrix product."""
    return read * made


def of_windows(read: int, made: int) -> int:
    """Steps of what attributes alone decide, such as windows and borders of any size: too many."""
    return sys.maxsize


def series(read: int, made: int) -> int:
    """Steps where every result is the sum of a series."""
    return 32 * (read + made)


def carry(reference: Callable[..., Any]) -> Callable[..., np.ndarray | None]:
    """A `content` that runs `reference` on the contents when all of them are known."""

    def content(*inputs: Value | None, **attributes: Any) -> np.ndarray | None:
        contents = [None if v is None else v.content for v in inputs]
        if any(c is None and v is not None for c, v in zip(contents, inputs, strict=True)):
            return None
        return np.asarray(reference(*contents, **attributes), object)

    return content


def require(condition: bool, message: str) -> None:
    """BadType with `message` unless `condition` holds."""
    if not condition:
        raise BadType(message)


def _plain(value: Any) -> Any:
    """Lists as tuples, and NumPy's numbers as Python's."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_plain, value))
    return value.item() if isinstance(value, np.generic) else value


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a constant is what its annotation says; NumPy's numbers are numbers."""
    if get_origin(hint) is tuple:
        element = get_args(hint)[0]
        return isinstance(value, tuple) and all(_is_a(v, element) for v in value)
    if get_args(hint):
        return any(_is_a(value, option) for option in get_args(hint))
    if hint is float:
        return isinstance(value, numbers.Real)
    if hint in (int, bool):
        return isinstance(value, (numbers.Integral, np.bool_))
    return not isinstance(hint, type) or isinstance(value, hint)


def _code(kind: type[IntEnum], value: int, what: str) -> IntEnum:
    try:
        return kind(value)
    except ValueError:
        codes = ", ".join(f"{k.value} {k.name}" for k in kind)
        raise BadType(f"{what} is {value!r}, not one of {codes}") from None
