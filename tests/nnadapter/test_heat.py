"""Results on the graph of a model: where time goes, how far each operation is from its origin."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result
from onnx import TensorProto, helper, numpy_helper
from playwright.sync_api import Browser

from conformance.bisecting.along import Along
from conformance.bisecting.finding import Bisection
from conformance.bisecting.intermediate import Known
from conformance.bisecting.search import Walk
from conformance.case import Tolerance
from conformance.judging.compare import compare
from conformance.judging.tolerance import SINGLE, relative_to
from conformance.verifying.verify import TOLERANCES, Report, compare_output
from hal.drivers.onnxruntime.driver import LOWERINGS
from hal.runtime.profile import Profile, Row
from nnadapter.cli import main
from nnadapter.looking.error_heat import heat_of_bisection, heat_of_report
from nnadapter.looking.graph import Graph
from nnadapter.looking.heat import LEVELS, NOTHING, WRONG, Heat, Mark, data_of_heat
from nnadapter.looking.time_heat import heat_of_profile
from nnir.model import Model
from nnir.ops import activation, linear, unary
from nnir.types import Precision, TensorType

DEVICES = ["builtin", "onnxruntime", "openvino", "litert", "torch"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two layers in modules."""
    rng = np.random.default_rng(0)
    weights = [
        numpy_helper.from_array(rng.normal(size=s).astype(np.float32), n)
        for n, s in (("w", (64, 256)), ("v", (256, 4)))
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="/net/first/MatMul"),
        helper.make_node("Softmax", ["h"], ["s"], name="/net/first/Softmax", axis=-1),
        helper.make_node("MatMul", ["s", "v"], ["t"], name="/net/second/MatMul"),
        helper.make_node("Tanh", ["t"], ["y"], name="/net/second/Tanh"),
    ]
    ends = [
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s)]
        for n, s in (("x", [64, 64]), ("y", [64, 4]))
    ]
    graph = helper.make_graph(nodes, "net", *ends, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "net.onnx")
    return tmp_path / "net.onnx"


def call(*words: object) -> Result:
    done = CliRunner().invoke(main, [*map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def heat_in(path: Path) -> dict[str, Any]:
    """What the page of a file has, and the kinds of its nodes."""
    text = path.read_text()
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    heat = data["heat"]
    kinds = [data["kindNames"][k] for k in data["kinds"]]
    return {"texts": heat["texts"], "heat": heat, "kinds": kinds}


@pytest.mark.parametrize("device", DEVICES)
def test_time_is_on_the_operations(file: Path, device: str) -> None:
    html = file.with_suffix(".html")
    done = call("run", file, "--device", device, "--repeat", 2, "--html", html)
    assert done.exit_code == 0, done.output
    found = heat_in(html)
    levels = dict(zip(found["kinds"], found["heat"]["levels"], strict=False))
    assert levels["input"] == NOTHING
    shares = [
        int(re.search(r"(\d+)%", found["texts"][k])[1])  # type: ignore[index]
        for k in found["heat"]["top"][1]
    ]
    assert 1 <= len(shares) <= (1 if device == "openvino" else 4), "OpenVINO makes one kernel of it"
    kinds = ("MAT_MUL", "SOFTMAX", "TANH")
    assert all(levels[kind] > NOTHING for kind in kinds), "what is computed with others says so"
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) <= 102


def test_errors_are_on_the_operations(file: Path) -> None:
    html = file.with_suffix(".html")
    assert call("verify", file, "--device", "openvino", "--html", html).exit_code == 0
    found = heat_in(html)
    levels = dict(zip(found["kinds"], found["heat"]["levels"], strict=False))
    assert levels["input"] == NOTHING
    assert all(0 <= levels[k] < LEVELS for k in ("MAT_MUL", "SOFTMAX", "TANH", "output"))


def test_the_wrong_operation_is_marked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function = LOWERINGS.entries[activation.softmax]

    def wrong(g: Any, x: Any, *, axis: int) -> Any:
        return function(g, x, axis=axis - 1)

    entries = {**LOWERINGS.entries, activation.softmax: wrong}
    monkeypatch.setattr(LOWERINGS, "entries", entries)
    html = file.with_suffix(".html")
    words = ("bisect", file, "--device", "onnxruntime", "--html", html, "--folder")
    assert call(*words, file.parent / "found").exit_code == 1
    found = heat_in(html)
    levels = dict(zip(found["kinds"], found["heat"]["levels"], strict=False))
    assert levels["SOFTMAX"] == WRONG
    assert levels["TANH"] == NOTHING, "what comes behind the first wrong one was not looked at"
    assert found["heat"]["top"][1][0] == found["kinds"].index("SOFTMAX")
    assert "wrong" in found["texts"][found["kinds"].index("SOFTMAX")]


def test_a_page_shows_it(file: Path, browser: Browser) -> None:
    html = file.with_suffix(".html")
    assert call("run", file, "--device", "builtin", "--html", html).exit_code == 0
    heard: list[str] = []
    context = browser.new_context(viewport={"width": 360, "height": 740})
    tab = context.new_page()
    tab.on("console", lambda message: heard.append(message.text))
    tab.on("pageerror", lambda error: heard.append(str(error)))
    tab.goto(f"{html.as_uri()}#all")
    tab.wait_for_selector("html[data-ready]")
    assert "Where the time goes" in tab.inner_text("#panel")
    names = tab.locator("#top button").all_inner_texts()
    assert "/net/first/MatMul" in names
    tab.locator("#top button").first.click()
    assert "Time on builtin" in tab.inner_text("#panel")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    key = "globalThis.page.view.key(globalThis.page.scene.data.heat.top[1][0]).group"
    assert str(tab.evaluate(key)).startswith("heat")
    tab.click("#heat")
    assert tab.evaluate(key) in ("product", "activation"), "which one took longest is chance"
    context.close()
    assert heard == []


# Which step belongs to which operation


def model_of_three() -> Model:
    model = Model("net")
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 2)))
    model.origin = "a/dense"
    y = activation.relu(linear.mat_mul(x, x))
    model.origin = "a_1"
    model.outputs = [unary.abs_(y)]
    return model


