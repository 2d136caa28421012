"""The translator of TorchScript programs: it walks the code, and converts what it meets.

A buffer that the program changes is a state. Which ones do is known after a walk: where there are
any, the program is walked once more with these as states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nnir.errors import BadInput, BadModel, NNAdapterError, Unsupported
from nnir.model import Model, Value
from nnir.provenance import Place
from nnir.state import NEXT
from nnir.types import TensorType, precision_of

from ...families import translate_safely
from ...source import SourceNode, SourceState, SourceValue
from ...translate import SPARE
from ..converters import DIALECT
from ..reading.signature import OVERWRITTEN
from ..translator import TorchTranslator
from .machine import Machine, RaisedError, StoppedError
from .reader import MARK, Given, Script, walk
from .regions import is_number, leaves
from .things import REEXPORT, Function, Instance, Items, Number, Stored, Table, Tensor, Withheld
from .walking import EXPRESSIONS, STATEMENTS

Problems = tuple[list[NNAdapterError], Counter[str]]
SPACIOUS = 20 * SPARE
"""Nodes in all: loops that are written out repeat theirs."""


def translate(source: Script) -> Model:
    """Translate what the reader read."""
    return translate_safely(lambda: _translate(source))


def _translate(source: Script) -> Model:
    kept: list[str] = []
    while True:
        source.states = []
        translator = ScriptTranslator(source, kept)
        model = translator.translate()
        if translator.changed <= set(kept):
            return model
        kept += sorted(translator.changed - set(kept))


class ScriptTranslator(TorchTranslator):
    """Translates one TorchScript program; `kept` are the full names of tensors that it changes."""

    def __init__(self, source: Script, kept: Sequence[str]) -> None:
        super().__init__(DIALECT, source)
        self.script = source
        self._left = SPACIOUS
        self.whole = self.model
        self.changed: set[str] = set()
        self.bound: dict[str, str] = {}
        self.storages: dict[str, list[str]] = {}
        self.attributes: list[tuple[Instance, dict[str, Any]]] = []
        if source.library is None:
            raise BadModel("a TorchScript program without code")
        self.machine = Machine(self, source.library, source.constants, STATEMENTS, EXPRESSIONS)
        self.machine.memory.taken.update(v.name for v in source.graph.inputs)
        things = (*(t for _, t in walk(source.root)), *source.constants)
        stored = {t.name: t for t in things if isinstance(t, Stored)}
        for name in kept:
            tensor = stored[name]
            state = self.machine.memory.fresh(name)
            read = SourceValue(state, _type_of(tensor.array), called=name)
            source.states.append(SourceState(name, read, SourceValue(state), tensor.array))

    # What the machine asks for

    def convert(self, node: SourceNode) -> None:
        """Convert a node; what it needs is in the current scope."""
        self.spend(1)
        self._convert(node, [self.scope[n] if n else None for n in node.inputs])

    def converts(self, op: str) -> bool:
        """Whether there is a converter of an operator."""
        return self.dialect.find(op, self.versions) is not None

    def value_of(self, name: str) -> Any:
        """What a name stands for."""
        return self.scope.get(name)

    def number_of(self, name: str) -> Any:
        """The number that a name stands for, where it is known."""
        value = self.scope.get(name)
        if not isinstance(value, Value):
            raise StoppedError
        known = self.constant_of(value)
        return None if known is None else known.item()

    def bind_stored(self, stored: Stored) -> str:
        """The name of a tensor of the archive."""
        if stored.name not in self.bound:
            name = next((s.read.name for s in self.script.states if s.name == stored.name), "")
            if not name:
                name = self.machine.memory.fresh(stored.name)
                self.root_scope[name] = self.whole.constant(stored.array, name=stored.name)
            self.bound[stored.name] = name
            self._know_array(name, stored.array)
            others = self.storages.setdefault(stored.storage, [])
            self.machine.memory.may_share(name, others)
            others.append(name)
        return self.bound[stored.name]

    def _know_array(self, name: str, array: np.ndarray) -> None:
        memory = self.machine.memory
        memory.outside.add(name)
        memory.know_type(name, _type_of(array))
        if array.size:
            memory.layout.steps[name] = [s // array.itemsize for s in array.strides]

    def bind_array(self, name: str, array: np.ndarray) -> None:
        """A constant in the current scope."""
        self.scope[name] = self.model.constant(array, name=name)

    def bind_number(self, name: str, number: Any) -> None:
        """A number of Python in the current scope."""
        value = self.model.constant(np.asarray(number))
        value.is_number = True
        self.scope[name] = value

    def know_place(self, label: str, module: str) -> None:
        """Note which module a node is of."""
        if module:
            self.source.places[label] = Place(module)

    def problems_now(self) -> Problems:
        """What was refused so far, to come back to."""
        return list(self.errors), Counter(self.problems)

    def forget_problems(self, problems: Problems) -> None:
        """Come back to what was refused before a part that is walked in another way."""
        self.errors, self.problems = list(problems[0]), Counter(problems[1])

    # The walk

    def run(self, nodes: Sequence[SourceNode]) -> None:
        if not (nodes and nodes[0].op == MARK):
            super().run(nodes)
            return
        self.root_scope = self.scope
        for name in (*(v.name for v in self.source.graph.inputs), *self.source.graph.weights):
            self.machine.declare_input(name)
        for state in self.script.states:
            self.machine.declare_input(state.read.name)
        try:
            self._walk()
        except RaisedError as error:
            raise BadInput(f"the program raises an error on such inputs: {error}") from None
        except StoppedError:
            if not self.errors:
                raise BadModel("a value that nothing gives") from None

    def _missing_converters(self) -> None:
        """What has no converter is noted as it is met: only a walk knows what is called."""
        return

    def _walk(self) -> None:
        root = self.script.root
        objects = [t for _, t in walk(root) if isinstance(t, Instance)]
        self.attributes = [(t, dict(t.attributes)) for t in objects]
        try:
            given = {n: self._argument(a) for n, a in self.script.arguments.items()}
            result = self.machine.call(Function("forward", root), [], given)
            self._give(result)
            self._keep(root)
        finally:
            for instance, attributes in self.attributes:
                instance.attributes = attributes

    def _argument(self, argument: Any) -> Any:
        machine = self.machine
        match argument:
            case Given(name=name, is_number=True):
                return machine.fold(name)
            case Given(name=name):
                return Tensor(name)
            case list():
                return Items(map(self._argument, argument))
            case tuple():
                return tuple(map(self._argument, argument))
            case dict():
                return Table({k: self._argument(a) for k, a in argument.items()})
        raise BadModel(f"an argument {argument!r}")

    def _give(self, result: Any) -> None:
        """The outputs of the model: every tensor and number of the result."""
        outputs = []
        if isinstance(result, Tensor):
            pairs: Iterable[Any] = [(("output",), result)]
        else:
            pairs = leaves(result, ())
        for path, leaf in pairs:
            keys = [*_keys_to(result, path)]
            name = ".".join(map(str, keys))
            if isinstance(leaf, Withheld):
                raise Unsupported(leaf.why)
            if leaf is None:
                continue
            called = name if any(isinstance(k, str) for k in keys) else f"output_{name}"
            outputs.append(SourceValue(self._output_name(leaf), called=called))
        if not outputs:
            raise Unsupported("a program that gives no tensor")
        self.source.graph.outputs = outputs

    def _output_name(self, leaf: Any) -> str:
        """The name of a value that a leaf of the result is."""
        if isinstance(leaf, (Tensor, Number)):
            name = self.machine.memory.read(leaf)
            self.machine.value_of(leaf)
            return name
        if not is_number(leaf):
            raise Unsupported(f"a result that is {type(leaf).__name__}")
        name = self.machine.memory.fresh("output")
        self.bind_array(name, np.asarray(leaf))
        return name

    def _keep(self, root: Instance) -> None:
        """The new contents of what the program changes: buffers, and attributes that it sets."""
        memory = self.machine.memory
        names = {bound: full for full, bound in self.bound.items()}
        written = {names[n]: memory.read(n) for n, age in memory.ages.items() if age and n in names}
        if any(now != then for now, then in self.machine.containers.values()):
            raise Unsupported(f"a program that changes a list that it keeps: {REEXPORT}")
        for instance, before in self.attributes:
            for key, value in instance.attributes.items():
                old = before.get(key)
                if value is old or (type(value) is type(old) and value == old):
                    continue
                written |= self._set_attribute(instance, key, old, value)
        self.changed = set(written)
        for state in self.script.states:
            name = written.get(state.name, state.read.name)
            state.written = SourceValue(name, state.read.type, called=f"{state.name}{NEXT}")
        if any(memory.ages.get(v.name) for v in self.source.graph.inputs):
            self._overwrite_inputs()

    def _set_attribute(self, instance: Instance, key: str, old: Any, value: Any) -> dict[str, str]:
        """The new contents of an attribute that the program sets."""
        name = f"{instance.path}.{key}".lstrip(".")
        if isinstance(old, Stored) and isinstance(value, Tensor):
            if self.bound.get(old.name) == value:
                return {}
            return {old.name: self.machine.memory.read(value)}
        raise Unsupported(
            f"a program that sets {name!r}, which is no tensor before and after: {REEXPORT}"
        )

    def _overwrite_inputs(self) -> None:
        """New contents of inputs that the program changes are outputs behind the results."""
        memory = self.machine.memory
        changed = [v for v in self.source.graph.inputs if memory.ages.get(v.name)]
        for value in changed:
            content = SourceValue(memory.read(value.name), called=f"{value.name}{NEXT}")
            self.source.graph.outputs.append(content)
        self.model.metadata[OVERWRITTEN] = "\n".join(v.name for v in changed)


def _keys_to(result: Any, path: Sequence[Any]) -> Iterable[Any]:
    """The keys that lead to a leaf, fields of named tuples by their names."""
    found = []
    for key in path:
        names = getattr(result, "names", None)
        found.append(names[key] if names is not None and isinstance(key, int) else key)
        result = result[key] if isinstance(result, (list, tuple, dict)) else None
    return found


def _type_of(array: np.ndarray) -> TensorType:
    return TensorType(precision_of(array.dtype), array.shape)
