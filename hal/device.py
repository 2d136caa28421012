"""The device interface: all that a vendor implements. Member names are the standard's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from nnir.errors import Unsupported
from nnir.model import Model
from nnir.types import DeviceType

Callback = Callable[[int, Any], int]


class Device(ABC):
    """One kind of hardware or engine.

    A driver keeps its state in the context and program objects it returns; what they are is its
    own affair. `formats` names the file suffixes that `export` writes.
    """

    name: ClassVar[str]
    vendor: ClassVar[str]
    type: ClassVar[DeviceType] = DeviceType.CPU
    version: ClassVar[int] = 1
    formats: ClassVar[tuple[str, ...]] = ()

    def open_device(self) -> None:
        """Load what the device needs; NoDevice when that is not installed."""

    def close_device(self) -> None:
        """Give back what `open_device` took."""

    @abstractmethod
    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> Any:
        """A context with `KEY=value;` properties; keys of other devices are not handed over."""

    def destroy_context(self, context: Any) -> None:
        """Give back a context."""

    @abstractmethod
    def validate_program(self, context: Any, model: Model) -> list[bool]:
        """For each operation of `model`, in order, whether the device runs it."""

    @abstractmethod
    def create_program(self, context: Any, model: Model, cache: bytes | None) -> Any:
        """Compile; NoLowering lists every operation that cannot be run. `model` is not changed."""

    def destroy_program(self, program: Any) -> None:
        """Give back a program."""

    @abstractmethod
    def execute_program(self, program: Any, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run once: one array per model input, in order; the outputs in order."""

    def export(self, model: Model, path: Path) -> None:
        """Write `model` in the device's own file format."""
        raise Unsupported(f"device {self.name!r} writes no file format")
