"""The openvino device."""

from __future__ import annotations

import datetime
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from nnir.checksum import crc32
from nnir.errors import BadFile, BadInput, DeviceError, NoDevice, NoLowering, Unsupported
from nnir.mapping import map_file
from nnir.model import Model, Operation, Value
from nnir.ops.unary import COMPLEX
from nnir.origin import describe_source
from nnir.pairs import as_pairs, has_pairs, is_complex
from nnir.records import dataclass
from nnir.types import Precision, TensorType

from ...device import PROFILE, Cache, Callback, Device, Export, Timing
from ...emission import WRITING_STEP, refusal
from ...properties import flag, integer
from ...room import Room
from . import elements
from .constants import is_small, tensor_of
from .emitter import Emitter, Ref, graph
from .families import LOWERINGS
from .states import Variables

if TYPE_CHECKING:
    import openvino

    from ...lowering import Lowerings

MAGIC = b"NNAOV2\n"
NAMES = "INTEL_OPENVINO_SELECT_DEVICE_NAMES"
ALIGNMENT = 64
WEIGHTS = ".bin"
HEAD = 256
"""Bytes in which an IR says that it is one."""

PLACES = re.compile(rb'offset="(\d{1,18})" size="(\d{1,18})"')
"""Where the constants of an IR lie in the file of its weights."""

FUSED = "originalLayersNames"
"""What a compiled graph calls the names of the nodes that were fused into one."""

THREADS = "INTEL_OPENVINO_INFERENCE_NUM_THREADS"
PRECISION = "INTEL_OPENVINO_INFERENCE_PRECISION"
HINT = "INTEL_OPENVINO_PERFORMANCE_HINT"
PRECISION_HINT = "INFERENCE_PRECISION_HINT"
KINDS = {"FP32": "f32", "F32": "f32", "BF16": "bf16", "FP16": "f16", "F16": "f16"}
PLAIN = {PRECISION_HINT: "f32"}
"""What is set for files."""

QUIET = frozenset(
    {"activation", "attention", "binary", "compare", "conv", "linear", "logic", "norm", "pool"}
    | {"reduce", "resize", "shape", "unary"}
)
"""Families whose kernels find no elements by numbers, and so raise nothing while running."""

WRITES = frozenset({"activation", "conv", "linear", "norm"})
"""Families whose results no optimisation takes for an input, which OpenVINO would not write."""

LARGE = 1 << 20
"""Bytes of a result from which on to copy it takes longer than to say where to write it."""

GROUPS = "DYNAMIC_QUANTIZATION_GROUP_SIZE"
EXACT = {
    "EXECUTION_MODE_HINT": "ACCURACY",
    GROUPS: "0",
    "KV_CACHE_PRECISION": "f32",
    "CPU_DENORMALS_OPTIMIZATION": "NO",
}
"""Nothing that changes numbers for speed."""


