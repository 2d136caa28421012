"""Walks the restricted Python of a TorchScript program, statement by statement.

Nothing is run: each call of an operator becomes a node, which is translated at once, so that types
and constants are known when a condition asks for them. What is known decides branches and loops;
what is only known while running becomes IF and WHILE (`branching`, `looping`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np

from nnir.errors import BadFile, BadModel, Unsupported
from nnir.model import Model, Value
from nnir.records import dataclass
from nnir.types import Precision, TensorType

from ..reading.reader import node_of
from . import overloads
from .layout import in_order
from .library import Library
from .memory import Memory, Sink
from .things import (
    REEXPORT,
    Class,
    Function,
    Instance,
    Items,
    Named,
    Number,
    Opaque,
    Stored,
    Table,
    Tensor,
    Uninitialized,
    Withheld,
)

STEPS = 1_000_000
"""Statements and calls in all: what loops are repeated counts each time."""

NODE = 20
"""So many steps a node costs."""

DEEPEST = 60
"""Functions that call functions."""

LONGEST = 1000
"""Loops of at most so many iterations are written out."""

KINDS = {
    Precision.BOOL8: "bool",
    Precision.INT64: "int",
    Precision.FLOAT64: "float",
    Precision.COMPLEX128: "complex",
}


class RaisedError(Exception):
    """The program raises an error, on every input."""


class StoppedError(Exception):
    """What follows cannot be known, as something before it was refused; that is noted."""


@dataclass(eq=False, slots=True)
class Frame:
    """A call: the variables, and the full name of the module that is called."""

    names: dict[str, Any]
    path: str = ""


@dataclass(frozen=True, slots=True)
class Returned:
    """What a statement leaves a function with."""

    value: Any


class Translating(Sink, Protocol):
    """The translator, as far as the walk knows it."""

    @property
    def model(self) -> Model:
        """The model, or the sub-model, that nodes are translated into."""

    def bind_stored(self, stored: Stored) -> str:
        """The name of a tensor of the archive, which is in the scope of the whole model then."""

    def number_of(self, name: str) -> Any:
        """The number that a name stands for where it is known; else None."""

    @property
    def scope(self) -> dict[str, Any]:
        """The names in the current model."""

    def inside(self, model: Model, scope: dict[str, Any]) -> AbstractContextManager[None]:
        """Translate into a sub-model with names of its own."""

    def converts(self, op: str) -> bool:
        """Whether there is a converter of an operator."""

    def bind_array(self, name: str, array: np.ndarray) -> None:
        """A constant in the current scope."""

    def bind_number(self, name: str, number: Any) -> None:
        """A number of Python in the current scope."""

    def know_place(self, label: str, module: str) -> None:
        """Note which module a node is of."""

    def problems_now(self) -> Any:
        """What was refused so far, to come back to."""

    def forget_problems(self, problems: Any) -> None:
        """Come back to what was refused before a part that is walked in another way."""

    def spend(self, nodes: int) -> None:
        """Count nodes; BadModel for too many."""


Statement: TypeAlias = "Callable[[Machine, Any], Returned | None]"
Expression: TypeAlias = "Callable[[Machine, Any], Any]"


class Machine:
    """One walk over a program.

    `statements` and `expressions` are what is known of the language: see `walking`.
    """

    def __init__(
        self,
        translator: Translating,
        library: Library,
        constants: Sequence[Any],
        statements: Mapping[type[ast.stmt], Statement],
        expressions: Mapping[type[ast.expr], Expression],
    ) -> None:
        self.translator = translator
        self.statements = statements
        self.expressions = expressions
        self.library = library
        self.constants = constants
        self.memory = Memory(translator)
        self.frame = Frame({})
        self.regions = [0]
        self.region_count = 0
        self.left = STEPS
        self.depth = 0
        self.stem = "value"
        self.is_grad_enabled = True
        self.trained: set[str] = set()
        """The tensors that say that they require gradients."""

        self.scalars: dict[str, Any] = {}
        """The numbers in constants of rank 0, by the names of these."""

        self.containers: dict[int, tuple[Any, Any]] = {}
        """The lists and dictionaries of the archive, as they are now and as they were."""
        self.version = library.archive.version

    def spend(self, steps: int = 1) -> None:
        """So many steps; BadModel for a program that goes on and on."""
        self.left -= steps
        if self.left < 0:
            raise BadModel(f"a TorchScript program of more than {STEPS} steps")

    @property
    def region(self) -> int:
        """The part of the graph that is walked: the whole, or a branch or loop within."""
        return self.regions[-1]

    @contextmanager
    def inside_region(self) -> Iterator[None]:
        """Within a branch or a loop whose condition is only known while running."""
        self.region_count += 1
        self.regions.append(self.region_count)
        try:
            yield
        finally:
            self.regions.pop()

    def require_own(self, thing: Items | Table | Instance, what: str) -> None:
        """Unsupported for a change of what was made outside of a branch that may not be taken."""
        if thing.region < self.region:
            raise Unsupported(
                f"{what} in a branch or loop whose condition is only known while running: give the "
                "sizes or values that decide it (shapes=, sizes=, values=)"
            )

    # Functions

    def call(self, target: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Call a function, a method or a class of the archive."""
        match target:
            case Function(name=name, instance=None):
                return self.enter(self.library.function(name), args, keywords, self.path)
            case Function(name=name, instance=Instance() as instance):
                method = self.library.declared(instance.kind).methods.get(name)
                if method is None:
                    raise BadFile(f"{instance.kind} has no method {name!r}")
                path = instance.path or self.path
                return self.enter(method, [instance, *args], keywords, path)
            case Class(name=name):
                return self.make(name, args, keywords)
        raise BadFile(f"a call of {describe(target)}")

    def make(self, name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """A named tuple, or an object without its `__init__`."""
        declared = self.library.declared(name)
        if declared.base == "NamedTuple":
            names = tuple(declared.types)
            given = dict(zip(names, args, strict=False)) | dict(keywords)
            if list(given) != list(names):
                raise BadFile(f"{name} of {len(given)} fields, it has {len(names)}")
            return Named(given.values(), name, names)
        made = Instance(name, region=self.region)
        self.call(Function("__init__", made), args, keywords)
        return made

    def enter(
        self,
        function: ast.FunctionDef,
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        path: str,
    ) -> Any:
        """The result of the body of a function."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadModel(f"calls in calls, more than {DEEPEST} deep")
        outer = self.frame
        frame = Frame({}, path)
        names = [a.arg for a in function.args.args]
        if len(args) > len(names) or not keywords.keys() <= set(names):
            raise BadFile(f"{function.name} takes {', '.join(names)}")
        frame.names.update(zip(names, args, strict=False))
        frame.names.update(keywords)
        defaults = function.args.defaults
        self.frame = frame
        try:
            for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
                if name not in frame.names:
                    frame.names[name] = self.evaluate(default)
            if missing := [n for n in names if n not in frame.names]:
                raise BadFile(f"{function.name} without {', '.join(missing)}")
            result = self.execute(function.body)
        finally:
            self.frame = outer
            self.depth -= 1
        return None if result is None else result.value

    @property
    def path(self) -> str:
        """The full name of the module that is called."""
        return self.frame.path

    # Statements

    def execute(self, statements: Sequence[ast.stmt]) -> Returned | None:
        """Walk statements; what a `return` among them gives."""
        for statement in statements:
            self.spend()
            handler = self.statements.get(type(statement))
            if handler is None:
                what = type(statement).__name__
                raise BadFile(f"a TorchScript program with the statement {what}")
            returned = handler(self, statement)
            if returned is not None:
                return returned
        return None

    def assign(self, target: ast.expr, value: Any) -> None:
        """Bind a name, several names, or an attribute."""
        match target:
            case ast.Name(id=name):
                self.frame.names[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if not isinstance(value, (list, tuple)) or len(value) != len(targets):
                    raise BadModel(f"{describe(value)} is taken apart into {len(targets)}")
                for inner, part in zip(targets, value, strict=True):
                    self.assign(inner, part)
            case ast.Attribute(value=owner, attr=name):
                instance = self.evaluate(owner)
                if not isinstance(instance, Instance):
                    raise BadFile(f"an attribute {name!r} of {describe(instance)}")
                self.require_own(instance, f"{name!r} is set")
                instance.attributes[name] = value
            case _:
                raise BadFile(f"an assignment to {type(target).__name__}")

    # Expressions

    def evaluate(self, node: ast.expr) -> Any:
        """What an expression stands for."""
        self.spend()
        handler = self.expressions.get(type(node))
        if handler is None:
            what = type(node).__name__
            raise BadFile(f"a TorchScript program with the expression {what}")
        return handler(self, node)

    def attribute(self, owner: Any, name: str) -> Any:
        """An attribute of an object or a named tuple."""
        if isinstance(owner, Named) and name in owner.names:
            return owner[owner.names.index(name)]
        if not isinstance(owner, Instance):
            raise BadFile(f"an attribute {name!r} of {describe(owner)}")
        if "" in owner.attributes:
            self.refuse(owner.attributes[""])
        if name in owner.attributes:
            return self.loaded(owner.attributes[name])
        declared = self.library.declared(owner.kind)
        if name in declared.methods:
            return Function(name, owner)
        if name in declared.constants:
            return self.evaluate(declared.constants[name])
        raise BadFile(f"{owner.kind} has no attribute {name!r}")

    def loaded(self, value: Any) -> Any:
        """A value of the archive as the program sees it; a list is the same list each time."""
        match value:
            case Stored():
                name = Tensor(self.translator.bind_stored(value))
                if value.is_trained:
                    self.trained.add(name)
                return name
            case Opaque():
                self.refuse(value)
            case Items() | Table() if value.is_stored:
                if id(value) not in self.containers:
                    found: Any = (
                        Items(map(self.loaded, value))
                        if isinstance(value, Items)
                        else Table({k: self.loaded(v) for k, v in value.items()})
                    )
                    self.containers[id(value)] = found, found.copy()
                return self.containers[id(value)][0]
            case tuple() if not isinstance(value, Named):
                return tuple(self.loaded(v) for v in value)
        return value

    def constant(self, position: int) -> Any:
        """A constant of the code."""
        stored = self.constants[position]
        value = self.loaded(stored)
        if isinstance(stored, Stored) and stored.array.ndim == 0:
            self.scalars[value] = stored.array.item()
        return value

    def is_scalar(self, name: str) -> bool:
        """Whether a tensor is a constant of rank 0 that nothing has changed so far."""
        return name in self.scalars and not self.memory.ages.get(name)

    def refuse(self, thing: Opaque) -> NoReturn:
        """Unsupported for what is not understood."""
        raise Unsupported(f"{thing.what}, which is no plain tensor: {REEXPORT}")

    # Values of the graph

    def emit(self, op: str, arguments: Mapping[str, Any], count: int = 1) -> list[str]:
        """Translate a node now; the names of its results."""
        self.spend(NODE)
        outputs = [self.memory.fresh(self.stem) for _ in range(count)]
        label = outputs[0] if outputs else self.memory.fresh(self.stem)
        self.translator.know_place(label, self.path)
        node = node_of(op, list(arguments.items()), outputs, [None] * count, label)
        self.memory.step(node)
        return outputs

    def type_of(self, name: str) -> TensorType:
        """The type of a tensor or number; ends the walk where it could not be translated."""
        if not isinstance(name, (Tensor, Number)):
            raise BadFile(f"{describe(name)} where a tensor is needed")
        found = self.memory.type_of(name)
        if found is None:
            raise StoppedError
        return found

    def value_of(self, name: str) -> Value:
        """What a tensor holds now."""
        value = self.translator.value_of(self.memory.read(name))
        if not isinstance(value, Value):
            raise StoppedError
        return value

    def kind_of(self, value: Any) -> str:
        """What a value is to a signature."""
        return overloads.kind_of(value, self.kind_of_number)

    def kind_of_number(self, number: Number) -> str:
        """int, float or bool."""
        return KINDS[self.type_of(number).precision]

    def number(self, op: str, /, **arguments: Any) -> Any:
        """A number of a node: Python's own where it is known."""
        return self.fold(self.emit(op, arguments)[0])

    def fold(self, name: str) -> Any:
        """The number that a name stands for, or the name as a number."""
        known = self.translator.number_of(self.memory.read(name))
        return Number(name) if known is None else known

    def item(self, value: Any) -> Any:
        """The one element of a tensor as a number; numbers as they are."""
        if not isinstance(value, Tensor):
            return value
        return self.number("aten.item.default", self=value)

    def truth(self, value: Any) -> Any:
        """A condition: a bool, or a number of the graph that is one."""
        value = self.item(value)
        if isinstance(value, Number):
            if self.kind_of(value) != "bool":
                return self.number("_operator.ne", a=value, b=0)
            return value
        if isinstance(value, (Withheld, Uninitialized)):
            self.refuse_reading(value)
        if not isinstance(value, (bool, int, float)):
            raise BadFile(f"a condition that is {describe(value)}")
        return bool(value)

    def refuse_reading(self, value: Withheld | Uninitialized) -> NoReturn:
        """The error for a variable that has no value."""
        if isinstance(value, Withheld):
            raise Unsupported(value.why)
        raise BadModel("a variable is read that was never set")

    def declare_input(self, name: str) -> None:
        """Note an input of the model, whose elements lie in order."""
        self.memory.taken.add(name)
        self.memory.outside.add(name)
        self.memory.know(name)
        kind = self.memory.types[name]
        if kind is not None:
            self.memory.layout.steps[name] = in_order(kind.shape)


def describe(value: Any) -> str:
    """A value in a few words, for messages."""
    if isinstance(value, Instance):
        return f"an object of {value.kind}"
    if isinstance(value, (Tensor, Number)):
        return f"a {type(value).__name__.lower()}"
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__.lower()} of {len(value)}"
    text = repr(value)
    return text if len(text) < 60 else f"a {type(value).__name__}"
