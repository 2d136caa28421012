"""Loops over lists whose length is only known while running, against TensorFlow."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from frontends import tensorflow as frontend
from nnir.errors import Unsupported, summary
from nnir.model import Model

from ..conftest import folder_of
from .test_tensorflow_models import DEVICES, agrees, operators

pytestmark = pytest.mark.long("loops")  # for what is made for them
LAYERS = (
    *("lstm", "last", "gru", "gru_before", "simple_rnn", "bidirectional", "backwards"),
    *("stacked", "masked", "conv_lstm"),
)
LISTS = (
    *("pushed", "popped", "grown", "mapped", "scanned", "resized", "sorted_in", "nested"),
    *("chosen", "filtered", "unread", "decoded", "bools"),
)


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `tensorflow_flows.py` writes of loops."""
    return folder_of("tests.frontends.tensorflow_flows", tmp_path_factory, "loops")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", LAYERS)
def test_layers(loops: Path, name: str, device: str) -> None:
    model = frontend.load(loops / f"any_{name}")
    assert "WHILE" in operators(model)
    agrees(model, loops, f"any_{name}", device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", LISTS)
def test_lists(loops: Path, name: str, device: str) -> None:
    agrees(frontend.load(loops / f"any_{name}"), loops, f"any_{name}", device)


@pytest.mark.parametrize("device", DEVICES)
def test_long_loops_are_no_long_models(loops: Path, device: str) -> None:
    started = time.process_time()
    model = frontend.load(loops / "long_lstm")
    assert time.process_time() - started < 5
    assert len(model.operations) < 30
    agrees(model, loops, "long_lstm", device)


def state(model: Model) -> int:
    """How many tensors the one loop of a model carries."""
    (loop,) = [o for o in model.operations if o.operator.name == "WHILE"]
    carried = loop.attributes["carried"]
    assert isinstance(carried, int)
    return carried


def test_what_does_not_change_is_not_carried(loops: Path) -> None:
    """The counter of iterations, the time, the outputs, h and c; no weights and no inputs."""
    assert state(frontend.load(loops / "any_lstm")) == 5


@pytest.mark.parametrize("device", DEVICES)
def test_elements_of_different_shapes(loops: Path, device: str) -> None:
    """They make no tensor: a loop of known length is written out."""
    model = frontend.load(loops / "long_uneven")
    assert "WHILE" not in operators(model)
    agrees(model, loops, "long_uneven", device)


def test_elements_of_unknown_shapes(loops: Path) -> None:
    with pytest.raises(Unsupported, match=r"size .* is only known inside") as caught:
        frontend.load(loops / "any_prefixes")
    assert "\n" not in summary(caught.value)
