"""What a program keeps from one call to the next."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from nnir import stateful
from nnir.errors import BadInput, DeviceError
from nnir.state import State
from nnir.types import TensorType

from ..device import Residence
from .steps import place_results

Offers = Sequence[np.ndarray | None]
Run = Callable[[Sequence[np.ndarray], Offers, Offers], list[np.ndarray]]
LARGE = 1 << 20
"""Bytes from which new memory costs more than to see that old memory is free."""


class Memory(ABC):
    """The states of a program, which runs with them as its last inputs and outputs.

    Calls of several threads run one after the other: each begins with what the one before left.
    """

    def __init__(self, states: Sequence[State], types: Sequence[TensorType]) -> None:
        self.states = list(states)
        self._types = list(types)
        self._lock = threading.Lock()
        self.reset({})

    @abstractmethod
    def run(self, arrays: Sequence[np.ndarray], outputs: Offers = ()) -> list[np.ndarray]:
        """The results of a call without the states, which are kept; those of a call that fails
        are not."""

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
                if not stateful.holds(type, array):
                    found = f"{array.dtype}{list(array.shape)}"
                    raise BadInput(f"the state {state.name!r} is {type}, not {found}")
            made.append(array)
        with self._lock:
            self._begin_with(made)

    def snapshot(self) -> dict[str, np.ndarray]:
        """Copies of the states as the last call left them, by name."""
        with self._lock:
            arrays = self._copies()
        return {s.name: a for s, a in zip(self.states, arrays, strict=True)}

    @abstractmethod
    def _begin_with(self, arrays: list[np.ndarray]) -> None:
        """Let these be the states."""

    @abstractmethod
    def _copies(self) -> list[np.ndarray]:
        """The states as arrays that the caller may change."""


class HostMemory(Memory):
    """States as arrays. Large ones are written in turns to the memory of two calls."""

    def __init__(self, states: Sequence[State], types: Sequence[TensorType], run: Run) -> None:
        self._run = run
        self._current: list[np.ndarray] = []
        self._spare: list[np.ndarray | None] = []
        super().__init__(states, types)

    def run(self, arrays: Sequence[np.ndarray], outputs: Offers = ()) -> list[np.ndarray]:
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

    def _begin_with(self, arrays: list[np.ndarray]) -> None:
        self._current, self._spare = arrays, [None] * len(arrays)

    def _copies(self) -> list[np.ndarray]:
        return [np.array(a) for a in self._current]

    def _require_fitting(self, kept: Sequence[np.ndarray]) -> None:
        for state, type, array in zip(self.states, self._types, kept, strict=True):
            if not stateful.holds(type, array):
                raise _misfit(state, type, f"{array.dtype}{list(array.shape)}")


class DeviceMemory(Memory):
    """States that stay in the memory of a device: no call copies them."""

    def __init__(
        self, states: Sequence[State], types: Sequence[TensorType], residence: Residence
    ) -> None:
        self._residence = residence
        self._tensors: list[object] = []
        super().__init__(states, types)

    def run(self, arrays: Sequence[np.ndarray], outputs: Offers = ()) -> list[np.ndarray]:
        with self._lock:
            results, kept = self._residence.run(arrays, self._tensors)
            for state, type, tensor in zip(self.states, self._types, kept, strict=True):
                shape = self._residence.shape_of(tensor)
                if not stateful.fits(type, shape):
                    raise _misfit(state, type, f"{type.dtype}{list(shape)}")
            results = place_results(results, outputs)
            self._tensors = kept
        return results

    def _begin_with(self, arrays: list[np.ndarray]) -> None:
        self._tensors = self._residence.place(arrays)

    def _copies(self) -> list[np.ndarray]:
        return self._residence.fetch(self._tensors)


def _misfit(state: State, type: TensorType, becomes: str) -> DeviceError:
    return DeviceError(f"the state {state.name!r} becomes {becomes}, and is read as {type}")


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
