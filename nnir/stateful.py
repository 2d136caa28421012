"""Models that keep something from one call to the next.

A model with states has an input and an output for each of them: its last inputs and its last
outputs, in the order of `Model.states`. So every pass, device and format sees plain operations.
Whoever runs the model hands in what the call before gave, and the initial data at first; users see
the inputs and outputs before them only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .dim import Expr
from .errors import BadInput, BadModel
from .metadata import PAIRS
from .model import Model, Value
from .specialise import fix_sizes
from .state import State
from .types import TensorType

ORDER = "nnadapter.ends"
"""The key of a model's metadata with the names of the inputs and outputs of its source, in their
order there, where states were among them."""


def state_inputs(model: Model) -> list[Value]:
    """The inputs that states are read from, in their order."""
    return model.inputs[len(model.inputs) - len(model.states) :]


def user_inputs(model: Model) -> list[Value]:
    """The inputs that a caller hands in."""
    return model.inputs[: len(model.inputs) - len(model.states)]


def user_outputs(model: Model) -> list[Value]:
    """The outputs that a caller gets."""
    return model.outputs[: len(model.outputs) - len(model.states)]


def initial_states(model: Model) -> list[np.ndarray]:
    """What the states are before the first call."""
    return [state.initial for state in model.states]


def with_initial(model: Model, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """One array for each input of a model: where states are left out, their initial data."""
    if model.states and len(arrays) == len(user_inputs(model)):
        return [*arrays, *initial_states(model)]
    return list(arrays)


def problems_of(model: Model) -> Iterator[str]:
    """What is wrong with the states of a model."""
    count = len(model.states)
    if count > min(len(model.inputs), len(model.outputs)):
        yield f"{count} states, {len(model.inputs)} inputs and {len(model.outputs)} outputs"
        return
    if len({state.name for state in model.states}) < count:
        yield "two states have one name"
    ends = zip(state_inputs(model), model.outputs[len(model.outputs) - count :], strict=True)
    for state, (read, written) in zip(model.states, ends, strict=True):
        if not holds(read.type, state.initial):
            found = f"{state.initial.dtype}{list(state.initial.shape)}"
            yield f"the state {state.name!r} begins with {found} and is read as {read.type}"
        if not may_follow(read.type, written.type):
            yield f"the state {state.name!r} is read as {read.type} and becomes {written.type}"


def holds(type: TensorType, array: np.ndarray) -> bool:
    """Whether an array is of a type, whose symbols may be anything."""
    return array.dtype == type.dtype and fits(type, array.shape)


def fits(type: TensorType, shape: Sequence[int]) -> bool:
    """Whether sizes are those of a type, whose symbols may be anything."""
    return len(shape) == len(type.shape) and all(
        isinstance(d, Expr) or d == n for d, n in zip(type.shape, shape, strict=True)
    )


def may_follow(read: TensorType, written: TensorType) -> bool:
    """Whether what is written may be read by the next call."""
    return (
        read.precision == written.precision
        and len(read.shape) == len(written.shape)
        and all(
            isinstance(a, Expr) or isinstance(b, Expr) or a == b
            for a, b in zip(read.shape, written.shape, strict=True)
        )
    )


def make_explicit(model: Model) -> Model:
    """Turn the states of a model into plain inputs and outputs, in place; the same model.

    The metadata says which belong together (`states_of_metadata`).
    """
    if model.states:
        names = [name for name, _ in model.named_outputs()]
        first = len(names) - len(model.states)
        ends = zip(state_inputs(model), names[first:], strict=True)
        pairs = {read.name or "": name for read, name in ends}
        model.provenance.states = (list(model.states), model.metadata.get(PAIRS))
        model.metadata[PAIRS] = json.dumps(pairs)
        model.output_names = names
        model.states = []
    return model


def make_held(model: Model) -> Model:
    """The model before `make_explicit`, as a copy; any other model as it is."""
    if model.provenance.states is None:
        return model
    made = fix_sizes(model, {})
    made.states, pairs = model.provenance.states
    made.provenance.states = None
    del made.metadata[PAIRS]
    if pairs is not None:
        made.metadata[PAIRS] = pairs
    return made


def choose_state(model: Model, state: str | Mapping[str, str]) -> Model:
    """Turn the states of a model into ends ("explicit"), or let it keep outputs that are named by
    inputs; in place. BadInput for other words and for names that are none."""
    if not isinstance(state, str):
        return keep_states(model, state)
    if state != "explicit":
        raise BadInput(f"state={state!r}: explicit, or names of outputs by names of inputs")
    return make_explicit(model)


def keep_states(
    model: Model, pairs: Mapping[str, str], initial: Mapping[str, np.ndarray] | None = None
) -> Model:
    """Let a model keep the outputs that are values of `pairs` for the inputs that are its keys,
    in place; the same model.

    A state begins with `initial`, by the name of its input, else with zeros: an input whose sizes
    are open begins without elements along these. BadInput for names that are none, BadModel where
    an output cannot be what the input is.
    """
    inputs = {value.name or "": value for value in user_inputs(model)}
    outputs = dict(model.named_outputs())
    for read, written in pairs.items():
        if read not in inputs:
            raise BadInput(f"no input {read!r} to keep; there are {', '.join(inputs)}")
        if written not in outputs:
            raise BadInput(f"no output {written!r} to keep; there are {', '.join(outputs)}")
    if len(set(pairs.values())) < len(pairs):
        raise BadInput("an output is kept for two inputs")
    made = [State(read, _initial_of(inputs[read], initial or {})) for read in pairs]
    taken = [inputs[read] for read in pairs]
    before = len(model.outputs) - len(model.states)
    names = list(outputs)
    model.metadata[PAIRS] = json.dumps(dict(pairs))
    model.metadata[ORDER] = json.dumps([list(inputs), names])
    chosen = [names.index(written) for written in pairs.values()]
    places = [k for k in range(before) if k not in chosen]
    order = [*places, *range(before, len(names)), *chosen]
    model.inputs = [v for v in model.inputs if v not in taken] + taken
    model.outputs = [model.outputs[k] for k in order]
    model.output_names = [names[k] for k in order]
    model.states = [*model.states, *made]
    if problems := list(problems_of(model)):
        raise BadModel("; ".join(problems))
    return model


def _initial_of(value: Value, initial: Mapping[str, np.ndarray]) -> np.ndarray:
    """What a state begins with."""
    given = initial.get(value.name or "")
    return zeros_of(value.type) if given is None else given


def zeros_of(type: TensorType) -> np.ndarray:
    """Zeros of a type, of which there are none along axes whose size is open."""
    made = np.zeros([0 if isinstance(d, Expr) else d for d in type.shape], type.dtype)
    made.flags.writeable = False
    return made


def pairs_of(metadata: Mapping[str, str]) -> dict[str, str]:
    """The states that metadata tells of: names of outputs by names of inputs; none of others."""
    try:
        found = json.loads(metadata.get(PAIRS, "{}"))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, str)}


def fed_states(model: Model) -> list[State]:
    """The states that are inputs and outputs of the model's source; it keeps others by itself."""
    pairs = pairs_of(model.metadata)
    return [state for state in model.states if state.name in pairs]


def fix_inputs(model: Model, values: Mapping[str, np.ndarray], order: Sequence[str]) -> None:
    """Note that a model is its source with these inputs fixed; `order` names all inputs of that."""
    model.provenance.fixed = dict(values)
    outputs = [name for name, _ in model.named_outputs()]
    model.metadata.setdefault(ORDER, json.dumps([list(order), outputs]))


def source_ends(model: Model) -> tuple[list[str], list[str]]:
    """The names of the inputs and of the outputs of a model's source, in their order there. Behind
    the outputs are those of states that it keeps by itself, as far as it shows them."""
    if ORDER in model.metadata:
        inputs, outputs = json.loads(model.metadata[ORDER])
        return list(inputs), list(outputs)
    inputs = [value.name or "" for value in user_inputs(model)]
    return inputs, [name for name, _ in model.named_outputs()]
