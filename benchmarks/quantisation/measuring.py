"""From a tool to its score: each tool and each engine runs in a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .peers.job import seconds_in
from .scores import Score, score, size_of
from .subjects import HERE, Subject

ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "1"}


@dataclass(frozen=True)
class Tool:
    """A tool in one of its variants, and the suffix of the file that it writes."""

    name: str
    variant: str
    suffix: str

    @property
    def title(self) -> str:
        return f"{self.name} {self.variant}"

    @property
    def key(self) -> str:
        """Changes where the score of a peer may."""
        names = (f"peers/{self.name}.py", "peers/job.py", "engines.py", "scores.py")
        whole = b"".join((HERE / name).read_bytes() for name in names)
        return hashlib.sha256(whole).hexdigest()[:12]


def measure(
    subject: Subject, folder: Path, tools: list[Tool], *, nncf: Path, fresh: bool
) -> Iterator[Score]:
    """The score of the float model, then that of each tool."""
    held, answers = folder / "held.npz", np.load(folder / "held_answers.npy")
    real = folder / subject.real
    exact = run_engine(real, held)
    row = {"model": subject.name, "size": size_of(real)}
    yield score(exact, exact, answers, tool="float", target=real.suffix, **row)
    for tool in tools:
        kept = folder / f"{tool.name}-{tool.variant}{tool.suffix}-{tool.key}.json"
        if kept.exists() and not fresh and tool.name != "ours":
            yield Score(**json.loads(kept.read_text()))
            continue
        row = {"model": subject.name, "tool": tool.title, "target": tool.suffix}
        target = folder / f"{tool.name}-{tool.variant}{tool.suffix}" / f"model{tool.suffix}"
        shutil.rmtree(target.parent, ignore_errors=True)
        target.parent.mkdir()
        python = str(nncf) if tool.name == "nncf" else sys.executable
        try:
            seconds = run_tool(python, tool, folder / subject.source, target)
            rounded = run_engine(target, held)
        except subprocess.CalledProcessError as error:
            yield Score(**row, error=last_line(error))
            continue
        found = score(exact, rounded, answers, size=size_of(target), seconds=seconds, **row)
        kept.write_text(json.dumps(found.fields))
        yield found


def run_tool(python: str, tool: Tool, source: Path, target: Path) -> float:
    """Quantise in a process; the seconds that it took without imports."""
    module = f"{__package__}.peers.{tool.name}"
    samples = source.parent / "calibration.npz"
    command = [python, "-W", "ignore", "-m", module, tool.variant, source, samples, target]
    return seconds_in(run([str(word) for word in command]))


def run_engine(path: Path, samples: Path) -> np.ndarray:
    """What a file gives for samples."""
    out = path.with_name(f"{path.stem}-out.npy")
    module = f"{__package__}.engines"
    run([sys.executable, "-W", "ignore", "-m", module, str(path), str(samples), str(out)])
    return np.load(out)


def run(command: list[str]) -> str:
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}
    )
    return done.stdout


def last_line(error: subprocess.CalledProcessError) -> str:
    """What a process said at its end."""
    if error.returncode < 0:
        return f"killed by signal {-error.returncode}"
    return (error.stderr.strip().splitlines() or [f"status {error.returncode}"])[-1][:160]
