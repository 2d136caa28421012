"""Which execution providers of ONNX Runtime run a program, and where it keeps its states."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from nnir.errors import BadCall, DeviceError, NoDevice
from nnir.records import dataclass
from nnir.spelling import suggest

from ...positions import Bound, require_within
from ...properties import integer

if TYPE_CHECKING:
    import onnxruntime

SUFFIX = "ExecutionProvider"
CPU = f"CPU{SUFFIX}"
REMOTE = f"Azure{SUFFIX}"
"""Is listed by every build, and runs no operator here."""

EXACT = {f"CUDA{SUFFIX}": {"use_tf32": "0"}}
"""Options by which float32 stays float32."""

MEMORY = {f"CUDA{SUFFIX}": "cuda", f"Tensorrt{SUFFIX}": "cuda"}
"""Whose memory tensors may stay in."""

Provider = tuple[str, dict[str, str]]


@dataclass(frozen=True)
class Providers:
    """The providers of a session in the order of preference, the CPU's last, with their options.

    `device_id` is the number of the device that all but the CPU's use.
    """

    listed: Sequence[Provider] = ((CPU, {}),)
    device_id: int = 0

    @property
    def is_host(self) -> bool:
        """Whether the CPU's provider is the only one."""
        return len(self.listed) == 1

    @property
    def memory(self) -> str | None:
        """ONNX Runtime's name for the memory of the preferred one; None where it is the host's."""
        return MEMORY.get(self.listed[0][0])

    def require_started(self, session: onnxruntime.InferenceSession) -> None:
        """NoDevice where ONNX Runtime left out a provider, as it does where libraries lack."""
        missing = [name for name, _ in self.listed if name not in session.get_providers()]
        if missing:
            raise NoDevice(
                f"onnxruntime cannot start {', '.join(missing)}: its hardware or libraries are "
                f"missing (for CUDA: pip install 'onnxruntime-gpu[cuda,cudnn]')"
            )


def choose_providers(runtime: ModuleType, properties: Mapping[str, str]) -> Providers:
    """What the properties ONNXRUNTIME_PROVIDERS and ONNXRUNTIME_DEVICE_ID ask for.

    Names are those of ONNX Runtime with or without "ExecutionProvider", with commas between; what
    they cannot run is left to the CPU. NoDevice for one that this build does not have.
    """
    number = integer(properties, "ONNXRUNTIME_DEVICE_ID")
    if number is not None and number < 0:
        raise BadCall(f"ONNXRUNTIME_DEVICE_ID={number} is below 0")
    asked = properties.get("ONNXRUNTIME_PROVIDERS")
    if asked is None:
        return Providers()
    known = {_short(n): n for n in runtime.get_available_providers() if n != REMOTE}
    names = dict.fromkeys(_require_known(name, known) for name in asked.split(","))
    own = {} if number is None else {"device_id": str(number)}
    others = [(name, EXACT.get(name, {}) | own) for name in names if name != CPU]
    if any(name in MEMORY for name in names) and hasattr(runtime, "preload_dlls"):
        with contextlib.redirect_stdout(sys.stderr):  # it prints what it does not find
            runtime.preload_dlls()
    return Providers((*others, (CPU, {})), number or 0)


def _require_known(name: str, known: Mapping[str, str]) -> str:
    found = known.get(_short(name.strip()))
    if found is None:
        there = [n.removesuffix(SUFFIX) for n in known.values()]
        near = suggest(name.strip(), there) or ";"
        raise NoDevice(
            f"this onnxruntime has no provider {name.strip()!r}{near} there are "
            f"{', '.join(there)} (CUDA and TensorRT come with pip install onnxruntime-gpu)"
        )
    return found


def _short(name: str) -> str:
    return name.lower().removesuffix(SUFFIX.lower())


@dataclass(frozen=True)
class Residence:
    """States of a session in the memory of a provider (see `hal.device.Residence`).

    `inputs` and `outputs` are the names of all ends, `bounds` as of a program.
    """

    runtime: ModuleType
    session: onnxruntime.InferenceSession
    inputs: Sequence[str]
    outputs: Sequence[str]
    memory: str
    device_id: int
    bounds: Sequence[Bound]

    def place(self, arrays: Sequence[np.ndarray]) -> list[onnxruntime.OrtValue]:
        make = self.runtime.OrtValue.ortvalue_from_numpy
        return [make(np.array(a, order="C"), self.memory, self.device_id) for a in arrays]

    def fetch(self, tensors: Sequence[onnxruntime.OrtValue]) -> list[np.ndarray]:
        return [np.array(tensor.numpy()) for tensor in tensors]

    def shape_of(self, tensor: onnxruntime.OrtValue) -> tuple[int, ...]:
        return tuple(tensor.shape())

    def run(
        self, inputs: Sequence[np.ndarray], tensors: Sequence[onnxruntime.OrtValue]
    ) -> tuple[list[np.ndarray], list[onnxruntime.OrtValue]]:
        first = len(inputs)
        for place, size in self.bounds:
            at = inputs[place] if place < first else tensors[place - first].numpy()
            require_within(at, size)
        binding = self.session.io_binding()
        for name, array in zip(self.inputs[:first], inputs, strict=True):
            binding.bind_cpu_input(name, np.require(array, requirements=["C", "A"]))
        for name, tensor in zip(self.inputs[first:], tensors, strict=True):
            binding.bind_ortvalue_input(name, tensor)
        kept = len(self.outputs) - len(tensors)
        for name in self.outputs[:kept]:
            binding.bind_output(name)
        for name in self.outputs[kept:]:
            binding.bind_output(name, self.memory, self.device_id)
        try:
            self.session.run_with_iobinding(binding)
        except Exception as error:
            text = " ".join(str(error).split())[:500]
            raise DeviceError(f"onnxruntime failed: {text}") from error
        found = binding.get_outputs()
        return [value.numpy() for value in found[:kept]], found[kept:]
