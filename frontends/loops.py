"""Loops of unknown length as WHILE, and how long the others are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from nnir import build
from nnir.dim import Dim, Expr
from nnir.errors import BadModel, NNAdapterError, Unsupported
from nnir.model import Model, Value
from nnir.ops import control, unary
from nnir.types import TensorType

from .capture import Capture
from .loop_state import (
    Carried,
    fresh,
    inline,
    is_unwritten,
    is_written,
    like,
    settle,
    tensor_of,
    truth,
)
from .source import SourceGraph, SourceValue, read_places, restrict_outputs
from .translate import Translator

BODY = 10
"""A loop costs as much as so many plain nodes."""

ROUNDS = 8
"""How often a loop body is translated until the sizes of its state stay as they are."""

UNROLLED = 64
"""Loops of at most so many iterations are written out."""

LONGEST = 1000
"""So are longer ones over lists whose elements do not make one tensor."""

PASSING = frozenset({"Identity", "StopGradient"})


def problems_of(translator: Translator) -> tuple[list[NNAdapterError], Counter[str]]:
    """The problems so far, to come back to."""
    return list(translator.errors), Counter(translator.problems)


def count_trips(
    translator: Translator,
    cond: SourceGraph,
    body: SourceGraph,
    inputs: Sequence[Any],
    most: int,
) -> int | None:
    """The number of iterations, or one more than `most`; None where only running tells."""
    counts = [len(cond.inputs), len(body.inputs), len(body.outputs)]
    if counts != [len(inputs)] * 3:
        raise BadModel(f"a loop of {len(inputs)} values whose graphs have {counts}")
    flag = restrict_outputs(cond, [0])
    places = sorted(read_places(flag))
    while (found := read_places(restrict_outputs(body, places))) - set(places):
        places = sorted(found | set(places))
    step = restrict_outputs(body, places)
    entries = {k: inputs[k] for k in places}
    before = problems_of(translator)
    try:
        for trips in range(most + 1):
            (go,) = translator.inline(flag, {flag.inputs[k].name: v for k, v in entries.items()})
            known = translator.constant_of(truth(go))
            if known is None:
                return None
            if not known:
                return trips
            given = {step.inputs[k].name: v for k, v in entries.items()}
            entries = dict(zip(places, translator.inline(step, given), strict=True))
    except NNAdapterError:  # what is wrong is told where the loop itself is translated
        translator.errors, translator.problems = before
        return None
    return most + 1


def unchanged_places(body: SourceGraph) -> set[int]:
    """The places that a body gives back as they are."""
    sources = {o: n.inputs for n in body.nodes if n.op in PASSING for o in n.outputs}

    def source(value: SourceValue) -> str:
        name = value.name
        while sources.get(name):
            name = sources[name][0]
        return name

    return {
        k
        for k, (a, b) in enumerate(zip(body.inputs, body.outputs, strict=True))
        if source(b) == a.name
    }


class Loop:
    """A loop whose number of iterations is only known while running, or is large."""

    def __init__(
        self, translator: Translator, cond: SourceGraph, body: SourceGraph, inputs: Sequence[Any]
    ) -> None:
        self.translator = translator
        self.cond = cond
        self.body = body
        self.entries = [settle(v, translator) for v in inputs]
        self.fixed = unchanged_places(body)
        self.fixed |= {k for k, v in enumerate(self.entries) if tensor_of(v) is None}
        self.types: dict[int, TensorType] = {}
        self.loose: set[Dim] = set()

    def converted(self) -> tuple[Any, ...]:
        """What stands for the results."""
        for _ in range(ROUNDS):
            capture = self._capture()
            model, changed = self._translate_body(capture)
            if not changed:
                break
        else:
            raise Unsupported("a loop whose state changes its shape in every iteration")
        places = self._carried_places()
        state = [tensor_of(self.entries[k]) for k in places]
        (flag,) = inline(self.translator, self.cond, self.entries)
        if not places:
            return tuple(self.entries)
        made = control.while_(
            unary.assign(truth(flag)),
            *state,
            *capture.values.values(),
            body=model,
            carried=len(places),
        )
        results = list(self.entries)
        for place, value in zip(
            places, made if isinstance(made, (list, tuple)) else [made], strict=True
        ):
            results[place] = like(self.entries[place], [value])
        return tuple(results)

    def _carried_places(self) -> list[int]:
        """The places of what changes and is a tensor."""
        return [
            k for k, v in enumerate(self.entries) if k not in self.fixed and not is_unwritten(v)
        ]

    def _capture(self) -> Capture:
        """What each iteration reads and does not change."""
        self.translator.spend(BODY)
        carried = set(self._carried_places())
        same = {
            f"same{k}": t
            for k, v in enumerate(self.entries)
            if k not in carried and (t := tensor_of(v)) is not None
        }
        return Capture({**self.translator.captured([self.cond, self.body]), **same})

    def _translate_body(self, capture: Capture) -> tuple[Model, bool]:
        """The body as a model, and whether it told more of the types of the state."""
        model = Model(self.body.name or "body", self.translator.model)
        entries: list[Any] = list(self.entries)
        places = self._carried_places()
        for place in places:
            tensor = tensor_of(self.entries[place])
            type = self.types.get(place) or tensor.type  # type: ignore[union-attr]
            entries[place] = like(self.entries[place], [model.input(f"state{place}", type)])
        scope = capture.bind(model)
        for place in set(range(len(entries))) - set(places):
            same = scope.get(f"same{place}")
            entries[place] = like(entries[place], [] if same is None else [same])
        with self.translator.inside(model, scope):
            found = inline(self.translator, self.body, entries)
            (again,) = inline(self.translator, self.cond, found)
            after = [settle(v, self.translator) for v in found]
            kept = [self._keep_tensor(after[k]) for k in places]
            model.outputs = [unary.assign(truth(again)), *fresh(kept)]
        changed = [self._is_other(k, entries[k], after[k]) for k in places]
        if not any(changed):  # the shape of elements only counts where the shapes of all else stay
            unwritten = [k for k, v in enumerate(self.entries) if is_unwritten(v)]
            changed = [self._is_written(k, entries[k], after[k]) for k in unwritten]
        return model, any(changed)

    def _keep_tensor(self, entry: Any) -> Value:
        tensor = tensor_of(entry)
        if tensor is None or is_unwritten(entry):
            raise Unsupported("a loop that replaces a list or a resource by another kind")
        return tensor

    def _is_other(self, place: int, before: Any, after: Any) -> bool:
        """Whether an iteration gives a tensor of another type than it takes; then that is known."""
        old, new = self._keep_tensor(before).type, self._keep_tensor(after).type
        joined = control.join_types(self.translator.model, old, new, "the state of a While")
        dims = [a if a in self.loose else b for a, b in zip(old.shape, joined.shape, strict=True)]
        self.loose.update(b for a, b in zip(old.shape, dims, strict=True) if a != b)
        self.types[place] = old.with_shape(tuple(dims))
        return dims != list(old.shape)

    def _is_written(self, place: int, before: Carried, after: Any) -> bool:
        """Whether an iteration writes to a list of unknown shape; then its shape is known."""
        if is_written(after):
            element = [self._outside(d) for d in after.tensor.shape[1:]]
            self.entries[place] = self.entries[place].begun(element, self.translator)
            return True
        if place not in self.fixed and (not is_unwritten(after) or after is not before):
            raise Unsupported("a loop that changes the length of a list that nothing is in")
        return False

    def _outside(self, size: Dim) -> build.Size:
        """A size that the body knows, in the model that the loop is in."""
        if not isinstance(size, Expr):
            return size
        tensors = [t for v in self.entries if (t := tensor_of(v)) is not None]
        for tensor in (*tensors, *self.translator.model.inputs):
            for axis, known in enumerate(tensor.shape):
                if known == size:
                    return build.size_of(tensor, axis)
        raise Unsupported(f"a list in a loop, of elements whose size {size} is only known inside")


def while_(
    translator: Translator, cond: SourceGraph, body: SourceGraph, inputs: Sequence[Any]
) -> tuple[Any, ...]:
    """A loop: written out where it is short and of known length, else a WHILE."""
    trips = count_trips(translator, cond, body, inputs, UNROLLED)
    if trips is None or trips > UNROLLED:
        before = problems_of(translator)
        try:
            return Loop(translator, cond, body, inputs).converted()
        except NNAdapterError:
            has_lists = any(isinstance(v, Carried) for v in inputs)
            trips = (
                count_trips(translator, cond, body, inputs, LONGEST)
                if trips and has_lists
                else None
            )
            if trips is None or trips > LONGEST:
                raise
            translator.errors, translator.problems = before
    entries: list[Any] = list(inputs)
    for _ in range(trips):
        translator.spend(BODY)
        entries = inline(translator, body, entries)
    return tuple(entries)
