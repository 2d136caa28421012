"""The page of a model's graph, in a real browser without a window."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

import nnadapter as nna
from nnadapter.cli import main
from nnadapter.looking import page as report
from nnadapter.looking.facts import facts
from nnadapter.looking.graph import ROOT, Graph
from nnadapter.looking.layout import lay_out
from nnadapter.looking.scopes import scope_of_name
from nnadapter.looking.weights import describe, describe_weights
from nnir.model import Model, Value
from nnir.ops import activation, binary, compare, control, linear, unary
from nnir.types import Precision, TensorType

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&amp;\u2028"
FLOAT = Precision.FLOAT32
Shown = Callable[..., Page]


def float_input(model: Model, name: str, *sizes: int) -> Value:
    return model.input(name, TensorType(FLOAT, sizes))


def add_block(model: Model, x: Value, weight: Value, name: str) -> Value:
    """Ten operations in two modules, around which a value goes twice."""
    model.origin = f"{name}/attention/query"
    query = linear.mat_mul(x, weight)
    model.origin = f"{name}/attention/scale"
    scaled = unary.abs_(query)
    model.origin = f"{name}/attention/softmax"
    weighed = activation.softmax(scaled, axis=1)
    model.origin = f"{name}/attention/out"
    out = linear.mat_mul(weighed, weight)
    model.origin = f"{name}/add_1"
    y = binary.add(x, out)
    model.origin = f"{name}/dense/first"
    h = linear.mat_mul(y, weight)
    model.origin = f"{name}/dense/relu"
    h = activation.relu(h)
    model.origin = f"{name}/dense/second"
    h = linear.mat_mul(h, weight)
    model.origin = f"{name}/dense/tanh"
    h = activation.tanh(h)
    model.origin = f"{name}/add_2"
    return binary.add(y, h)


def encoder(blocks: int, stages: int = 1) -> Model:
    model = Model("encoder")
    x = float_input(model, "x", 4, 8)
    weight = model.constant(np.linspace(-1, 3, 64, dtype=np.float32).reshape(8, 8), name="w")
    for block in range(blocks):
        x = add_block(model, x, weight, f"encoder/stage_{block % stages}/block_{block}")
    model.origin = None
    model.outputs = [x]
    model.output_names = ["y"]
    return model


@pytest.fixture
def shown(browser: Browser, tmp_path: Path) -> Iterator[Shown]:
    """Opens the page of a model; fails when the page complains or asks for anything."""
    heard: list[str] = []
    path = tmp_path / "page.html"
    context = browser.new_context(viewport={"width": 1280, "height": 860}, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    tab = context.new_page()
    tab.on("console", lambda message: heard.append(message.text))
    tab.on("dialog", lambda dialog: (heard.append(dialog.message), dialog.dismiss()))
    tab.on("pageerror", lambda error: heard.append(str(error)))
    own = (path.as_uri(), "data:")
    tab.on("request", lambda r: None if r.url.startswith(own) else heard.append(r.url))

    def open_model(model: Model, hash: str = "", most: int = 1 << 20) -> Page:
        report.write(model, facts(model), path, most)
        tab.goto(path.as_uri() + hash)
        tab.wait_for_selector("html[data-ready]")
        return tab

    yield open_model
    context.close()
    assert heard == []


def click(page: Page, name: str) -> None:
    """Click on what is drawn for a node or module of this name."""
    place = page.evaluate(
        """name => {
          const {scene, view} = globalThis.page;
          let item = scene.data.nodes.indexOf(name);
          if (item < 0) item = scene.nodes + scene.data.modules.findIndex(([n]) => n === name);
          const [x, y] = view.transform.apply([scene.x[item], scene.top[item] + 8]);
          const box = view.canvas.getBoundingClientRect();
          return [x + box.left, y + box.top];
        }""",
        name,
    )
    page.mouse.click(*place)


def wait_until(holds: Callable[[], bool]) -> None:
    """Ask again and again; the page's own policy forbids that the browser does."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def pixels(page: Page) -> int:
    """How many colours the canvas has in a coarse grid."""
    return int(
        page.evaluate(
            """() => {
              const {canvas} = globalThis.page.view;
              const context = canvas.getContext("2d");
              const {data} = context.getImageData(0, 0, canvas.width, canvas.height);
              return new Set(new Uint32Array(data.buffer)).size;
            }"""
        )
    )


