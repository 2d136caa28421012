"""The device interface: all that a vendor implements. Member names are the standard's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol

import numpy as np

from nnir.errors import Unsupported
from nnir.installed import version_of_provider
from nnir.model import Model, Operator
from nnir.records import dataclass
from nnir.staging import temporary_folder
from nnir.types import DeviceType, TensorType

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Context = TypeVar("Context", default=Any)
    Program = TypeVar("Program", default=Any)
    Tensor = TypeVar("Tensor", default=Any)
else:
    from typing import TypeVar

    Context = TypeVar("Context")
    Program = TypeVar("Program")
    Tensor = TypeVar("Tensor")

Callback = Callable[[int, object], int]

PROFILE = "NNADAPTER_PROFILE"
"""The property that the runtime sets to 1 for a program whose times are asked for."""

HUGE_PAGES = "NNADAPTER_HUGE_PAGES"
"""The property that is 0 for programs whose memory stays in small pages."""


class CacheWarning(UserWarning):
    """A cache that cannot be used; what it lacks is compiled instead."""


class Cache:
    """What a program leaves behind, and what it is restored from.

    `buffer` is the device's own form of the compiled program; empty where it has none. `pieces` are
    the same bytes in order without a copy, and `view` those of one to restore from: a private map
    of the file that begins at a multiple of 64 bytes. `is_checked` says that a checksum found them
    to be what was written.
    `beside` is what the names of files begin with that a device may keep beside that file; a
    program can be restored without them.
    """

    beside: Path | None = None

    def __init__(
        self,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
        view: bytes | memoryview = b"",
        *,
        is_checked: bool = False,
    ) -> None:
        self.is_checked = is_checked
        self.inputs = inputs
        self.outputs = outputs
        self.pieces: Sequence[bytes | memoryview] = (view,)

    @property
    def view(self) -> bytes | memoryview:
        if len(self.pieces) != 1:
            self.pieces = (b"".join(self.pieces),)
        return self.pieces[0]

    @view.setter
    def view(self, data: bytes | memoryview) -> None:
        self.pieces = (data,)

    @property
    def buffer(self) -> bytes:
        return bytes(self.view)

    @buffer.setter
    def buffer(self, data: bytes) -> None:
        self.pieces = (data,)

    @property
    def is_empty(self) -> bool:
        """Whether the device has no form of the program that can be kept."""
        return not any(map(len, self.pieces))


Shapes = Sequence[Sequence[int | None]]
"""Shapes whose open sizes are None."""


@dataclass(frozen=True)
class Export:
    """A model in the form of a file that is not written yet; nothing but the disk refuses it now.

    `write` writes it into a folder that is fresh, as `files`, the main one last. `rehearse` finds
    what writing alone would tell, and writes nothing. `inputs` and `outputs` are the shapes that
    the file has for the ends of the model, None for sizes that are open; none where nobody knows.
    """

    write: Callable[[], None]
    files: Sequence[Path]
    inputs: Shapes = ()
    outputs: Shapes = ()
    rehearse: Callable[[], None] = lambda: None


def open_shapes(shapes: Iterable[Sequence[object]]) -> Shapes:
    """Shapes with None for every size that is no number."""
    return [[d if isinstance(d, int) else None for d in shape] for shape in shapes]


@dataclass(frozen=True)
class Timing:
    """One step of a run: `start` and `seconds` in seconds, `start` from the begin of the run.

    `covers`: the names of everything that the step computes, where an engine fuses and tells it.
    """

    name: str
    operator: str
    start: float
    seconds: float
    covers: tuple[str, ...] = ()


class Residence(Protocol[Tensor]):
    """How a program keeps tensors between its calls in memory that is not the host's.

    Tensors are the device's own objects, which nobody but the device reads or writes.
    """

    def place(self, arrays: Sequence[np.ndarray]) -> list[Tensor]:
        """Tensors with the elements of arrays."""

    def fetch(self, tensors: Sequence[Tensor]) -> list[np.ndarray]:
        """The elements of all tensors, in the order of the program, as arrays of their own."""

    def shape_of(self, tensor: Tensor) -> tuple[int, ...]:
        """The sizes of a tensor."""

    def run(
        self, inputs: Sequence[np.ndarray], tensors: Sequence[Tensor]
    ) -> tuple[list[np.ndarray], list[Tensor]]:
        """Run once with `tensors` as the last inputs: the first outputs as arrays, and as many of
        the last ones as tensors. The tensors that went in stay as they are."""


class LoweringTable(Protocol):
    """How a device emits operators: see `hal.lowering.Lowerings`."""

    def find(self, operator: Operator[object]) -> Callable[..., object] | None:
        """The lowering of an operator, None where it has none."""


class Device(ABC, Generic[Context, Program]):
    """One kind of hardware or engine.

    A driver keeps its state in the context and program objects it returns; what they are is its
    own affair. `keys` are the properties that it reads, by which a misspelt one is told. `formats`
    names the file suffixes that `export` writes, `stateful_formats` those
    among them whose files keep the states of a model by themselves; in others, and in programs,
    states are inputs and outputs (`nnir.stateful`). `packages` names the distributions that compile
    and run; one that `writes_alone` writes without them, and without being open. Whether frontends
    read its files again (`reads_back`) decides what is compared where they are absent.
    `exact_settings` are those with which an engine rounds nothing in a file that the file does not
    round, where that is not its default. One that `takes_quantised` operands gets operations on
    them as they are; for others the runtime writes them with real numbers between explicit borders.
    One that `emulates` computes what other hardware would, and is not for speed. One that
    `suits_processor` compiles for the features of the processor that it runs on: what is kept is
    none for others. Programs may be executed by several threads at once.
    """

    name: ClassVar[str]
    vendor: ClassVar[str]
    type: ClassVar[DeviceType] = DeviceType.CPU
    version: ClassVar[int] = 1
    keys: ClassVar[tuple[str, ...]] = ()
    formats: ClassVar[tuple[str, ...]] = ()
    stateful_formats: ClassVar[tuple[str, ...]] = ()
    packages: ClassVar[tuple[str, ...]] = ()
    writes_alone: ClassVar[bool] = False
    reads_back: ClassVar[bool] = True
    exact_settings: ClassVar[str] = ""
    takes_quantised: ClassVar[bool] = False
    emulates: ClassVar[bool] = False
    suits_processor: ClassVar[bool] = False

    def build(self) -> str:
        """What compiled programs depend on beside `version`: the versions of `packages`, and the
        processor where it `suits_processor`."""
        found = ((name, version_of_provider(name)) for name in self.packages)
        words = [f"{name} {version or 'not installed'}" for name, version in found]
        if self.suits_processor:
            from nnir.machine import features  # whoever keeps nothing does without

            words.append(f"on {features()}")
        return " ".join(words)

    def open_device(self) -> None:
        """Load what the device needs; NoDevice when that is not installed."""

    def close_device(self) -> None:
        """Give back what `open_device` took."""

    def lowerings(self) -> LoweringTable | None:
        """The table of its lowerings; None where it has none."""
        return None

    @abstractmethod
    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> Context:
        """A context with `KEY=value;` properties. A device reads its own keys, all others pass."""

    def destroy_context(self, context: Context) -> None:
        """Give back a context."""

    def validate_program(self, context: Context, model: Model) -> list[bool]:
        """For each operation of `model`, in order, whether the device runs it.

        A device has this or `explain_program`, each of which answers for the other.
        """
        return [why is None for why in self.explain_program(context, model)]

    def explain_program(self, context: Context, model: Model) -> list[str | None]:
        """For each operation of `model`, in order, why the device does not run it, or None."""
        answers = zip(model.operations, self.validate_program(context, model), strict=True)
        return [None if ok else f"{self.name} does not run {o.operator.name}" for o, ok in answers]

    @abstractmethod
    def create_program(self, context: Context, model: Model | None, cache: Cache | None) -> Program:
        """Compile `model`, or restore a program from `cache.buffer` where there is no model.

        A model is not changed; NoLowering lists every operation that cannot be run. A cache given
        with a model asks for its buffer to be filled, which a device that has no such form leaves
        empty. DeviceError for a buffer that cannot be restored.
        """

    def destroy_program(self, program: Program) -> None:
        """Give back a program."""

    @abstractmethod
    def execute_program(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        """Run once: one array per model input, in order; the outputs in order.

        `outputs` offers memory for results of fitting type and shape. A device that can write
        there returns those very arrays; the runtime copies what it returns otherwise.
        """

    def keep_states(self, program: Program, types: Sequence[TensorType]) -> Residence | None:
        """How the states of a program, its last inputs and outputs of these types, stay in the
        device's memory; None where that is the host's, or the device has no such way."""
        return None

    def timings(self, program: Program) -> list[Timing]:
        """The steps of the last run, of a program whose context has NNADAPTER_PROFILE=1.

        Empty where the device knows no steps: the time of the whole program is taken then.
        """
        return []

    def import_program(
        self,
        context: Context,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        """A program of a file that `export` wrote of a model with these ends: to prove the file.

        The file is opened as its users open it, by the engine's own defaults, whatever the context
        says. `convert` calls this in a process of its own.
        """
        raise Unsupported(f"device {self.name!r} reads no file format")

    def import_exact_program(
        self,
        context: Context,
        path: Path,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType],
    ) -> Program:
        """As `import_program`, with `exact_settings` beside the engine's defaults."""
        raise Unsupported(f"device {self.name!r} reads no file format with settings")

    def files_of(self, path: Path) -> list[Path] | None:
        """The files that make up an existing file of this device's format, `path` among them.

        They may be replaced together. None where `path` holds something else. A device that is
        not open answers too.
        """
        return [path]

    def prepare_export(self, model: Model, path: Path, *, opset: int | None = None) -> Export:
        """All of `export` but writing: whatever cannot be written is refused here.

        Files beside `path` are named after it. `opset` is the version of the format's operator
        set, for formats that have one. A device has this or `export`, each of which answers for
        the other: one that has `export` alone rehearses by writing a file that goes away again.
        """
        if type(self).export is Device.export:
            raise Unsupported(f"device {self.name!r} writes no file format")

        def rehearse() -> None:
            with temporary_folder() as folder:
                self.export(model, folder / path.name, opset=opset)

        write = partial(self.export, model, path, opset=opset)
        return Export(write, [path], rehearse=rehearse)

    def export(self, model: Model, path: Path, *, opset: int | None = None) -> None:
        """Write `model` in the device's own file format into a folder that is fresh."""
        self.prepare_export(model, path, opset=opset).write()


def lacking(kind: type[Device[Context, Program]]) -> list[str]:
    """What a class still needs to be a device."""
    missing = [n for n in ("name", "vendor") if not isinstance(getattr(kind, n, None), str)]
    missing += sorted(getattr(kind, "__abstractmethods__", ()))
    asked = ("validate_program", "explain_program")
    if all(getattr(kind, n) is getattr(Device, n) for n in asked):
        missing.append(" or ".join(asked))
    return missing