def test_steps_belong_to_operations_by_their_names() -> None:
    model = model_of_three()
    product, relu, last = model.sorted()
    rows = [
        ("a/dense", "MAT_MUL", 1.0),
        ("a/dense", "RELU", 2.0),
        ("a/dense/Cast_3", "Cast", 3.0),
        ("a_1_nchwc", "Abs", 4.0),
        ("Subgraph_7", "Subgraph", 0.0, ("a_1", "a/dense")),
        ("Reorder", "Reorder", 5.0),
    ]
    profile = Profile([Row("d", n, o, 0.0, *more) for n, o, *more in rows], 20.0)
    heat = heat_of_profile(model, profile, ["d"])
    amounts = {o: heat.marks[o].amount for o in (product, relu, last)}
    assert amounts == {product: 4 / 20, relu: 2 / 20, last: 4 / 20}
    assert ("Engine's own steps", "5e+03 ms: Reorder") in heat.summary


def test_what_is_fused_says_into_what() -> None:
    model = model_of_three()
    product, relu, last = model.sorted()
    row = Row("d", "fused_1", "Subgraph", 0.0, 1.0, ("a_1", "a/dense"))
    heat = heat_of_profile(model, Profile([row], 1.0), ["d"])
    assert heat.marks[last].amount == 1.0
    assert heat.marks[product].text == heat.marks[relu].text == "in a_1"
    assert not any(name == "Without time" for name, _ in heat.summary)


def test_modules_have_what_is_in_them() -> None:
    model = model_of_three()
    product, relu, last = model.sorted()
    marks = {product: Mark(0.9, "wrong", 0.1, is_wrong=True), relu: Mark(0.3, "fine", 0.2)}
    data: Any = data_of_heat(Graph(model), Heat("error", ("a", "b"), "top", marks))
    levels = data["levels"]
    assert len(levels) == len(Graph(model).nodes) + len(Graph(model).modules)
    assert levels[len(Graph(model).nodes)] == WRONG
    assert last not in marks
    kinds = [n.kind for n in Graph(model).nodes]
    assert data["top"][1] == [kinds.index("MAT_MUL"), kinds.index("RELU")]


# How strong the colour of an error is

ZEROS = np.array([0.0, 1.0])


def mark_of_row(got: np.ndarray, want: np.ndarray, tolerance: float | None = None) -> Mark:
    """The mark of an output of `verify`, once for itself and once for its operation."""
    model = model_of_three()
    row = compare_output("y", got, want, tolerance, 0)
    last = model.sorted()[-1]
    report = Report("origin", "device", [row])
    marks = heat_of_report(model, report, Along({last: row})).marks
    assert marks["y"] == marks[last]
    assert marks["y"].is_wrong is not row.agrees
    return marks["y"]


