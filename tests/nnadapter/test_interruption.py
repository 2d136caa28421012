"""How the program ends when it is told to: with its status, quietly, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nnadapter import interruption

BUSY = """
import sys, time, ctypes
from nnadapter.interruption import end_quietly
end_quietly()
print("ready", flush=True)
{work}
"""
WORK = {
    "in Python": "\nwhile True: pass",
    "while it waits": "time.sleep(100)",
    "while it imports": "import nnadapter.api\ntime.sleep(100)",
    "in an engine that does not return": "wait = ctypes.CDLL(None).sleep\nwait(100), wait(100)",
}


def ended(code: str, number: int) -> tuple[int, str, float]:
    """Status, what was said on stderr, and the seconds from the signal to the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(number)
    started = time.monotonic()
    _, said = process.communicate(timeout=60)
    return process.returncode, said, time.monotonic() - started


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals(work: str, number: int, status: int) -> None:
    found, said, _ = ended(BUSY.format(work=WORK[work]), number)
    assert (found, said) == (status, "")


def test_the_grace_is_short() -> None:
    assert interruption.GRACE <= 5


@pytest.mark.long
def test_cleaning_up_may_take_longer_than_an_answer() -> None:
    seconds = interruption.GRACE + 1
    slow = (
        "import shutil\n"
        "from nnir.staging import temporary_folder\n"
        f"shutil.rmtree = lambda *_, **__: (time.sleep({seconds}), print('removed', flush=True))\n"
        "with temporary_folder(): time.sleep(100)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY.format(work=slow)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=60)
    assert (process.returncode, said) == (143, "removed\n")


def test_the_program_answers_before_it_has_imported_anything() -> None:
    code = "import nnadapter.__main__, sys; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.long
def test_a_full_disk_is_an_error_of_ours(saved: Path, tmp_path: Path) -> None:
    """RLIMIT_FSIZE refuses a write like a full disk does."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"
    for suffix in (".nnir", ".onnx", ".pt2"):
        target = tmp_path / f"out{suffix}"
        code = (
            f"{limit}; import sys; sys.argv[1:] = ['convert', {str(saved)!r}, {str(target)!r}, "
            "'--no-verify']; from nnadapter.__main__ import run; run()"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert done.returncode == 1, done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert "too large" in done.stderr
        assert sorted(p.name for p in tmp_path.iterdir()) == ["mlp.onnx"]
