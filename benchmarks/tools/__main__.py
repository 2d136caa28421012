"""Models as tools write them, verified against their origins: `python -m benchmarks.tools FOLDER`.

Each tool writes its models in an environment of its own (6 GB in all, in FOLDER/environments),
into FOLDER/models. What a tool does not write stands there as `refused-NAME`, with the reason.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from ..verdicts import AGREES, DEVICES, DIFFERS, ask
from .environments import ESTIMATORS, KERAS2, OURS, PADDLE2, PADDLE3, TORCH, Environment
from .writers.making import PART, REFUSED

WRITERS = Path(__file__).with_name("writers")
ENDINGS = (".onnx", ".pdmodel", "model.json")
OPENING = {
    ".onnx": "import onnxruntime as o; o.InferenceSession(path)",
    ".tflite": "from ai_edge_litert.interpreter import Interpreter as I; i = I(path); "
    "i.allocate_tensors(); i.invoke()",
}
"""What an engine does with its files: one that fails here no one can run."""

MOST_DEATHS = 40
"""A tool whose process ends in the middle begins anew behind that model, so often at most."""


@dataclass(frozen=True)
class Tool:
    """A tool, the environment that it runs in, and the program of `writers` that calls it."""

    name: str
    environment: Environment
    place: str
    program: str


TOOLS = (
    Tool("torch.onnx", TORCH, "torch", "torch_onnx"),
    Tool("optimum", TORCH, "torch", "optimum_models"),
    Tool("ONNX Runtime, simplifiers", TORCH, "torch", "onnxruntime_models"),
    Tool("tf2onnx", KERAS2, "keras2", "tf2onnx_models"),
    Tool("Keras 2, TFLite", KERAS2, "keras2", "keras_models"),
    Tool("Keras 3, TFLite", OURS, "keras3", "keras_models"),
    Tool("Paddle 2, paddle2onnx 1", PADDLE2, "paddle2", "paddle_models"),
    Tool("Paddle 3, paddle2onnx 2", PADDLE3, "paddle3", "paddle_models"),
    Tool("scikit-learn, boosting", ESTIMATORS, "estimators", "estimators"),
)


def main() -> int:
    """Print the table, and what does not agree; 1 where a result differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tool", action="append", choices=[t.name for t in TOOLS], help="this one")
    parser.add_argument("--device", action="append", choices=DEVICES, help="this one; all else")
    given = parser.parse_args()
    devices = given.device or DEVICES
    out = Console(width=160)
    table = Table("tool", "models", "run by their origin", *devices)
    told: dict[str, Counter[str]] = {}
    differs = False
    for tool in TOOLS:
        if given.tool and tool.name not in given.tool:
            continue
        counts = told[tool.name] = Counter()
        for path in write_models(tool, given.folder.absolute()):
            verdicts = {d: ask(path, d, {}) for d in devices}
            counts["models"] += 1
            if AGREES not in verdicts.values() and not opens(path):
                out.print(f"{path.name}: its own engine does not run it", markup=False)
                continue
            counts["run"] += 1
            for device, verdict in verdicts.items():
                counts[device] += verdict == AGREES
                differs |= verdict.startswith(DIFFERS)
                if verdict != AGREES:
                    out.print(f"{path.name} on {device}: {verdict}", markup=False)
    total = sum(told.values(), Counter())
    for name, counts in [*told.items(), ("all", total)]:
        row = [counts["models"], counts["run"], *(counts[d] for d in devices)]
        table.add_row(name, *map(str, row))
    out.print(table)
    return int(differs)


def write_models(tool: Tool, folder: Path) -> Iterator[Path]:
    """The models of a tool, which writes those that are not there yet."""
    python = tool.environment.make(folder / "environments" / tool.place)
    place = folder / "models" / f"{tool.place}-{tool.program}"
    command = [str(python), "-W", "ignore", str(WRITERS / f"{tool.program}.py"), str(place)]
    place.mkdir(parents=True, exist_ok=True)
    with (place.with_suffix(".log")).open("a") as log:
        for _ in range(MOST_DEATHS):
            with TemporaryDirectory() as aside:  # tools leave parts where they run
                made = subprocess.run(command, cwd=aside, stdout=log, stderr=log, check=False)
            if not made.returncode:
                break
    for path in sorted(place.iterdir()):
        if not path.name.startswith((REFUSED, PART)):
            yield from files_of(path)


def opens(path: Path) -> bool:
    """Whether the engine that a file is for runs it."""
    program = OPENING.get(path.suffix)
    if program is None:
        return True
    command = [sys.executable, "-c", f"path = {str(path)!r}; {program}"]
    return not subprocess.run(command, capture_output=True, check=False).returncode


def files_of(path: Path) -> list[Path]:
    """The models in what a tool wrote: a file, a SavedModel, a program, or a folder of parts."""
    if not path.is_dir() or (path / "saved_model.pb").exists():
        return [path]
    return [p for ending in ENDINGS for p in sorted(path.glob(f"*{ending}"))]


if __name__ == "__main__":
    sys.exit(main())
