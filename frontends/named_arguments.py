"""Binding of a node whose source names every argument, such as PyTorch's and Paddle's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as np

from nnir.dim import differ
from nnir.errors import BadModel, BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import shape
from nnir.types import Row, TensorType

from .parameter import Gaps, Given, Items, Parameter, coerce, short
from .source import Ref, SourceNode
from .table import Converter, Withheld
from .translate import Translator

CONSTANTS = frozenset({bool, float, int, str, NoneType})
"""Arguments of these types stand for themselves; a Ref is another type than str."""


def call(
    converter: Converter, translator: Translator, arguments: Mapping[str, Any], wanted: int
) -> Any:
    """Bind arguments by name and convert; what the function returns.

    An argument is a Value, a Python constant, None, or a list of these; the annotation of the
    parameter says what becomes of it. `Index`: numbers and scalars of the graph become one int64
    tensor. `Value`: a number becomes a constant, unless the annotation also takes numbers.
    `Items`: a tuple of tensors and Nones. Everything else must be known while converting.
    """
    if isinstance(converter.function, Operator):
        tensors = [_tensor(a, translator, converter.name) for a in arguments.values()]
        return converter.call(*tensors)
    bound: dict[str, Any] = {}
    for given, value in arguments.items():
        parameter = converter.by_source_name.get(given)
        if parameter is None:
            raise Unsupported(f"{converter.name} with {given}={short(value)}")
        is_settled = type(value) in parameter.settled
        bound[parameter.name] = (
            value if is_settled else _bind(value, parameter, converter.name, translator)
        )
    for name, service in converter.services.items():
        bound[name] = translator if service == "translator" else wanted
    if not bound.keys() >= converter.needed:
        missing = [n for n in converter.parameters if n in converter.needed - bound.keys()]
        raise BadType(f"{converter.name} without {', '.join(missing)}")
    for parameter in converter.folded_defaults:
        if parameter.name not in bound:
            what = Given(converter.name, parameter.name, parameter.default)
            bound[parameter.name] = index_of(translator, parameter.default, what)
    return converter.call(**bound)


def _bind(value: Any, parameter: Parameter, converter: str, translator: Translator) -> Any:
    what = Given(converter, parameter.name, value)
    if value is None:
        if not parameter.optional and parameter.default is not None:
            raise BadType(f"{converter} needs {parameter.name!r}")
        return None
    if parameter.is_folded:
        return index_of(translator, value, what)
    if parameter.is_items:
        if not isinstance(value, (list, tuple)):
            raise BadType(f"{what}: a list of tensors is needed")
        if None in value and not parameter.takes_gaps:
            raise BadType(f"{what}: a tensor is needed in every place")
        kind = Gaps if parameter.takes_gaps else Items
        return kind(v if v is None else _tensor(v, translator, converter) for v in value)
    if parameter.is_value:
        if isinstance(value, Value):
            return value
        if isinstance(value, (list, tuple)):
            raise BadType(f"{what}: a tensor is needed")
        if not parameter.takes_numbers:
            return _tensor(value, translator, converter)
        if not isinstance(value, (int, float, complex)):
            raise BadType(f"{what}: a tensor or a number is needed")
        return value
    if parameter.takes_anything:
        return Row(value) if isinstance(value, list) else value
    is_array = parameter.takes_elements and isinstance(value, Value)
    known = _constant if is_array else _require_constant
    return coerce(known(value, translator, what), parameter, converter)


def _constant(value: Value, translator: Translator, what: Given) -> np.ndarray:
    """The data of a tensor; NotConstant for what is only known while running."""
    constant = translator.constant_of(value)
    if constant is None:
        raise NotConstant(f"{what}, which must be known while converting")
    return constant


def _require_constant(value: Any, translator: Translator, what: Given) -> Any:
    """A constant; NotConstant for what is only known while running."""
    if isinstance(value, Value):
        constant = _constant(value, translator, what)
        return constant.item() if constant.size == 1 else constant
    if isinstance(value, (list, tuple)):
        return tuple(_require_constant(v, translator, what) for v in value)
    return value


def _tensor(value: Any, translator: Translator, converter: str) -> Value:
    """A tensor; numbers become constants of the type that they have in Python."""
    if isinstance(value, Value):
        return value
    if isinstance(value, (bool, int)):
        return translator.model.constant(value)
    if isinstance(value, (float, complex)):
        kind = np.float32 if isinstance(value, float) else np.complex64
        return translator.model.constant(value, kind)
    raise BadType(f"{converter} takes a tensor, not {short(value)}")


def index_of(translator: Translator, value: Any, what: object) -> Value:
    """Sizes, axes or positions as one int64 tensor of rank 0 or, for a list, 1."""
    if isinstance(value, Value):
        return value
    if isinstance(value, (list, tuple)):
        return stack_sizes(translator, value, what)
    if isinstance(value, int):
        return translator.model.constant(np.int64(value))
    raise BadType(f"{what}, which is not an integer")


def stack_sizes(translator: Translator, sizes: Sequence[Any], what: object) -> Value:
    """A list of integers, some of them computed by the graph, as a tensor of rank 1."""
    if all(isinstance(s, int) for s in sizes):
        return translator.model.constant(np.array(sizes, np.int64))
    pieces = [shape.reshape(index_of(translator, s, what), [1]) for s in sizes]
    return pieces[0] if len(pieces) == 1 else shape.concat(*pieces, axis=0)


class NamedTranslator(Translator):
    """Translates graphs whose nodes name all of their arguments."""

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        arguments: dict[str, Any] = {}
        for name, given in node.attributes.items():
            kind = type(given)
            if kind is Ref and type(value := self.scope.get(given)) is Value:  # as most
                arguments[name] = value
            else:
                arguments[name] = given if kind in CONSTANTS else self.resolved(given)
        result = call(converter, self, arguments, len(node.outputs))
        return (result,) if type(result) is Value else tuple(flat(result))

    def resolved(self, argument: Any) -> Any:
        """An argument with values for names."""
        if isinstance(argument, Ref):
            entry = self.read(argument)
            if isinstance(entry, Withheld):
                raise Unsupported(f"a program that reads {entry.what}")
            return entry
        if isinstance(argument, list):
            return [self.resolved(a) for a in argument]
        return argument


def require_declared(node: SourceNode, found: TensorType, declared: TensorType) -> None:
    """The program says the type of every tensor; where ours differs, one of both is wrong."""
    fits = found.precision == declared.precision and found.rank == declared.rank
    if not fits or any(map(differ, found.shape, declared.shape)):
        raise BadModel(f"{node.op} gives {found}, the program says {declared}")


def flat(result: Any) -> list[Any]:
    """Results in order; a list of tensors counts as so many."""
    if isinstance(result, (list, tuple)):
        return [r for part in result for r in flat(part)]
    return [result]
