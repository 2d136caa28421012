"""Make the images of docs/looking.md and docs/quantisation.md: `python -m benchmarks.images`, with
Chromium installed."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

import nnadapter as nna
from nnadapter.looking import difference_page, page, results
from nnadapter.looking.difference import compare
from nnadapter.looking.facts import facts
from nnir.model import Model, Value
from nnir.ops import activation, binary, linear, norm, reduce, shape
from nnir.types import Precision, TensorType

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 360, "height": 720}
SIZE, HEADS = 64, 4


class Encoder:
    """A small encoder of attention, with the names that such models have."""

    def __init__(self, layers: int, gelu_in: int = -1) -> None:
        self.model = Model("encoder")
        self.random = np.random.default_rng(0)
        x: Value = self.model.input("tokens", TensorType(Precision.FLOAT32, (1, 16, SIZE)))
        for layer in range(layers):
            self.prefix = f"encoder/layer_{layer}"
            x = self.attention(x)
            x = self.feed_forward(x, uses_gelu=layer == gelu_in)
        self.prefix = "head"
        x = self.call("pool", lambda: reduce.reduce_mean(x, [1], keepdim=False))
        x = self.dense("classifier", x, 10)
        self.model.outputs = [self.call("softmax", lambda: activation.softmax(x, axis=1))]
        self.model.origin, self.model.output_names = None, ["probabilities"]

    def call(self, name: str, build: Callable[[], Value]) -> Value:
        self.model.origin = f"{self.prefix}/{name}"
        return build()

    def weight(self, name: str, *sizes: int) -> Value:
        data = self.random.normal(0, 0.05, sizes).astype(np.float32)
        return self.model.constant(data, name=f"{self.prefix}/{name}")

    def dense(self, name: str, x: Value, size: int) -> Value:
        weight = self.weight(f"{name}/weight", x.sizes[-1], size)
        bias = self.weight(f"{name}/bias", size)
        product = self.call(f"{name}/MatMul", lambda: linear.mat_mul(x, weight))
        return self.call(f"{name}/Add", lambda: binary.add(product, bias))

    def heads(self, name: str, x: Value) -> Value:
        sizes = [1, 16, HEADS, SIZE // HEADS]
        split = self.call(f"{name}/Reshape", lambda: shape.reshape(x, sizes))
        return self.call(f"{name}/Transpose", lambda: shape.transpose(split, perm=(0, 2, 1, 3)))

    def attention(self, x: Value) -> Value:
        parts = [
            self.heads(f"attention/{name}", self.dense(f"attention/{name}", x, SIZE))
            for name in ("query", "key", "value")
        ]
        scores = self.call(
            "attention/scores", lambda: linear.mat_mul(parts[0], parts[1], transpose_y=True)
        )
        weights = self.call("attention/softmax", lambda: activation.softmax(scores, axis=3))
        mixed = self.call("attention/context", lambda: linear.mat_mul(weights, parts[2]))
        back = self.call("attention/back", lambda: shape.transpose(mixed, perm=(0, 2, 1, 3)))
        flat = self.call("attention/merge", lambda: shape.reshape(back, [1, 16, SIZE]))
        out = self.dense("attention/output", flat, SIZE)
        return self.normalise("norm_1", self.call("add_1", lambda: binary.add(x, out)))

    def feed_forward(self, x: Value, *, uses_gelu: bool) -> Value:
        wide = self.dense("feed_forward/up", x, 4 * SIZE)
        function = activation.gelu if uses_gelu else activation.relu
        bent = self.call("feed_forward/activation", lambda: function(wide))
        narrow = self.dense("feed_forward/down", bent, SIZE)
        return self.normalise("norm_2", self.call("add_2", lambda: binary.add(x, narrow)))

    def normalise(self, name: str, x: Value) -> Value:
        scale, bias = self.weight(f"{name}/scale", SIZE), self.weight(f"{name}/bias", SIZE)
        return self.call(name, lambda: norm.layer_normalization(x, scale, bias, begin_norm_axis=2))


def open_tab(browser: Browser, path: Path, view: dict[str, int], scheme: str) -> Page:
    """A tab of a page, as it will be shown."""
    context = browser.new_context(viewport=view, color_scheme=scheme, reduced_motion="reduce")
    tab = context.new_page()
    tab.goto(path.as_uri())
    return tab


def save(tab: Page, name: str) -> None:
    tab.wait_for_timeout(300)
    tab.screenshot(path=IMAGES / name)
    print(f"{name}: {(IMAGES / name).stat().st_size:,} bytes")
    tab.context.close()


def show_graph(browser: Browser, folder: Path) -> None:
    """The graph: with a path in light, an operation on a phone in dark."""
    file = folder / "encoder.nnir"
    nna.save(Encoder(3).model, file)
    model = nna.load(file)
    path = folder / "graph.html"
    page.write(model, facts(model, file), path)
    find = "globalThis.page.go(globalThis.page.scene.data.nodes.indexOf('encoder/layer_0/{}'))"
    tab = open_tab(browser, path, WIDE, "light")
    tab.wait_for_selector("html[data-ready]")
    tab.evaluate(find.format("attention/query/MatMul"))
    tab.click("[data-path=down]")
    tab.evaluate(
        "() => { const {canvas, zoom} = globalThis.page; canvas.call(zoom.scaleTo, 0.62); }"
    )
    save(tab, "looking-graph.png")
    tab = open_tab(browser, path, NARROW, "dark")
    tab.wait_for_selector("html[data-ready]")
    tab.evaluate(find.format("attention/softmax"))
    save(tab, "looking-graph-phone.png")


def show_difference(browser: Browser, folder: Path) -> None:
    """Two models of which one has another activation."""
    models = Encoder(3).model, Encoder(3, gelu_in=1).model
    found = compare(*models)
    found.results = results.run_both(*models, "builtin")
    path = folder / "diff.html"
    names = ("encoder-relu.onnx", "encoder-gelu.onnx")
    difference_page.write(found, names, path, is_equal=found.is_equal())
    tab = open_tab(browser, path, {"width": 1000, "height": 760}, "light")
    tab.evaluate("document.querySelector('.sides').parentElement.scrollIntoView()")
    save(tab, "looking-diff.png")


def show_noise(browser: Browser, folder: Path) -> None:
    """What each operation costs when it computes with integers."""
    random = np.random.default_rng(1)
    data = random.standard_normal((16, 1, 16, SIZE)).astype(np.float32)
    path = folder / "noise.html"
    nna.quantize(Encoder(2, gelu_in=1).model, data, folder / "encoder.tflite", page=path)
    tab = open_tab(browser, path, WIDE, "light")
    tab.wait_for_selector("html[data-ready]")
    save(tab, "quantisation-noise.png")
    tab = open_tab(browser, path, NARROW, "dark")
    tab.wait_for_selector("html[data-ready]")
    save(tab, "quantisation-noise-phone.png")


def main() -> None:
    """Write all images."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        sys.exit("needs Chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        show_graph(browser, Path(folder))
        show_difference(browser, Path(folder))
        show_noise(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
