"""Running step by step: LiteRT's Python interface does not say how long each step takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from nnir.records import dataclass

from ...device import Timing

if TYPE_CHECKING:
    from .writer import Tensor


@dataclass
class Link:
    """A step as a file, with what it reads and what it makes."""

    name: str
    operator: str
    content: bytes
    inputs: list[Tensor]
    outputs: list[Tensor]
    interpreter: Any = None

    def run(self, values: dict[Tensor, np.ndarray]) -> float:
        """The seconds that the step takes; its results join the values."""
        interpreter = self.interpreter
        details = interpreter.get_input_details()
        arrays = [values[key] for key in self.inputs]
        changed = [
            (d, a) for d, a in zip(details, arrays, strict=True) if tuple(d["shape"]) != a.shape
        ]
        for detail, array in changed:
            interpreter.resize_tensor_input(detail["index"], array.shape)
        interpreter.allocate_tensors()
        for detail, array in zip(details, arrays, strict=True):
            interpreter.set_tensor(detail["index"], array)
        begin = time.perf_counter()
        interpreter.invoke()
        seconds = time.perf_counter() - begin
        places = (d["index"] for d in interpreter.get_output_details())
        for key, place in zip(self.outputs, places, strict=True):
            values[key] = np.asarray(interpreter.get_tensor(place))
        return seconds


@dataclass
class Chain:
    """All steps in order, and the ends."""

    links: list[Link]
    inputs: list[Tensor]
    outputs: list[Tensor]
    times: list[Timing] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self, runtime: ModuleType, threads: int) -> None:
        """Make the interpreters."""
        for link in self.links:
            link.interpreter = runtime.Interpreter(model_content=link.content, num_threads=threads)

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The results; `times` has the steps of the last run."""
        with self.lock:
            values = dict(zip(self.inputs, arrays, strict=True))
            times: list[Timing] = []
            begin = time.perf_counter()
            for number, link in enumerate(self.links):
                start = time.perf_counter() - begin
                seconds = link.run(values)
                name = link.name or f"{link.operator.lower()}_{number}"
                times.append(Timing(name, link.operator, start, seconds))
            self.times = times
            return [values[key] for key in self.outputs]
