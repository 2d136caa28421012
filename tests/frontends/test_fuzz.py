"""Random damage to files: an error of ours or a model, within a time limit, never anything else."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import pytest

import nnadapter as nna
from nnir.errors import NNAdapterError, summary

MUTATIONS = 200
SECONDS = 5.0


def mutate(data: bytes, generator: np.random.Generator) -> bytes:
    """Truncate, flip bits, overwrite, delete or repeat a piece."""
    damaged = bytearray(data)
    for _ in range(int(generator.integers(1, 4))):
        place = int(generator.integers(len(damaged))) if damaged else 0
        size = int(generator.integers(1, 9))
        match int(generator.integers(5)):
            case 0:
                del damaged[place:]
            case 1 if damaged:
                damaged[place] ^= 1 << int(generator.integers(8))
            case 2:
                damaged[place : place + size] = generator.bytes(size)
            case 3:
                del damaged[place : place + size]
            case 4:
                damaged[place:place] = damaged[place : place + size]
    return bytes(damaged)


def survives(data: bytes) -> str:
    """Load and run; the error's text, or nothing."""
    try:
        model = nna.load(data)
        if (
            sum(np.prod([d if isinstance(d, int) else 1 for d in v.shape]) for v in model.inputs)
            < 1e6
        ):
            inputs = [
                np.zeros([d if isinstance(d, int) else 1 for d in v.shape], v.dtype)
                for v in model.inputs
            ]
            nna.compile(model)(*inputs)
    except NNAdapterError as error:
        return summary(error)
    return ""


@pytest.mark.parametrize("name", ["mlp", "cnn", "loop"])
def test_damaged_onnx(name: str, request: pytest.FixtureRequest) -> None:
    data = request.getfixturevalue(name).SerializeToString()
    outcomes = []
    for seed in range(MUTATIONS):
        damaged = mutate(data, np.random.default_rng((seed, len(data))))
        started = time.process_time()
        outcomes.append(survives(damaged))
        assert time.process_time() - started < SECONDS, f"mutation {seed} took too long"
    assert sum(map(bool, outcomes)) > MUTATIONS // 2
    assert not any("\n" in text for text in outcomes)


@pytest.mark.parametrize("name", ["mlp", "cnn", "loop"])
def test_damaged_archive(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    path = tmp_path / "m.nnir"
    nna.save(nna.load(request.getfixturevalue(name)), path)
    data = path.read_bytes()
    outcomes = []
    for seed in range(MUTATIONS):
        damaged = mutate(data, np.random.default_rng((seed, len(data))))
        started = time.process_time()
        outcomes.append(survives(damaged))
        assert time.process_time() - started < SECONDS, f"mutation {seed} took too long"
    assert sum(map(bool, outcomes)) > MUTATIONS // 2
    assert not any("\n" in text for text in outcomes)


def test_truncated_at_every_place(mlp: onnx.ModelProto) -> None:
    data = mlp.SerializeToString()
    for end in range(0, len(data), 7):
        survives(data[:end])


@pytest.mark.parametrize("command", ["inspect", "check", "run", "verify", "convert"])
def test_command_line_refuses_in_one_line(command: str, saved: Path, tmp_path: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:200])
    target = tmp_path / "out.nnir"
    arguments = [str(saved), *([str(target)] if command == "convert" else [])]
    done = subprocess.run(
        [sys.executable, "-m", "nnadapter", command, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mlp.onnx"], "nothing half-written"
