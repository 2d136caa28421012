"""What devices make of models, kept between runs by everything that it depends on.

An engine is imported and asked only where the model, its inputs, the engine's version or the code
between them is another than before: whoever changes a converter waits for the converter alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hal.emission import add_decompositions, decompositions
from hal.runtime import manager
from hal.runtime.program import Program
from nnir import errors
from nnir.errors import NNAdapterError
from nnir.fingerprint import digest
from nnir.model import Model

from ..judging.tolerance import is_random
from ..processes.answer_store import AnswerStore, key_of

REFUSED, DECOMPOSED = "refused", "decomposed"
Identify = Callable[[str], str | None]
"""All but the model and its inputs that the results of a device depend on; None where that is not
known."""


class KeptRuns:
    """Runs on devices, of which `identify` says whom to take for the same."""

    def __init__(self, store: AnswerStore, identify: Identify) -> None:
        self._store, self._identify = store, identify
        self._digests: WeakKeyDictionary[Model, bytes] = WeakKeyDictionary()

    def run(self, model: Model, device: str, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The results of a model; a refusal is kept too, a crash or a bug is not."""
        key = self._key(model, device, inputs)
        if key is None:
            return _run(model, device, inputs)
        kept = self._store.get(key)
        if kept is None:
            return self._run(key, model, device, inputs)
        head, results = kept
        add_decompositions(tuple(pair) for pair in head[DECOMPOSED])
        if REFUSED in head:
            raise _refusal(head)
        return results

    def has(self, model: Model, device: str, inputs: Sequence[np.ndarray]) -> bool:
        """Whether it is known what comes of a run."""
        key = self._key(model, device, inputs)
        return key is not None and self._store.get(key) is not None

    def open_device(self, name: str) -> None:
        """Open a device, unless it is known to open; NoDevice where it does not."""
        identity = self._identify(name)
        key = key_of(identity or "", {"opens": name}, [], b"")
        if identity is None or self._store.get(key) is None:
            manager.acquire(name)
            if identity is not None:
                self._store.put(key, {}, [])

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def _run(
        self, key: bytes, model: Model, device: str, inputs: Sequence[np.ndarray]
    ) -> list[np.ndarray]:
        """Run it, and keep what comes of it."""
        try:
            with decompositions() as found:
                results = _run(model, device, inputs)
        except NNAdapterError as error:
            if _is_kept_whole(error):
                said = [type(error).__name__, str(error), *getattr(error, "__notes__", ())]
                self._store.put(key, {REFUSED: said, DECOMPOSED: [*found]}, [])
            raise
        finally:
            add_decompositions(found)
        self._store.put(key, {DECOMPOSED: [*found]}, results)
        return results

    def _key(self, model: Model, device: str, inputs: Sequence[np.ndarray]) -> bytes | None:
        identity = self._identify(device)
        if identity is None or any(map(is_random, model.operations)):
            return None  # another run draws other numbers
        if model not in self._digests:
            self._digests[model] = digest(model)
        return key_of(identity, {"device": device}, list(inputs), self._digests[model])


_KEPT: ContextVar[KeptRuns | None] = ContextVar("kept runs", default=None)


@contextmanager
def keeping(runs: KeptRuns | None) -> Iterator[None]:
    """Meanwhile devices are asked only what they were not asked before."""
    token = _KEPT.set(runs)
    try:
        yield
    finally:
        _KEPT.reset(token)


def run(model: Model, device: str, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of a model on a device."""
    kept = _KEPT.get()
    return _run(model, device, inputs) if kept is None else kept.run(model, device, inputs)


def _run(model: Model, device: str, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    with Program(model, device) as program:
        return list(program(*inputs))


def _is_kept_whole(error: NNAdapterError) -> bool:
    """Whether an error is one of ours that its message makes again."""
    is_ours = getattr(errors, type(error).__name__, None) is type(error)
    is_plain = error.args == (str(error),) and not isinstance(error.__cause__, MemoryError)
    return is_ours and is_plain


def _refusal(head: Mapping[str, Any]) -> NNAdapterError:
    name, message, *notes = head[REFUSED]
    made: NNAdapterError = getattr(errors, name)(message)
    for note in notes:
        made.add_note(note)
    return made
