"""Read a TorchScript archive of torch.jit.save without PyTorch: weights, code, what it takes."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from nnir.collector import paused_collector
from nnir.errors import DAMAGE, BadFile, NNAdapterError, Unsupported
from nnir.mapping import Buffer
from nnir.records import dataclass
from nnir.types import Precision, TensorType, precision_of

from ...choices import chosen_inputs
from ...source import NUMBER, SourceGraph, SourceModel, SourceNode, SourceValue
from ..reading.signature import ARGUMENTS
from .archive import CONSTANTS, DATA, TRACED, Archive
from .library import Library, type_name
from .things import Instance, Items, Stored, Table
from .unpickling import unpickle

FORWARD = "forward"
MARK = "higher_order.script"
"""The operator of the one node of the graph: the program, which is walked."""

NUMBERS = {
    "int": TensorType(Precision.INT64, ()),
    "float": TensorType(Precision.FLOAT64, ()),
    "bool": TensorType(Precision.BOOL8, ()),
}


@dataclass(slots=True)
class Script(SourceModel):
    """A TorchScript program: its code, its root module, and its constants.

    `arguments` are those of `forward` by name: inputs, and lists, tuples and dictionaries of them;
    the others have the values that the program says.
    """

    library: Library | None = None
    root: Instance = field(default_factory=lambda: Instance(""))
    constants: tuple[Any, ...] = ()
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Given:
    """An argument that is an input of the model."""

    name: str
    is_number: bool = False


def read(data: Buffer) -> Script:
    """The program in `data`; weights are strided views into it."""
    try:
        with paused_collector():
            return _read(Archive(data))
    except NNAdapterError:
        raise
    except DAMAGE as error:
        raise BadFile(f"damaged TorchScript archive: {type(error).__name__}: {error}") from None


def _read(archive: Archive) -> Script:
    root = unpickle(archive, DATA)
    if not isinstance(root, Instance):
        raise BadFile("a TorchScript archive whose data is no module")
    constants = unpickle(archive, CONSTANTS) if f"{CONSTANTS}.pkl" in archive else ()
    if not isinstance(constants, tuple):
        raise BadFile("a TorchScript archive whose constants are no tuple")
    library = Library(archive)
    forward = library.declared(root.kind).methods.get(FORWARD)
    if forward is None:
        raise Unsupported(f"a TorchScript archive of {root.kind}, which has no forward")
    inputs = Inputs(library, forward, traced_arguments(archive))
    node = SourceNode(MARK, [], [], {}, "forward")
    graph = SourceGraph(root.kind.rpartition(".")[2], [node], inputs.values)
    _name_weights(root, constants)
    return Script(
        "torch",
        graph,
        {"": 1},
        metadata={"producer": "torch.jit", ARGUMENTS: as_json(inputs)},
        library=library,
        root=root,
        constants=constants,
        arguments=inputs.arguments,
    )


def as_json(inputs: Inputs) -> str:
    """How the framework is called: the names of inputs in order, and which make up an argument."""

    def told(argument: Any) -> Any:
        match argument:
            case Given(name=name):
                return name
            case tuple():
                return {"tuple": [told(a) for a in argument]}
            case list():
                return {"list": [told(a) for a in argument]}
        return {"dict": {k: told(a) for k, a in argument.items()}}

    names = [v.name for v in inputs.values]
    return json.dumps([names, {n: told(a) for n, a in inputs.arguments.items()}])


class Inputs:
    """What `forward` takes as inputs of a model: by its declaration, what was traced, and what the
    caller says of shapes."""

    def __init__(self, library: Library, forward: ast.FunctionDef, traced: list[Any]) -> None:
        self.library = library
        self.values: list[SourceValue] = []
        self.arguments: dict[str, Any] = {}
        self.chosen = chosen_inputs()
        declared = forward.args.args[1:]
        defaults = [None] * (len(declared) - len(forward.args.defaults)) + [*forward.args.defaults]
        examples = traced if len(traced) == len(declared) else [None] * len(declared)
        for argument, default, example in zip(declared, defaults, examples, strict=True):
            name = argument.arg
            if default is None or self._is_asked(name):
                self.arguments[name] = self._argument(name, argument.annotation, example)

    def _is_asked(self, name: str) -> bool:
        """Whether the caller says something of an argument, or of something within it."""
        return any(n == name or n.startswith(f"{name}_") for n in self.chosen)

    def _argument(self, name: str, kind: ast.expr | None, example: Any) -> Any:
        head, parameters = type_name(kind)
        if head == "Optional":
            return self._argument(name, parameters[0], example)
        if head == "Tensor":
            return self._tensor(name, example)
        if head in NUMBERS:
            self.values.append(SourceValue(name, NUMBERS[head], NUMBER))
            return Given(name, is_number=True)
        return self._several(name, head, parameters, example)

    def _several(self, name: str, head: str, parameters: list[ast.expr], example: Any) -> Any:
        """A tuple, a list or a dictionary of inputs."""
        examples = example if isinstance(example, (list, tuple)) else ()
        if head == "Tuple":
            known = [*examples, *[None] * len(parameters)]
            return tuple(
                self._argument(f"{name}_{k}", p, known[k]) for k, p in enumerate(parameters)
            )
        if head == "List":
            count = len(examples)
            while any(n == f"{name}_{count}" for n in self.chosen):
                count += 1
            count = count or 1  # whose shape is asked for
            known = [*examples, *[None] * count]
            return [self._argument(f"{name}_{k}", parameters[0], known[k]) for k in range(count)]
        if head == "Dict":
            keys = [*example] if isinstance(example, Mapping) else self._keys(name)
            values = example if isinstance(example, Mapping) else {}
            return {k: self._argument(f"{name}_{k}", parameters[1], values.get(k)) for k in keys}
        raise Unsupported(
            f"an input {name!r} of type {head}: wrap the module in one that takes tensors"
        )

    def _keys(self, name: str) -> list[str]:
        keys = [n.removeprefix(f"{name}_") for n in self.chosen if n.startswith(f"{name}_")]
        return keys or ["KEY"]  # whose shape is asked for

    def _tensor(self, name: str, example: Any) -> Given:
        value = SourceValue(name, unranked=Precision.FLOAT32, is_untyped=True)
        if isinstance(example, Stored):
            value.unranked = precision_of(example.array.dtype)
            value.is_untyped = False
            if name not in self.chosen:
                value.type = TensorType(value.unranked, example.array.shape)
        self.values.append(value)
        return Given(name)


def traced_arguments(archive: Archive) -> list[Any]:
    """The types of the inputs that a traced program was traced on, where the archive has them."""
    if f"{TRACED}.pkl" not in archive:
        return []
    found = unpickle(archive, TRACED, is_described=True)
    arguments = found.get(FORWARD) if isinstance(found, Table) else None
    return list(arguments) if isinstance(arguments, Items) else []


def _name_weights(root: Instance, constants: tuple[Any, ...]) -> None:
    """Give tensors their full names, and modules their paths; the first one that leads there."""
    for path, thing in walk(root):
        if isinstance(thing, Instance):
            thing.path = path
        elif isinstance(thing, Stored) and not thing.name:
            thing.name = path
    for position, constant in enumerate(constants):
        if isinstance(constant, Stored) and not constant.name:
            constant.name = f"constant{position}"


def walk(root: Instance) -> Iterator[tuple[str, Any]]:
    """Every module and tensor below a module, each once, with its path."""
    seen: set[int] = set()
    waiting: list[tuple[str, Any]] = [("", root)]
    while waiting:
        path, thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        yield path, thing
        parts: list[tuple[Any, Any]] = []
        if isinstance(thing, Instance):
            parts = [*thing.attributes.items()]
        elif isinstance(thing, (Items, tuple)):
            parts = [*enumerate(thing)]
        elif isinstance(thing, Table):
            parts = [*thing.items()]
        prefix = f"{path}." if path else ""
        waiting += reversed([(f"{prefix}{name}", part) for name, part in parts])
