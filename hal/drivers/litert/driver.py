"""The litert device."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from nnir import archive
from nnir.checksum import crc32
from nnir.errors import BadFile, BadInput, DeviceError, NoDevice, Unsupported
from nnir.formats.tflite import IDENTIFIER
from nnir.mapping import map_file
from nnir.model import Model, Operation
from nnir.pairs import has_pairs, is_complex
from nnir.records import dataclass
from nnir.staging import replacing
from nnir.types import Precision, TensorType

from ...absent import require_operators
from ...device import PROFILE, Cache, CacheWarning, Callback, Device, Export, Timing
from ...properties import flag, integer
from .arrays import Ends
from .content import Content
from .library import find_package
from .ready import ReadyFile
from .runner import Pool, Shaped, interpreters
from .static import numbers

if TYPE_CHECKING:
    from ...lowering import Lowerings
    from .emitter import Ref

MAGIC = b"NNALRT2\n"
ALIGNMENT = 64
"""Where in a cache the bytes of a file begin."""

READY = ".xnnpack"
"""The end of the name of a file of ready weights."""

SHAPES = 4
"""So many programs for inputs of different sizes are kept."""


@dataclass
class Settings:
    """What the properties of a context say."""

    threads: int
    delegate: bool
    profile: bool


@dataclass
class Program:
    """A model and what it was compiled to, by the shapes of the inputs.

    Without a model (restored from a cache, or of a file) there is one form of it; `open` is the
    one that takes inputs of any shapes.
    """

    settings: Settings
    model: Model | None
    ends: Ends
    forms: OrderedDict[tuple[tuple[int, ...], ...], Shaped] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    last: Shaped | None = None
    open: Shaped | None = None


class About(TypedDict, total=False):
    """What there is to know of a kept file: the sizes of its inputs, those of a model being open
    (None), the room of its weights, and which ready weights lie beside it."""

    shapes: tuple[tuple[int, ...], ...] | None
    room: int | None
    ready: dict[str, int] | None


class LiteRT(Device):
    """Properties: `GOOGLE_XNNPACK_NUM_THREADS`, `LITERT_XNNPACK` (0 or 1)."""

    name = "litert"
    vendor = "Google"
    keys = ("GOOGLE_XNNPACK_NUM_THREADS", "LITERT_XNNPACK")
    formats = (".tflite",)
    stateful_formats = (".tflite",)
    packages = ("ai-edge-litert",)
    suits_processor = True
    writes_alone = True

    def open_device(self) -> None:
        if find_package() is None:
            raise NoDevice(
                "device 'litert' needs the package ai-edge-litert: pip install 'nnadapter[litert]'"
            )

    def lowerings(self) -> Lowerings[Ref]:
        from .compiler import LOWERINGS

        return LOWERINGS

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> Settings:
        threads = integer(properties, "GOOGLE_XNNPACK_NUM_THREADS")
        if threads is not None and threads < 1:
            raise BadInput(f"property GOOGLE_XNNPACK_NUM_THREADS={threads}: at least 1 is needed")
        delegate = integer(properties, "LITERT_XNNPACK")
        if delegate not in (None, 0, 1):
            raise BadInput(f"property LITERT_XNNPACK={delegate}: 0 or 1 is needed")
        return Settings(threads or default_threads(), delegate != 0, flag(properties, PROFILE))

    def explain_program(self, context: Settings, model: Model) -> list[str | None]:
        return [why_not(operation) for operation in model.operations]

    def create_program(
        self, context: Settings, model: Model | None, cache: Cache | None
    ) -> Program:
        if model is None:
            if cache is None:
                raise DeviceError("litert needs a model or a cache")
            return self._restore(context, cache)
        require_operators(model, self.lowerings())
        program = Program(context, model, Ends.of(model))
        if all(v.is_static for v in model.inputs):
            shapes = tuple(numbers(v.shape) for v in model.inputs)
            form = self._form(program, shapes)
            if cache is not None:
                cache.pieces = pack_form(form, shapes, cache.beside)
        elif cache is not None:
            cache.pieces = pack(archive.dumps(model), {"shapes": None})
        return program

    def execute_program(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        shapes = tuple(a.shape for a in inputs)
        form = program.last = self._form(program, shapes)
        return form.run(inputs, outputs)

    def _form(self, program: Program, shapes: tuple[tuple[int, ...], ...]) -> Shaped:
        """The program for inputs of these shapes; of too many that goes which waited longest."""
        if program.open is not None:
            return program.open
        with program.lock:
            form = program.forms.get(shapes)
            if form is not None:
                program.forms.move_to_end(shapes)
            if form is None:
                if program.model is None:
                    raise BadInput(f"a restored program of other shapes than {shapes}")
                form = self._compile_form(program, program.model, shapes)
                program.forms[shapes] = form
                while len(program.forms) > SHAPES:
                    program.forms.popitem(last=False)
        return form

    def _compile_form(
        self, program: Program, model: Model, shapes: tuple[tuple[int, ...], ...]
    ) -> Shaped:
        from .compiler import compile_file, compile_steps

        content, room = compile_file(model, shapes)
        form = shape_program(program, content, room)
        if program.settings.profile:
            chain = compile_steps(model, shapes)
            with contextlib.suppress(RuntimeError, ValueError):  # else the steps are not known
                chain.open(interpreters(), program.settings.threads)
                form.chain = chain
        return form

    def timings(self, program: Program) -> list[Timing]:
        """Of a program that is restored from a file alone nothing is known."""
        chain = None if program.last is None else program.last.chain
        return [] if chain is None else chain.times

    def _restore(self, context: Settings, cache: Cache) -> Program:
        content, about = unpack(cache.view, is_checked=cache.is_checked)
        ends = Ends.of_types(cache.inputs, cache.outputs)
        shapes, kept = about["shapes"], about.get("ready")
        if shapes is None:
            return Program(context, archive.loads(content), ends)
        program = Program(context, None, ends)
        ready = None
        if kept is not None and cache.beside is not None:
            ready = ReadyFile.of_path(ready_path(cache.beside), **kept)
        form = shape_program(program, Content(content), about["room"], ready)
        if kept is not None and cache.beside is not None and ready is None:
            restore_ready(form, ready_path(cache.beside), kept)
        program.forms[shapes] = form
        return program

    def import_program(
        self,
        context: Settings,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        """Of a file of open sizes, the interpreters follow the sizes of their inputs."""
        if any(t.precision == Precision.BFLOAT16 for t in (*inputs, *outputs)):
            raise Unsupported("LiteRT's Python interface hands over no BFLOAT16")
        program = Program(context, None, Ends.of_types(inputs, outputs))
        is_open = not all(t.is_static for t in inputs)
        content = Content.of_path(path)
        pool = Pool(content, None, True, ends=program.ends, open=is_open, as_users=True)
        program.open = Shaped(pool)
        return program

    def files_of(self, path: Path) -> list[Path] | None:
        data = map_file(path)
        return [path] if not data or data[4:8] == IDENTIFIER else None

    def prepare_export(self, model: Model, path: Path, *, opset: int | None = None) -> Export:
        if opset is not None:
            raise Unsupported("a .tflite file has no opset: leave it out")
        from .compiler import export_file
        from .writer import write_parts

        parts, inputs, outputs = export_file(model)

        def write() -> None:
            with replacing(path) as file:
                write_parts(file, parts)

        return Export(write, [path], inputs, outputs)


def default_threads() -> int:
    """As many threads as this process may use."""
    return max(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, 1)


def why_not(operation: Operation) -> str | None:
    """Why one operation cannot be emitted, by itself or decomposed; None where it can."""

    if is_complex(operation):
        name = operation.operator.name
        return None if has_pairs(operation) else f"litert has no complex {name}"
    from .compiler import explain_refusal

    return explain_refusal(operation)


def shape_program(
    program: Program, content: Content, room: int | None, ready: ReadyFile | None = None
) -> Shaped:
    """A program for inputs of one shape, with weights of so much `room` that may be `ready`."""
    settings = program.settings
    if room is not None and ready is None and settings.delegate and not settings.profile:
        ready = ReadyFile.of_room(room)
    pool = Pool(content, settings.threads, settings.delegate, ends=program.ends, ready=ready)
    return Shaped(pool, room=room)


def pack_form(
    form: Shaped, shapes: tuple[tuple[int, ...], ...], beside: Path | None
) -> list[bytes | memoryview]:
    """A program for inputs of these shapes; its ready weights lie in a file beside."""
    ready, kept = form.pool.ready, None
    if beside is not None and ready is not None:
        try:
            kept = ready.save(ready_path(beside))
        except BadFile as error:
            text = f"weights are packed at each start: {error}"
            warnings.warn(text, CacheWarning, stacklevel=2)
    return pack(form.pool.content.data, {"shapes": shapes, "room": form.room, "ready": kept})


def ready_path(beside: Path) -> Path:
    return beside.with_name(beside.name + READY)


def restore_ready(form: Shaped, path: Path, kept: Mapping[str, int]) -> None:
    """Keep ready weights that were lost again; a warning where these are others."""
    made = form.pool.ready
    with contextlib.suppress(BadFile):  # a folder that cannot be written
        if made is not None and made.identity == kept:
            made.save(path)
            return
    text = f"the cache has no {path.name}, or another: weights are packed at each start"
    warnings.warn(f"{text}; delete its .nnc file to have both made", CacheWarning, stacklevel=2)


def pack(content: bytes | memoryview, about: About) -> list[bytes | memoryview]:
    """The pieces of a file, or a model of open sizes, behind what there is to know about it."""
    told = dict(about) | {"size": len(content), "crc32": crc32(content)}
    header = json.dumps(told).encode()
    header += b" " * (-(len(MAGIC) + 4 + len(header)) % ALIGNMENT)
    return [MAGIC, len(header).to_bytes(4, "little"), header, content]


def unpack(buffer: bytes | memoryview, *, is_checked: bool = False) -> tuple[memoryview, About]:
    """The inverse of `pack`; DeviceError for what it has not made. Of a buffer that `is_checked`
    the checksum is not computed again."""
    buffer = memoryview(buffer)
    start = len(MAGIC) + 4
    if buffer[: len(MAGIC)] != MAGIC:
        raise DeviceError("litert cannot restore the program: the cache is not its own")
    end = start + int.from_bytes(buffer[len(MAGIC) : start], "little")
    try:
        header = json.loads(bytes(buffer[start:end]))
        size, sum_ = int(header["size"]), int(header["crc32"])
        about: About = {"shapes": None}
        if header["shapes"] is not None:
            room, ready = header["room"], header["ready"]
            about = {
                "shapes": tuple(tuple(int(n) for n in s) for s in header["shapes"]),
                "room": None if room is None else int(room),
                "ready": None if ready is None else {k: int(ready[k]) for k in ("size", "crc32")},
            }
    except (ValueError, KeyError, TypeError) as error:
        raise DeviceError(f"litert cannot restore the program: {one_line(error)}") from None
    content = buffer[end:]
    if len(content) != size or not (is_checked or crc32(content) == sum_):
        raise DeviceError("litert cannot restore the program: the cache is damaged")
    return content, about


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:500]
