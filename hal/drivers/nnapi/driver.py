"""The nnapi device."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nnir.errors import BadFile, BadInput, DeviceError, Unsupported
from nnir.formats.nnapi import files
from nnir.formats.nnapi.binding import Dims
from nnir.formats.nnapi.check import check
from nnir.formats.nnapi.structures import Model as Made
from nnir.formats.nnapi.structures import Operation as MadeOperation
from nnir.mapping import map_file
from nnir.model import Model
from nnir.records import dataclass
from nnir.staging import replacing
from nnir.types import TensorType

from ...absent import require_operators
from ...device import PROFILE, Cache, Callback, Device, Export, Timing
from ...properties import flag
from .ends import End, make_ends

if TYPE_CHECKING:
    from ...lowering import Lowerings
    from .emitter import Ref

SHAPES = 4
"""So many forms of a program, for inputs of different sizes, are kept."""
Shapes = tuple[tuple[int, ...], ...]


@dataclass
class Form:
    """A model for inputs of known shapes, with its ends."""

    model: Made
    dims: list[Dims]
    inputs: list[End]
    outputs: list[End]
    labels: list[str] = field(default_factory=list)


@dataclass
class Program:
    """A model and its forms by the shapes of the inputs; one without a model has one form."""

    model: Model | None
    profiled: bool
    forms: OrderedDict[Shapes, Form] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    times: list[Timing] = field(default_factory=list)


class NNAPI(Device):
    """Android's Neural Networks API 1.0, in software of our own; writes `.nnapi` files."""

    name = "nnapi"
    vendor = "NNAdapter"
    formats = (files.SUFFIX,)
    packages = ("numpy",)
    writes_alone = True
    emulates = True

    def lowerings(self) -> Lowerings[Ref]:
        from .compiler import LOWERINGS

        return LOWERINGS

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> bool:
        return flag(properties, PROFILE)

    def explain_program(self, context: bool, model: Model) -> list[str | None]:
        from .compiler import explain_refusal

        return [explain_refusal(o) for o in model.operations]

    def create_program(self, context: bool, model: Model | None, cache: Cache | None) -> Program:
        if model is None:
            if cache is None:
                raise DeviceError("nnapi needs a model or a cache")
            return self._restore(context, cache)
        require_operators(model, self.lowerings())
        program = Program(model, context)
        if all(v.is_static for v in model.inputs):
            form = find_form(program, static_shapes([v.type for v in model.inputs]))
            if cache is not None:
                cache.buffer = files.dumps(form.model)
        return program

    def _restore(self, context: bool, cache: Cache) -> Program:
        try:
            made = files.load(cache.buffer)
        except BadFile as error:
            raise DeviceError(f"nnapi cannot restore the program: {error}") from None
        program = Program(None, context)
        program.forms[static_shapes(cache.inputs)] = make_form(made, cache.inputs, cache.outputs)
        return program

    def execute_program(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        from .execution import run

        form = find_form(program, tuple(a.shape for a in inputs))
        given = {
            k: end.enter(a)
            for k, end, a in zip(form.model.input_indexes, form.inputs, inputs, strict=True)
        }
        clock = Clock(form.labels) if program.profiled else None
        results = run(form.model, given, form.dims, clock.tick if clock else None)
        if clock is not None:
            program.times = clock.times
        return [e.leave(r) for e, r in zip(form.outputs, results, strict=True)]

    def timings(self, program: Program) -> list[Timing]:
        return program.times

    def import_program(
        self,
        context: bool,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        made = files.load(path)
        program = Program(None, context)
        program.forms[static_shapes(inputs)] = make_form(made, inputs, outputs)
        return program

    def files_of(self, path: Path) -> list[Path] | None:
        data = map_file(path)
        return [path] if not data or files.detects(data[:64]) else None

    def prepare_export(self, model: Model, path: Path, *, opset: int | None = None) -> Export:
        if opset is not None:
            raise Unsupported("a .nnapi file has no opset: leave it out")
        from ...emission import WRITING_STEP
        from .compiler import compile_model

        shapes = static_shapes([v.type for v in model.inputs])
        made, _ = compile_model(model, shapes, WRITING_STEP)
        check(made)

        def write() -> None:
            with replacing(path) as file:
                files.write(file, made)

        ends = [made.operands[k].dimensions for k in (*made.input_indexes, *made.output_indexes)]
        count = len(made.input_indexes)
        return Export(write, [path], ends[:count], ends[count:])


def static_shapes(types: Sequence[TensorType]) -> Shapes:
    """The shapes of inputs; NoLowering where a size is open."""
    from .sizes import numbers

    return tuple(numbers(t.shape) for t in types)


def find_form(program: Program, shapes: Shapes) -> Form:
    """The program for inputs of these shapes; of too many that goes which waited longest."""
    with program.lock:
        form = program.forms.get(shapes)
        if form is not None:
            program.forms.move_to_end(shapes)
            return form
        if program.model is None:
            raise BadInput(f"a program of other shapes than {shapes}")
        form = program.forms[shapes] = compile_form(program.model, shapes)
        while len(program.forms) > SHAPES:
            program.forms.popitem(last=False)
    return form


def compile_form(model: Model, shapes: Shapes) -> Form:
    from .compiler import compile_model

    made, labels = compile_model(model, shapes)
    inputs = [v.type.with_shape(s) for v, s in zip(model.inputs, shapes, strict=True)]
    form = make_form(made, inputs, known_outputs(model, shapes))
    form.labels = labels
    return form


def known_outputs(model: Model, shapes: Shapes) -> list[TensorType]:
    """The types of the outputs for inputs of these shapes."""
    from nnir.specialise import specialise

    return [v.type for v in specialise(model, shapes).outputs]


def make_form(made: Made, inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> Form:
    """A valid model with the types of its ends."""
    dims = check(made)
    operands = made.operands
    return Form(
        made,
        dims,
        make_ends(inputs, [operands[k] for k in made.input_indexes]),
        make_ends(outputs, [operands[k] for k in made.output_indexes]),
    )


class Clock:
    """Times of operations that run one after another."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels, self.times = labels, list[Timing]()
        self._begin = self._last = time.perf_counter()

    def tick(self, operation: MadeOperation) -> None:
        """Note the end of an operation."""
        now, place = time.perf_counter(), len(self.times)
        name = operation.type.name
        label = self.labels[place] if place < len(self.labels) else name
        start, seconds = self._last - self._begin, now - self._last
        self.times.append(Timing(label, name, start, seconds))
        self._last = now