# Graph and layout


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("/layer1/layer1.0/conv1/Conv", ("layer1", "0", "conv1")),
        ("a/b/MatMul;a/b/BiasAdd", ("a", "b")),
        ("layer1.0.conv1", ("layer1", "0")),
        ("conv", None),
        ("", None),
    ],
)
def test_names_tell_modules(name: str, scope: tuple[str, ...] | None) -> None:
    assert scope_of_name(name) == scope


def test_weights_tell_modules() -> None:
    model = Model()
    x = float_input(model, "x", 2, 2)
    a, b = (model.constant(np.ones((2, 2)), np.float32, name=f"net.{n}.weight") for n in "ab")
    x = activation.relu(linear.mat_mul(x, a))
    model.outputs = [linear.mat_mul(x, b)]
    graph = Graph(model)
    assert [m.name for m in graph.modules[1:]] == ["net"]
    inside = [n.kind for n in graph.nodes if n.module != ROOT]
    assert inside == ["MAT_MUL", "RELU", "MAT_MUL"]


def test_a_class_of_layers_is_no_module() -> None:
    """What is called alike and lies all over the model would only tangle its lines."""
    model = Model()
    x = float_input(model, "x", 2, 2)
    for number in range(4):
        for kind, operator in (("ReLU", activation.relu), ("Tanh", activation.tanh)):
            model.origin = f"{kind}/{kind}_{number}"
            x = operator(x)
    model.outputs = [x]
    assert len(Graph(model).modules) == 1


def test_rows_go_down_and_lanes_go_round() -> None:
    graph = Graph(encoder(3))
    layout = lay_out(graph)
    solid = len(graph.nodes) + len(graph.modules)
    row = {i: k for rows in layout.rows for k, items in enumerate(rows) for i in items}
    items = [i for rows in layout.rows for items in rows for i in items]
    assert sorted(i for i in items if i < solid) == [
        k for k in range(solid) if k != len(graph.nodes)
    ]
    assert len(items) == len(set(items))
    for source, target in graph.links():
        if graph.nodes[source].module == graph.nodes[target].module:
            assert row[source] < row[target]
    for lane in (*layout.lanes, *(lane for _, lane in layout.entries)):
        assert [row[lane.first + k] for k in range(lane.count)] == [
            *range(lane.row, lane.row + lane.count)
        ]
    assert layout.lanes
    assert layout.entries


def test_lanes_are_limited() -> None:
    """Each of 400 operations is read by the last one, far below."""
    model = Model()
    x = float_input(model, "x", 2)
    kept = []
    for _ in range(400):
        x = unary.abs_(x)
        kept.append(x)
    model.outputs = [binary.sum_(*kept)]
    layout = lay_out(Graph(model))
    assert sum(lane.count for lane in layout.lanes) < 402 * 4 + 256


# Weights


def test_weights_are_described() -> None:
    found = describe(np.array([0, 1, 1, 4, np.nan, np.inf], np.float32))
    assert (found["min"], found["max"], found["mean"]) == (0, 4, 1.5)
    assert (found["zeros"], found["odd"], sum(found["bins"])) == (1, 2, 4)
    assert describe(np.array([np.nan], np.float32)) == {"odd": 1}
    assert sum(describe(np.full(5, 7, np.int8))["bins"]) == 5
    assert describe(np.array([1j])) == {}


def test_only_so_many_elements_are_read() -> None:
    model = Model()
    a, b, c = (model.constant(np.zeros(n, np.float32)) for n in (6, 6, 4))
    found = describe_weights([a, b, c], 10)
    assert found[a]
    assert found[b] == {}
    assert found[c]


# The page


