"""Converting loses nothing: neither the source, nor what lies beside the target."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result
from onnx import helper, numpy_helper

import nnadapter as nna
from conformance.verifying import stock_engine as stock
from hal.drivers.onnxruntime import writer
from nnadapter.cli import main
from nnir.errors import BadFile, BadInput, Differs
from nnir.model import Model
from nnir.ops import binary
from nnir.staging import COMMIT, Staging, sweep, temporary_folder
from nnir.types import Precision, TensorType

WEIGHT = np.random.default_rng(0).standard_normal((32, 16), np.float32)
"""Large enough to lie beside an `.onnx` file where those of gigabytes do."""


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def external(tmp_path: Path) -> Path:
    """A model whose weights lie beside it, in `n.bin`."""
    ends = [
        helper.make_tensor_value_info(n, 1, s)
        for n, s in (("x", ["batch", 32]), ("y", ["batch", 16]))
    ]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    weights = [numpy_helper.from_array(WEIGHT, "w")]
    model = helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:], weights))
    path = tmp_path / "n.onnx"
    arguments = {"save_as_external_data": True, "location": "n.bin", "size_threshold": 0}
    onnx.save(model, path, **arguments)
    return path


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every written file gives something else than its origin."""
    true = stock.Stock.run
    monkeypatch.setattr(stock.Stock, "run", lambda s, arrays: [a + 1 for a in true(s, arrays)])


@pytest.mark.parametrize("link", [None, "symbolic", "hard"])
def test_the_source_is_no_target(saved: Path, tmp_path: Path, link: str | None) -> None:
    target = saved
    if link is not None:
        target = tmp_path / "other.onnx"
        (target.symlink_to if link == "symbolic" else target.hardlink_to)(saved)
    before = contents(tmp_path)
    done = call("convert", saved, target)
    assert done.exit_code == 1
    assert f"cannot write {str(target)!r}: the source is read from it" in done.stderr
    with pytest.raises(BadInput, match="the source is read from it"):
        nna.convert(saved, target)
    assert contents(tmp_path) == before


def test_weights_of_the_source_are_no_target(external: Path) -> None:
    before = contents(external.parent)
    done = call("convert", external, external.with_suffix(".xml"))
    assert done.exit_code == 1
    assert f"{str(external.with_suffix('.bin'))!r}" in done.stderr
    assert contents(external.parent) == before


def test_a_file_of_a_folder_is_no_target(models: Path, tmp_path: Path) -> None:
    source = tmp_path / "cnn"
    shutil.copytree(models / "cnn", source)
    target = source / "assets.onnx"
    target.write_bytes(b"")
    with pytest.raises(BadInput, match="the source is read from the folder"):
        nna.convert(source, target)


@pytest.mark.parametrize(
    ("target", "foreign"),
    [
        *(("m.xml", "m.bin"), ("m.xml", "m.xml"), ("m.nnir", "m.nnir"), ("m.tflite", "m.tflite")),
        *(("m.onnx", "m.onnx"), ("m.pt2", "m.pt2"), ("m.onnx", "m.onnx.data")),
    ],
)
def test_a_foreign_file_stays(
    saved: Path, tmp_path: Path, target: str, foreign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "LARGEST", 0)  # as for weights of gigabytes: they lie beside
    (tmp_path / foreign).write_bytes(b"the work of years")
    before = contents(tmp_path)
    with pytest.raises(BadFile, match=rf"cannot write .*{foreign}"):
        nna.convert(saved, tmp_path / target, verify=False)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["m.xml", "m.onnx", "m.nnir", "m.tflite", "m.pt2"])
@pytest.mark.long
def test_an_older_target_is_replaced_whole(
    external: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "LARGEST", 0)
    target = external.with_name(name)
    target.touch()  # an empty file is nobody's work
    nna.convert(external, target, sizes={"batch": 3})
    first = contents(target.parent)
    nna.convert(external, target)
    second = contents(target.parent)
    nna.convert(external, target)
    assert contents(target.parent) == second  # the same bytes again
    assert first.keys() == second.keys()
    assert first[name] != second[name]