@dataclass
class Context:
    """A device of OpenVINO with its configuration."""

    device: str
    config: dict[str, str]
    profile: bool

    @property
    def is_alone(self) -> bool:
        """Whether programs run in one thread."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return cores == 1 or self.config.get("INFERENCE_NUM_THREADS") == "1"


@dataclass
class End:
    """An input or output: its type after complex numbers became pairs, and the complex type.

    `limit` is the size of the axis that an input of indices is for. `is_written`: a run writes this
    output to memory of ours.
    """

    precision: Precision
    shape: list[int] | None
    complex: str | None = None
    limit: int | None = None
    is_written: bool = False


@dataclass
class Program:
    """A compiled model with its requests, and what it borrows: the weights must outlive it."""

    compiled: Any
    inputs: list[End]
    outputs: list[End]
    requests: list[Any] = field(default_factory=list)
    held: list[Any] = field(default_factory=list)
    steps: list[Timing] = field(default_factory=list)
    profile: bool = False
    may_fail: bool = True
    waits: bool = True
    rooms: dict[int, Room] = field(default_factory=dict)

    def room_of(self, position: int, dtype: np.dtype) -> Room:
        """Memory for an output."""
        if position not in self.rooms:
            self.rooms[position] = Room(dtype)
        return self.rooms[position]

    @cached_property
    def fused(self) -> dict[str, tuple[str, ...]]:
        """The names of the nodes that each node of the compiled graph computes."""
        found = {}
        for node in self.compiled.get_runtime_model().get_ordered_ops():
            about = node.get_rt_info()
            if FUSED in about:
                found[node.get_friendly_name()] = tuple(about[FUSED].astype(str).split(","))
        return found


class OpenVINO(Device[Context, Program]):
    """Runs models with OpenVINO on the processor, or on what else it has plugins for.

    Properties: `INTEL_OPENVINO_SELECT_DEVICE_NAMES` (CPU), `INTEL_OPENVINO_INFERENCE_NUM_THREADS`,
    `INTEL_OPENVINO_PERFORMANCE_HINT` (LATENCY or THROUGHPUT) and
    `INTEL_OPENVINO_INFERENCE_PRECISION` (FP32; BF16 and FP16 change numbers).

    Known limits, which are OpenVINO's: int64 is computed in 32 bits (constants and inputs beyond
    them are refused, what overflows them while running is wrong), 16-bit floats are computed in
    float32 and rounded where they leave the model, numbers below 1.2e-38 may become 0, and a NaN
    that a convolution, a product or a sum makes may be lost in the activation that is fused into
    it. Floats of 8 bits and less and integers of less than 8 are bytes, in files too, that are
    moved and cast, not computed with.
    """

    name = "openvino"
    vendor = "Intel"
    keys = (NAMES, PRECISION, HINT, THREADS)
    formats = (".xml",)
    stateful_formats = (".xml",)
    writes_alone = True
    reads_back = False
    packages = ("openvino",)
    suits_processor = True
    exact_settings = f"{GROUPS}=0"

    def open_device(self) -> None:
        try:
            import openvino
            import openvino.utils.node_factory
        except ImportError:
            raise NoDevice(
                "device 'openvino' needs the package openvino: pip install 'nnadapter[openvino]'"
            ) from None
        self.runtime: Any = openvino
        self.core: Any = openvino.Core()

    def lowerings(self) -> Lowerings[Ref]:
        return LOWERINGS

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> Context:
        device = properties.get(NAMES, "CPU").split(",")[0].strip() or "CPU"
        found = self.core.available_devices
        if device.partition(".")[0].partition(":")[0] not in {*found, "AUTO"}:
            raise NoDevice(f"{NAMES}={device!r}: OpenVINO finds {', '.join(found)} here")
        config = {PRECISION_HINT: "f32", "PERFORMANCE_HINT": "LATENCY"}
        if device == "CPU":
            config |= EXACT
        kind = properties.get(PRECISION, "FP32").upper()
        if kind not in KINDS:
            raise BadInput(f"{PRECISION}={kind!r}, not one of {', '.join(KINDS)}")
        config[PRECISION_HINT] = KINDS[kind]
        if KINDS[kind] != "f32":
            config.pop("EXECUTION_MODE_HINT", None)
        hint = properties.get(HINT, "LATENCY").upper()
        if hint not in ("LATENCY", "THROUGHPUT"):
            raise BadInput(f"{HINT}={hint!r}, not LATENCY or THROUGHPUT")
        config["PERFORMANCE_HINT"] = hint
        threads = integer(properties, THREADS)
        if threads is not None:
            if threads < 0:
                raise BadInput(f"{THREADS}={threads}")
            config["INFERENCE_NUM_THREADS"] = str(threads)
        profile = flag(properties, PROFILE)
        if profile:
            config["PERF_COUNT"] = "YES"
        return Context(device, config, profile)

    def explain_program(self, context: Context, model: Model) -> list[str | None]:
        return [why_not(self.runtime, operation) for operation in model.operations]

    def create_program(self, context: Context, model: Model | None, cache: Cache | None) -> Program:
        if model is None:
            return self._restore(context, cache or Cache([], []))
        source = as_pairs(model)
        emitter, made = emit(self.runtime, source)
        compiled = self._compile(context, made)
        inputs, outputs = ([end_of(v.type) for v in ends] for ends in (model.inputs, model.outputs))
        for end, value in zip(inputs, source.inputs, strict=True):
            end.limit = emitter.limits.get(value)
        for end, value in zip(outputs, model.outputs, strict=True):
            end.is_written = model.outputs.count(value) == 1 and is_large(value)
        program = Program(compiled, inputs, outputs, held=[emitter.held, made])
        program.profile, program.may_fail = context.profile, may_fail(model, made)
        program.waits = context.is_alone and program.may_fail
        if cache is not None:
            cache.pieces = self._pack(context, program)
        return program

    def _compile(self, context: Context, made: Any) -> Any:
        try:
            return self.core.compile_model(made, context.device, context.config)
        except Exception as error:
            raise DeviceError(f"openvino refused the program: {one_line(error)}") from error

    def import_program(
        self,
        context: Context,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        """By OpenVINO's defaults, but numbers in float32: on some processors the default is
        narrower. The ends of the file are in the order that the model had them in."""
        return self._open(Context(context.device, PLAIN, profile=False), path, inputs, outputs)

    def import_exact_program(
        self,
        context: Context,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        plain = Context(context.device, {**PLAIN, GROUPS: EXACT[GROUPS]}, profile=False)
        return self._open(plain, path, inputs, outputs)

    def _open(
        self,
        plain: Context,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        try:
            made = self.core.read_model(str(path))
        except Exception as error:
            raise BadFile(f"openvino cannot read {str(path)!r}: {one_line(error)}") from error
        compiled = self._compile(plain, made)
        takes, gives = [end_of(t) for t in inputs], [end_of(t) for t in outputs]
        wanted = [
            elements.NAMES.get(elements.stored_precision(e.precision)) for e in (*takes, *gives)
        ]
        ports = (*compiled.inputs, *compiled.outputs)
        found = [port.get_element_type().to_string() for port in ports]
        if wanted != found:
            raise BadFile(f"{str(path)!r} has ends of types {found}, not {wanted}")
        return Program(compiled, takes, gives, held=[made], waits=plain.is_alone)

    def files_of(self, path: Path) -> list[Path] | None:
        return files_of(path)

    def _pack(self, context: Context, program: Program) -> list[bytes | memoryview]:
        """The length of a header, the header in JSON, then OpenVINO's own blob."""
        try:
            exported = program.compiled.export_model()
            blob = exported if isinstance(exported, bytes) else exported.getbuffer()
        except Exception as error:
            raise DeviceError(f"openvino exports no program: {one_line(error)}") from error
        ends = [
            [asdict(e) | {"precision": e.precision.name} for e in group]
            for group in (program.inputs, program.outputs)
        ]
        header = {
            "version": self.runtime.get_version(),
            "device": context.device,
            "config": context.config,
            "ends": ends,
            "may_fail": program.may_fail,
            "size": len(blob),
            "sum": crc32(blob),
        }
        text = json.dumps(header, sort_keys=True).encode()
        text += b" " * (-(len(MAGIC) + 8 + len(text)) % ALIGNMENT)
        return [MAGIC, b"%08x" % len(text), text, blob]

    def _restore(self, context: Context, cache: Cache) -> Program:
        """A program from `_pack`; the blob is looked at before OpenVINO reads it."""
        buffer = memoryview(cache.view)
        try:
            start = len(MAGIC) + 8
            magic, length = bytes(buffer[:start]).split(b"\n")
            end = start + int(length, 16)
            header = json.loads(bytes(buffer[start:end]))
            blob = np.frombuffer(buffer, np.uint8, offset=end)
            ends = [
                [End(**(e | {"precision": Precision[e["precision"]]})) for e in group]
                for group in header["ends"]
            ]
            inputs, outputs = ends
            whole = magic + b"\n" == MAGIC and header["size"] == len(blob)
            whole &= cache.is_checked or header["sum"] == crc32(blob.data)
            version, device, fails = header["version"], header["device"], header["may_fail"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DeviceError(f"openvino cannot restore this buffer: {one_line(error)}") from None
        if not whole:
            raise DeviceError("openvino cannot restore a buffer that is damaged")
        mine = self.runtime.get_version(), context.device
        if (version, device) != mine:
            raise DeviceError(f"a buffer of OpenVINO {version} on {device}, not of {mine}")
        tensor, memory = tensor_of(self.runtime, blob)
        try:
            compiled = self.core.import_model(tensor, context.device, context.config)
        except Exception as error:
            raise DeviceError(f"openvino cannot restore this buffer: {one_line(error)}") from error
        held = [buffer, tensor, memory]
        program = Program(compiled, inputs, outputs, held=held, profile=context.profile)
        program.may_fail, program.waits = bool(fails), context.is_alone and bool(fails)
        return program

    def execute_program(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        """Results of sizes that are known are written where they are wanted, others copied."""
        try:
            request = program.requests.pop()
        except IndexError:
            request = program.compiled.create_infer_request()
        try:
            return self._run(program, request, inputs, outputs)
        finally:
            program.requests.append(request)

    def _run(
        self,
        program: Program,
        request: Any,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None],
    ) -> list[np.ndarray]:
        given = map(fit_input, inputs, program.inputs)
        kept = [tensor_of(self.runtime, array) for array in given]
        offered = [*outputs, *[None] * (len(program.outputs) - len(outputs))]
        written = {
            position: memory_for(
                program.room_of(position, end.precision.dtype), end.shape or (), offered[position]
            )
            for position, end in enumerate(program.outputs)
            if end.is_written
        }
        try:
            for position, (tensor, _) in enumerate(kept):
                request.set_input_tensor(position, tensor)
            for position, array in written.items():
                tensor, _ = tensor_of(self.runtime, array)
                request.set_output_tensor(position, tensor)
            infer(request, waits=program.waits)
        except (RuntimeError, TypeError, ValueError) as error:
            raise DeviceError(f"openvino failed: {one_line(error)}") from error
        if program.profile:
            program.steps = steps(request, program.fused)
        ends = enumerate(zip(program.outputs, offered, strict=True))
        return [
            written[position] if end.is_written else copy_result(request, position, program, memory)
            for position, (end, memory) in ends
        ]

    def timings(self, program: Program) -> list[Timing]:
        return list(program.steps)

    def prepare_export(self, model: Model, path: Path, *, opset: int | None = None) -> Export:
        """Two files, the weights first, which the other one names by its own name.

        They are written without OpenVINO, the same bytes wherever that is; where a plug-in has
        nodes that only OpenVINO knows, it writes them.
        """
        if opset is not None:
            raise Unsupported("OpenVINO's file format has no opset of its own to choose")
        from nnir.formats.openvino import runtime as paper

        emitter = Emitter(LOWERINGS, paper)
        try:
            return prepare_files(emitter, model, path)
        except NoLowering as error:
            if not emitter.factory.unknown:
                raise
            try:
                self.open_device()
            except NoDevice:
                raise error from None
            return prepare_files(Emitter(LOWERINGS, self.runtime), model, path)


def prepare_files(emitter: Emitter, model: Model, path: Path) -> Export:
    """What writes the two files of a model, by OpenVINO or by what stands for it."""
    source = as_pairs(model)
    variables = Variables(emitter, source) if source.states else None
    made = graph(emitter, source, WRITING_STEP, variables)
    weights = path.with_suffix(WEIGHTS)
    emitted = emitter, made  # the emitter holds the memory

    def write() -> None:
        for name, text in (describe_source(source) | source.provenance.properties).items():
            made.set_rt_info(text, [element_of(name)])
        try:
            emitter.runtime.serialize(emitted[1], str(path), str(weights))
        except RuntimeError as error:
            raise DeviceError(f"openvino writes no file: {one_line(error)}") from error

    inputs, outputs = ([sizes_of(o) for o in ends] for ends in (made.inputs, made.outputs))
    return Export(write, [weights, path], inputs, outputs)


def element_of(name: str) -> str:
    """A name as an element of XML may have it."""
    word = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
    return word if re.match("[A-Za-z_]", word) else f"_{word}"


def files_of(path: Path) -> list[Path] | None:
    """An existing IR, with the file of its weights where that has the size that the IR says; None
    where it is no IR."""
    data = map_file(path)
    if data and b"<net" not in data[:HEAD]:
        return None
    beside = path.with_suffix(WEIGHTS)
    end = max((int(a) + int(b) for a, b in PLACES.findall(data)), default=0)
    is_own = beside.is_file() and beside.stat().st_size == end
    return [path, beside] if is_own else [path]


def sizes_of(end: openvino.Output) -> list[int | None]:
    """The sizes of an end of a graph, None for those that are open."""
    return [None if d.is_dynamic else d.get_length() for d in end.get_partial_shape()]


def emit(runtime: ModuleType, model: Model) -> tuple[Emitter, openvino.Model]:
    """The graph of a model; NoLowering lists everything that is missing.

    OpenVINO has no complex numbers: pairs of real ones take their place.
    """
    emitter = Emitter(LOWERINGS, runtime)
    made = graph(emitter, as_pairs(model))
    return emitter, made


def why_not(runtime: ModuleType, operation: Operation) -> str | None:
    """Why one operation cannot be emitted, by itself or decomposed; None where it can."""
    if is_complex(operation):
        name = operation.operator.name
        return None if has_pairs(operation) else f"openvino has no complex {name}"
    return refusal(operation, lambda: Emitter(LOWERINGS, runtime))


def end_of(type: TensorType) -> End:
    """What must be known of an input or output while running."""
    real = COMPLEX.get(type.precision)
    sizes = (*type.shape, 2) if real else type.shape
    shape = [int(d) for d in sizes] if type.is_static else None  # type: ignore[arg-type]
    return End(real or type.precision, shape, type.dtype.name if real else None)


def fit_input(array: np.ndarray, end: End) -> np.ndarray:
    """An input as OpenVINO takes it: complex numbers as pairs, integers in 32 bits."""
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], -1)
    if array.dtype == np.int64 and array.size and not is_small(array):
        raise DeviceError("openvino computes int64 in 32 bits: an input is beyond them")
    if end.limit is not None and array.size:
        low, high = int(array.min()), int(array.max())
        if low < -end.limit or high >= end.limit:
            raise DeviceError(f"indices from {low} to {high} in an axis of {end.limit}")
    return array


