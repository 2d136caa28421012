"""Many conversions: each costs at most itself, what is done stays done, and is told."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner

import nnadapter as nna
from conformance.judging.result import CRASH, ERROR, MEMORY, REFUSED, TIMEOUT
from nnadapter import conversion
from nnadapter.batching import running
from nnadapter.batching.converting import convert_one
from nnadapter.batching.planning import make_plan, read_list
from nnadapter.batching.records import DIFFERS, UNREADABLE, VERIFIED, WRITTEN, BatchRun, Record
from nnadapter.cli import main
from nnir.errors import BadFile, BadInput, BadModel, DeviceError, Differs, NoDevice, Unsupported

from ..conftest import info, model_of

ROOT = Path(__file__).parents[2]
CORES = len(os.sched_getaffinity(0))


def relu(path: Path, op: str = "Relu") -> Path:
    """A model of one operator."""
    path.parent.mkdir(parents=True, exist_ok=True)
    node = onnx.helper.make_node(op, ["x"], ["y"])
    onnx.save(model_of([node], [info("x", [2, 3])], [info("y", [2, 3])]), path)
    return path


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder with four models, one of them damaged and one of an operator that nobody knows, and
    two files that are none."""
    folder = tmp_path / "models"
    relu(folder / "a.onnx")
    relu(folder / "deep" / "b.onnx")
    relu(folder / "odd.onnx", "NoSuchOperator")
    whole = (folder / "a.onnx").read_bytes()
    (folder / "cut.onnx").write_bytes(whole[:-9])
    (folder / "readme.txt").write_text("about")
    (folder / ".hidden.onnx").write_bytes(whole)
    return folder


def verdicts(run: BatchRun) -> dict[str, str]:
    return {Path(r.target).name: r.verdict for r in run.records}


def test_archives_that_are_no_models_are_ignored(tmp_path: Path) -> None:
    np.savez(tmp_path / "inputs.npz", x=np.zeros(3))
    with zipfile.ZipFile(tmp_path / "text.docx", "w") as archive:
        archive.writestr("word/document.xml", "<a/>")
    with pytest.raises(BadInput, match="no model among 2 files"):
        nna.batch(tmp_path, tmp_path / "out", ".nnir")
    with pytest.raises(BadFile, match="arrays of NumPy, which are inputs or weights"):
        nna.load(tmp_path / "inputs.npz")
    with pytest.raises(BadFile, match=r"a zip file without the members of a \.pt2"):
        nna.load(tmp_path / "text.docx")


WANTED = {"a.nnir": VERIFIED, "b.nnir": VERIFIED, "odd.nnir": REFUSED, "cut.nnir": UNREADABLE}


