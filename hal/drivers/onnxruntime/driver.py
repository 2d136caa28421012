"""The onnxruntime device."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import numpy as np

from nnir import archive, origin, staging
from nnir.errors import DeviceError, NNAdapterError, NoDevice, NoLowering, describe
from nnir.formats.bits import stored_size, unpack
from nnir.model import Model, Operation
from nnir.ops.unary import COMPLEX
from nnir.pairs import as_pairs, has_pairs, is_complex
from nnir.plugins import REGISTRY
from nnir.records import dataclass
from nnir.types import Precision, TensorType

from ...device import PROFILE, Cache, Callback, Device, Export, Timing, open_shapes
from ...emission import WRITING_STEP, refusal
from ...lowering import LateLowerings, Lowerings
from ...positions import Bound, bounds_of, require_within
from ...properties import flag, integer
from . import hosting, keeping, older, writer
from . import states as states_of
from .emitter import NATIVE, Emitter, Ref, input_infos
from .lending import Loan, lend_weights, ortvalue
from .providers import Providers, Residence, choose_providers

if TYPE_CHECKING:
    import onnxruntime

ROUNDS_WEIGHTS = "WeightBiasQuantization"
"""Makes integers of real weights between quantised values."""

FUSES_SUMS = "SkipLayerNormFusion"
"""Makes one kernel of a sum and its norm, which takes the processor six times as long."""

BITS_LEVEL = "session.qdq_matmulnbits_accuracy_level"
"""In which precision products with integers of few bits read their other operand: 1 is FLOAT32,
without which it is rounded to 8 bits."""

ANOTHER = "write another --target-opset, or none"
LOWERINGS = LateLowerings[Ref](__package__)


Options = Callable[[], "onnxruntime.SessionOptions"]
"""Makes the options of a session."""


@dataclass(frozen=True)
class Settings:
    """What the properties of a context say."""

    options: Options
    providers: Providers
    is_profiled: bool


Prepare = Callable[["onnxruntime.SessionOptions"], None]
"""Changes the options of a session before it is made."""


@dataclass
class Program:
    """A session with what it borrows: the weights must outlive it.

    `foreign`: the precisions of the ends where NumPy lacks some, and `complexes`: the complex
    types of the outputs (None for others) where the model has complex ends. `bounds` are positions
    that the CPU's kernels would find outside of their tables.
    """

    session: Any
    run: Any
    names: list[str]
    outputs: list[str]
    foreign: list[Precision] | None
    complexes: list[Any] | None
    held: list[Any]
    providers: Providers
    bounds: Sequence[Bound] = ()
    renew: Callable[[], Any] | None = None
    steps: list[Timing] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(
        cls,
        session: onnxruntime.InferenceSession,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
        held: list[object],
        providers: Providers,
    ) -> Program:
        """A program with a session, for ends of these types."""
        types = [*inputs, *outputs]
        ends = [COMPLEX.get(t.precision, t.precision) for t in types]
        kinds = [t.dtype if t.precision in COMPLEX else None for t in outputs]
        return cls(
            session,
            session.run,
            [i.name for i in session.get_inputs()],
            [o.name for o in session.get_outputs()],
            ends if any(p not in NATIVE for p in ends) else None,
            kinds if any(t.precision in COMPLEX for t in types) else None,
            held,
            providers,
        )


class OnnxRuntime(Device[Settings, Program]):
    """Properties: `ONNXRUNTIME_NUM_THREADS`, `ONNXRUNTIME_OPTIMIZATION` (0 none, 1 basic, 2
    extended, 99 all), `ONNXRUNTIME_PROVIDERS` (CPU, CUDA, Tensorrt, ... or several with commas, the
    first that can runs a node), `ONNXRUNTIME_DEVICE_ID` (which of several devices)."""

    name = "onnxruntime"
    vendor = "Microsoft"
    keys = (
        "ONNXRUNTIME_NUM_THREADS",
        "ONNXRUNTIME_OPTIMIZATION",
        "ONNXRUNTIME_PROVIDERS",
        "ONNXRUNTIME_DEVICE_ID",
    )
    formats = (".onnx",)
    packages = ("onnxruntime",)
    suits_processor = True
    writes_alone = True
    exact_settings = f"{BITS_LEVEL}=1"

    def open_device(self) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise NoDevice(
                "device 'onnxruntime' needs the package onnxruntime: "
                "pip install 'nnadapter[onnxruntime]'"
            ) from None
        onnxruntime.set_default_logger_severity(4)  # errors are raised, not printed
        self.runtime = onnxruntime

    def lowerings(self) -> Lowerings[Ref]:
        return LOWERINGS

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> Settings:
        threads = integer(properties, "ONNXRUNTIME_NUM_THREADS")
        level = integer(properties, "ONNXRUNTIME_OPTIMIZATION")

        profiled = flag(properties, PROFILE)

        def options() -> onnxruntime.SessionOptions:
            made = self._plain_options()
            made.log_severity_level = 4
            made.enable_profiling = profiled
            if profiled:
                # ONNX Runtime tells its files apart by the millisecond alone
                made.profile_file_prefix = os.path.join(self.profiles, os.urandom(8).hex())
            # else int8 becomes uint8 on x86, where products of 16 bits then saturate
            made.add_session_config_entry("session.qdqisint8allowed", "1")
            made.add_session_config_entry(BITS_LEVEL, "1")
            if threads is not None:
                made.intra_op_num_threads = threads
            if level is not None:
                made.graph_optimization_level = self.runtime.GraphOptimizationLevel(level)
            return made

        return Settings(options, choose_providers(self.runtime, properties), profiled)

    def _plain_options(self) -> onnxruntime.SessionOptions:
        """Options with nothing but the kernels that plug-ins bring."""
        made = self.runtime.SessionOptions()
        for library in REGISTRY.libraries_of("onnxruntime"):
            try:
                made.register_custom_ops_library(library)
            except Exception as error:
                text = f"onnxruntime cannot load the kernels in {library}: {one_line(error)}"
                raise DeviceError(text) from error
        return made

    def explain_program(self, context: Settings, model: Model) -> list[str | None]:
        shares = not context.providers.is_host
        return [why_not(operation, shares=shares) for operation in model.operations]

    def create_program(
        self, context: Settings, model: Model | None, cache: Cache | None
    ) -> Program:
        if model is None:
            return self._restore(context, cache)
        if context.providers.is_host:
            return self._compile(context, model, cache)
        if cache is not None:
            cache.buffer = archive.dumps(model)  # graphs of other providers are not written
        return self._compile(context, model, None)

    def _compile(self, context: Settings, model: Model, cache: Cache | None) -> Program:
        shares = not context.providers.is_host
        emitter, graph = emit(model, shares=shares)
        held: list[Any] = []

        def open_session(prepare: Prepare = change_nothing) -> onnxruntime.InferenceSession:
            def open_lent(loan: Loan) -> onnxruntime.InferenceSession:
                held[:] = emitter.weights, loan.tensors
                size = len(graph) + sum(map(len, loan.entries))
                whole = b"".join([emitter.head(size), graph, *loan.entries])
                options = context.options()
                loan.add_to(options)
                if shares and hosting.MARK in graph:
                    options.add_session_config_entry(*hosting.OPTION)
                prepare(options)
                return self._session(loan.place(whole), options, context.providers)

            return lend_weights(self.runtime, emitter.weights, open_lent)

        session = open_session() if cache is None else keep_session(open_session, cache)
        inputs, outputs = ([v.type for v in ends] for ends in (model.inputs, model.outputs))
        program = Program.of(session, inputs, outputs, held, context.providers)
        program.bounds = [*bounds_of(model)] if shares else []
        if context.is_profiled:
            program.renew = open_session
        return program

    @functools.cached_property
    def profiles(self) -> str:
        """A folder for the profiles of sessions that nobody ends; it goes with the process."""
        import shutil
        import tempfile

        folder = tempfile.mkdtemp(prefix="nnadapter_")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def timings(self, program: Program) -> list[Timing]:
        """The nodes of the last run, after fusion."""
        return program.steps

    def destroy_program(self, program: Program) -> None:
        if program.renew is not None:
            Path(program.session.end_profiling()).unlink(missing_ok=True)

    def _run_profiled(self, program: Program, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """A run with its times. A session writes one profile: the next run gets a new session."""
        import json

        with program.lock:
            results = self._run(program, inputs)
            path = Path(program.session.end_profiling())
            try:
                program.steps = node_times(json.loads(path.read_text()))
            finally:
                path.unlink(missing_ok=True)
            program.session = program.renew() if program.renew else program.session
            program.run = program.session.run
        return results

    def _session(self, model: bytes | str, options: Any, providers: Providers) -> Any:
        try:
            session = self.runtime.InferenceSession(
                model,
                options,
                providers=list(providers.listed),
                disabled_optimizers=[ROUNDS_WEIGHTS, *[FUSES_SUMS] * providers.is_host],
                enable_fallback=0,  # which would let another provider run it, and print so
            )
        except Exception as error:
            raise DeviceError(f"onnxruntime refused the program: {one_line(error)}") from error
        providers.require_started(session)
        return session

    def _restore(self, context: Settings, cache: Cache | None) -> Program:
        view = b"" if cache is None else cache.view
        if not context.providers.is_host:
            return self._compile(context, load_kept_model(view), None)
        kept = keeping.unpack_kept(view)
        ends = ((), ()) if cache is None else (cache.inputs, cache.outputs)
        held: list[Any] = []

        def open_session() -> onnxruntime.InferenceSession:
            if not isinstance(kept, keeping.Kept):
                return self._session(kept, context.options(), context.providers)

            def open_lent(loan: Loan) -> onnxruntime.InferenceSession:
                held[:] = kept.weights, loan.tensors
                options, levels = context.options(), self.runtime.GraphOptimizationLevel
                options.graph_optimization_level = levels.ORT_DISABLE_ALL
                loan.add_to(options)
                whole = kept.join(loan.entries)
                return self._session(loan.place(whole), options, context.providers)

            maps, weights = not kept.names_files, kept.weights
            return lend_weights(self.runtime, weights, open_lent, maps=maps, packed=kept.packed)

        program = Program.of(open_session(), *ends, held, context.providers)
        if context.is_profiled:
            program.renew = open_session
        return program

    def keep_states(self, program: Program, types: Sequence[TensorType]) -> Residence | None:
        """In the memory of a GPU, of element types that NumPy has."""
        memory = program.providers.memory
        if memory is None or program.foreign is not None or program.complexes is not None:
            return None
        ends = (program.names, program.outputs)
        number = program.providers.device_id
        return Residence(self.runtime, program.session, *ends, memory, number, program.bounds)

    def execute_program(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        run = self._run if program.renew is None else self._run_profiled
        return run(program, inputs)

    def _run(self, program: Program, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        for place, size in program.bounds:
            require_within(inputs[place], size)
        if program.complexes is not None:
            inputs = [pairs(a) for a in inputs]
        feeds = dict(zip(program.names, inputs, strict=True))
        if program.foreign is not None:
            results = run_foreign(self.runtime, program, feeds)
        else:
            try:
                results = program.run(program.outputs, feeds)
            except Exception as error:
                raise DeviceError(f"onnxruntime failed: {one_line(error)}") from error
        if program.complexes is None:
            return results
        kinds = zip(results, program.complexes, strict=True)
        return [r if k is None else np.ascontiguousarray(r).view(k)[..., 0] for r, k in kinds]

    def import_program(
        self,
        context: Settings,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        """By a session with the options that every user has, and the kernels of plug-ins."""
        return self._open(path, self._plain_options(), inputs, outputs)

    def import_exact_program(
        self,
        context: Settings,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        options = self._plain_options()
        options.add_session_config_entry(BITS_LEVEL, "1")
        return self._open(path, options, inputs, outputs)

    def _open(
        self, path: Path, options: Any, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> Program:
        session = self._session(str(path), options, Providers())
        return Program.of(session, inputs, outputs, [], Providers())

    def files_of(self, path: Path) -> list[Path] | None:
        return writer.files_of(path)

    def prepare_export(self, model: Model, path: Path, *, opset: int | None = None) -> Export:
        """An `.onnx` file, for operator set 13 to 25; without `opset` for the lowest one that has
        the model's operators and element types."""
        if opset is not None:
            older.check_opset(opset)
        source = as_pairs(model)
        if opset is None:
            emitter, graph = emit_lowest(source)
        else:
            emitter, graph = emit(source, opset, ANOTHER, states=True)

        def write_file() -> None:
            emitter.metadata = origin.describe_source(source) | emitter.metadata
            writer.write(path, graph, emitter.weights, emitter.head)

        return Export(
            write_file,
            writer.files_to_write(path, graph, emitter.weights),
            open_shapes(v.shape for v in source.inputs),
            open_shapes(v.shape for v in source.outputs),
        )


