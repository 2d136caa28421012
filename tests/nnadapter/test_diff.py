"""Two models side by side: what differs, as data, as text and as a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import Browser, expect

import nnadapter as nna
from nnadapter.cli import main
from nnadapter.looking import difference_page
from nnadapter.looking.difference import ADDED, CHANGED, REMOVED, SAME, Row, compare, measure
from nnadapter.looking.matching import match
from nnir.dim import symbol
from nnir.errors import BadInput
from nnir.model import Model, Value
from nnir.ops import activation, binary, linear, reduce
from nnir.types import Precision, TensorType

HOSTILE = "</style><script>alert(1)</script><img src=x onerror=alert(2)>"
WEIGHT = np.arange(16, dtype=np.float32).reshape(4, 4)


def dense(
    *,
    skip: int = -1,
    axis: int = 1,
    weight: np.ndarray = WEIGHT,
    prefix: str = "layer",
    extra: bool = False,
    name: str = "x",
) -> Model:
    """Three layers `relu(x * w) + x`, a sum at the end; `skip` leaves one activation out."""
    model = Model("dense")
    x = model.input(name, TensorType(Precision.FLOAT32, (2, 4)))
    for layer in range(3):
        model.origin = f"{prefix}{layer}/MatMul"
        shared = model.constant(weight if layer == 1 else WEIGHT, name=f"{prefix}{layer}.weight")
        h: Value = linear.mat_mul(x, shared)
        model.origin = f"{prefix}{layer}/Relu"
        h = h if layer == skip else activation.relu(h)
        model.origin = f"{prefix}{layer}/Add"
        x = binary.add(h, x)
    model.origin = "tanh"
    x = activation.tanh(x) if extra else x
    model.origin = "total"
    model.outputs = [reduce.reduce_sum(x, [axis])]
    model.output_names = ["y"]
    return model


def states(a: Model, b: Model) -> dict[str, int]:
    found = compare(a, b)
    return {s: n for s in (SAME, CHANGED, REMOVED, ADDED) if (n := found.count(s))}


def test_equal_models() -> None:
    found = compare(dense(), dense())
    assert found.is_equal()
    assert states(dense(), dense()) == {SAME: 10}
    assert [w.state for w in found.weights].count(SAME) == len(found.weights)


def test_an_operation_that_is_gone() -> None:
    """Its neighbours belong together still, though everything behind it reads something else."""
    found = compare(dense(), dense(skip=1))
    gone = [r for r in found.rows if r.state == REMOVED]
    assert [(r.left, r.left_operator) for r in gone] == [("layer1/Relu", "RELU")]
    (changed,) = (r for r in found.rows if r.state == CHANGED)
    assert changed.notes == ["operand 0: layer1/Relu -> layer1/MatMul"]
    assert states(dense(skip=1), dense()) == {SAME: 8, CHANGED: 1, ADDED: 1}


def test_an_operation_at_the_end_of_a_run() -> None:
    found = compare(dense(), dense(extra=True))
    assert [r.right for r in found.rows if r.state == ADDED] == ["tanh"]
    assert found.rows[-2].state == ADDED  # it stands where it runs


def test_changed_sizes_and_constants() -> None:
    found = compare(dense(), dense(axis=0))
    (row,) = (r for r in found.rows if r.state != SAME)
    assert row.notes == ["result float32[2, 1] -> float32[1, 4]"]
    assert [(e.left_type, e.right_type) for e in found.ends if e.kind == "output"] == [
        ("float32[2, 1]", "float32[1, 4]")
    ]
    assert [w.state for w in found.weights].count(CHANGED) == 1


def test_changed_weights() -> None:
    weight = WEIGHT.copy()
    weight[1, 2] += 0.5
    weight[3, 3] -= 2
    found = compare(dense(), dense(weight=weight))
    (changed,) = (w for w in found.weights if w.state != SAME)
    assert (changed.name, changed.largest, changed.differing) == ("layer1.weight", 2, 2)
    assert states(dense(), dense(weight=weight)) == {SAME: 10}
    assert not found.is_equal()


def test_names_count_unless_they_are_ignored() -> None:
    found = compare(dense(), dense(prefix="block", name="input"))
    assert not found.is_equal()
    assert found.is_equal(ignore_names=True)
    assert found.renamed == 1 + 3 * 4  # the input; operations and the weight of three layers


def test_random_models_match_themselves() -> None:
    """Whatever is equal to begin with keeps its own partner, however often it is there."""
    generator = np.random.default_rng(0)
    for _ in range(20):
        a, b = (random_model(seed) for seed in [int(generator.integers(1 << 30))] * 2)
        pairs = match(a, b)
        places = {o: k for k, o in enumerate(b.operations)}
        assert [places[pairs[o]] for o in a.operations] == list(range(len(a.operations)))


def random_model(seed: int) -> Model:
    generator = np.random.default_rng(seed)
    model = Model()
    values = [model.input("x", TensorType(Precision.FLOAT32, (3,)))]
    for _ in range(30):
        a, b = (values[int(k)] for k in generator.integers(len(values), size=2))
        made: Any = binary.add(a, b) if generator.random() < 0.5 else activation.relu(a)
        values.append(made)
    model.outputs = [values[-1]]
    return model


@pytest.mark.parametrize(
    ("a", "b", "largest", "differing"),
    [
        ([1, 2], [1, 2], 0, 0),
        ([1, 2], [1, 5], 3, 1),
        ([np.nan, 1], [np.nan, 1], 0, 0),
        ([np.nan, 1], [0.0, 1], np.inf, 1),
        ([0.0], [-0.0], 0, 1),
    ],
)
def test_weights_are_measured(
    a: list[float], b: list[float], largest: float, differing: int
) -> None:
    assert measure(np.array(a), np.array(b)) == (largest, differing)


# The command


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "a.nnir", tmp_path / "b.nnir"
    nna.save(dense(), paths[0])
    nna.save(dense(skip=1), paths[1])
    return paths


def test_diff_of_equal_files(files: tuple[Path, Path]) -> None:
    done = call("diff", files[0], files[0], "--run")
    assert done.exit_code == 0
    assert done.stdout.endswith("equal\n")


def test_diff_of_files_that_differ(files: tuple[Path, Path]) -> None:
    done = call("diff", *files, "--run")
    assert done.exit_code == 1
    for text in ("RELU layer1/Relu", "operand 0: layer1/Relu -> layer1/MatMul", "different"):
        assert text in done.stdout
    found = json.loads(call("diff", *files, "--run", "--json").stdout)
    assert found["counts"] == {"same": 8, "changed": 1, "removed": 1, "added": 0, "renamed": 0}
    (row,) = found["results"]
    assert row["output"] == "y"
    assert not row["agrees"]


def test_how_to_run_is_not_said_where_nothing_runs(files: tuple[Path, Path]) -> None:
    done = call("diff", *files, "--tolerance", 0.5, "--dim", "n=2", "--device", "builtin")
    assert done.exit_code == 2
    assert "--device, --tolerance, --dim without --run" in done.stderr
    with pytest.raises(BadInput, match="name a device"):
        nna.diff(*files, tolerance=0.5)
    with pytest.raises(BadInput, match="name a device"):
        nna.diff(*files, sizes={"n": 2})


def test_diff_across_formats(saved: Path, tmp_path: Path) -> None:
    call("convert", saved, tmp_path / "m.nnir", "--no-verify")
    assert call("diff", saved, tmp_path / "m.nnir", "--run").exit_code == 0


def test_what_cannot_be_run_alike(files: tuple[Path, Path]) -> None:
    other = Model()
    other.outputs = [activation.relu(other.input("x", TensorType(Precision.FLOAT32, (2, 5))))]
    nna.save(other, files[1])
    done = call("diff", *files, "--run")
    assert done.exit_code == 1
    assert "are not the same; leave --run away" in done.stderr
    assert (
        call("diff", files[0], "/nowhere.onnx").stderr == "error: no such file: '/nowhere.onnx'\n"
    )


# The page


def test_the_page(files: tuple[Path, Path], tmp_path: Path, browser: Browser) -> None:
    out = tmp_path / "diff.html"
    assert call("diff", *files, "--run", "--html", out).exit_code == 1
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.goto(out.as_uri())
    expect(page.locator("h1")).to_have_text("The models differ")
    expect(page.locator(".line.removed")).to_contain_text("layer1/Relu")
    expect(page.locator(".line.changed em")).to_have_text("operand 0: layer1/Relu -> layer1/MatMul")
    expect(page.locator("thead").first).to_contain_text("a.nnir")
    papers = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        papers.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert papers[0] != papers[1]
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    context.close()
    assert heard == []


def test_names_are_text() -> None:
    a, b = dense(prefix=HOSTILE, name=HOSTILE), dense(skip=1)
    text = difference_page.render(compare(a, b), (HOSTILE, HOSTILE), is_equal=False)
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;" in text


def test_runs_of_equal_operations_are_folded() -> None:
    rows = [Row(SAME, str(k), str(k)) for k in range(100)]
    rows[50] = Row(CHANGED, "x", "x")
    blocks = [(folded, len(shown)) for folded, shown in difference_page.fold(rows)]
    assert blocks == [(47, 7), (46, 0)]
    many = [(0, [Row(ADDED)] * 4000), (9, [Row(ADDED)] * 4000)]
    kept, left_out = difference_page.limit_blocks(many)
    assert (sum(len(r) for _, r in kept), left_out) == (5000, 3000)


# The Python face


def test_diff_takes_models_and_files(tmp_path: Path) -> None:
    nna.save(dense(), tmp_path / "a.nnir")
    page = tmp_path / "page.html"
    found = nna.diff(tmp_path / "a.nnir", dense(), "builtin", page=page)
    assert found
    assert found.results is not None
    assert [row["agrees"] for row in found.results] == [True]
    assert "a.nnir" in page.read_text()
    renamed = dense(prefix="other")
    assert not nna.diff(dense(), renamed)
    assert nna.diff(dense(), renamed, ignore_names=True)
    assert not nna.diff(dense(), dense(weight=-WEIGHT), "builtin", ignore_names=True)


def with_open_size(name: str, *others: str) -> Model:
    model = Model("open")
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol(name), *map(symbol, others))))
    model.symbols.update(dict.fromkeys((name, *others), (0, None)))
    model.outputs = [binary.add(activation.relu(x), x)]
    return model


def test_open_sizes_are_names_too() -> None:
    one, other = with_open_size("batch", "n"), with_open_size("s40", "n")
    assert not nna.diff(one, other)
    assert nna.diff(one, other, ignore_names=True)
    assert nna.diff(one, other, "builtin", ignore_names=True)
    assert other.symbols == {"s40": (0, None), "n": (0, None)}, "it is left as it is"
    assert not nna.diff(one, with_open_size("n", "batch"))
    assert nna.diff(with_open_size("a", "b"), with_open_size("b", "a"), ignore_names=True)
    assert not nna.diff(one, with_open_size("n", "n"), ignore_names=True), "two sizes, or one"


def test_inspect_takes_models_and_files(tmp_path: Path) -> None:
    nna.save(dense(), tmp_path / "a.nnir")
    found = nna.inspect(tmp_path / "a.nnir", tmp_path / "page.html", layers=True)
    assert found["file"] == "a.nnir"
    assert found["operations"]["MAT_MUL"] == 3
    assert len(found["layers"]) == 10
    assert "a.nnir" in (tmp_path / "page.html").read_text()
    assert "layers" not in nna.inspect(dense())
    with pytest.raises(BadInput, match="no dimension batch"):
        nna.inspect(dense(), sizes={"batch": 3})