def test_an_operation_in_full(shown: Shown) -> None:
    page = shown(encoder(2))
    click(page, "encoder/stage_0/block_0/attention/query")
    panel = page.locator("#panel")
    expect(panel.locator("h2")).to_have_text("encoder/stage_0/block_0/attention/query")
    expect(panel).to_contain_text("MAT_MUL")
    expect(panel).to_contain_text("float32[4, 8]")
    expect(panel).to_contain_text("512")  # 2 * 4 * 8 * 8
    expect(panel.locator(".numbers")).to_contain_text("min -1")
    expect(panel.locator(".numbers")).to_contain_text("mean 1")
    assert panel.locator(".histogram rect").count() == 32
    expect(panel.locator(".doc")).to_contain_text("Types:")
    expect(panel).to_contain_text("transpose_x")
    panel.locator(".from .link", has_text="scale").click()
    expect(panel.locator("h2")).to_have_text("encoder/stage_0/block_0/attention/scale")
    page.click("#back")
    expect(panel).to_contain_text("Parameters")


def test_weights_that_were_not_read_say_so(shown: Shown) -> None:
    page = shown(encoder(1), most=10)
    page.evaluate("page.go(page.scene.data.nodes.findIndex(n => n.endsWith('query')))")
    expect(page.locator("#panel")).to_contain_text("its numbers were not computed")


def test_search(shown: Shown) -> None:
    page = shown(encoder(60))
    page.fill("#q", "block_37 softmax")
    expect(page.locator("#found")).to_have_text("1 found")
    page.press("#q", "Enter")
    expect(page.locator("#panel h2")).to_contain_text("block_37/attention/softmax")
    middle = page.evaluate(
        """() => {
          const {scene, view} = globalThis.page;
          const item = view.chosen;
          const place = view.transform.apply([scene.x[item], scene.top[item]]);
          return [scene.shown(item) === item, ...place];
        }"""
    )
    assert middle[0]
    assert 0 < middle[1] < 900
    assert 0 < middle[2] < 800
    page.fill("#q", "no such thing")
    expect(page.locator("#found")).to_have_text("0 found")
    expect(page.locator("#results")).to_be_hidden()


def test_modules_open_and_close(shown: Shown) -> None:
    page = shown(encoder(3))
    boxes = "globalThis.page.scene.boxes.length"
    everything = page.evaluate(boxes)
    assert everything == 32
    page.click("#close")
    assert page.evaluate(boxes) == 3  # x, the encoder, y
    click(page, "encoder.stage_0")
    expect(page.locator("#panel")).to_contain_text("30 operations")
    page.click("text=Open")
    assert page.evaluate(boxes) == 5
    page.click("#open")
    assert page.evaluate(boxes) == everything


def test_the_path_of_a_tensor(shown: Shown) -> None:
    page = shown(encoder(3))
    click(page, "encoder/stage_0/block_0/attention/scale")
    lit = "globalThis.page.view.lit && globalThis.page.view.lit.size"
    page.click("text=Depends on")
    assert page.evaluate(lit) == 3  # x, the query, itself
    expect(page.locator("[data-path=up]")).to_have_attribute("aria-pressed", "true")
    page.click("text=Is read by")
    assert page.evaluate(lit) == 8 + 20 + 1 + 1
    page.click("text=Is read by")
    assert page.evaluate(lit) is None


def test_branches_are_modules(shown: Shown) -> None:
    def branch(name: str, operator: Any) -> Model:
        inner = Model(name)
        x = float_input(inner, "t", 2)
        inner.outputs = [operator(x)]
        return inner

    model = Model()
    x = float_input(model, "x", 2)
    flag = model.input("flag", TensorType(Precision.BOOL8, ()))
    model.origin = "choice"
    then_model, else_model = branch("a", activation.relu), branch("b", activation.tanh)
    model.outputs = list(control.if_(flag, x, then_model=then_model, else_model=else_model))
    page = shown(model)
    names = page.evaluate("globalThis.page.scene.data.modules.map(([name]) => name)")
    assert names[1:] == ["choice: then_model", "choice: else_model"]


def test_names_are_text(shown: Shown) -> None:
    model = Model(HOSTILE)
    x = float_input(model, HOSTILE, 2)
    model.origin = f"{HOSTILE}/{HOSTILE}"
    weight = model.constant(np.ones(2, np.float32), name=HOSTILE)
    x = compare.where(compare.less(x, weight), x, weight)
    model.outputs = [x]
    model.output_names = [HOSTILE]
    model.metadata["producer"] = HOSTILE
    page = shown(model)
    for name in (x.producer.origin, HOSTILE) if x.producer else ():
        page.evaluate("n => page.go(globalThis.page.scene.data.nodes.indexOf(n))", name)
        expect(page.locator("#panel h2")).to_contain_text("<script>alert(1)")
    page.fill("#q", "script")
    expect(page.locator("#results li").first).to_contain_text("<script>alert(1)")
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 3


