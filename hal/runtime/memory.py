"""What a program keeps from one call to the next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from nnir.errors import BadInput, DeviceError
from nnir.state import State
from nnir.stateful import holds
from nnir.types import TensorType

Offers = Sequence[np.ndarray | None]
Run = Callable[[Sequence[np.ndarray], Offers, Offers], list[np.ndarray]]
LARGE = 1 << 20
"""Bytes from which new memory costs more than to see that old memory is free."""


class Memory:
    """The states of a program, which runs with them as its last inputs and outputs.

    Calls of several threads run one after the other: each begins with what the one before left.
    """

    def __init__(self, states: Sequence[State], types: Sequence[TensorType], run: Run) -> None:
        self.states = list(states)
        self._types = list(types)
        self._run = run
        self._lock = threading.Lock()
        self._current: list[np.ndarray] = []
        self._spare: list[np.ndarray | None] = []
        self.reset({})

    def run(self, arrays: Sequence[np.ndarray], outputs: Offers = ()) -> list[np.ndarray]:
        """The results of a call without the states, which are kept; those of a call that fails
        are not. Large states are written in turns to the memory of two calls."""
        count = len(self.states)
        with self._lock:
            offers = [*outputs, *[None] * count] if outputs else ()
            before, spare, self._spare = self._current, self._spare, [None] * count
            results = self._run([*arrays, *before], offers, spare)
            seen, kept = results[: len(results) - count], results[len(results) - count :]
            self._require_fitting(kept)
            self._current = [_own(array, (*arrays, *seen)) for array in kept]
            known = (*arrays, *seen, *self._current)
            initial = [state.initial for state in self.states]
            self._spare = [_if_free(array, (*known, *initial)) for array in before]
        return seen

    def reset(self, given: Mapping[str, np.ndarray]) -> None:
        """Let the next call begin as the first one, or with what is given; BadInput for names that
        are no states, or arrays that do not fit."""
        names = [state.name for state in self.states]
        if unknown := [name for name in given if name not in names]:
            known = ", ".join(names) or "none"
            raise BadInput(f"no state {', '.join(map(repr, unknown))}; there are {known}")
        made = []
        for state, type in zip(self.states, self._types, strict=True):
            array = state.initial
            if state.name in given:
                array = np.array(given[state.name])  # the caller's may change
                if not holds(type, array):
                    found = f"{array.dtype}{list(array.shape)}"
                    raise BadInput(f"the state {state.name!r} is {type}, not {found}")
            made.append(array)
        with self._lock:
            self._current, self._spare = made, [None] * len(made)

    def snapshot(self) -> dict[str, np.ndarray]:
        """Copies of the states as the last call left them, by name."""
        with self._lock:
            current = list(self._current)
        return {s.name: np.array(a) for s, a in zip(self.states, current, strict=True)}

    def _require_fitting(self, kept: Sequence[np.ndarray]) -> None:
        for state, type, array in zip(self.states, self._types, kept, strict=True):
            if not holds(type, array):
                raise DeviceError(
                    f"the state {state.name!r} becomes {array.dtype}{list(array.shape)}, and is "
                    f"read as {type}"
                )


def _own(array: np.ndarray, others: Sequence[np.ndarray]) -> np.ndarray:
    """An array that nobody else can write to."""
    if any(np.may_share_memory(array, other) for other in others):
        return np.array(array)
    return array


def _if_free(array: np.ndarray, others: Sequence[np.ndarray]) -> np.ndarray | None:
    """A large array that is all of its memory and shares it with no other; None where it is not."""
    is_whole = array.flags.owndata and array.flags.writeable and array.nbytes >= LARGE
    if not is_whole or any(np.may_share_memory(array, other) for other in others):
        return None
    return array
