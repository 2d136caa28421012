"""Workers that are forked with their framework imported are as confined as those started afresh."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from conformance.case import f
from conformance.oracles.oracle import Oracle, Refused
from conformance.processes.fork_server import READY, SERVERS, Forked, is_possible
from conformance.processes.worker import Lost
from nnir import sandbox

MODULE = "tests.conformance.dying_oracle"
SCRIPT = """
import os, signal
from conformance.oracles.oracle import Oracle
workers = [Oracle("tests.conformance.dying_oracle") for _ in range(3)]
for worker in workers:
    worker.ask({"how": "answer"}, [])
print(*[w.pid for w in workers], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""

pytestmark = pytest.mark.skipif(not is_possible(), reason="needs Linux")


@pytest.fixture
def forked() -> Iterator[Oracle]:
    """A worker of a server, whatever was started before."""
    SERVERS.close()
    with Oracle(MODULE, timeout=30) as first, Oracle(MODULE, timeout=30) as second:
        first.ask({"how": "answer"}, [f(1)])
        second.ask({"how": "answer"}, [f(1)])
        assert isinstance(second._process, Forked)
        assert not isinstance(first._process, Forked)
        yield second
    SERVERS.close()


def is_running(pid: int | None) -> bool:
    """Whether a process is there and does more than wait to be forgotten."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def wait_for_end(pid: int | None) -> None:
    until = time.monotonic() + 20
    while is_running(pid):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_they_have_folders_sessions_and_environments_of_their_own(forked: Oracle) -> None:
    with Oracle(MODULE, timeout=30) as other:
        other.ask({"how": "answer"}, [f(1)])
        assert isinstance(other._process, Forked)
        pids = {forked.pid, other.pid}
        assert len(pids) == 2
        for worker in (forked, other):
            assert worker.pid is not None
            place = Path(f"/proc/{worker.pid}")
            assert os.getsid(worker.pid) == worker.pid
            assert (place / "cwd").resolve() == worker._folder
        assert other._folder != forked._folder


@pytest.mark.skipif(sandbox.landlock() < sandbox.LEAST, reason=sandbox.state())
def test_they_write_into_their_own_folder_alone(forked: Oracle, tmp_path: Path) -> None:
    folder = forked._folder
    assert folder is not None
    assert forked.ask({"how": "write", "path": str(folder / "own")}, []) == []
    for place in (folder.parent, tmp_path):
        with pytest.raises(Refused, match="PermissionError"):
            forked.ask({"how": "write", "path": str(place / "other")}, [])
    with pytest.raises(Refused, match="PermissionError"):
        forked.ask({"how": "program"}, [])


def test_how_they_end_is_known(forked: Oracle) -> None:
    with pytest.raises(Lost, match="died"):
        forked.ask({"how": "exit"}, [])
    with pytest.raises(Lost, match="SIGSEGV"):
        forked.ask({"how": "fault"}, [])
    forked.ask({"how": "answer"}, [f(1)])
    assert isinstance(forked._process, Forked)
    process = forked._process
    forked.finish()
    assert process.returncode == 0


def test_where_the_server_is_gone_a_worker_starts_afresh(forked: Oracle) -> None:
    (server,) = SERVERS._servers.values()
    before = forked.pid
    os.kill(server._process.pid, signal.SIGKILL)
    wait_for_end(before)
    with suppress(Lost):  # where the question comes before the news
        forked.ask({"how": "answer"}, [f(1)])
    assert forked.ask({"how": "answer"}, [f(1)])[0] == 1
    assert not isinstance(forked._process, Forked)
    assert not server.folder.exists()


def test_another_environment_is_another_server(
    forked: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with Oracle(MODULE, timeout=30) as other:
        other.ask({"how": "answer"}, [f(1)])
        assert not isinstance(other._process, Forked)


def test_they_end_with_who_asked_for_them() -> None:
    """However suddenly that one ends."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60
    )
    pids = done.stdout.split()
    assert len(pids) == 3, done.stderr
    for pid in pids:
        wait_for_end(int(pid))


THREAD = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"


@pytest.mark.parametrize(
    ("started", "has_threads"), [("import numpy\n", False), (THREAD, True)], ids=["numpy", "own"]
)
def test_a_process_with_threads_is_not_copied(started: str, has_threads: bool) -> None:
    """But NumPy's own are there again in the copy."""
    code = f"{started}from conformance.processes.fork_loop import has_threads\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print(has_threads())"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == str(has_threads), done.stderr


def test_a_server_that_ends_is_noticed_at_once() -> None:
    for _ in range(3):
        started = time.monotonic()
        with Oracle("tests.conformance.threaded_oracle", timeout=30) as worker:
            worker.ask({}, [f(1)])
            assert not isinstance(worker._process, Forked)
        assert time.monotonic() - started < READY / 2


def test_variables_count_as_they_were_at_first() -> None:
    """Paddle sets one as it is imported, long after NumPy has its threads."""
    code = (
        "import os, numpy; os.environ['OMP_NUM_THREADS'] = '1'; "
        "from conformance.processes.fork_loop import has_threads; print(has_threads())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "False"
