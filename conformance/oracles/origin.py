"""The framework of a source, asked several times about one model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.errors import BadInput, DeviceError, summary
from nnir.lists import sides_of
from nnir.model import Model
from nnir.passes import ends
from nnir.passes.orders import Perm, inverse
from nnir.precision import SINGLES
from nnir.stateful import fed_states, make_held, pairs_of, source_ends, user_inputs

from .oracle import Refused
from .sessions import session_of

Arrays = list[np.ndarray]
BUILTIN = "builtin"


class Origin:
    """Runs `source` in its own framework.

    Arrays are in the order of axes and the precision of `model`, which may differ from the origin's
    own. A context manager: entering it starts the framework.
    """

    def __init__(self, source: Any, model: Model) -> None:
        self.model = model
        self._opened = session_of(source, model)
        self._outputs = ends.orders(model, ends.OUTPUTS)
        self._fed = fed_states(model)
        self._states = {state.name: state.initial for state in self._fed}

    def __enter__(self) -> Origin:
        self._session = self._opened.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)

    @property
    def name(self) -> str:
        """The framework that answered last."""
        return self._session.name

    def run(self, arrays: Sequence[np.ndarray], *, is_first: bool = False) -> Arrays:
        """The outputs, in the model's order, its states last where the framework shows them;
        Refused where the framework refuses. `is_first`: without what earlier calls left."""
        if is_first:
            self._states = {state.name: state.initial for state in self._fed}
        given = as_in_origin(self.model, arrays)
        if not (self._fed or self.model.provenance.fixed):
            return self._ordered(self._session.run(given, is_first=is_first))
        _, outputs = source_ends(self.model)
        whole = in_order_of_source(self.model, given, self._states)
        results = dict(zip(outputs, self._session.run(whole, is_first=is_first), strict=True))
        pairs = pairs_of(self.model.metadata)
        self._states = {read: results[pairs[read]] for read in self._states}
        return self._ordered([results[name] for name, _ in self.model.named_outputs()])

    def ask_second(self) -> bool:
        """Ask who knows the format otherwise from now on; whether there is anybody."""
        return self._session.ask_second()

    def others(self, arrays: Sequence[np.ndarray]) -> Iterator[tuple[str, Arrays]]:
        """What other kernels of the same framework give, by their names."""
        for name, found in self._session.run_others(as_in_origin(self.model, arrays)):
            yield name, self._ordered(found)

    def _ordered(self, found: Arrays) -> Arrays:
        outputs = [name for name, _ in self.model.named_outputs()]
        seen = outputs[: len(outputs) - len(self.model.states)]
        named = zip(outputs if len(found) == len(outputs) else seen, found, strict=True)
        ordered = {n: reorder_axes(a, self._outputs.get(n)) for n, a in named}
        return _narrow(self.model, ordered)


class References:
    """A model on the NumPy references: what it means, where there is nobody else to ask.

    Arrays have the precision of `narrow`, a form of the model in another one.
    """

    name = BUILTIN

    def __init__(self, model: Model, narrow: Model | None = None) -> None:
        self._program = Program(model, BUILTIN)
        self._narrow = narrow

    def __enter__(self) -> References:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.close()

    def run(self, arrays: Sequence[np.ndarray], *, is_first: bool = False) -> Arrays:
        """The outputs, in the model's order, its states last; Refused for inputs that the model
        does not take. `is_first`: without what earlier calls left."""
        if is_first:
            self._program.reset()
        form = self._narrow
        try:
            if form is None:
                return call_with_states(self._program, arrays)
            named = zip([v.name or "" for v in user_inputs(form)], arrays, strict=True)
            found = call_with_states(self._program, list(_widen(form, dict(named)).values()))
            names = [name for name, _ in form.named_outputs()]
            return _narrow(form, dict(zip(names, found, strict=True)))
        except (BadInput, DeviceError) as error:
            raise Refused(f"the references refuse: {summary(error)}") from error

    def ask_second(self) -> bool:
        """There is nobody else."""
        return False

    def others(self, arrays: Sequence[np.ndarray]) -> Iterator[tuple[str, Arrays]]:
        """There is one answer."""
        return iter(())

    def finish(self) -> None:
        """Nothing else runs."""


def call_with_states(program: Program, arrays: Sequence[np.ndarray]) -> Arrays:
    """The results of a call, and behind them what the program keeps for the next one."""
    return [*program(*arrays), *program.states.values()]


def origin_of(source: Any, model: Model) -> Origin | References:
    """Who says what a source means: its framework, or the references where it is a model."""
    is_model = isinstance(source, Model)
    return References(make_held(source), model) if is_model else Origin(source, model)


def as_in_origin(model: Model, arrays: Sequence[np.ndarray]) -> Arrays:
    """The inputs in the order of axes and the precision that the origin has."""
    names = [v.name or "" for v in user_inputs(model)]
    own = {n: inverse(p) for n, p in ends.orders(model, ends.INPUTS).items()}
    given = {n: reorder_axes(a, own.get(n)) for n, a in zip(names, arrays, strict=True)}
    return list(_widen(model, given).values())


def _widen(model: Model, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Inputs by name in the precision that the source of a model has."""
    wide = model.provenance.precisions
    return {n: a.astype(wide[n].dtype) if n in wide else a for n, a in arrays.items()}


def _narrow(model: Model, arrays: Mapping[str, np.ndarray]) -> Arrays:
    """Results by name in the precision of a model."""
    wide = model.provenance.precisions
    return [a.astype(SINGLES[wide[n]].dtype) if n in wide else a for n, a in arrays.items()]


def arrays_of_first_call(model: Model, arrays: Sequence[np.ndarray]) -> Arrays:
    """What the origin takes at first, in its own order of inputs and axes."""
    states = {state.name: state.initial for state in fed_states(model)}
    given = as_in_origin(model, arrays)
    is_same = not (states or model.provenance.fixed)
    return given if is_same else in_order_of_source(model, given, states)


def in_order_of_source(
    model: Model, arrays: Sequence[np.ndarray], states: Mapping[str, np.ndarray]
) -> Arrays:
    """Inputs of a caller, what states are and what is fixed, in the order of the source."""
    names = [v.name or "" for v in user_inputs(model)]
    named = dict(zip(names, arrays, strict=True)) | model.provenance.fixed
    named |= _widen(model, states)
    side, _ = sides_of(model)
    parts = {n: [f"{n}.{p}" for p in t.parts] for n, _, t in side.ends if t is not None}
    return [named[part] for name in source_ends(model)[0] for part in parts.get(name, [name])]


def reorder_axes(array: np.ndarray, perm: Perm | None) -> np.ndarray:
    """An array with its axes in another order."""
    return array if perm is None else array.transpose(perm)
