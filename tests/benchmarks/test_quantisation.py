"""The benchmark of quantisation, on a model that needs no training."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quantisation.__main__ import NAMES, tools_for
from benchmarks.quantisation.engines import match, to_integers, to_real
from benchmarks.quantisation.scores import perplexity, score, sqnr, wilson

ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_a_run_from_the_model_to_the_table(tmp_path: Path) -> None:
    told = tmp_path / "scores.json"
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.quantisation", "toy"]
    options = ["--peers", "", "--ours", "minmax", "--folder", str(tmp_path), "--json", str(told)]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "ours minmax" in done.stdout
    exact, ours = json.loads(told.read_text())
    assert exact["tool"] == "float"
    assert exact["agreement"] == 1
    assert ours["count"] == 256
    assert "(256)" in done.stdout
    assert ours["error"] == ""
    assert ours["sqnr"] > 20
    assert ours["size"] < exact["size"] / 2


@pytest.mark.parametrize("name", NAMES)
def test_every_model_has_a_peer_and_us(name: str) -> None:
    tools = tools_for(name, ["onnxruntime", "nncf", "tensorflow"], ["minmax"])
    assert {t.name for t in tools} >= {"ours"}
    assert len({t.name for t in tools}) > 1
    assert [t for t in tools_for(name, [], ["minmax"]) if t.name != "ours"] == []


def test_scores() -> None:
    exact = np.array([[3.0, 0.0], [0.0, 4.0]], np.float32)
    rounded = exact + np.array([[0.5, 0.0], [0.0, 0.0]], np.float32)
    assert sqnr(exact, rounded) == pytest.approx(20.0)
    assert math.isinf(sqnr(exact, exact))
    found = score(exact, rounded, np.array([0, 0]), model="m", tool="t", target=".onnx")
    assert (found.agreement, found.accuracy) == (1.0, 0.5)
    assert found.count == 2
    assert perplexity(np.zeros((2, 3, 8)), np.zeros((2, 3), int)) == pytest.approx(8)


def test_intervals_of_shares() -> None:
    """Of half of a hundred, of all of ten, of nothing."""
    assert wilson(0.5, 100) == pytest.approx((0.40383, 0.59617), abs=1e-4)
    assert wilson(1.0, 10) == pytest.approx((0.72247, 1.0), abs=1e-4)
    assert wilson(math.nan, 0) == (0.0, 1.0)
    low, high = wilson(248 / 256, 256)
    assert low < 0.97 < high  # so few do not say whether it is 97 %


def test_arrays_go_to_inputs_of_the_same_name_else_in_order() -> None:
    first, second = np.zeros(1), np.ones(1)
    assert match(["b", "a"], {"a": first, "b": second}) == {"b": second, "a": first}
    assert match(["x", "y"], {"a": first, "b": second}) == {"x": first, "y": second}


def test_integers_of_litert() -> None:
    details = {"dtype": np.int8, "quantization": (0.5, -3)}
    whole = to_integers(np.array([0.0, 1.0, 1000.0], np.float32), details)
    assert whole.tolist() == [-3, -1, 127]
    assert to_real(whole, details).tolist() == [0.0, 1.0, 65.0]
