"""The one definition of a valid model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .affine import problem_of
from .dim import Expr
from .errors import BadModel, NNAdapterError, summary
from .model import Model, Operation, Value
from .stateful import problems_of
from .types import Precision, TensorType

SHOWN = 10
STRICT = frozenset(p for p in Precision if p < 1000)


def check(
    model: Model, *, strict: bool = False, visit: Callable[[Operation], None] | None = None
) -> None:
    """BadModel that lists what is wrong, or nothing.

    Every operand belongs to the model and has one producer, nothing is cyclic, and the type of
    every output is what the operator's rule says. `strict` also refuses what the text of the
    standard does not have: extension operators and precisions. `visit` is called with every
    operation whose types are right, producers first.
    """
    with unchanged_symbols(model):
        problems = list(_problems(model, visit))
    if strict:
        problems += list(_beyond(model))
    if problems:
        more = f"; and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise BadModel(f"model {model.name!r}: " + "; ".join(problems[:SHOWN]) + more)


@contextmanager
def unchanged_symbols(model: Model) -> Iterator[None]:
    """Type rules may ask for new symbols; afterwards the model has none of them."""
    models = [model, *(m for o in all_operations(model) for m in o.models)]
    before = [(m, dict(m.symbols)) for m in models]
    try:
        yield
    finally:
        for changed, symbols in before:
            changed.symbols = symbols


def extensions(model: Model, version: str = "v1") -> dict[str, int]:
    """Operators that a version of the standard (v1 or v1.1) does not have, with counts."""
    allowed = {"v1": ("v1",), "v1.1": ("v1", "v1.1"), "ext": ("v1", "v1.1", "ext")}[version]
    counts: dict[str, int] = {}
    for operation in all_operations(model):
        if operation.operator.since not in allowed:
            counts[operation.operator.name] = counts.get(operation.operator.name, 0) + 1
    return dict(sorted(counts.items()))


def all_operations(model: Model) -> Iterator[Operation]:
    """The operations of a model and of its sub-models."""
    for operation in model.operations:
        yield operation
        for inner in operation.models:
            yield from all_operations(inner)


def _problems(model: Model, visit: Callable[[Operation], None] | None = None) -> Iterator[str]:
    try:
        operations = model.sorted()
    except BadModel as error:
        yield str(error)
        return
    inputs = set(model.inputs)
    if len(inputs) < len(model.inputs):
        yield "an input is listed twice"
    yield from problems_of(model)
    made = Counter(v for o in operations for v in o.outputs)
    for value in model.values():
        if value.model is not model:
            yield f"{value!r} belongs to another model"
        sources = (value in inputs) + made[value] + (value.constant is not None)
        if sources != 1:
            yield f"{value!r} has {sources} sources: an input, a constant or one operation"
        if (problem := problem_of(value.type)) is not None:
            yield f"{value!r}: {problem}"
        if value.constant is not None and not _fits_constant(value):
            yield f"{value!r} holds {value.constant.dtype}{list(value.constant.shape)}"
    for operation in operations:
        wrong = list(_type_problems(operation))
        yield from wrong
        for inner in operation.models:
            yield from (f"in {operation!r}: {p}" for p in _problems(inner, visit))
        if visit is not None and not wrong:
            visit(operation)


def _type_problems(operation: Operation) -> Iterator[str]:
    try:
        types = operation.infer()
    except NNAdapterError as error:
        yield f"{operation!r}: {summary(error)}"
        return
    if len(types) != len(operation.outputs):
        yield f"{operation!r} has {len(operation.outputs)} outputs, its rule says {len(types)}"
    for value, inferred in zip(operation.outputs, types, strict=False):
        if not compatible(value.type, inferred):
            yield f"{operation!r} makes {inferred}, not {value.type}"


def compatible(a: TensorType, b: TensorType) -> bool:
    """Whether two types can describe one tensor: no precision, rank or known size differs."""
    return (
        a.precision == b.precision
        and len(a.shape) == len(b.shape)
        and all(
            isinstance(m, Expr) or isinstance(n, Expr) or m == n
            for m, n in zip(a.shape, b.shape, strict=True)
        )
    )


def _fits_constant(value: Value) -> bool:
    array = value.constant
    return array is not None and array.dtype == value.dtype and array.shape == value.shape


def _beyond(model: Model) -> Iterator[str]:
    for name, count in extensions(model, "v1.1").items():
        yield f"{name} is an extension (x{count})"
    for value in model.values():
        if value.precision not in STRICT:
            yield f"{value!r} has a precision beyond the standard"
