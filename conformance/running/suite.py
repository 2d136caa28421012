"""What a suite is: named cases of frontends, each run on a device for results."""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

from nnir.errors import Unsupported

from ..engines.runs import KeptRuns
from ..judging.result import Result
from ..oracles.kept import KeptOracle
from ..oracles.oracle import Oracle
from ..processes.answer_store import AnswerStore
from ..processes.worker import GIGABYTE
from .versions import ORIGINS, interpreters

PADDLE2 = "NNADAPTER_PADDLE2_PYTHON"
"""Names the interpreter of an environment with paddlepaddle 2.6 and ml_dtypes."""

NEEDS: dict[str, tuple[str, ...]] = {
    "nnir": (),
    "onnx": ("onnx", "onnxruntime"),
    "torch": ("torch",),
    "tensorflow": ("tensorflow",),
    "tflite": ("ai_edge_litert",),
    "nnrt": ("torch", "tensorflow", "ai_edge_litert"),
    "paddle": ("paddle",),
    "paddle-legacy": ("paddle",),
    "paddle-2.6": (),
    "nnapi": ("ai_edge_litert", "torch"),
}
"""Every frontend, in the order of the reports, and what must be installed to ask its origin.

`nnir` are the operators of the standard, which are called directly."""

IDLE = 120.0
"""Seconds after which a runner that nobody asks ends: nobody can stop those of other machines."""

PACKAGE = "nnadapter-conformance"
"""The distribution that holds the cases and suites."""

MOST_ORACLES = 3
CHOOSING = ("suites", "frontends", "devices", "op", "using", "case", "one_in", "packed", "lines")
"""Options that choose cases: a case that runs alone is named in their place."""

WORDS = {"dtypes": "dtype", "origins": "origin"}
"""Options whose name on the command line is another."""


def require_suites() -> None:
    """Unsupported where the cases and suites are not installed: the core is useful without."""
    if importlib.util.find_spec("conformance.suites") is None:
        raise Unsupported(
            f"the cases and suites are in the package {PACKAGE}, which is not installed: "
            "pip install 'nnadapter[conform]'"
        )


