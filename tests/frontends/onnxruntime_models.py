"""A small encoder and a small decoder, as they are before and after ONNX Runtime's optimisers."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn

HEADS, SIZE = 4, 8
WIDTH = HEADS * SIZE
WORDS, PLACES = 50, 16
INPUTS = ("input_ids", "token_type_ids", "attention_mask")
KEY_HEADS, HEAD = 2, 16
LAYERS = 2


class Layer(nn.Module):
    """A layer of BERT, in the order of operations that the optimiser looks for."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def split(self, x: Tensor) -> Tensor:
        return x.view(x.size(0), x.size(1), HEADS, SIZE).permute(0, 2, 1, 3)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        scores = torch.matmul(q, k.transpose(-1, -2)) / SIZE**0.5 + mask
        seen = torch.matmul(torch.softmax(scores, -1), v).permute(0, 2, 1, 3).contiguous()
        x = self.first(self.out(seen.view(x.size(0), x.size(1), WIDTH)) + x)
        return self.second(self.down(nn.functional.gelu(self.up(x))) + x)


class Encoder(nn.Module):
    """BERT with two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(PLACES, WIDTH)
        self.types, self.norm = nn.Embedding(2, WIDTH), nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.register_buffer("own", torch.arange(PLACES)[None])

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        hidden = (1 - mask[:, None, None].float()) * -10000.0
        places = self.places(self.own[:, : ids.size(1)])
        x = self.norm(self.words(ids) + self.types(types) + places)
        for layer in self.layers:
            x = layer(x, hidden)
        return x


def questions() -> dict[str, np.ndarray]:
    """Two sentences, of which the second one is shorter."""
    generator = np.random.default_rng(3)
    mask = np.ones((2, 7), np.int64)
    mask[1, 5:] = 0
    arrays = generator.integers(0, WORDS, (2, 7)), generator.integers(0, 2, (2, 7)), mask
    return dict(zip(INPUTS, arrays, strict=True))


def write_encoder(path: Path) -> None:
    """Export the encoder with open sizes, at an opset without LayerNormalization."""
    torch.manual_seed(0)
    given = tuple(map(torch.from_numpy, questions().values()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, about its older exporter
        torch.onnx.export(
            Encoder().eval(),
            given,
            str(path),
            dynamo=False,
            opset_version=14,
            input_names=list(INPUTS),
            output_names=["y"],
            dynamic_axes={name: {0: "batch", 1: "time"} for name in INPUTS},
        )


class _Graph:
    """A graph in the making, with random weights."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(5)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, *shape: int) -> str:
        array = (self.random.normal(size=shape) / shape[0] ** 0.5).astype(np.float32)
        return self.constant(array)

    def constant(self, array: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def add(
        self, op: str, *inputs: str, domain: str = "", outputs: int = 1, **given: object
    ) -> str:
        names = [f"v{len(self.nodes)}_{k}" for k in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, domain=domain, **given))
        return names[0]


def write_decoder(path: Path) -> None:
    """A decoder of two layers as onnxruntime-genai lays it out, with caches that grow."""
    g, own = _Graph(), "com.microsoft"
    summed = g.add("ReduceSum", "attention_mask", g.constant(np.array([1])), keepdims=0)
    less = g.add("Sub", summed, g.constant(np.array([1])))
    ends = g.add("Cast", less, to=onnx.TensorProto.INT32)
    shape = g.add("Shape", "attention_mask")
    count = g.add("Gather", shape, g.constant(np.array(1)), axis=0)
    total = g.add("Cast", count, to=onnx.TensorProto.INT32)
    angles = np.outer(np.arange(64), 10000 ** -(np.arange(HEAD // 2) / (HEAD // 2)))
    turns = [g.constant(f(angles).astype(np.float32)) for f in (np.cos, np.sin)]
    wide = HEADS * HEAD
    rest = g.add("Gather", g.weight(WORDS, wide), "input_ids")
    norm = g.add("SimplifiedLayerNormalization", rest, g.weight(wide), epsilon=1e-6)
    caches = []
    for k in range(LAYERS):
        packed = g.add("MatMul", norm, g.weight(wide, (HEADS + 2 * KEY_HEADS) * HEAD))
        past = [f"past_key_{k}", f"past_value_{k}"]
        attended = g.add(
            *("GroupQueryAttention", packed, "", "", *past, ends, total, *turns),
            domain=own,
            outputs=3,
            num_heads=HEADS,
            kv_num_heads=KEY_HEADS,
            do_rotary=1,
        )
        caches += g.nodes[-1].output[1:]
        for step in ("attention", "experts"):
            made = g.add("MatMul", attended, g.weight(wide, wide)) if step == "attention" else norm
            if step == "experts":
                gate, up = (g.add("MatMul", norm, g.weight(wide, 96)) for _ in range(2))
                made = g.add("QuickGelu", gate, domain=own, alpha=1.0)
                made = g.add("MatMul", g.add("Mul", made, up), g.weight(96, wide))
            name = "SkipSimplifiedLayerNormalization"
            inputs = name, rest, made, g.weight(wide)
            norm = g.add(*inputs, domain=own, outputs=4, epsilon=1e-6)
            g.nodes[-1].output[1] = g.nodes[-1].output[2] = ""
            rest = g.nodes[-1].output[3]
    g.nodes.append(helper.make_node("MatMul", [norm, g.weight(wide, WORDS)], ["logits"]))
    onnx.save(_model(g, caches), path)


def _model(g: _Graph, caches: list[str]) -> onnx.ModelProto:
    real, whole = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
    held = ["batch", KEY_HEADS, "held", HEAD]
    pasts = [f"past_{what}_{k}" for k in range(LAYERS) for what in ("key", "value")]
    inputs = [
        helper.make_tensor_value_info("input_ids", whole, ["batch", "time"]),
        helper.make_tensor_value_info("attention_mask", whole, ["batch", "total"]),
        *(helper.make_tensor_value_info(name, real, held) for name in pasts),
    ]
    after = ["batch", KEY_HEADS, "kept", HEAD]
    outputs = [
        helper.make_tensor_value_info("logits", real, ["batch", "time", WORDS]),
        *(helper.make_tensor_value_info(name, real, after) for name in caches),
    ]
    graph = helper.make_graph(g.nodes, "decoder", inputs, outputs, g.weights)
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=versions, ir_version=8)
