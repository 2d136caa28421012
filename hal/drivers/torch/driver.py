"""The torch device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from nnir import archive
from nnir.errors import NoDevice, Unsupported
from nnir.mapping import map_file
from nnir.model import Model
from nnir.ops.unary import BITS
from nnir.types import TensorType

from ...device import Cache, Callback, Device, Export, Residence, Timing

if TYPE_CHECKING:
    from ...lowering import Lowerings
    from .emitter import Result
    from .program import Program, Settings

ZIP = b"PK\x03\x04"
"""How a `.pt2` file begins."""


class Torch(Device["Settings", "Program"]):
    """Properties: `TORCH_DEVICE` (cpu, cuda, cuda:1, ...), `TORCH_NUM_THREADS` (of the whole
    process: torch has one number), `TORCH_COMPILE` (1 compiles with torch.compile)."""

    name = "torch"
    vendor = "PyTorch"
    keys = ("TORCH_DEVICE", "TORCH_NUM_THREADS", "TORCH_COMPILE")
    formats = (".pt2",)
    stateful_formats = (".pt2",)
    packages = ("torch",)
    suits_processor = True

    def open_device(self) -> None:
        try:
            import torch  # noqa: F401  # only whether it is there
        except ImportError:
            raise NoDevice(
                "device 'torch' needs the package torch: pip install 'nnadapter[torch]'"
            ) from None
        from . import program  # which imports torch

        self.programs = program

    @cached_property
    def exporting(self) -> ModuleType:
        """What writes `.pt2` files; PyTorch's part of it takes longer to import than the rest."""
        from . import exporting

        return exporting

    def lowerings(self) -> Lowerings[Result]:
        from .families import LOWERINGS

        return LOWERINGS

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> Settings:
        return self.programs.settings(properties)

    def explain_program(self, context: Settings, model: Model) -> list[str | None]:
        return [self.programs.why_not(operation, context) for operation in model.operations]

    def create_program(
        self, context: Settings, model: Model | None, cache: Cache | None
    ) -> Program:
        if model is None:
            return self.programs.restore(b"" if cache is None else cache.view, context)
        if cache is not None:
            cache.buffer = archive.dumps(model)  # building the graph again is quick
        return self.programs.compile_model(model, context)

    def execute_program(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        return program.run(inputs)

    def keep_states(self, program: Program, types: Sequence[TensorType]) -> Residence | None:
        """On a GPU. What fills a byte with fewer bits is written again at each call."""
        on_host = program.settings.device.type == "cpu"
        if on_host or any(t.precision in BITS for t in types):
            return None
        return self.programs.Residence(program, [t.dtype for t in types])

    def timings(self, program: Program) -> list[Timing]:
        return program.timings

    def import_program(
        self,
        context: Settings,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        return self.programs.import_file(path, outputs, context)

    def files_of(self, path: Path) -> list[Path] | None:
        data = map_file(path)
        return [path] if not data or data[:4] == ZIP else None

    def prepare_export(self, model: Model, path: Path, *, opset: int | None = None) -> Export:
        if opset is not None:
            raise Unsupported(".pt2 files have no opset")
        return self.exporting.prepare(model, path)
