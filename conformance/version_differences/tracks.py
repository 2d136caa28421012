"""Which versions are compared, and what they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..engines.engine import Engine
from ..environments.recipes import RECIPES, read_version
from ..running.versions import ENGINES, ORIGINS
from ..suites.operators import book, operator_of
from ..suites.processors import lacking

ORIGIN = "origin"
"""Stands in a result for the device, where a framework itself answers."""


@dataclass(frozen=True)
class Track:
    """A framework or engine with older versions, which the one that is installed here follows.

    `name` is that of the recipe of its environment. `frontends`: whose cases it is asked.
    `device`: they are asked as programs of this device. `since`: the first versions that have the
    cases of a frontend. `oracle`: only cases that this oracle answers, all where empty.
    """

    name: str
    title: str
    versions: tuple[str, ...]
    frontends: tuple[str, ...]
    device: str = ""
    since: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    oracle: str = ""

    @property
    def package(self) -> str:
        """What pip calls it."""
        return RECIPES[self.name].package

    def packages(self, frontend: str) -> tuple[str, ...]:
        """What its answers depend on."""
        return ENGINES[self.device] if self.device else ORIGINS[frontend]

    def frontends_of(self, version: str) -> tuple[str, ...]:
        """The frontends whose cases a version can be asked."""
        number = read_version(version)
        return tuple(f for f in self.frontends if number >= self.since.get(f, ()))


TRACKS = (
    Track("torch", "PyTorch", ("2.6.0", "2.9.1"), ("torch",)),
    Track("tensorflow", "TensorFlow", ("2.16.2", "2.19.1"), ("tensorflow",)),
    Track(
        *("paddle", "Paddle", ("2.6.2", "3.0.0"), ("paddle", "paddle-legacy")),
        since={"paddle": (3,)},
    ),
    Track(
        *("onnx", "ONNX's reference evaluator", ("1.16.2", "1.18.0", "1.20.1"), ("onnx",)),
        oracle="reference",
    ),
    Track("onnxruntime", "ONNX Runtime", ("1.18.1", "1.23.2"), ("onnx",), "onnxruntime"),
    Track("openvino", "OpenVINO", ("2024.6.0", "2025.4.1"), ("onnx",), "openvino"),
    Track("litert", "LiteRT", ("1.4.0", "2.1.6"), ("tflite",), "litert"),
)


@dataclass(frozen=True)
class Question:
    """A case that every version is asked."""

    frontend: str
    op: str
    name: str
    engine: Engine[Any]
    case: Any

    @property
    def key(self) -> tuple[str, str]:
        """What names it within a track."""
        return self.frontend, self.name


def questions(track: Track, frontend: str) -> Iterator[Question]:
    """The cases of a frontend that have an answer: those that must fail and those of random
    numbers have none, nor has what this processor lacks."""
    for name, (engine, case) in book(frontend).cases.items():
        if case.raises is not None or getattr(case, "random", False):
            continue
        if track.oracle and getattr(case, "oracle", track.oracle) != track.oracle:
            continue
        op = operator_of(case) if frontend == "onnx" else case.op
        if lacking(frontend, op, name, track.device or ORIGIN) is None:
            yield Question(frontend, op, name, engine, case)