def is_large(value: Value) -> bool:
    """Whether a result is large enough to be written where it is wanted, and surely written."""
    maker = value.producer
    return (
        maker is not None
        and maker.operator.family in WRITES
        and value.precision == Precision.FLOAT32
        and value.is_static
        and value.dtype.itemsize * math.prod(value.sizes) >= LARGE
    )


def may_fail(model: Model, made: openvino.Model) -> bool:
    """Whether something may go wrong while a program runs: where sizes are open, or numbers say
    which elements are read."""
    return bool(made.is_dynamic()) or any(o.operator.family not in QUIET for o in model.operations)


def infer(request: openvino.InferRequest, *, waits: bool) -> None:
    """Run a request. In one thread OpenVINO tells what goes wrong only who waits for it: else a
    result of open sizes has no elements, or those that the memory held. To wait takes a tenth of a
    millisecond."""
    if waits:
        request.start_async()
        request.wait()
    else:
        request.infer()


def copy_result(
    request: openvino.InferRequest, position: int, program: Program, given: np.ndarray | None
) -> np.ndarray:
    """A result that the caller owns, in the memory that is offered where it fits.

    OpenVINO writes to memory of ours unless the result is an input; so it is copied.
    """
    end = program.outputs[position]
    found = request.get_output_tensor(position).data
    if end.precision == Precision.BFLOAT16 or end.precision in elements.CARRIED:
        found = found.view(end.precision.dtype)
    if end.shape is not None:
        if found.size != math.prod(end.shape):
            raise DeviceError(f"openvino gave {list(found.shape)}, not {end.shape}")
        found = found.reshape(end.shape)
    if end.complex is not None:
        return as_complex(np.array(found), end.complex)
    if given is not None and given.dtype == found.dtype and given.shape == found.shape:
        np.copyto(given, found)
        return given
    return program.room_of(position, found.dtype).copy(found)


def memory_for(room: Room, shape: Sequence[int], offered: np.ndarray | None) -> np.ndarray:
    """Memory that a run writes an output to: that which is offered, where it fits."""
    sizes = tuple(shape)
    if offered is None or offered.dtype != room.dtype or offered.shape != sizes:
        return room.take(sizes)
    return offered if offered.flags.carray else room.take(sizes)


def as_complex(pairs: np.ndarray, kind: str) -> np.ndarray:
    return np.ascontiguousarray(pairs).view(kind)[..., 0]


def steps(request: openvino.InferRequest, fused: Mapping[str, tuple[str, ...]]) -> list[Timing]:
    """What each node of the last run took; they run one after the other."""
    found, start = [], 0.0
    for row in request.profiling_info:
        seconds = row.real_time / datetime.timedelta(seconds=1)
        if str(row.status).endswith("EXECUTED") and "NOT" not in str(row.status):
            covers = fused.get(row.node_name, ())
            found.append(Timing(row.node_name, row.node_type, start, seconds, covers))
            start += seconds
    return found


def one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:500]
