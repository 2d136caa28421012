"""A driver's walk over a model: every operation by its lowering, else by its decomposition."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from nnir.decomposition import telling_bugs
from nnir.dim import Expr
from nnir.errors import (
    NNAdapterError,
    NoLowering,
    NotConstant,
    Refusal,
    Unsupported,
    describe,
    summary,
)
from nnir.model import Model, Operation, Value
from nnir.operator import Operator
from nnir.passes import apply, fold_constants, merge_common
from nnir.progress import follow
from nnir.refusals import refusal_of

from .lowering import Lowerings, Plain, Way, results_of

R = TypeVar("R")

STEP = "device='builtin' runs every operator"
"""What to do about operations that a device does not run."""

WRITING_STEP = "`nnadapter check FILE --target TARGET` tries what would help"
"""What to do about operations that a format does not hold."""

NARROWING_STEP = "`nnadapter convert FILE NEW --precision float32` makes FLOAT64 FLOAT32"
"""What to do about FLOAT64 where a device does not compute in it."""

GUESS = 8
"""The size that stands for one that is not known when an operation is asked about."""

LONGEST_LABEL = 200
"""A label goes to every node of an operation; names in files may be of any length."""

Notes = tuple[Counter[str], list[Refusal], Counter[tuple[str, str]]]
"""Problems, refusals and decompositions, as an emission has noted them so far."""

_DECOMPOSED: ContextVar[Counter[tuple[str, str]] | None] = ContextVar("decomposed", default=None)


@contextmanager
def decompositions() -> Iterator[Counter[tuple[str, str]]]:
    """Counts by device and operator what is decomposed meanwhile, as emissions do it."""
    found: Counter[tuple[str, str]] = Counter()
    token = _DECOMPOSED.set(found)
    try:
        yield found
    finally:
        _DECOMPOSED.reset(token)


def add_decompositions(found: Iterable[tuple[str, str]]) -> None:
    """Count what was decomposed elsewhere, by device and operator."""
    counter = _DECOMPOSED.get()
    if counter is not None:
        counter.update(found)


@contextmanager
def asking(engine: str, what: str, *kinds: type[Exception]) -> Iterator[None]:
    """Around one call of an engine: NoLowering in its words where it raises one of `kinds`.

    Around nothing else: what is raised outside of such a call is a bug of ours.
    """
    try:
        yield
    except kinds as error:
        raise NoLowering(f"{engine} refuses {what}: {describe(error)}"[:1000]) from error


class Emission(ABC, Generic[R]):
    """A program in the making; `R` is what stands for an intermediate result.

    `names` are the results by the value that they belong to. Sub-models have an
    emission of their own (`outer`), and the outermost (`root`) collects what cannot be emitted.
    """

    device: ClassVar[str]

    def __init__(self, lowerings: Lowerings[R], outer: Emission[R] | None = None) -> None:
        self.lowerings = lowerings
        self.root: Emission[R] = outer.root if outer else self
        self.names: dict[Value, R] = dict(outer.names) if outer else {}
        self.problems: Counter[str] = Counter()
        self.refusals: list[Refusal] = []
        self.taken: set[str] = set()
        self.counter = 0
        self._operation: Operation | None = None
        self._whole: Operation | None = None

    @property
    def operation(self) -> Operation:
        """The operation that is lowered."""
        if self._operation is None:
            raise NoLowering(f"{self.device}: an operation outside of a model")
        return self._operation

    @property
    def made_for(self) -> Operation | None:
        """The operation of the model that is lowered, by itself or decomposed."""
        return self._whole or self._operation

    def node_name(self, kernel: str) -> str:
        """A name for a node: the operation of the model that it is made for, and, where that has
        several, the kernel behind a slash. So profiles and files say what belongs together."""
        made_for = self.made_for
        label = kernel if made_for is None else made_for.label[:LONGEST_LABEL]
        return self.name(f"{label}/{kernel}" if label in self.root.taken else label, keep=True)

    def name(self, stem: str, *, keep: bool = False) -> str:
        """A name that is not taken; the stem itself when `keep` and it is free."""
        root = self.root
        name = stem
        while not keep or name in root.taken:
            keep = True
            root.counter += 1
            name = f"{stem}_{root.counter}"
        root.taken.add(name)
        return name

    @abstractmethod
    def ref(self, operand: Value | R | None) -> R | None:
        """The result that an operand stands for; constants are made on their first use."""

    @abstractmethod
    def stand_in(self, value: Value) -> R:
        """A result of the type of `value` that comes from elsewhere."""

    @abstractmethod
    def mark(self) -> Any:
        """How far the program is."""

    @abstractmethod
    def undo(self, mark: Any) -> None:
        """Drop what was emitted since `mark`."""

    def native(
        self, kernel: str, inputs: Sequence[Value | None], fields: Mapping[str, Plain]
    ) -> R | Sequence[R]:
        """A kernel of the engine on operands, for `Lowerings.native`."""
        raise NotImplementedError(f"{self.device} has no kernels by name, such as {kernel}")

    def take(self, operand: Value | R | None) -> R:
        """The result that an operand stands for, which is there."""
        found = self.ref(operand)
        if found is None:
            raise NoLowering(f"{self.device}: an operand that is left out")
        return found

    def typed(self, ref: R, value: Value) -> R:
        """The result of a lowering as the one of `value`."""
        return ref

    def need(self, holds: object, what: str) -> None:
        """NoLowering that says `what` the device does, unless something holds."""
        if not holds:
            raise NoLowering(f"{self.device} {what}")

    def lower_all(self, model: Model) -> None:
        """Emit every operation of a model, or of a body in it, in order."""
        for operation in follow(model.sorted(), "lowering"):
            self.lower(operation)

    def lower(self, operation: Operation) -> None:
        """Emit one operation by its lowering, else by its decomposition.

        A lowering refuses with an error of ours. Anything else that it raises is a bug in it, and
        is raised: a decomposition in its place would hide it.
        """
        mark = self.mark()
        outer, self._operation = self._operation, operation
        try:
            refs = self.by_lowering(operation)
        except NNAdapterError as error:
            self.undo(mark)
            refs = [self.ref(r) for r in self._decompose(operation, error)]
        except Exception as error:
            error.add_note(f"in the lowering of {operation.operator.name} on device {self.device}")
            raise
        self._operation = outer
        for value, ref in zip(operation.outputs, refs, strict=False):
            if ref is not None:
                self.names[value] = self.typed(ref, value)

    def by_lowering(self, operation: Operation) -> list[R | None]:
        """The results of one operation by its lowering, or as they are known; errors of ours where
        the device has none."""
        lowering = self.lowerings.find(operation.operator)
        if lowering is None:
            raise NoLowering(f"{self.device} has no lowering for {operation.operator.name}")
        made = lowering(self, *operation.inputs, **operation.attributes)
        return [self.ref(r) for r in results_of(made)]

    def _decompose(self, operation: Operation, error: NNAdapterError) -> Sequence[Value | R | None]:
        """The results by the first decomposition whose operations can all be emitted.

        The device's own ways come before the operator's. Where none is such a one, what the
        operator's own lowering refuses is missing; without such a lowering what the first
        decomposition lacks that takes the operands.
        """
        operator = operation.operator
        mark, before = self.mark(), self._notes()
        first: Notes | None = None
        reasons: list[NNAdapterError] = []
        for way in self._ways(operator):
            try:
                results = self._write_in_others(operation, way)
            except NNAdapterError as second:
                reasons.append(second)
                continue
            after = self._notes()
            if after[0] == before[0]:
                return results
            first = first or after
            self.undo(mark)
            self._note(before)
        is_own = self.lowerings.find(operator) is not None
        if first is not None:
            self._note((*before[:2], first[2]) if is_own else first)
            if not is_own:
                return [self.stand_in(v) for v in operation.outputs]
        if is_own or not reasons:  # a size that is not known may be all that a decomposition lacks
            reasons = [error, *(e for e in reasons if isinstance(e, NotConstant))]
        text = "; ".join(dict.fromkeys(map(summary, reasons)))
        is_alone = reasons == [error]
        return self._give_up(operation, error if is_alone else Unsupported(text))

    def _ways(self, operator: Operator[object]) -> Iterator[Way]:
        """How an operator may be written in others; its decompositions are imported if need be."""
        yield from self.lowerings.ways_of(operator)
        yield from operator.decompositions

    def _notes(self) -> Notes:
        """What cannot be emitted so far, where, and what is decomposed."""
        counts = _DECOMPOSED.get()
        return Counter(self.root.problems), [*self.root.refusals], Counter(counts)

    def _note(self, notes: Notes) -> None:
        """Go back, or forth, to such a state."""
        self.root.problems, self.root.refusals = Counter(notes[0]), [*notes[1]]
        if (counts := _DECOMPOSED.get()) is not None:
            counts.clear()
            counts.update(notes[2])

    def _write_in_others(self, operation: Operation, way: Way) -> Sequence[Value | R | None]:
        """The results by one decomposition, which is counted."""
        name = operation.operator.name
        try:
            inner = self._append_others(operation, way, operation.inputs, operation.attributes)
        except NNAdapterError:
            raise
        except Exception as error:
            error.add_note(f"in the decomposition of {name} for device {self.device}")
            raise
        if (count := _DECOMPOSED.get()) is not None:
            count[self.device, name] += 1
        return self._lower_others(operation, inner)

    def compose(
        self, recipe: Callable[..., Value | Sequence[Value]], *operands: Value | None
    ) -> list[R]:
        """The results of a function of values, as a part of a lowering.

        NoLowering lists what of it cannot be emitted.
        """
        before = self._notes()
        inner = self._append_others(self.operation, recipe, operands, {})
        results = self._lower_others(self.operation, inner)
        missing = self._notes()[0] - before[0]
        if missing:
            self._note(before)
            raise NoLowering("; ".join(missing))
        return [self.take(r) for r in results]

    def decomposed(self) -> list[R]:
        """The results of the operation that is lowered by its first decomposition, for a lowering
        that adds something to it; NoLowering lists what of it cannot be emitted."""
        operation = self.operation
        way = partial(operation.operator.decompositions[0], **operation.attributes)
        return self.compose(way, *operation.inputs)

    def _append_others(
        self,
        operation: Operation,
        function: Callable[..., Value | Sequence[Value]],
        operands: Sequence[Value | None],
        attributes: Mapping[str, Any],
    ) -> Model:
        """What a function of values appends, in a model of its own, whose operands are known."""
        inner = Model()
        outer: Model | None = operation.outputs[0].model
        while outer is not None:  # what is fresh in `inner` must differ from sizes of the operands
            inner.symbols.update(outer.symbols)
            outer = outer.outer
        values: list[Value | None] = []
        for value in operands:
            if value is None:
                values.append(None)
            elif value.constant is not None:
                values.append(inner.constant(value.constant, name=value.name))
            else:
                copy = inner.input(value.name or "", value.type)
                if value.content is not None:
                    copy.content = value.content
                found = self.ref(value)
                self.names[copy] = self.stand_in(value) if found is None else found
                values.append(copy)
        name = operation.operator.name
        with telling_bugs(name, is_on_integers=operation.is_on_integers):
            made = function(*values, **attributes)
        inner.outputs = [made] if isinstance(made, Value) else list(made)
        apply(inner, SIMPLIFIED)
        return inner

    def _lower_others(self, operation: Operation, inner: Model) -> Sequence[Value | R | None]:
        whole, self._whole = self._whole, self._whole or operation
        for step in inner.sorted():
            self.lower(step)
        self._whole = whole
        return inner.outputs

    def _give_up(self, operation: Operation, error: NNAdapterError) -> Sequence[Value | R | None]:
        self.refuse(error, self._whole or operation)
        return [self.stand_in(v) for v in operation.outputs]

    def refuse(self, error: NNAdapterError, place: Operation | Value) -> None:
        """Note what cannot be emitted, and where; the walk goes on to find all of it.

        What an error lists that comes from a sub-model is noted already.
        """
        self.root.problems[summary(error)] += 1
        if not error.refusals:
            self.root.refusals.append(refusal_of(summary(error), place))

    def require_lowered(self, step: str = "") -> None:
        """NoLowering that lists all that was noted."""
        require_lowered(self.root.problems, step, self.root.refusals)


SIMPLIFIED = (fold_constants, merge_common)
"""What a decomposition goes through: weights are not turned round anew at every run."""


def require_lowered(
    problems: Mapping[str, int], step: str = "", refusals: Iterable[Refusal] = ()
) -> None:
    """NoLowering that lists every problem, with counts and a next step."""
    if problems:
        rows = [f"{text} (x{count})" for text, count in problems.items()]
        is_wide = any("FLOAT64" in text or "COMPLEX128" in text for text in problems)
        steps = [NARROWING_STEP, step or STEP] if is_wide else [step or STEP]
        error = NoLowering("; ".join([*rows, *steps]))
        error.refusals = tuple(refusals)
        raise error


def refusal(operation: Operation, begin: Callable[[], Emission[R]]) -> str | None:
    """Why an operation cannot be emitted by itself or decomposed; None where it can.

    `begin` makes an emission for it alone.
    """
    emission = begin()
    for value in operation.inputs:
        if value is not None and value.constant is None:
            emission.names[value] = emission.stand_in(value)
    emission.lower(operation)
    return "; ".join(emission.problems) or None


def refusal_of_sizes(operation: Operation, begin: Callable[[], Emission[R]]) -> str | None:
    """As `refusal`, of a device that compiles for known sizes.

    Sizes that are not known yet will be while running: it is asked again with some of them fixed.
    """
    why = refusal(operation, begin)
    dims = [d for v in operation.inputs if v is not None for d in v.shape]
    if why is None or not any(isinstance(d, Expr) for d in dims):
        return why
    try:
        return refusal(_with_guessed_sizes(operation), begin)
    except NNAdapterError:
        return why


def _with_guessed_sizes(operation: Operation) -> Operation:
    """The same operation with a number for every size."""
    model = Model()
    values: list[Value | None] = []
    for value in operation.inputs:
        if value is None or value.constant is not None:
            values.append(value)
            continue
        sizes = tuple(GUESS if isinstance(d, Expr) else d for d in value.shape)
        values.append(model.input(value.name or "x", value.type.with_shape(sizes)))
    made = model.append(operation.operator, tuple(values), operation.attributes)
    producer = made[0].producer
    if producer is None:
        raise NoLowering("an operation without results")
    return producer
