"""A compiled model that is called like a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nnir.broadcast import Shape, text
from nnir.dim import Expr
from nnir.errors import BadCall, BadInput, DeviceError
from nnir.model import Model

from .. import pages
from ..device import Callback
from .compilation import Compilation
from .context import Context
from .fitting import fit_arrays
from .memory import DeviceMemory, HostMemory, Memory
from .profile import Profile
from .settling import Compute, Settling
from .subgraph_config import Rules

NOTHING: tuple[None, ...] = ()
"""No memory is offered for results."""

UNCHANGED: Mapping[str, np.ndarray] = {}
"""No states but those of the file."""


class Program:
    """`program(*arrays)` runs the model; `run` takes and gives names.

    `devices` are names, in order of preference, as a list or with commas between. The rest is as
    for `Context` and `Compilation`. `inputs` and `outputs` are names and types. What the model
    keeps (its states) is kept by the program: see `states` and `reset`.
    """

    def __init__(
        self,
        model: Model | None,
        devices: str | Sequence[str],
        properties: str = "",
        callback: Callback | None = None,
        *,
        cache_token: str = "",
        cache_buffer: bytes | None = None,
        cache_dir: str | Path | None = None,
        model_digest: bytes | None = None,
        rules: Rules | None = None,
        profile: bool = False,
    ) -> None:
        self._context = Context(
            names_of(devices), properties, callback, rules=rules, profile=profile
        )
        before = pages.own_spans() if self._context.settles else []
        try:
            self._compilation = Compilation(
                model,
                self._context,
                cache_token=cache_token,
                cache_buffer=cache_buffer,
                cache_dir=cache_dir,
                model_digest=model_digest,
            ).finish()
        except BaseException:
            self._context.close()
            raise
        self._plan = self._compilation.finished()
        self._compute: Compute = self._plan.run
        states, ends = self._compilation.states, self._compilation.inputs
        self.inputs = ends[: len(ends) - len(states)]
        self.outputs = self._compilation.outputs[: len(self._compilation.outputs) - len(states)]
        types = [type for _, type in ends[len(self.inputs) :]]
        residence = self._plan.keep_states(len(ends), types) if states else None
        self._memory: Memory = (
            HostMemory(states, types, self._plan.run)
            if residence is None
            else DeviceMemory(states, types, residence)
        )
        if states:
            self._compute = self._memory.run
        if before:
            self._compute = Settling(self._compute, before, self._pass_by)
        self._ranges = self._compilation.ranges
        self._checks = [(t.dtype, t.shape, t.is_static) for _, t in self.inputs]
        self._shapes = [t.shape for _, t in self.outputs]

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what the device holds; calling the program is an error from then on."""
        self._compute = _raise_closed
        self._compilation.close()
        self._context.close()

    def __call__(
        self, *arrays: np.ndarray, outputs: Sequence[np.ndarray | None] = NOTHING
    ) -> list[np.ndarray]:
        """The outputs in the model's order, for one array per input.

        `outputs` are arrays to write results into, or None for those that are to be made; they are
        returned in their places. Several threads may call a program at once; where it keeps states,
        their calls run one after the other. BadInput when the number, the element type, a shape, or
        a size that has a range does not fit; DeviceError when the device gives another shape than
        the model says.
        """
        checks = self._checks
        if len(arrays) != len(checks):
            raise BadInput(f"{len(arrays)} arrays for {len(checks)} inputs: {self._describe()}")
        for array, (dtype, shape, is_static) in zip(arrays, checks, strict=True):
            if not (
                is_static
                and type(array) is np.ndarray
                and array.dtype == dtype
                and array.shape == shape
            ):
                arrays = fit_arrays(arrays, self.inputs, self._ranges)
                break
        if outputs is not NOTHING:
            _require_writable(outputs, len(self.outputs))
        results = self._compute(arrays, outputs)
        for result, shape in zip(results, self._shapes, strict=True):
            if result.shape != shape and not _is_like(result.shape, shape):
                raise DeviceError(
                    f"the device gives shape {list(result.shape)}, the model says {text(shape)}"
                )
        return results

    call_tensors = __call__
    """As a call, whatever a list of tensors is to users: one array per input and output."""

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """As a call, by name."""
        names = [n for n, _ in self.inputs]
        if set(inputs) != set(names):
            raise BadInput(f"inputs are {', '.join(names)}, not {', '.join(inputs)}")
        results = self.call_tensors(*(inputs[n] for n in names))
        return {n: r for (n, _), r in zip(self.outputs, results, strict=True)}

    @property
    def states(self) -> dict[str, np.ndarray]:
        """What the program keeps from call to call, as the last one left it: copies by name."""
        return self._memory.snapshot()

    def reset(self, states: Mapping[str, np.ndarray] = UNCHANGED) -> None:
        """Let the next call begin as the first one does, or with the `states` that are given.

        BadInput for a name that is no state, or an array that does not fit.
        """
        self._memory.reset(states)

    @property
    def devices(self) -> list[str]:
        """Where each part of the model runs, in order."""
        return self._compilation.devices

    @property
    def is_restored(self) -> bool:
        """Whether the program comes from a cache."""
        return self._compilation.is_restored

    @property
    def profile(self) -> Profile:
        """Where the time of the last run went, for a context with `profile`."""
        return self._plan.profile

    def _pass_by(self, settling: Settling) -> None:
        """Call what it calls from now on."""
        if self._compute is settling:
            self._compute = settling.compute

    def _describe(self) -> str:
        return ", ".join(f"{n} {t}" for n, t in self.inputs)


def _raise_closed(arrays: Sequence[np.ndarray], outputs: Sequence[np.ndarray | None] = ()) -> Any:
    raise BadCall("the program is closed")


def _require_writable(outputs: Sequence[Any], count: int) -> None:
    """BadInput for what results cannot be written to."""
    if not isinstance(outputs, (list, tuple)) or len(outputs) != count:
        raise BadInput(f"outputs are a list of {count} arrays, with None for those to be made")
    for place, array in enumerate(outputs):
        fits = isinstance(array, np.ndarray) and array.flags.writeable
        if array is not None and not fits:
            raise BadInput(f"outputs[{place}] is no array that can be written to")


def names_of(devices: str | Sequence[str]) -> list[str]:
    """Names of devices from a list or from a text with commas."""
    if not isinstance(devices, str):
        return list(devices)
    return [name for name in map(str.strip, devices.split(",")) if name]


def _is_like(real: tuple[int, ...], shape: Shape) -> bool:
    """Whether a real shape fits an inferred one, whose symbols may be anything."""
    return len(real) == len(shape) and all(
        size == dim or isinstance(dim, Expr) for size, dim in zip(real, shape, strict=True)
    )
