"""Dilated convolutions that TensorFlow writes as three operators become one."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from frontends.source import Ref, SourceGraph, SourceModel, SourceNode, SourceValue
from frontends.tensorflow import DIALECT
from frontends.tensorflow.reading.dilation import join_dilations
from frontends.tensorflow.translator import TensorFlowTranslator
from nnir.evaluate import evaluate
from nnir.types import Precision, TensorType

RNG = np.random.default_rng(0)
ONES = [1, 1, 1, 1]


def node(op: str, name: str, **arguments: object) -> SourceNode:
    """A node with one result; references are its inputs."""
    inputs = [str(v) for v in arguments.values() if isinstance(v, Ref)]
    return SourceNode(op, inputs, [name], dict(arguments), name)


def graph(
    op: str, sizes: tuple[int, ...], pads: list[list[int]], crops: list[list[int]], **other: object
) -> SourceGraph:
    """An image apart, a convolution, the image together."""
    kernel = (2, 3, 2, 2) if len(sizes) == 5 else (3, 2)
    made = SourceGraph("g")
    made.inputs.append(SourceValue("x", TensorType(Precision.FLOAT32, sizes)))
    made.weights = {
        "w": RNG.standard_normal((*kernel[: len(sizes) - 2], sizes[-1], 3)).astype(np.float32),
        "block": np.array([2] * len(pads), np.int32),
        "pads": np.array(pads, np.int32),
        "crops": np.array(crops, np.int32),
    }
    ones = [1] * len(sizes)
    given = {"strides": ones, "padding": "VALID", **other}
    apart = {"input": Ref("x"), "block_shape": Ref("block"), "paddings": Ref("pads")}
    together = {"input": Ref("c"), "block_shape": Ref("block"), "crops": Ref("crops")}
    made.nodes = [
        node("SpaceToBatchND", "s", **apart),
        node(op, "c", input=Ref("s"), filter=Ref("w"), **given),
        node("BatchToSpaceND", "y", **together),
    ]
    made.outputs.append(SourceValue("y"))
    return made


def results(source: SourceGraph, x: np.ndarray) -> list[np.ndarray]:
    """What the graph gives, as it stands."""
    model = TensorFlowTranslator(DIALECT, SourceModel("tensorflow", source, {"": 1})).translate()
    return evaluate(model, [x])


@pytest.mark.parametrize(
    ("op", "sizes", "pads", "crops"),
    [
        ("Conv2D", (2, 6, 7, 2), [[0, 0], [0, 1]], [[0, 0], [0, 1]]),
        ("Conv2D", (2, 6, 7, 2), [[2, 2], [1, 2]], [[0, 0], [0, 1]]),
        ("DepthwiseConv2dNative", (2, 6, 8, 2), [[2, 2], [1, 1]], [[1, 0], [0, 0]]),
        ("Conv3D", (1, 6, 8, 6, 2), [[1, 1], [2, 2], [0, 0]], [[0, 0], [0, 0], [0, 0]]),
    ],
    ids=["cropped", "padded", "depthwise", "volume"],
)
def test_joined(
    op: str, sizes: tuple[int, ...], pads: list[list[int]], crops: list[list[int]]
) -> None:
    plain = graph(op, sizes, pads, crops)
    if op == "Conv3D":
        plain.weights["w"] = plain.weights["w"][:, :, :, :2]
    joined = copy.deepcopy(plain)
    join_dilations(joined)
    assert len(joined.nodes) == 1
    assert joined.nodes[0].attributes["dilations"][1] == 2
    x = RNG.standard_normal(sizes).astype(np.float32)
    for want, got in zip(results(plain, x), results(joined, x), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("other", [{"padding": "SAME"}, {"strides": [1, 2, 2, 1]}], ids=str)
def test_left_alone(other: dict[str, object]) -> None:
    """A convolution that pads or steps in between is another one."""
    made = graph("Conv2D", (2, 6, 8, 2), [[0, 0], [0, 0]], [[0, 0], [0, 0]], **other)
    join_dilations(made)
    assert [n.op for n in made.nodes] == ["SpaceToBatchND", "Conv2D", "BatchToSpaceND"]


def test_a_part_that_is_read_elsewhere_stays() -> None:
    made = graph("Conv2D", (2, 6, 8, 2), [[0, 0], [0, 0]], [[0, 0], [0, 0]])
    made.outputs.append(SourceValue("s"))
    join_dilations(made)
    assert [n.op for n in made.nodes] == ["SpaceToBatchND", "Conv2D"]
