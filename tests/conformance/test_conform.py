"""Runs of suites: what dies costs one case, what is interrupted goes on, nothing counts twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.judging.result import CRASH, LIMIT, MEMORY, PASS, TIMEOUT, Result, Run
from conformance.running.conform import conform, parts, plan_run
from conformance.running.journal import Journal, fingerprint
from conformance.running.runner import compute_alone
from conformance.running.suite import Options
from nnir.errors import BadFile, DeviceError

from .hostile import GOOD_ONES, LOG

ROOT = Path(__file__).parents[2]
PRELOAD = ("tests.conformance.hostile:install",)
SLOW = Options(suites=("slow",), devices=("builtin",), preload=PRELOAD, timeout=20)
HANGING = Options(suites=("hanging",), devices=("builtin",), preload=PRELOAD, timeout=60)


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "log"
    path.touch()
    monkeypatch.setenv(LOG, str(path))
    return path


def verdicts(run: Run) -> dict[str, str]:
    return {r.case: r.verdict for r in run.results}


def saved_in(journal: Path) -> list[str]:
    """The lines of a journal after its first, which names the plan."""
    return journal.read_text().splitlines()[1:] if journal.exists() else []


@pytest.mark.long
def test_what_dies_costs_one_case(log: Path) -> None:
    options = Options(
        suites=("hostile",), devices=("builtin",), preload=PRELOAD, timeout=8, memory=1 << 29
    )
    found = verdicts(conform(options, jobs=2))
    bad = {k: v for k, v in found.items() if not k.startswith("good")}
    assert bad == {
        "kill": CRASH,
        "sleep": TIMEOUT,
        "eat": MEMORY,
        "nibble": MEMORY,
        "oracle-exit": CRASH,
        "oracle-hang": TIMEOUT,
        "oracle-eat": MEMORY,
    }
    assert {v for k, v in found.items() if k.startswith("good")} == {PASS}
    assert max(Counter(log.read_text().split()).values()) == 1


@pytest.mark.long
def test_an_interrupted_run_goes_on(tmp_path: Path, log: Path) -> None:
    """Killed without a chance to tidy up; what it had finished is not run again."""
    journal = tmp_path / "run.json.partial"
    script = (
        "from pathlib import Path; from conformance.running.conform import conform; "
        "from tests.conformance.test_conform import SLOW; "
        f"conform(SLOW, jobs=1, journal=Path({str(journal)!r}))"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT) as process:
        while len(saved_in(journal)) < 10:
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    saved = len(saved_in(journal))
    time.sleep(1.5)  # the runner ends when it sees that its parent is gone
    before = log.read_text().split()
    run = conform(SLOW, jobs=2, journal=journal)
    assert len(run.results) == len(verdicts(run)) == GOOD_ONES
    assert len(log.read_text().split()) - len(before) == GOOD_ONES - saved


@pytest.mark.long
def test_an_interrupt_ends_at_once(tmp_path: Path) -> None:
    """Though a case hangs; what was done before is in the journal, and nothing is left running."""
    journal = tmp_path / "run.json.partial"
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "  # in background
        "from pathlib import Path; from conformance.running.conform import conform; "
        "from tests.conformance.test_conform import HANGING; "
        f"conform(HANGING, jobs=1, journal=Path({str(journal)!r}))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stderr=subprocess.DEVNULL
    ) as process:
        while len(saved_in(journal)) < GOOD_ONES:
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(1)  # it sleeps for ever by now
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        process.wait(30)
        assert time.monotonic() - started < 10
    running = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True).stdout
    orphans = [x for x in running.splitlines() if x.split()[0] == "1" and "conformance.run" in x]
    assert not orphans


@pytest.mark.long
def test_two_runs_at_once_do_not_meet() -> None:
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(lambda _: conform(SLOW, jobs=1), range(2))
    assert first.counts == second.counts == {PASS: GOOD_ONES}


@pytest.mark.long
def test_a_pool_that_serves_two_runs_starts_afresh() -> None:
    """What the first run has preloaded is not in the second."""
    bug = Options(
        frontends=("onnx",),
        op="Softmax",
        devices=("builtin",),
        preload=("tests.conformance.planted:onnx_softmax",),
    )
    with ThreadPoolExecutor(1) as pool:
        assert conform(bug, executor=pool, jobs=1).counts["wrong"]
        assert conform(replace(bug, preload=()), executor=pool, jobs=1).is_good


def test_a_pool_that_breaks_is_told() -> None:
    with ProcessPoolExecutor(1) as pool:
        pool.submit(os.kill, pool.submit(os.getpid).result(), signal.SIGKILL)
        run = conform(replace(SLOW, case="good1"), executor=pool, jobs=1)
    assert set(run.counts) == {CRASH}
    assert "the executor failed" in run.results[0].reason


def test_a_journal_of_another_plan_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "j"
    task = ("s", "f", "o", "c", "d")
    result = Result("s", "f", "o", "c", "d", PASS)
    first = Journal(path, "one")
    first.append({task: [result.as_dict()]})
    first.close()
    with path.open("a") as file:
        file.write('{"task": ["s", "f"')  # cut off in the middle of a line
    again = Journal(path, "one")
    assert again.done == {task: [result.as_dict()]}
    again.close()
    other = Journal(path, "two")
    assert other.restarted
    assert not other.done
    other.close()
    with pytest.raises(BadFile, match="cannot write"):
        Journal(tmp_path / "none" / "j", "one")
    assert fingerprint({"a": 1}, {}) != fingerprint({"a": 2}, {})


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
@pytest.mark.long
def test_any_executor(kind: type) -> None:
    seen: list[int] = []

    def done(count: int, total: int, results: Sequence[Result]) -> None:
        seen.append(len(results))
        assert total == GOOD_ONES

    with kind(2) as pool:
        run = conform(SLOW, executor=pool, jobs=2, done=done)
    assert verdicts(run) == {f"good{k}": PASS for k in range(GOOD_ONES)}
    assert sum(seen) == GOOD_ONES


@pytest.mark.long
def test_a_dask_worker_that_is_killed_loses_nothing(log: Path) -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        killed: list[int] = []

        def done(count: int, total: int, results: Sequence[Result]) -> None:
            if not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        with client.get_executor() as pool:
            run = conform(SLOW, executor=pool, jobs=2, done=done)
    assert killed
    assert len(run.results) == GOOD_ONES
    assert verdicts(run) == {f"good{k}": PASS for k in range(GOOD_ONES)}


@pytest.mark.long
def test_nothing_to_run_is_no_success(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nnadapter", "conform"]
    for words, text in (
        (["--frontend", "onnx", "--op", "nosuch"], "no case is about an operator 'nosuch'"),
        (["--frontend", "onnx", "--op", "Relu", "--device", "abacus"], "no device 'abacus'"),
        (["--suite", "models"], "no folder is given"),
        (["--suite", "models", "--models", str(tmp_path / "none")], "no such folder"),
        (["--against", __file__], "damaged report"),
        (["--suite", "nosuch"], "no suite 'nosuch'"),
        (["--op", "Relu", "--html", str(tmp_path / "none" / "a.html")], "cannot write"),
    ):
        done = subprocess.run([*command, *words], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 1
        assert text in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.long
def test_the_command_on_a_dask_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    command = [sys.executable, "-m", "nnadapter", "conform", "--frontend", "onnx", "--op", "Gelu"]
    command += ["--executor", "dask", "--json", str(tmp_path / "run.json"), "--scheduler"]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        done = subprocess.run(
            [*command, cluster.scheduler_address], cwd=ROOT, capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "run.json").read_text())["counts"]["pass"] >= 10
    done = subprocess.run([*command, "tcp://127.0.0.1:9"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: no Dask scheduler at")
    assert "Traceback" not in done.stderr


def test_what_is_not_installed_is_skipped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NNADAPTER_PADDLE2_PYTHON", raising=False)
    options = Options(frontends=("paddle-2.6",), devices=("builtin", "abacus"))
    run = conform(options)
    assert not run.results
    reasons = {s.get("frontend") or s["device"]: s for s in run.skipped}
    assert reasons["paddle-2.6"]["count"] > 400
    assert "NNADAPTER_PADDLE2_PYTHON" in reasons["paddle-2.6"]["reason"]
    assert "abacus" in reasons["abacus"]["reason"]


@pytest.mark.long
def test_filters() -> None:
    options = Options(frontends=("onnx",), op="leaky*")
    names = [i[2] for i in plan_run(options)["items"]]
    assert set(names) == {"LeakyRelu", "com.microsoft::QLinearLeakyRelu"}  # about LEAKY_RELU too
    (one,) = plan_run(Options(case="Relu-float32-plain", frontends=("onnx",)))["items"]
    assert one[3] == "Relu-float32-plain"
    with pytest.raises(DeviceError, match="no suite 'x'"):
        plan_run(Options(suites=("x",)))
    with pytest.raises(DeviceError, match="cannot preload 'no_such'"):
        plan_run(Options(preload=("no_such",)))


def test_devices_compute_in_one_thread_unless_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for key in ("ONNXRUNTIME_NUM_THREADS", "GOOGLE_XNNPACK_NUM_THREADS"):
        monkeypatch.setenv(key, "x")  # so that it is removed in the end
        monkeypatch.delenv(key)
    monkeypatch.setenv("TORCH_NUM_THREADS", "2")
    compute_alone(("onnxruntime", "torch", "no-such-device", "builtin"))
    assert os.environ["ONNXRUNTIME_NUM_THREADS"] == "1"
    assert os.environ["TORCH_NUM_THREADS"] == "2"
    assert "GOOGLE_XNNPACK_NUM_THREADS" not in os.environ


def test_batches_hold_one_frontend_and_shrink() -> None:
    tasks = [("s", f, "o", str(k), "d") for f in "ab" for k in range(100)]
    found = list(parts(tasks, 2))
    assert [t for part in found for t in part] == tasks
    assert all(len({t[1] for t in part}) == 1 for part in found)
    assert len(found[0]) == 32
    assert len(found[-1]) == 1


@pytest.mark.long
def test_the_command(tmp_path: Path) -> None:
    """As a user runs it, with everything written; then again against itself."""
    paths = {n: tmp_path / f"run.{n}" for n in ("json", "junit", "html")}
    command = [sys.executable, "-m", "nnadapter", "conform", "--frontend", "onnx", "--op", "Gelu"]
    written = [w for n, p in paths.items() for w in (f"--{n}", str(p))]
    found = subprocess.run([*command, *written], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    data = json.loads(paths["json"].read_text())
    assert data["counts"] == {"pass": len(data["results"])}
    assert {r["device"] for r in data["results"]} == {"builtin", "onnxruntime"}
    assert "yardstick" in data["results"][0] or data["results"][0]["max_ulp"] == 0
    assert b"<testsuite" in paths["junit"].read_bytes()
    assert b"<!doctype html>" in paths["html"].read_bytes().lower()
    assert not list(tmp_path.glob("*.partial"))
    again = [*command, "--against", str(paths["json"])]
    found = subprocess.run(again, cwd=ROOT, capture_output=True, text=True)
    assert "against the older run: 0 new failures, 0 lost, 0 fixed" in found.stderr


@pytest.mark.parametrize(
    ("suite", "op", "case"),
    [("onnx-backend", "node", "test_relu"), ("opinfo", "abs", "")],
)
@pytest.mark.long
def test_other_suites(suite: str, op: str, case: str) -> None:
    run = conform(Options(suites=(suite,), op=op, case=case), jobs=1)
    assert run.is_good
    assert {r.device for r in run.results} == {"builtin", "onnxruntime"}
    assert run.counts == {PASS: len(run.results)}
    assert all(r.suite == suite and r.dtype for r in run.results)


@pytest.mark.long
def test_a_gap_of_the_official_suite_is_a_limit() -> None:
    run = conform(Options(suites=("onnx-backend",), case="test_adam"), jobs=1)
    assert run.counts == {LIMIT: len(run.results)}
    assert {r.reason for r in run.results} == {"training"}
