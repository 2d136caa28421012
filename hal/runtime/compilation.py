"""A compilation: a model made into a program of the context's device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.errors import BadModel
from nnir.model import Model
from nnir.types import TensorType

from ..device import Device
from .context import Context

End = tuple[str, TensorType]


class Compilation:
    """Compiles `model` when `finish` is called, once; the model itself is not kept.

    `inputs` and `outputs` are names and types in the model's order.
    """

    def __init__(self, model: Model, context: Context) -> None:
        self.inputs: list[End] = [
            (v.name or f"input{k}", v.type) for k, v in enumerate(model.inputs)
        ]
        self.outputs: list[End] = [(name, v.type) for name, v in model.named_outputs()]
        self._model: Model | None = model
        self._context = context
        self.device: Device | None = None
        self.program: Any = None

    def finish(self) -> Compilation:
        """Compile; NoLowering lists everything that the device cannot run."""
        if self._model is None:
            raise BadModel("a compilation is finished once")
        device, handle = self._context.entries[0]
        self.program = device.create_program(handle, self._model, None)
        self.device, self._model = device, None
        return self

    def close(self) -> None:
        """Give back the program; calling it again does nothing."""
        if self.device is not None:
            self.device.destroy_program(self.program)
            self.device, self.program = None, None


class Execution:
    """One way of running a finished compilation. Inputs are not checked here; `Program` does."""

    def __init__(self, compilation: Compilation) -> None:
        if compilation.device is None:
            raise BadModel("an execution needs a finished compilation")
        self._run = compilation.device.execute_program
        self._program = compilation.program

    def compute(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The outputs for one array per input, in order."""
        return self._run(self._program, arrays)
