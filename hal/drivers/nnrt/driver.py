"""The nnrt device."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nnir import archive
from nnir.budget import read_head
from nnir.errors import BadFile, BadInput, DeviceError, OutOfMemory, Unsupported
from nnir.formats.nnrt import MAGIC
from nnir.mapping import Buffer, map_file
from nnir.model import Model
from nnir.records import dataclass
from nnir.staging import replacing
from nnir.types import TensorType

from ...absent import require_operators
from ...device import Cache, Callback, Device, Export, open_shapes
from ..builtin import OwningPlan

if TYPE_CHECKING:
    from nnir.formats.nnrt.model import Model as Written

    from ...lowering import Lowerings
    from .emitter import Ref

SHAPES = 4
"""So many forms for inputs of different sizes are kept."""

Sizes = tuple[tuple[int, ...], ...]


@dataclass
class Program:
    """A model of the standard, and what it was compiled to by the shapes of its inputs.

    Without a model there is the one form of a file or a cache.
    """

    model: Model | None
    forms: OrderedDict[Sizes, OwningPlan] = field(default_factory=OrderedDict)
    single: OwningPlan | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class Nnrt(Device):
    """Runs NNRt models by the meaning that each operation has in the standard."""

    name = "nnrt"
    vendor = "OpenHarmony"
    formats = (".nnrt",)
    packages = ("numpy",)
    writes_alone = True
    emulates = True

    def lowerings(self) -> Lowerings[Ref]:
        from .compiler import LOWERINGS

        return LOWERINGS

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> None:
        return None

    def explain_program(self, context: None, model: Model) -> list[str | None]:
        from .compiler import explain_refusal

        return [explain_refusal(operation) for operation in model.operations]

    def create_program(self, context: None, model: Model | None, cache: Cache | None) -> Program:
        if model is None:
            if cache is None:
                raise DeviceError("nnrt needs a model or a cache")
            return _restore(cache)
        require_operators(model, self.lowerings())
        program = Program(model)
        if not all(v.is_static for v in model.inputs):
            if cache is not None:
                cache.buffer = archive.dumps(model)
            return program
        written = _compile(model, tuple(v.sizes for v in model.inputs))
        program.single = _plan(written)
        if cache is not None:
            cache.buffer = dump(written)
        return program

    def execute_program(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        plan = program.single or _form(program, tuple(a.shape for a in inputs))
        try:
            return plan.run(inputs)
        except MemoryError as error:
            raise OutOfMemory(f"the results do not fit in memory: {error}") from error

    def import_program(
        self,
        context: None,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        return Program(None, single=_plan(_read(map_file(path))))

    def files_of(self, path: Path) -> list[Path] | None:
        head = read_head(path, len(MAGIC))
        return [path] if not head or head == MAGIC else None

    def prepare_export(self, model: Model, path: Path, *, opset: int | None = None) -> Export:
        if opset is not None:
            raise Unsupported("a .nnrt file has no opset: leave it out")
        from nnir.formats.nnrt import files

        from .compiler import export_model

        written = export_model(model)

        def write() -> None:
            with replacing(path) as file:
                files.write(written, file)

        ends = ([v.shape for v in values] for values in (model.inputs, model.outputs))
        given, made = map(open_shapes, ends)
        return Export(write, [path], given, made)


def _form(program: Program, shapes: Sizes) -> OwningPlan:
    """The plan for inputs of these shapes; of too many that goes which waited longest."""
    if program.model is None:
        raise BadInput(f"a program without a form for inputs of {shapes}")
    with program.lock:
        form = program.forms.get(shapes)
        if form is None:
            form = program.forms[shapes] = _plan(_compile(program.model, shapes))
            while len(program.forms) > SHAPES:
                program.forms.popitem(last=False)
        else:
            program.forms.move_to_end(shapes)
    return form


def _compile(model: Model, shapes: Sizes) -> Written:
    from .compiler import compile_model

    return compile_model(model, shapes)


def _plan(written: Written) -> OwningPlan:
    """What runs an NNRt model."""
    from nnir.recipes.nnrt.assembly import assemble

    return OwningPlan(assemble(written))


def _read(data: Buffer | memoryview) -> Written:
    from nnir.formats.nnrt import files

    return files.read(data)


def dump(written: Written) -> bytes:
    """The file of a model."""
    from nnir.formats.nnrt import files

    file = BytesIO()
    files.write(written, file)
    return file.getvalue()


def _restore(cache: Cache) -> Program:
    """A program of a cache: an NNRt file, or a model of open sizes."""
    try:
        if bytes(cache.view[: len(MAGIC)]) == MAGIC:
            return Program(None, single=_plan(_read(cache.view)))
        return Program(archive.loads(cache.view))
    except BadFile as error:
        raise DeviceError(f"nnrt cannot restore the program: {error}") from None