def load_kept_model(view: bytes | memoryview) -> Model:
    """The model that a program of another provider than the CPU's is built from again."""
    try:
        return archive.loads(view)
    except NNAdapterError as error:
        raise DeviceError(f"onnxruntime cannot restore this buffer: {describe(error)}") from error


def change_nothing(options: onnxruntime.SessionOptions) -> None:
    """Leave the options of a session as they are."""


def keep_session(
    open_session: Callable[[Prepare], onnxruntime.InferenceSession], cache: Cache
) -> onnxruntime.InferenceSession:
    """A session whose optimised graph goes to the cache."""
    with staging.temporary_folder() as folder:
        session = open_session(lambda options: keeping.set_kept(options, folder))
        kept = keeping.pack_kept(folder)
        if kept is None:
            session = open_session(lambda options: keeping.set_own_format(options, folder))
            kept = keeping.pack_own_format(folder)
        cache.pieces = kept
    return session


def emit(
    model: Model,
    opset: int | None = None,
    step: str = "",
    *,
    states: bool = False,
    shares: bool = False,
) -> tuple[Emitter, bytes]:
    """The ONNX graph of a model; NoLowering lists everything that is missing, and the next `step`.

    ONNX Runtime has no complex numbers: pairs of real ones take their place. `states`: with what a
    file says of them. `shares`: another provider than the CPU's runs most of it.
    """
    model = as_pairs(model)
    emitter = Emitter(LOWERINGS, target=opset, for_file=states, shares=shares)
    heads = input_infos(emitter, model)
    if states:
        emitter.places = model.provenance.places
        states_of.write_initial(emitter, model)
    graph = emitter.graph(model, heads, model.name)
    emitter.require_lowered(step)
    if states:
        emitter.metadata = model.provenance.properties | states_of.metadata_of(emitter, model)
    return emitter, graph