def mark_of_step(got: np.ndarray, want: np.ndarray, tolerance: float | None = None) -> Mark:
    """The mark of an operation of `bisect`."""
    model = model_of_three()
    first = model.sorted()[0]
    limit = SINGLE.get(want.dtype.name, 0.0) if tolerance is None else tolerance
    found = compare(got, want, relative_to(limit, want))
    return heat_of_bisection(Bisection(None, 1, 3, "", model, {first: found})).marks[first]


@pytest.mark.parametrize("mark_of", [mark_of_row, mark_of_step])
@pytest.mark.parametrize(
    ("relative", "share"), [(0.0, 0.0), (1e-8, 0.0), (1e-6, 0.5), (1e-4, 1.0), (5.0, 1.0)]
)
def test_errors_have_a_logarithmic_scale(
    relative: float, share: float, mark_of: Callable[..., Mark]
) -> None:
    want = np.array([3.0, -8.0])
    mark = mark_of(want + np.array([relative * 8, 0]), want, 1e-4)
    assert mark.share == pytest.approx(share, abs=1e-6)
    assert mark.is_wrong is (relative > 1)


@pytest.mark.parametrize("mark_of", [mark_of_row, mark_of_step])
@pytest.mark.parametrize(
    ("precision", "error"),
    [("float64", 1e-13), ("float32", 1e-9), ("float16", 1e-7), ("bfloat16", 1e-9)],
)
def test_a_small_error_beside_zero_is_small(
    precision: str, error: float, mark_of: Callable[..., Mark]
) -> None:
    mark = mark_of(np.array([error, 1.0]).astype(precision), ZEROS.astype(precision))
    assert not mark.is_wrong
    assert mark.share == 0
    assert 0 < mark.amount < 1e-3
    assert mark.text == f"error {error:.0e}"
    assert "inf" not in str(mark.details)


@pytest.mark.parametrize(
    ("mark_of", "tolerances"), [(mark_of_row, TOLERANCES), (mark_of_step, SINGLE)]
)
@pytest.mark.parametrize("precision", ["float64", "float32", "float16", "bfloat16"])
def test_the_scale_ends_at_the_tolerance_of_the_precision(
    precision: str, mark_of: Callable[..., Mark], tolerances: dict[str, float]
) -> None:
    limit = tolerances[precision]
    want = np.array([256.0, 0.0]).astype(precision)
    wrong = (np.array([256.0, 256 * limit * k]).astype(precision) for k in (0.5, 2))
    below, above = (mark_of(got, want) for got in wrong)
    assert below.share == pytest.approx(1 + np.log10(0.5) / 4, abs=0.01)
    assert not below.is_wrong
    assert (above.share, above.is_wrong) == (1.0, True)
    assert above.amount == pytest.approx(2, rel=0.02)


@pytest.mark.parametrize("mark_of", [mark_of_row, mark_of_step])
def test_what_is_wrong_beside_nothing_but_zero_says_by_how_much(
    mark_of: Callable[..., Mark],
) -> None:
    mark = mark_of(np.array([0.0, 1e-9]), np.zeros(2))
    assert (mark.is_wrong, mark.share, mark.text) == (True, 1.0, "wrong: error 1e-09")
    assert all(name != "Relative to the largest value" for name, _ in mark.details)


def test_an_operation_is_as_wrong_as_its_worst_result() -> None:
    model = model_of_three()
    walk = Walk(model, [np.ones((2, 2), np.float32)], "builtin", "", None, Known({}))
    operation = model.sorted()[0]
    small = compare(np.array([1e-9, 1.0]), ZEROS, Tolerance(absolute=1e-4))
    large = compare(np.array([0.0, 1.00005]), ZEROS, Tolerance(absolute=1e-4))
    for found in (large, small):
        walk._note(operation, found)
    assert walk.differences[operation] is large


@pytest.mark.parametrize(
    ("precision", "limit"), [("float16", 1e-2), ("float32", 1e-4), ("float64", 1e-6)]
)
def test_rows_of_verify_say_their_tolerance(tmp_path: Path, precision: str, limit: float) -> None:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(precision))
    ends = [[helper.make_tensor_value_info(n, kind, [3])] for n in "xy"]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "net", *ends)
    path, html = tmp_path / "net.onnx", tmp_path / "net.html"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    done = call("verify", path, "--device", "builtin", "--json", "--html", html)
    (row,) = json.loads(done.stdout)["rows"]
    assert row["tolerance"] == limit
    assert row["max_absolute"] <= row["allowed"]
    given = call("verify", path, "--device", "builtin", "--json", "--tolerance", 0.25)
    (row,) = json.loads(given.stdout)["rows"]
    assert row["tolerance"] == 0.25
