"""Small models that many tests need, and the origin framework's worker.

TensorFlow, LiteRT and Paddle write theirs in processes of their own: tests never import them.
"""

from __future__ import annotations

import compileall
import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, settings
from onnx import TensorProto, helper, numpy_helper

from conformance.oracles.oracle import Oracle

from .browsers import browser
from .drawing import MARK, OPTION, draw_long

__all__ = ["browser"]

settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")  # how long examples take says how busy the machine is

REPOSITORY = Path(__file__).parents[1]
PACKAGES = ("nnir", "frontends", "hal", "conformance", "nnadapter")
LONGEST = (
    ("test_opinfo", "test_planted", "test_conform", "test_bisect", "test_kernels", "test_new_op"),
    ("test_pages", "test_nnrt_cases", "test_nnapi", "test_states", "test_site", "test_plugin"),
)
"""Modules whose single tests take long, for each of two processes: where they come last, all but
one process wait."""

LEDGER = "test_every_case_does_what_the_ledger_says"
"""Each runs all cases of a frontend; the first one is as long as all others."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--drawn`, which `make test` gives."""
    parser.addoption(OPTION, action="store_true", help="Try a part of what takes long.")


def pytest_configure(config: pytest.Config) -> None:
    """Bytecode first, whatever the environment says: hundreds of processes import the packages,
    most of which may write none (`nnir.isolation`) and would compile all they import."""
    config.addinivalue_line("markers", f"{MARK}: takes more than two or three seconds")
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if not hasattr(config, "workerinput"):
        for package in PACKAGES:
            compileall.compile_dir(REPOSITORY / package, quiet=2)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest tests first, in both halves: two processes begin with one each. The order is the
    same in every process."""
    if config.getoption(OPTION):
        items[:], left = draw_long(items)
        config.hook.pytest_deselected(items=left)
    ledgers = [i for i in items if getattr(i, "originalname", "") == LEDGER]
    first, second = ([i for n in names for i in items if i.path.stem == n] for names in LONGEST)
    first, second = [*ledgers[:1], *first], [*ledgers[1:], *second]
    long = {*first, *second}
    others = [i for i in items if i not in long]
    middle = max(0, len(items) // 2 - len(first))
    items[:] = [*first, *others[:middle], *second, *others[middle:]]


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle("conformance.oracles.onnx") as worker:
        yield worker


def tensor(name: str, array: np.ndarray) -> TensorProto:
    return numpy_helper.from_array(array, name)


def info(
    name: str, shape: list[int | str] | None, kind: int = TensorProto.FLOAT
) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def model_of(
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
    weights: list[TensorProto] | None = None,
    opset: int = 21,
) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "test", inputs, outputs, weights or [])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


@pytest.fixture(scope="session")
def mlp() -> onnx.ModelProto:
    """Two dense layers with a dynamic batch."""
    rng = np.random.default_rng(0)
    weights = [
        tensor("w1", rng.standard_normal((4, 8)).astype(np.float32)),
        tensor("b1", rng.standard_normal(8).astype(np.float32)),
        tensor("w2", rng.standard_normal((8, 3)).astype(np.float32)),
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["h1"], name="dense"),
        helper.make_node("Add", ["h1", "b1"], ["h2"], name="bias"),
        helper.make_node("Relu", ["h2"], ["h3"], name="act"),
        helper.make_node("MatMul", ["h3", "w2"], ["y"], name="head"),
    ]
    return model_of(nodes, [info("x", ["batch", 4])], [info("y", ["batch", 3])], weights)


@pytest.fixture(scope="session")
def cnn() -> onnx.ModelProto:
    """Convolution, pool, reshape by the run-time shape, and softmax."""
    rng = np.random.default_rng(1)
    weights = [
        tensor("w", rng.standard_normal((5, 3, 3, 3)).astype(np.float32)),
        tensor("b", rng.standard_normal(5).astype(np.float32)),
        tensor("minus", np.array([-1], np.int64)),
        tensor("zero", np.array([0], np.int64)),
        tensor("one", np.array([1], np.int64)),
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1], name="conv"),
        helper.make_node("Relu", ["c"], ["r"], name="relu"),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2], name="pool"),
        helper.make_node("Shape", ["p"], ["s"], name="shape"),
        helper.make_node("Slice", ["s", "zero", "one"], ["n"], name="slice"),
        helper.make_node("Concat", ["n", "minus"], ["t"], axis=0, name="concat"),
        helper.make_node("Reshape", ["p", "t"], ["f"], name="flat"),
        helper.make_node("Softmax", ["f"], ["y"], name="softmax"),
    ]
    return model_of(nodes, [info("x", ["n", 3, 8, 8])], [info("y", ["n", 80])], weights)


@pytest.fixture(scope="session")
def loop() -> onnx.ModelProto:
    """A Loop that adds `step` from outside, with a scan output, and an If."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["a", "step"], ["b"]),
            helper.make_node("Identity", ["b"], ["scan"]),
            helper.make_node("Identity", ["go"], ["again"]),
        ],
        "body",
        [info("i", [], TensorProto.INT64), info("go", [], TensorProto.BOOL), info("a", [2])],
        [info("again", [], TensorProto.BOOL), info("b", [2]), info("scan", [2])],
    )
    then = helper.make_graph(
        [helper.make_node("Neg", ["last"], ["t"])], "then", [], [info("t", [2])]
    )
    other = helper.make_graph(
        [helper.make_node("Abs", ["last"], ["e"])], "else", [], [info("e", [2])]
    )
    nodes = [
        helper.make_node("Loop", ["trips", "", "x"], ["last", "all"], body=body, name="loop"),
        helper.make_node("If", ["flag"], ["y"], then_branch=then, else_branch=other, name="if"),
    ]
    inputs = [
        info("x", [2]),
        info("step", [2]),
        info("trips", [], TensorProto.INT64),
        info("flag", [], TensorProto.BOOL),
    ]
    return model_of(nodes, inputs, [info("y", [2]), info("all", None)])


@pytest.fixture
def saved(tmp_path: Path, mlp: onnx.ModelProto) -> Path:
    """The dense model as a file."""
    path = tmp_path / "mlp.onnx"
    onnx.save(mlp, path)
    return path


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `tensorflow_models.py` fills."""
    return folder_of("tests.frontends.tensorflow_models", tmp_path_factory)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `tflite_models.py` fills."""
    return folder_of("tests.frontends.tflite_models", tmp_path_factory)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `paddle_models.py` fills."""
    return folder_of("tests.frontends.paddle_models", tmp_path_factory)


def folder_of(script: str, factory: pytest.TempPathFactory, *arguments: str) -> Path:
    """The folder that a script, which imports a framework, fills once for all processes of a run.

    Whoever needs it meanwhile waits. Tests only read it.
    """

    def fill(part: Path) -> None:
        command = [sys.executable, "-m", script, str(part), *arguments]
        done = subprocess.run(command, cwd=REPOSITORY, timeout=280, capture_output=True, text=True)
        assert not done.returncode, done.stderr[-2000:]

    return shared_folder("-".join([script, *arguments]), factory, fill)


def shared_folder(
    name: str, factory: pytest.TempPathFactory, fill: Callable[[Path], object]
) -> Path:
    """The folder that a function fills once for all processes of a run, where only whole ones
    are seen. It must not matter to what it writes where the folder lies."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / name
    with folder.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part = folder.with_name(f"{name}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            fill(part)
            part.rename(folder)
    return folder