def emit_lowest(model: Model) -> tuple[Emitter, bytes]:
    """The ONNX graph of a model in the lowest operator set that has what it is made of.

    An older set may lack what an operator of the model is written with; nothing is decomposed
    further for its sake.
    """
    newest = emit(model, step=WRITING_STEP, states=True)
    for opset in range(newest[0].lowest, newest[0].opset):
        with contextlib.suppress(NoLowering):
            return emit(model, opset, states=True)
    return newest


def why_not(operation: Operation, *, shares: bool = False) -> str | None:
    """Why one operation cannot be emitted, by itself or decomposed; None where it can."""
    if is_complex(operation):
        name = operation.operator.name
        return None if has_pairs(operation) else f"onnxruntime has no complex {name}"
    return refusal(operation, lambda: Emitter(LOWERINGS, shares=shares))


class Event(TypedDict):
    """An event of a profile; `cat` and `args` are those of a node's."""

    name: str
    ts: int
    dur: int
    cat: NotRequired[str]
    args: NotRequired[dict[str, str]]


def node_times(events: Sequence[Event]) -> list[Timing]:
    """The kernels of the last run in a profile of ONNX Runtime, in the order in which they begin;
    those of a branch are told of before it."""
    runs = [e for e in events if e["name"] == "model_run"]
    begin = runs[-1]["ts"] if runs else 0
    events = sorted(events, key=lambda e: e["ts"])
    return [
        Timing(
            e["name"].removesuffix("_kernel_time"),
            e["args"]["op_name"],
            (e["ts"] - begin) / 1e6,
            e["dur"] / 1e6,
        )
        for e in events
        if e.get("cat") == "Node" and e["name"].endswith("_kernel_time") and e["ts"] >= begin
    ]


def pairs(array: np.ndarray) -> np.ndarray:
    """Complex numbers as real and imaginary parts along a last axis; others as they are."""
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def run_foreign(
    runtime: ModuleType, program: Program, feeds: Mapping[str, np.ndarray]
) -> list[np.ndarray]:
    """Run with element types that NumPy alone does not have, such as bfloat16."""
    values = {n: ortvalue(runtime, a) for n, a in feeds.items()}
    try:
        results = program.session.run_with_ort_values(program.outputs, values)
    except Exception as error:
        raise DeviceError(f"onnxruntime failed: {one_line(error)}") from error
    kinds = (program.foreign or [])[len(feeds) :]
    return [numpy_of(r, kind) for r, kind in zip(results, kinds, strict=True)]


def numpy_of(value: onnxruntime.OrtValue, kind: Precision) -> np.ndarray:
    """A copy of an OrtValue's elements."""
    if kind in NATIVE:
        return value.numpy()
    shape = value.shape()
    count = math.prod(shape)
    size = stored_size(kind, count)
    raw = np.frombuffer(ctypes.string_at(value.data_ptr(), size), np.uint8)
    return unpack(raw, kind, count).reshape(shape)


def one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:500]
