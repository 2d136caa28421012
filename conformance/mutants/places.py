"""The parts of the code that changes are planted in, and what a process must not import before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEVICES = ("builtin", "onnxruntime", "litert", "torch", "openvino")
"""In the order in which they are asked: the quick ones first."""

FRONTENDS = (
    *("nnir", "onnx", "torch", "tensorflow", "tflite", "paddle", "paddle-legacy"),
    *("nnapi", "nnrt"),
)
SCRIPT = re.compile(r"probe\.py|make_\w+\.py")
"""Programs that make tables of data: no case runs them."""

ENGINES = ("openvino", "openvino.utils.node_factory", "onnxruntime", "torch", "onnx")
"""What takes seconds to import and holds nothing of ours: a host imports it once."""

EMITTERS = (
    "hal.drivers.onnxruntime.driver",
    "hal.drivers.litert.compiler",
    "hal.drivers.nnapi.compiler",
    "hal.drivers.nnrt.compiler",
    "hal.drivers.openvino.driver",
    "hal.drivers.torch.program",
)
READERS = (
    "conformance.engines.onnx",
    "conformance.engines.torch",
    "conformance.engines.tensorflow",
    "conformance.engines.tflite",
    "conformance.engines.nnapi",
    "conformance.engines.nnrt",
    "conformance.engines.paddle",
    "conformance.engines.paddle_legacy",
)
CASES = tuple(f"conformance.cases.{name.replace('-', '_')}" for name in FRONTENDS)
"""The rows of cases, which take a second."""

LATEST = ("hal.runtime.program", "conformance.suites.operators")


@dataclass(frozen=True)
class Place:
    """A folder of the code.

    `frontends` and `devices` are those whose cases can enter it, `early` are modules that a host
    imports before a change is planted, and `tests` those that show what no case does.
    """

    name: str
    frontends: tuple[str, ...] = FRONTENDS
    devices: tuple[str, ...] = DEVICES
    early: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def files(self) -> Sequence[Path]:
        """The files that changes are planted in."""
        found = sorted((ROOT / self.name).rglob("*.py"))
        return [p for p in found if not SCRIPT.fullmatch(p.name)]


def module_of(path: Path) -> str:
    """The module that a file holds."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def name_of(path: Path) -> str:
    """A file as reports name it."""
    return path.relative_to(ROOT).as_posix()


def _readers_beside(name: str) -> tuple[str, ...]:
    """Those that do not import the frontend or the driver of this name."""
    return tuple(m for m in READERS if not m.endswith(("." + name, "." + name + "_legacy")))


def _frontend(name: str, *cases: str, tests: str = "") -> Place:
    """Of a frontend: cases ask its converters, tests what no case of one operator is: files."""
    others = _readers_beside(name)
    if name == "onnx":
        others = ()  # other frontends ask for its delegate
    own = sorted((ROOT / "tests/frontends").glob(f"test_*{name}*.py"))
    return Place(
        f"frontends/{name}",
        cases or (name,),
        early=(*EMITTERS, "hal.runtime.program", *others),
        tests=(*map(name_of, own), *tests.split()),
    )


def _driver(name: str, *tests: str) -> Place:
    others = tuple(m for m in EMITTERS if f".{name}." not in m)
    cases = (c for c in CASES if not (name in ("nnapi", "nnrt") and c.endswith(name)))
    files = tuple(f"tests/{t}.py" for t in tests)
    early = (*LATEST, *_readers_beside(name), *others, *cases)
    return Place(f"hal/drivers/{name}", devices=(name,), early=early, tests=files)


PASSES = (
    *(
        "test_passes",
        "test_shape_passes",
        "test_layout",
        "test_layout_axes",
        "test_matching",
        "test_ends",
    ),
    *("test_complex_pairs", "test_specialise", "test_decompositions"),
)
DECOMPOSITIONS = (
    "test_decompositions",
    *(f"test_decompositions_{n}" for n in ("conv", "linalg", "logic", "sampling", "unary")),
)

OPENVINO = ("", "_narrow", "_files", "_recurrent", "_strides", "_slopes")

OPERATORS = (
    *("tests/conformance/test_rules.py", "tests/conformance/test_patterns.py"),
    *("tests/nnir/test_contents.py", "tests/meta/test_standard.py"),
)

ONNX = (
    *("frontends/test_reader", "conformance/test_old_opsets"),
    *("nnadapter/test_lists", "nnadapter/test_states", "nnadapter/test_traces"),
)

PLACES = (
    Place("nnir/passes", tests=tuple(f"tests/nnir/{t}.py" for t in PASSES)),
    _frontend("tflite", tests="tests/frontends/test_stablehlo.py tests/frontends/test_flex.py"),
    Place("nnir/ops", tests=OPERATORS),
    Place("nnir/recipes"),
    Place("nnir/decompositions", tests=tuple(f"tests/nnir/{t}.py" for t in DECOMPOSITIONS)),
    _frontend("paddle", "paddle", "paddle-legacy"),
    _frontend("tensorflow"),
    _frontend("onnx", tests=" ".join(f"tests/{t}.py" for t in ONNX)),
    _frontend("torch"),
    _frontend("nnapi"),
    _frontend("nnrt", tests="tests/nnir/test_formats_nnrt.py tests/hal/test_nnrt.py"),
    _driver("onnxruntime", "hal/test_onnxruntime", "hal/test_hosting", "nnadapter/test_traces"),
    _driver("litert", "hal/test_litert", "hal/test_litert_files"),
    _driver("openvino", *(f"hal/test_openvino{e}" for e in OPENVINO)),
    _driver("torch", "hal/test_torch"),
    _driver("nnapi", "hal/test_nnapi", "hal/test_nnapi_runtime"),
    _driver("nnrt", "hal/test_nnrt"),
)
BY_NAME = {place.name: place for place in PLACES}