@dataclass(frozen=True)
class Options:
    """What is run and how: everything that another process must know.

    Empty filters choose everything. `op` is a standard operator that cases are about or a source's
    name, a pattern such as `conv*`, or several with commas; `using` likewise, of standard operators
    that cases are converted to; `case` a name or a part of one. `timeout` is in seconds and
    `memory` in bytes, for one case. `models` are folders of model folders. `yardstick` asks for
    float64 results too. `optimize` runs the passes of `nnadapter.load` and `nnadapter.optimize` on
    every case first. `seed` and `examples` (per operator) are for fuzzing. `one_in`: one case in so
    many is drawn, by `seed`. `samples` (per operator) and `dtypes` are for OpInfo, as are `special`
    (a seed: NaN and other edges among the inputs) and `dynamic` (export with open sizes). `preload`
    names modules (or `module:function`) that every process imports (and calls) first, such as those
    of a device under development. `packed` compiles many cases as one where compiling is slow: the
    verdicts are the same, the times say nothing. `origins` name the interpreters that answer for
    frontends (`torch=PATH/bin/python`); `lines` is a folder where the lines that run are written
    down (`conformance.lines`). `fresh` asks origins for what they answered before, too.
    """

    suites: tuple[str, ...] = ("cases",)
    frontends: tuple[str, ...] = ()
    devices: tuple[str, ...] = ("builtin", "onnxruntime")
    op: str = ""
    using: str = ""
    case: str = ""
    one_in: int = 1
    timeout: float = 60.0
    memory: int = 8 * GIGABYTE
    models: tuple[str, ...] = ()
    seed: int = 0
    examples: int = 50
    samples: int = 2
    dtypes: tuple[str, ...] = ("float32",)
    special: int = 0
    dynamic: bool = False
    preload: tuple[str, ...] = ()
    yardstick: bool = True
    optimize: bool = False
    packed: bool = True
    origins: tuple[str, ...] = ()
    lines: str = ""
    fresh: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Options:
        """The inverse of `as_dict`."""
        known = {f.name for f in fields(cls)}
        given: dict[str, Any] = {k: v for k, v in data.items() if k in known}
        return cls(**_tuples(given))


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    """Lists as tuples: options are compared and hashed."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}


@dataclass(frozen=True, order=True)
class Item:
    """One case by name, on no device yet."""

    suite: str
    frontend: str
    op: str
    name: str


@dataclass
class Crew:
    """The oracles of a process: each is started when it is first asked and then kept.

    `store` has their answers and `runs` what devices made of models, both of earlier runs.
    """

    timeout: float
    memory: int
    store: AnswerStore | None = None
    runs: KeptRuns | None = None
    _oracles: OrderedDict[tuple[str, str, bool], Oracle] = field(default_factory=OrderedDict)

    def oracle(
        self, module: str, python: str = sys.executable, packages: tuple[str, ...] = ()
    ) -> Oracle:
        """The worker of a module; the one that was used longest ago makes room. Its answers are
        kept where `packages` say on whose versions they depend."""
        is_kept = bool(packages) and self.store is not None
        key = module, python, is_kept
        found = self._oracles.pop(key, None)
        if found is None:
            if len(self._oracles) >= MOST_ORACLES:
                _, oldest = self._oracles.popitem(last=False)
                oldest.close()
            limits: dict[str, Any] = {"timeout": self.timeout, "memory": self.memory}
            limits["python"] = python
            if is_kept and self.store is not None:
                found = KeptOracle(module, self.store, packages, **limits)
            else:
                found = Oracle(module, **limits)
        self._oracles[key] = found
        return found

    def close(self) -> None:
        """Stop every worker."""
        for oracle in self._oracles.values():
            oracle.close()
        self._oracles.clear()
        for kept in (self.store, self.runs):
            if kept is not None:
                kept.close()


class Suite(ABC):
    """Cases with a name in common. A process makes one and asks it for many of its items."""

    name: ClassVar[str]
    frontends: ClassVar[tuple[str, ...]]

    def __init__(self, options: Options, crew: Crew) -> None:
        self.options, self.crew = options, crew

    @classmethod
    def list_frontends(cls) -> tuple[str, ...]:
        """The frontends that it has cases of."""
        return cls.frontends

    def asked(self, frontend: str) -> tuple[str, tuple[str, ...]]:
        """The interpreter that answers for a frontend, and the packages that answers depend on."""
        python = interpreters(self.options.origins).get(frontend, sys.executable)
        return python, ORIGINS.get(frontend, ())

    def missing(self, frontend: str) -> str | None:
        """Why the cases of a frontend cannot be run here."""
        return missing(frontend, interpreters(self.options.origins))

    @abstractmethod
    def items(self, frontend: str) -> Iterable[Item]:
        """Every case of a frontend; the filters on operators and names are applied later."""

    @abstractmethod
    def run(self, item: Item, device: str) -> Iterator[Result]:
        """The results of one case on a device."""

    def can_wait(self, item: Item, device: str) -> bool:
        """Whether a case may be run in a thread beside others, as `packs` does; it is asked
        outside of it, where processes may be started."""
        return False


def missing(frontend: str, origins: Iterable[str] = ()) -> str | None:
    """The reason why a frontend's origin cannot be asked, or None. `origins` are those that have
    interpreters of their own."""
    if frontend in origins:
        return None
    if frontend == "paddle-2.6" and not os.environ.get(PADDLE2):
        return f"{PADDLE2} does not name a Python with paddlepaddle 2.6"
    lacking = [n for n in NEEDS.get(frontend, ()) if importlib.util.find_spec(n) is None]
    return f"not installed: {', '.join(lacking)}" if lacking else None


def command(item: Item, device: str, options: Options) -> str:
    """The command line that runs one case alone, with every option that is not the default."""
    words = ["nnadapter", "conform", "--suite", item.suite, "--frontend", item.frontend]
    words += ["--device", device, "--case", item.name]
    for f in fields(options):
        value = getattr(options, f.name)
        if f.name not in CHOOSING and value != f.default:
            words += _words(WORDS.get(f.name, f.name), value)
    return shlex.join(words)


def _words(name: str, value: Any) -> list[str]:
    """An option of the command line."""
    match value:
        case bool():
            return [f"--{name}" if value else f"--no-{name}"]
        case tuple():
            return [w for part in value for w in (f"--{name}", part)]
    return [f"--{name}", str(value / GIGABYTE if name == "memory" else value)]