def test_a_model_without_operations(shown: Shown) -> None:
    model = Model()
    model.outputs = [float_input(model, "x", 2)]
    page = shown(model)
    assert page.evaluate("globalThis.page.scene.boxes.length") == 2
    page.click("#fit")
    empty = shown(Model())
    assert empty.evaluate("globalThis.page.scene.boxes.length") == 0


# How it looks


def test_light_and_dark(shown: Shown) -> None:
    page = shown(encoder(2))
    paper = "globalThis.page.view.colors.paper"
    page.emulate_media(color_scheme="light")
    light = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    wait_until(lambda: page.evaluate(paper) != light)
    page.click("#theme")
    wait_until(lambda: page.evaluate(paper) == light)
    assert pixels(page) > 20


def test_a_phone(shown: Shown) -> None:
    page = shown(encoder(2))
    page.set_viewport_size({"width": 360, "height": 740})
    sizes = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    assert page.evaluate(sizes) == [360, 740]
    page.click("#fit")
    page.evaluate("page.go(1)")
    assert page.evaluate(sizes) == [360, 740]
    stage = page.locator(".stage").bounding_box()
    assert stage is not None
    assert stage["height"] > 200
    assert page.evaluate("document.querySelector('aside').scrollWidth") <= 360


def test_the_keyboard_moves_the_graph(shown: Shown) -> None:
    page = shown(encoder(2))
    page.focus("#canvas")
    before = page.evaluate("[page.view.transform.y, page.view.transform.k]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("+")
    after = page.evaluate("[page.view.transform.y, page.view.transform.k]")
    assert after[0] < before[0]
    assert after[1] > before[1]


# Size

PAN = """async () => {
  const {canvas, zoom, view} = globalThis.page;
  const begin = performance.now();
  for (let frames = 1; ; frames += 1) {
    await new Promise(requestAnimationFrame);
    canvas.call(zoom.translateBy, -5 / view.transform.k, -9 / view.transform.k);
    const passed = performance.now() - begin;
    if (passed > 1500) return 1000 * frames / passed;
  }
}"""


@pytest.mark.parametrize("hash", ["", "#all"], ids=["closed", "all open"])
@pytest.mark.long
def test_fifty_thousand_operations(shown: Shown, hash: str) -> None:
    """On two cores that share other work: 1.4 s and 60 frames a second."""
    page = shown(encoder(5000, stages=1), hash)
    assert page.evaluate("globalThis.page.scene.nodes") == 50_002
    if hash:
        assert page.evaluate("globalThis.page.scene.boxes.length") == 50_002
    assert int(page.get_attribute("html", "data-ready") or 0) < 3000
    assert page.evaluate(PAN) >= 30
    page.click("#fit")
    assert page.evaluate(PAN) >= 30


@pytest.mark.long
def test_one_tensor_that_very_many_read(shown: Shown) -> None:
    """All lines begin at one place: of those that cover each other only some are drawn."""
    model = Model()
    x = float_input(model, "x", 4)
    model.outputs = [binary.sum_(*(activation.relu(x) for _ in range(10_000)))]
    page = shown(model)
    assert page.evaluate(PAN) >= 30
    assert page.evaluate("globalThis.page.view.work") <= 2500


# Files


def test_the_command_writes_it(tmp_path: Path) -> None:
    nna.save(encoder(1), tmp_path / "m.nnir")
    out = tmp_path / "m.html"
    done = CliRunner().invoke(
        main, ["inspect", str(tmp_path / "m.nnir"), "--html", str(out), "--json"]
    )
    assert done.exit_code == 0
    assert json.loads(done.stdout)["file"] == "m.nnir"
    text = out.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert "Mike Bostock" in text
    assert "Agafonkin" in text


def test_equal_models_give_equal_pages() -> None:
    model, again = encoder(2), encoder(2)
    assert report.render(model, facts(model)) == report.render(again, facts(again))