@pytest.mark.long
def test_a_batch_is_run_once(sources: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told: list[Record] = []

    def done(count: int, total: int, records: Sequence[Record]) -> None:
        told.extend(records)
        assert total == 4
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nna.batch(sources, out, ".nnir", jobs=1, done=done)
    run = nna.batch(sources, out, ".nnir", jobs=1)
    assert verdicts(run) == WANTED
    assert run.resumed == 2
    assert run.ignored == 2
    assert run
    assert not run.is_whole
    assert (out / "deep" / "b.nnir").exists()
    odd = next(r for r in run.records if r.verdict == REFUSED)
    assert "NoSuchOperator" in odd.reason
    first = next(r for r in run.records if r.verdict == VERIFIED)
    assert (first.origin, first.operations) == ("onnxruntime", 1)
    assert first.target_bytes == Path(first.target).stat().st_size

    lines = (out / running.JOURNAL).read_text().splitlines()
    assert len(lines) == 5
    assert nna.batch(sources, out, ".nnir", jobs=1).resumed == 4
    shutil.copy(sources / "a.onnx", sources / "cut.onnx")  # mended
    (out / "a.nnir").unlink()
    run = nna.batch(sources, out, ".nnir", jobs=1, retry=True)
    assert verdicts(run) == WANTED | {"cut.nnir": VERIFIED}
    assert (run.resumed, run.restarted) == (1, False)  # b alone: odd is tried again
    run = nna.batch(sources, out, ".nnir", jobs=1, verify=False)  # other options
    assert (run.resumed, run.restarted, verdicts(run)["a.nnir"]) == (0, True, WRITTEN)


def test_what_hangs_costs_itself(sources: Path, tmp_path: Path) -> None:
    run = nna.batch([sources / "a.onnx"], tmp_path / "out", ".nnir", jobs=1, timeout=0.05)
    assert verdicts(run) == {"a.nnir": TIMEOUT}
    assert not run
    assert not (tmp_path / "out" / "a.nnir").exists()
    run = nna.batch([sources / "a.onnx"], tmp_path / "out", ".nnir", jobs=1, memory=0.05)
    assert verdicts(run)["a.nnir"] in (MEMORY, CRASH)  # it had more time, and is tried again
    assert nna.batch(sources / "a.onnx", tmp_path / "out", ".nnir", memory=0.04).resumed == 1


@pytest.mark.parametrize("jobs", [1, 2, CORES + 1])
def test_processes_keep_to_shares_of_the_cores(sources: Path, tmp_path: Path, jobs: int) -> None:
    """Of one, and of more than there are cores, each may use all."""
    seen = {}

    def done(count: int, total: int, records: Sequence[Record]) -> None:
        for _, worker in running._HANDS._workers.values():
            if worker.pid is not None:
                seen[worker.pid] = frozenset(os.sched_getaffinity(worker.pid))

    models = [sources / "a.onnx", sources / "deep" / "b.onnx"]
    formats = [".nnir", ".onnx", ".xml", ".tflite"]
    run = nna.batch(models, tmp_path / "out", formats, jobs=jobs, done=done, verify=False)
    assert set(verdicts(run).values()) == {WRITTEN}
    mine, shares = frozenset(os.sched_getaffinity(0)), set(seen.values())
    if jobs == 2 and CORES > 1:
        assert len(shares) == 2
        assert frozenset.union(*shares) == mine
        assert not frozenset.intersection(*shares)
    else:
        assert shares == {mine}


@pytest.mark.long
def test_a_process_that_was_spoilt_is_not_the_models_fault(sources: Path, tmp_path: Path) -> None:
    def done(count: int, total: int, records: Sequence[Record]) -> None:
        if count == 1:
            for _, worker in running._HANDS._workers.values():
                if worker.pid is not None:
                    os.kill(worker.pid, signal.SIGKILL)

    models = [sources / "a.onnx", sources / "deep" / "b.onnx"]
    run = nna.batch(models, tmp_path / "out", [".nnir", ".onnx"], jobs=1, done=done)
    assert set(verdicts(run).values()) == {VERIFIED}


@pytest.mark.long
def test_a_dask_worker_that_is_killed_loses_nothing(sources: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        seen: list[str] = []

        def done(count: int, total: int, records: Sequence[Record]) -> None:
            seen.extend(r.target for r in records)
            if len(seen) == 1:
                os.kill(pids[0], signal.SIGKILL)

        with client.get_executor() as pool:
            run = nna.batch(sources, tmp_path / "out", ".nnir", executor=pool, jobs=2, done=done)
    assert verdicts(run) == WANTED
    assert len(seen) == len({*seen}) == 4


SPOILT = (
    "{}",
    '{"task": 1, "results": {}}',
    '{"task": [TASK], "results": 5}',
    '{"task": [TASK], "results": {"source": "x"}}',
    '{"task": [TASK], "results": {"read": [1]}}',
)


@pytest.mark.parametrize("line", SPOILT)
def test_a_journal_that_is_spoilt(line: str, sources: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    nna.batch(sources / "cut.onnx", out, ".nnir", jobs=1)
    journal = out / running.JOURNAL
    task = f"{json.dumps(str(sources / 'cut.onnx'))}, {json.dumps(str(out / 'cut.nnir'))}"
    journal.write_text(journal.read_text() + line.replace("TASK", task) + "\n")
    with pytest.raises(BadFile, match="remove it"):
        nna.batch(sources / "cut.onnx", out, ".nnir", jobs=1)


def test_names_of_targets(sources: Path, tmp_path: Path) -> None:
    out = sources / "out"
    relu(out / "old.onnx")  # what was written is no source
    (sources / "a.tflite").write_bytes(b"\x1c\0\0\0TFL3" + bytes(64))
    plan = make_plan([sources], out, [".tflite", ".onnx"])
    names = sorted(str(target.relative_to(out)) for _, target in plan.pairs)
    lite = ["a.onnx.tflite", "a.tflite", "deep/b.tflite", "odd.tflite", "cut.tflite"]
    graphs = ["a.onnx", "a.tflite.onnx", "deep/b.onnx", "odd.onnx", "cut.onnx"]
    assert names == sorted([*lite, *graphs])
    relu(tmp_path / "other" / "a.onnx")
    alike = make_plan([sources / "a.onnx", tmp_path / "other" / "a.onnx"], out, [".xml"])
    assert [target for _, target in alike.pairs] == [
        out / "models" / "a.xml",
        out / "other" / "a.xml",
    ]
    relu(tmp_path / "more" / "models" / "a.onnx")
    several = [sources / "a.onnx", tmp_path / "other" / "a.onnx", tmp_path / "more"]
    with pytest.raises(BadInput, match=r"several models would be .*models/a\.onnx"):
        make_plan(several, out, [".onnx"])
    with pytest.raises(BadInput, match=r"a\.onnx would be replaced, and is converted too"):
        make_plan([sources / "a.onnx"], sources, [".onnx"])
    twice = make_plan([sources, sources / "a.onnx"], out, [".xml"])
    assert len(twice.pairs) == 5
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").touch()
    with pytest.raises(BadInput, match="no model among 1 files"):
        make_plan([tmp_path / "empty"], out, [".onnx"])
    with pytest.raises(BadInput, match=r"formats are suffixes such as \.onnx, not onnx"):
        nna.batch(sources, out, "onnx")
    with pytest.raises(Unsupported, match=r"no format has the suffix '\.onx': did you mean \.onnx"):
        nna.batch(sources, out, ".onx")


ERRORS = (
    *((NoDevice("a package"), REFUSED), (BadInput("an option"), REFUSED)),
    *((BadModel("no graph"), UNREADABLE), (DeviceError("it failed"), ERROR)),
    *((Differs("by 1"), DIFFERS), (KeyError("a bug"), ERROR)),
)


@pytest.mark.parametrize(("error", "verdict"), ERRORS, ids=lambda v: type(v).__name__)
def test_what_an_error_says(
    error: Exception, verdict: str, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(conversion, "convert", fail)
    found = convert_one(sources / "a.onnx", tmp_path / "a.nnir", {})
    assert (found.verdict, found.target_bytes, found.made) == (verdict, 0, ())
    assert str(error.args[0]) in found.reason


def test_weights_are_no_page(tmp_path: Path) -> None:
    for name in ("external.onnx", "external.data"):
        shutil.copy(ROOT / "tests" / "data" / "samples" / name, tmp_path)
    weights = tmp_path / "external.data"
    before = weights.read_bytes()
    words = ["batch", tmp_path / "external.onnx", "--to", ".nnir", "--folder", tmp_path / "out"]
    done = CliRunner().invoke(main, [*map(str, words), "--html", str(weights)])
    assert done.exit_code == 1
    assert f"cannot write {str(weights)!r}: the source is read from it" in done.stderr
    assert weights.read_bytes() == before


def test_the_command(sources: Path, tmp_path: Path) -> None:
    paths = tmp_path / "models.txt"
    paths.write_text(f"# mine\n{sources / 'a.onnx'}\n\n{sources / 'odd.onnx'}\n")
    page = tmp_path / "page.html"
    words = ["batch", "--list", str(paths), "--to", "nnir", "--folder", "out", "--jobs", "1"]
    command = [sys.executable, "-m", "nnadapter", *words]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
        return subprocess.run(
            [*command, *more], cwd=tmp_path, capture_output=True, text=True, env=environment
        )

    done = run("--html", str(page))
    assert done.returncode == 0, done.stderr
    assert "2 conversions: 1 refused, 1 verified" in done.stdout
    text = page.read_text()
    assert "1 of 2 targets are written" in text
    assert "models/odd.onnx <span>→</span> out/odd.nnir" in text
    assert text.index("odd.onnx") < text.index("models/a.onnx")  # problems come first
    done = run("--strict", "--json")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert data["counts"] == {"refused": 1, "verified": 1}
    assert data["resumed"] == 2
    done = run("--weights-only")
    assert done.returncode == 2
    (tmp_path / "raw.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(BadFile, match="no list of models"):
        read_list(tmp_path / "raw.txt")
