"""A compilation: a model made into programs of the context's devices, or restored from a cache."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nnir.errors import BadCall, BadFile, DeviceError, NNAdapterError, describe, summary
from nnir.model import Model, Value
from nnir.state import State

from ..device import Cache
from . import cache as caches
from .cache import End, Entry, Ranges, Saved
from .context import Context
from .fitting import ranges_of
from .partition import Part, split
from .steps import Plan, Step


class Compilation:
    """Compiles `model` when `finish` is called, once; the model itself is not kept.

    The three cases of the standard: a cache in memory (`cache_buffer`), a folder of caches
    (`cache_dir`), or neither. A cache that is found is used and the model ignored; one that is
    missing, damaged or made of something else is compiled anew, with a warning, and written. The
    name of the file is `cache_token`, or a hash of all that the program depends on, for which
    whoever knows it hands over the `model_digest` (`nnir.fingerprint`). `inputs` and
    `outputs` are names and types in the model's order, and `ranges` the limits of open sizes, known
    from the beginning where there is a model.
    """

    def __init__(
        self,
        model: Model | None,
        context: Context,
        *,
        cache_token: str = "",
        cache_buffer: bytes | None = None,
        cache_dir: str | Path | None = None,
        model_digest: bytes | None = None,
    ) -> None:
        if model is None and not cache_buffer and not (cache_token and cache_dir):
            raise BadCall("a compilation needs a model, a cache in memory or a token and a folder")
        self.inputs: list[End] = [] if model is None else input_ends(model)
        self.outputs: list[End] = [] if model is None else output_ends(model)
        self.states: list[State] = [] if model is None else list(model.states)
        self.ranges: Ranges = {} if model is None else ranges_of(model)
        self._model = model
        self._context = context
        self._token = cache_token
        self._buffer = cache_buffer
        self._digest = model_digest
        self._directory = Path(cache_dir) if cache_dir else None
        self._is_finished = False
        self.is_restored = False
        self.plan: Plan | None = None

    def finish(self) -> Compilation:
        """Compile or restore; NoLowering lists everything that no device can run."""
        if self._is_finished:
            raise BadCall("a compilation is finished once")
        self._is_finished = True
        wanted = None
        if self._model is not None and (self._directory or self._buffer):
            memos = self._directory
            wanted = caches.fingerprint(self._model, self._context, self._digest, memos)
        found = self._find_plan(wanted)
        if found is not None:
            self.plan = self._restore(found)
        if self.plan is None:
            self.plan = self._compile_plan(wanted)
        self._model = self._buffer = None
        return self

    def _find_plan(self, wanted: str | None) -> Saved | None:
        if self._buffer:
            try:
                return caches.check_saved(Saved.unpack(self._buffer), wanted, self._context)
            except BadFile as error:
                if self._model is None:
                    raise
                caches.refuse(summary(error))
        if self._directory is None:
            return None
        found = caches.read(self._path(wanted), wanted, self._context)
        if found is None and self._model is None:
            raise BadFile(f"no usable cache {self._path(wanted)} and no model to compile")
        return found

    def _path(self, wanted: str | None) -> Path:
        token = self._token or caches.token_of(wanted or "")
        return caches.path_of(self._directory or Path(), token)

    def _restore(self, saved: Saved) -> Plan | None:
        """The programs of a cache; None with a warning where a device does not take its own."""
        steps: list[Step] = []
        try:
            for number, entry in enumerate(saved.entries):
                device, handle = self._context.entry(entry.device)
                if self._directory is not None:
                    path = self._path(saved.fingerprint)
                    entry.cache.beside = caches.place_beside(path, number)
                program = device.create_program(handle, None, entry.cache)
                steps.append(Step(device, program, entry.inputs, entry.outputs))
        except NNAdapterError as error:
            _destroy(steps)
            failure = DeviceError(f"a cache that {entry.device} does not take: {describe(error)}")
            if self._model is None:
                raise failure from error
            caches.refuse(summary(failure))
            return None
        if self._model is not None and (saved.inputs, saved.outputs) != (self.inputs, self.outputs):
            _destroy(steps)
            caches.refuse("its ends are not those of the model")
            return None
        if self._model is None:
            self.ranges = saved.ranges
        self.inputs, self.outputs, self.is_restored = saved.inputs, saved.outputs, True
        self.states = saved.states
        return Plan(steps, saved.results, {}, saved.slots, profiled=self._context.profile)

    def _compile_plan(self, wanted: str | None) -> Plan:
        if self._model is None:
            raise BadCall("no model to compile")
        parts = split(self._model, self._context)
        steps: list[Step] = []
        entries: list[Entry] = []
        keeps = self._directory is not None and not parts.constants
        try:
            for number, part in enumerate(parts.parts):
                beside = caches.place_beside(self._path(wanted), number) if keeps else None
                step, entry = self._program(part, beside, keeps=keeps)
                steps.append(step)
                entries.append(entry)
        except BaseException:
            _destroy(steps)
            raise
        empty = [entry.device for entry in entries if entry.cache.is_empty]
        if self._directory is not None and (empty or not keeps):
            caches.lose(empty[0] if keeps else "a split model with constant outputs")
        elif keeps:
            print = wanted or ""
            ends = (self.inputs, self.outputs)
            states, ranges = self.states, self.ranges
            saved = Saved(print, *ends, entries, parts.results, parts.slots, states, ranges)
            caches.keep(self._path(wanted), saved)
        constants = {k: _data(v) for k, v in parts.constants.items()}
        return Plan(steps, parts.results, constants, parts.slots, profiled=self._context.profile)

    def _program(self, part: Part, beside: Path | None, *, keeps: bool) -> tuple[Step, Entry]:
        device, handle = self._context.entry(part.device)
        model = part.model
        kept = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
        kept.beside = beside
        program = device.create_program(handle, model, kept if keeps else None)
        step = Step(device, program, part.inputs, part.outputs)
        release = caches.release_of(device) if keeps else ""  # which takes a while to find out
        return step, Entry(device.name, release, kept, part.inputs, part.outputs)

    def finished(self) -> Plan:
        """The programs; BadCall before `finish` and after `close`."""
        if self.plan is None:
            raise BadCall("an execution needs a finished compilation")
        return self.plan

    @property
    def devices(self) -> list[str]:
        """The device of each program, in order of execution."""
        return [] if self.plan is None else [s.device.name for s in self.plan.steps]

    def close(self) -> None:
        """Give back the programs; calling it again does nothing."""
        if self.plan is not None:
            _destroy(self.plan.steps)
            self.plan = None


def refusals_of_parts(parts: Sequence[Part], context: Context) -> list[NNAdapterError]:
    """What devices say against their parts of a model: each is compiled as `finish` compiles it,
    and given back."""
    found = []
    for part in parts:
        device, handle = context.entry(part.device)
        try:
            device.destroy_program(device.create_program(handle, part.model, None))
        except NNAdapterError as error:
            found.append(error)
    return found


def input_ends(model: Model) -> list[End]:
    """Names and types of a model's inputs."""
    return [(v.name or f"input{k}", v.type) for k, v in enumerate(model.inputs)]


def output_ends(model: Model) -> list[End]:
    """Names and types of a model's outputs."""
    return [(name, v.type) for name, v in model.named_outputs()]


def _data(value: Value) -> np.ndarray:
    if value.constant is None:
        raise BadCall(f"{value!r} is an output that nothing makes")
    return value.constant


def _destroy(steps: Sequence[Step]) -> None:
    for step in steps:
        step.device.destroy_program(step.program)
