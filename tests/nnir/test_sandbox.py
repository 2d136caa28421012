"""A confined process keeps to its folder, without network and other programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nnir import isolation, sandbox

ATTEMPTS = {
    "own": "open(f'{own}/x', 'w')",
    "null": "open(os.devnull, 'w')",
    "create": "open(f'{other}/y', 'w')",
    "append": "open(f'{other}/there', 'a')",
    "truncate": "os.truncate(f'{other}/there', 0)",
    "remove": "os.remove(f'{other}/there')",
    "rename": "os.rename(f'{other}/there', f'{own}/here')",
    "link": "os.link(f'{other}/there', f'{own}/here')",
    "into": "os.rename(f'{own}/x', f'{other}/x')",
    "symlink": "os.symlink('/', f'{other}/root')",
    "folder": "os.mkdir(f'{other}/new')",
    "through": "os.symlink(other, f'{own}/out') or open(f'{own}/out/z', 'w')",
    "parent": "open(f'{own}/../z', 'w')",
    "tcp": "socket.create_connection(('127.0.0.1', 9), 1)",
    "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "local": "socket.socket(socket.AF_UNIX)",
    "signal": "os.kill(os.getppid(), 0)",
    "program": "sandbox.start_nothing() or subprocess.run(['/bin/true'])",
    "thread": "run_in_thread(lambda: open(f'{other}/y', 'w'))",
    "child": "os.fork() or (open(f'{other}/y', 'w'), os._exit(0))",
}
ALLOWED = {"own", "null"}
PROBE = """
import os, socket, subprocess, sys, threading
from nnir import sandbox
own, other, attempt = sys.argv[1:]
def run_in_thread(task):
    failures = []
    def run():
        try:
            task()
        except OSError as error:
            failures.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    raise failures[0]
try:
    eval(attempt)
except OSError:
    sys.exit(13)
"""


@pytest.mark.skipif(
    sandbox.landlock() < sandbox.LEAST or not sandbox.has_filter(), reason=sandbox.state()
)
@pytest.mark.parametrize("name", ATTEMPTS)
def test_what_a_confined_process_can_do(name: str, tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / "there").write_text("kept")
    (own / "x").write_text("")
    (tmp_path / "probe.py").write_text(PROBE)
    command = isolation.command("probe", str(own), str(other), ATTEMPTS[name], folders=[str(own)])
    path = f"{tmp_path}{os.pathsep}{isolation.HOME}"
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == (0 if name in ALLOWED else 13) or name == "child", done.stderr
    assert sorted(p.name for p in other.iterdir()) == ["there"]
    assert (other / "there").read_text() == "kept"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other", "own", "probe.py"]


def test_doctor_can_say_what_is_kept() -> None:
    assert "no network" in sandbox.state() or "not available" in sandbox.state()
    assert sys.platform != "linux" or sandbox.landlock() >= 0


def test_processes_of_their_own_read_the_installed_bytecode_and_write_none(tmp_path: Path) -> None:
    """Without it every start compiles a whole framework; see `isolation.environment`."""
    code = "import sys; print(sys.pycache_prefix, sys.dont_write_bytecode)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=isolation.environment(str(tmp_path)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["None", "True"]
    assert not list(tmp_path.iterdir())