@pytest.mark.usefixtures("wrong")
@pytest.mark.parametrize("name", ["m.onnx", "m.xml", "m.nnir"])
def test_what_differs_does_not_appear(saved: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    before = contents(tmp_path)
    done = call("convert", saved, target)
    assert done.exit_code == 1
    assert f"{name} differs from onnxruntime: y" in done.stderr
    assert "--keep" in done.stderr
    assert contents(tmp_path) == before
    with pytest.raises(Differs, match=r"m.differs"):
        nna.convert(saved, target, keep=True)
    kept = target.with_name(f"m.differs{target.suffix}")
    assert kept.exists()
    assert not target.exists()
    if name == "m.xml":
        assert kept.with_suffix(".bin").exists()
    if name == "m.onnx":
        onnx.checker.check_model(kept)


def started(*arguments: object, folder: Path) -> subprocess.Popen[bytes]:
    """The command line in a process, which stays in the middle of its proof."""
    code = (
        "import sys, time\n"
        "from conformance.verifying.stock_engine import Stock\n"
        "from nnadapter.__main__ import run\n"
        "Stock.run = lambda *_: (print('proving', flush=True), time.sleep(60))\n"
        "sys.argv[0] = 'nnadapter'; run()"
    )
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = {**os.environ, "TMPDIR": str(folder)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.long
def test_an_interrupted_conversion_leaves_nothing(
    saved: Path, tmp_path: Path, number: signal.Signals
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    target = tmp_path / "m.xml"
    nna.convert(saved, target)
    before = contents(tmp_path)
    with started("convert", saved, target, "--dim", "batch=5", folder=scratch) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"proving\n"
        process.send_signal(number)
        status = process.wait(20)
    assert status == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[number]
    if number == signal.SIGKILL:  # the next run sweeps
        time.sleep(2)  # its worker ends as well
        code = "import nnadapter, sys; nnadapter.convert(sys.argv[1], sys.argv[2])"
        environment = {**os.environ, "TMPDIR": str(scratch)}
        subprocess.run([sys.executable, "-c", code, saved, target], check=True, env=environment)
    assert contents(tmp_path) == before
    assert not [p for p in (*tmp_path.iterdir(), *scratch.iterdir()) if "nnadapter" in p.name]


def test_a_killed_commit_is_finished(tmp_path: Path) -> None:
    for name in ("n.bin", "n.xml"):
        (tmp_path / name).write_text("old")
    child = os.fork()
    if not child:
        with Staging(tmp_path / "n.xml") as staging:
            staging.path.write_text("new")
            (staging.folder / "n.bin").write_text("new")
            replace = os.replace

            def die(source: Path, target: Path) -> None:
                replace(source, target)
                if source.name == "n.bin":
                    os.kill(os.getpid(), signal.SIGKILL)

            os.replace = die  # type: ignore[assignment]
            staging.commit()
    os.waitpid(child, 0)
    assert contents(tmp_path).keys() != {"n.bin", "n.xml"}  # killed in the middle
    sweep(tmp_path)
    assert contents(tmp_path) == {"n.bin": b"new", "n.xml": b"new"}


@pytest.mark.parametrize("identity", ["null", "[0, 0, 0, 0]", '"x"'])
def test_a_folder_from_elsewhere_replaces_nothing(tmp_path: Path, identity: str) -> None:
    """One that was downloaded may look like one of ours."""
    folder = tmp_path / f".nnadapter-{'0' * 16}"
    folder.mkdir()
    (folder / "thesis.txt").write_text("gone")
    (folder / COMMIT).write_text(f'{{"thesis.txt": {identity}}}')
    (tmp_path / "thesis.txt").write_text("the work of years")
    sweep(tmp_path)
    assert contents(tmp_path) == {"thesis.txt": b"the work of years"}


@pytest.mark.parametrize("text", ["", "[]", "3", '{"../a": null}', '{"": null}', "\xff"])
def test_folders_of_any_content_are_swept(tmp_path: Path, text: str) -> None:
    place = tmp_path / "inner"
    folder = place / f".nnadapter-{'0' * 16}"
    folder.mkdir(parents=True)
    (folder / COMMIT).write_text(text)
    (folder / "a").write_text("a")
    sweep(place)
    assert contents(tmp_path) == {}


def test_folders_in_use_are_not_swept(tmp_path: Path) -> None:
    with temporary_folder(tmp_path) as folder:
        sweep(tmp_path)
        assert folder.is_dir()
    assert not any(tmp_path.iterdir())


def test_a_folder_is_no_target(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").mkdir()
    done = call("convert", saved, tmp_path / "m.onnx")
    assert done.exit_code == 1
    assert "it is a folder" in done.stderr


def test_a_link_that_leads_nowhere_is_replaced(saved: Path, tmp_path: Path) -> None:
    target = tmp_path / "m.onnx"
    target.symlink_to(target)
    nna.convert(saved, target)
    assert not target.is_symlink()
    onnx.checker.check_model(target)


def test_what_is_put_there_meanwhile_stays(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "m.xml"
    true = stock.Stock.run

    def run(self: stock.Stock, arrays: list[np.ndarray]) -> list[np.ndarray]:
        target.with_suffix(".bin").write_text("the work of years")
        return true(self, arrays)

    monkeypatch.setattr(stock.Stock, "run", run)
    with pytest.raises(BadFile, match=r"cannot write .*m\.bin"):
        nna.convert(saved, target)
    assert target.with_suffix(".bin").read_text() == "the work of years"
    assert not target.exists()


def test_a_model_may_be_saved_over_its_own_file(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.nnir"
    nna.convert(saved, path)
    model = nna.load(path)
    nna.optimize(model)
    nna.save(model, path)
    assert len(nna.load(path).operations) == len(model.operations)


def test_a_model_that_proves_little(tmp_path: Path) -> None:
    model = Model("zeros")
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 3)))
    model.outputs = [binary.mul(x, model.constant(np.zeros((2, 3), np.float32)))]
    model.output_names = ["y"]
    nna.save(model, tmp_path / "m.nnir")
    done = call("convert", tmp_path / "m.nnir", tmp_path / "m.onnx")
    assert done.exit_code == 0
    assert "note: output 'y' is" in done.stderr
    assert "everywhere, for every input tried" in done.stderr
