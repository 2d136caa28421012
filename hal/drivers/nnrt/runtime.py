"""NNRt's runtime: models are compiled and run by calls, each of which gives a return code.

The methods are the functions of `neural_network_core.h`; their names stand beside them. A model is
built by `nnir.formats.nnrt.construction.ModelBuilder` or read from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from dataclasses import field
from pathlib import Path
from threading import Thread

import numpy as np

from nnir.errors import (
    VALUES,
    BadCall,
    BadFile,
    BadInput,
    BadModel,
    DeviceError,
    NNAdapterError,
    summary,
)
from nnir.formats.nnrt.construction import ModelBuilder, TensorDesc, answers, code_of
from nnir.formats.nnrt.enums import DeviceType, PerformanceMode, Priority, ReturnCode, member
from nnir.formats.nnrt.files import read, write
from nnir.formats.nnrt.model import DYNAMIC, Model, Tensor
from nnir.mapping import map_file
from nnir.recipes.nnrt.assembly import assemble
from nnir.records import dataclass
from nnir.staging import replacing

from ..builtin import OwningPlan

DEVICES = {1: ("NNAdapter references", DeviceType.CPU)}
"""The devices by their numbers (OH_NNDevice_GetAllDevicesID, _GetName, _GetType)."""

OnRunDone = Callable[[object, ReturnCode, Sequence[np.ndarray]], None]
"""NN_OnRunDone: what the caller handed over, the return code, and the outputs."""


@dataclass
class Compilation:
    """OH_NNCompilation. `source`: a finished builder (OH_NNCompilation_Construct), or the path of a
    file (OH_NNCompilation_ConstructWithOfflineModelFile)."""

    source: ModelBuilder | Path
    problem: str = ""
    device: int = 0
    mode: PerformanceMode = PerformanceMode.NONE
    priority: Priority = Priority.NONE
    half: bool = False
    cache: tuple[Path, int] | None = None
    model: Model | None = None

    @answers
    def set_device(self, device: int) -> None:
        """OH_NNCompilation_SetDevice: one of `DEVICES`."""
        self._require_open()
        if device not in DEVICES:
            raise BadModel(f"device {device}: {', '.join(map(str, DEVICES))} is there")
        self.device = device

    @answers
    def set_performance_mode(self, mode: int) -> None:
        """OH_NNCompilation_SetPerformanceMode: of one device nothing changes."""
        self._require_open()
        self.mode = member(PerformanceMode, mode)

    @answers
    def set_priority(self, priority: int) -> None:
        """OH_NNCompilation_SetPriority: of one device nothing changes."""
        self._require_open()
        self.priority = member(Priority, priority)

    @answers
    def enable_float16(self, enable: bool) -> ReturnCode | None:
        """OH_NNCompilation_EnableFloat16: the references compute as the model says."""
        self._require_open()
        if enable:
            self.problem = "numbers of 16 bits in place of those of the model"
            return ReturnCode.UNSUPPORTED
        self.half = False
        return None

    @answers
    def set_cache(self, folder: Path, version: int) -> ReturnCode | None:
        """OH_NNCompilation_SetCache: the model is kept in a folder, by its version."""
        self._require_open()
        if not Path(folder).is_dir():
            self.problem = f"no folder {str(folder)!r}"
            return ReturnCode.INVALID_PATH
        self.cache = Path(folder), version
        return None

    @answers
    def build(self) -> ReturnCode | None:
        """OH_NNCompilation_Build: checks the model, and that all of it can be run."""
        self._require_open()
        model = self._read()
        if all(not model.tensor(k).is_dynamic for k in model.inputs):
            assemble(model)
        self.model = model
        if self.cache is None:
            return None
        try:
            with replacing(self._cache_file()) as file:
                write(model, file)
        except (BadFile, OSError) as error:
            self.model = None
            self.problem = f"the cache is not written: {error}"
            return ReturnCode.SAVE_CACHE_EXCEPTION
        return None

    def _require_open(self) -> None:
        if self.model is not None:
            raise BadCall("the compilation is built: it does not change any more")

    def _cache_file(self) -> Path:
        folder, version = self.cache or (Path(), 0)
        return folder / f"{version}.nnrt"

    def _read(self) -> Model:
        """The model of a cache, of a builder or of a file."""
        if self.cache is not None and self._cache_file().exists():
            return read(map_file(self._cache_file()))
        if isinstance(self.source, ModelBuilder):
            if self.source.model is None:
                raise BadCall("a model that is not finished")
            return self.source.model
        return read(map_file(Path(self.source)))


@dataclass
class Executor:
    """OH_NNExecutor (OH_NNExecutor_Construct) of a compilation that is built."""

    compilation: Compilation
    problem: str = ""
    on_run_done: OnRunDone | None = None
    plans: dict[tuple[tuple[int, ...], ...], OwningPlan] = field(default_factory=dict)
    shapes: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def model(self) -> Model:
        """The model that is run; BadCall before the compilation is built."""
        if self.compilation.model is None:
            raise BadCall("a compilation that is not built")
        return self.compilation.model

    def input_count(self) -> int:
        """OH_NNExecutor_GetInputCount."""
        return len(self.model.inputs)

    def output_count(self) -> int:
        """OH_NNExecutor_GetOutputCount."""
        return len(self.model.outputs)

    def input_desc(self, index: int) -> TensorDesc:
        """OH_NNExecutor_CreateInputTensorDesc; BadModel for an input that is not there."""
        return _describe(self.model, self.model.inputs, index)

    def output_desc(self, index: int) -> TensorDesc:
        """OH_NNExecutor_CreateOutputTensorDesc; BadModel for an output that is not there."""
        return _describe(self.model, self.model.outputs, index)

    def output_shape(self, index: int) -> tuple[ReturnCode, tuple[int, ...]]:
        """OH_NNExecutor_GetOutputShape: DYNAMIC_SHAPE where only a run tells it."""
        try:
            declared = self.output_desc(index).shape
        except NNAdapterError as error:
            self.problem = str(error)
            return code_of(error), ()
        if DYNAMIC not in declared:
            return ReturnCode.SUCCESS, declared
        if not self.shapes:
            self.problem = f"output {index} has open sizes: a run tells them"
            return ReturnCode.DYNAMIC_SHAPE, ()
        return ReturnCode.SUCCESS, self.shapes[index]

    @answers
    def set_on_run_done(self, callback: OnRunDone) -> None:
        """OH_NNExecutor_SetOnRunDone: who is told of the end of `run_async`."""
        self.on_run_done = callback

    @answers
    def run_sync(self, inputs: Sequence[np.ndarray], outputs: list[np.ndarray]) -> None:
        """OH_NNExecutor_RunSync: one array for each input; `outputs` becomes the results."""
        outputs[:] = self._run(inputs)

    @answers
    def run_async(
        self,
        inputs: Sequence[np.ndarray],
        outputs: list[np.ndarray],
        timeout: float,
        user_data: object,
    ) -> None:
        """OH_NNExecutor_RunAsync: returns at once; the callback is told of the end, or of TIMEOUT
        after so many milliseconds, and `outputs` are the results by then."""
        if self.on_run_done is None:
            raise BadCall("run_async before set_on_run_done")
        self._require_inputs(inputs)
        words = (inputs, outputs, timeout, user_data, self.on_run_done)
        Thread(target=self._finish, args=words, daemon=True).start()

    def _finish(
        self,
        inputs: Sequence[np.ndarray],
        outputs: list[np.ndarray],
        timeout: float,
        user_data: object,
        tell: OnRunDone,
    ) -> None:
        """Run, and tell how that ended; what ends too late changes nothing."""
        pool = ThreadPoolExecutor(1)
        running = pool.submit(self._run, inputs)
        code = ReturnCode.SUCCESS
        try:
            outputs[:] = running.result(timeout / 1000)
        except TooLate:
            self.problem = f"no result after {timeout} milliseconds"
            code = ReturnCode.TIMEOUT
        except (NNAdapterError, *VALUES) as error:
            self.problem = summary(error)
            code = code_of(error)
        pool.shutdown(wait=False)
        tell(user_data, code, outputs)

    def _require_inputs(self, inputs: Sequence[np.ndarray]) -> None:
        """BadInput for arrays that are not what the inputs say."""
        model = self.model
        if len(inputs) != len(model.inputs):
            raise BadInput(f"{len(inputs)} inputs: {len(model.inputs)} are accepted")
        for number, array in zip(model.inputs, inputs, strict=True):
            _require_fitting(model.tensor(number), array)

    def _run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        self._require_inputs(inputs)
        model = self.model
        shapes = tuple(a.shape for a in inputs)
        if shapes not in self.plans:
            self.plans[shapes] = OwningPlan(assemble(model, shapes))
        results = self.plans[shapes].run(inputs)
        for number, array in zip(model.outputs, results, strict=True):
            _require_declared(model.tensor(number), array)
        self.shapes = [a.shape for a in results]
        return results


def _describe(model: Model, numbers: Sequence[int], index: int) -> TensorDesc:
    if not 0 <= index < len(numbers):
        raise BadModel(f"number {index}: there are {len(numbers)}")
    tensor = model.tensor(numbers[index])
    return TensorDesc(tensor.data_type, tensor.shape, tensor.format, tensor.name)


def _fits(tensor: Tensor, array: np.ndarray) -> bool:
    """Whether an array is what a tensor says."""
    return (
        array.dtype == tensor.data_type.dtype
        and array.ndim == len(tensor.shape)
        and all(d in (DYNAMIC, n) for d, n in zip(tensor.shape, array.shape, strict=True))
    )


def _require_fitting(tensor: Tensor, array: np.ndarray) -> None:
    if not _fits(tensor, array):
        raise BadInput(f"an input of {array.dtype}{list(array.shape)}: {tensor} is accepted")


def _require_declared(tensor: Tensor, array: np.ndarray) -> None:
    if not _fits(tensor, array):
        raise DeviceError(f"an output of {array.dtype}{list(array.shape)}, declared {tensor}")
