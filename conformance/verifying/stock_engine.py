"""Written files in the engines of their users: a process of their own, that also ends well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hal.device import Device
from nnir.errors import DeviceError, NoDevice, Unsupported
from nnir.model import Model
from nnir.serial import encode_type
from nnir.stateful import initial_states, make_held, user_inputs, user_outputs

from ..oracles.oracle import Oracle
from ..oracles.origin import BUILTIN
from ..processes.worker import Lost

TIMEOUT = 600.0
IMPORTS = {
    "litert": ("ai_edge_litert.interpreter", "hal.drivers.litert.driver"),
    "openvino": ("openvino",),
    "torch": ("hal.drivers.torch.program",),
}
"""What takes long to import of a device, whose process may be copied from one that has it."""


class Stock:
    """The program of a written file; `device` wrote it, None for an archive. `is_exact`: it is
    opened with the device's `exact_settings`.

    A context manager: entering opens the file, `run` runs it, and `close` ends the process and
    raises where it does not end by itself. Raises Unsupported where the engine is not installed or
    hands over no such types, DeviceError where it refuses the file.
    """

    def __init__(
        self, path: Path, device: Device | None, model: Model, *, is_exact: bool = False
    ) -> None:
        self.path, self.device, self.model, self.is_exact = path, device, model, is_exact
        self.name = BUILTIN if device is None else device.name
        imports = IMPORTS.get(self.name, ())
        self._worker = Oracle("conformance.oracles.written", timeout=TIMEOUT, imports=imports)
        self._holds = device is None or path.suffix in device.stateful_formats
        held = make_held(model)  # the same, unless its states are plain ends
        self._states = [] if self._holds and held is model else initial_states(held)

    def __enter__(self) -> Stock:
        ends = {"inputs": self.model.inputs, "outputs": self.model.outputs}
        if self._holds:
            ends = {"inputs": user_inputs(self.model), "outputs": user_outputs(self.model)}
        types = {end: [encode_type(v.type) for v in values] for end, values in ends.items()}
        named = {
            "path": str(self.path.absolute()),
            "device": self.device and self.device.name,
            "exact": self.is_exact,
        }
        try:
            self._ask({**named, **types}, [])
        except BaseException:
            self._worker.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.close()

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The outputs of the file, in the model's order.

        States that the file does not hold are handed in as the call before gave them.
        """
        results = self._ask({}, [*arrays, *self._states])
        if self._states:
            self._states = results[-len(self._states) :]
        return results

    def finish(self) -> None:
        """End the process; DeviceError where the engine dies of it, as after a damaged heap."""
        try:
            self._worker.finish()
        except Lost as error:
            raise DeviceError(
                f"{self.name} does not end well after {self.path.name}: {error}"
            ) from None

    def _ask(self, head: dict[str, object], arrays: list[np.ndarray]) -> list[np.ndarray]:
        reply, results = self._worker.call(head, arrays)
        if "error" in reply:
            kind, _, said = str(reply["error"]).partition(": ")
            if kind in (Unsupported.__name__, NoDevice.__name__):
                raise Unsupported(said)
            raise DeviceError(f"{self.name} cannot open {self.path.name} as its users do: {said}")
        return results
