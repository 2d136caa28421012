"""T5 with ONNX Runtime's own operators, as its optimiser for transformers leaves it.

MultiHeadAttention over caches that grow, and over keys of the encoder whose heads are apart; norms
joined with the sums before them. The builder of onnxruntime-genai has no T5.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from .parts import Layout, Part, caches
from .torch_parts import heads_of

MICROSOFT = "com.microsoft"


class Graph:
    """A graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, np.ndarray] = {}
        self.ends: tuple[list[Any], list[Any]] = [], []

    def node(self, kind: str, *inputs: str, outputs: Any = None, **attributes: Any) -> str:
        """Append a node; the name of its first output."""
        name = f"{kind}_{len(self.nodes)}"
        ends = outputs or [f"{name}_out"]
        self.nodes.append(helper.make_node(kind, list(inputs), ends, name=name, **attributes))
        return str(ends[0])

    def weight(self, data: Any) -> str:
        """Keep an array; its name."""
        name = f"weight_{len(self.weights)}"
        self.weights[name] = np.ascontiguousarray(data)
        return name

    def linear(self, x: str, layer: Any) -> str:
        """A product without a bias."""
        return self.node("MatMul", x, self.weight(layer.weight.detach().numpy().T))

    def end(self, name: str, shape: list[Any], kind: int, *, written: bool = False) -> str:
        """An input, or an output where it is `written`."""
        self.ends[written].append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def save(self, path: Path) -> Path:
        """Write the file."""
        weights = [numpy_helper.from_array(data, name) for name, data in self.weights.items()]
        graph = helper.make_graph(self.nodes, "main_graph", *self.ends, weights)
        versions = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
        onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=10), path)
        return path


class Stack:
    """Builds the encoder or the decoder of a T5."""

    def __init__(self, stack: Any, heads: int) -> None:
        self.stack, self.heads = stack, heads
        self.graph, self.skip = Graph(), ""

    def embed(self, words: str) -> None:
        """The features of words."""
        table = self.graph.weight(self.stack.embed_tokens.weight.detach().numpy())
        self.skip = self.graph.node("Gather", table, words)

    def normalise(self, added: str, layer: Any) -> str:
        """The norm of what there is and of what is added to it."""
        gain = self.graph.weight(layer.weight.detach().numpy())
        how: dict[str, Any] = {"epsilon": layer.variance_epsilon}
        if not added:
            kind = "SimplifiedLayerNormalization"
            return self.graph.node(kind, self.skip, gain, axis=-1, stash_type=1, **how)
        outputs = [f"norm_{len(self.graph.nodes)}", "", "", f"sum_{len(self.graph.nodes)}"]
        kind = "SkipSimplifiedLayerNormalization"
        operands = self.skip, added, gain
        y = self.graph.node(kind, *operands, outputs=outputs, domain=MICROSOFT, **how)
        self.skip = outputs[3]
        return y

    def feed(self, x: str, layer: Any) -> str:
        """The dense layers."""
        gate = self.graph.node("Gelu", self.graph.linear(x, layer.wi_0), approximate="tanh")
        both = self.graph.node("Mul", gate, self.graph.linear(x, layer.wi_1))
        return self.graph.linear(both, layer.wo)

    def bias(self, words: str, before: str | None) -> str:
        """What is added to scores [1, heads, queries, keys]: a number for each distance.

        T5 has one for each bucket of distances, of which the last holds all that are as far as
        `max_distance` or farther.
        """
        graph, attention = self.graph, self.stack.block[0].layer[0].SelfAttention
        most = attention.relative_attention_max_distance
        is_encoder = before is None
        places = torch.arange(-most, (most if is_encoder else 0) + 1)
        buckets = attention._relative_position_bucket(
            places, is_encoder, attention.relative_attention_num_buckets, most
        )
        table = attention.relative_attention_bias(buckets).detach().numpy().T
        one, zero, top, ends = (graph.weight(np.array(v)) for v in (1, 0, most, table.shape[1] - 1))
        count = graph.node("Gather", graph.node("Shape", words), one)
        first = zero if before is None else before
        total = graph.node("Add", first, count)
        keys = graph.node("Range", zero, total, one)
        queries = graph.node("Unsqueeze", graph.node("Range", first, total, one), one)
        away = graph.node("Add", graph.node("Sub", keys, queries), top)
        away = graph.node("Min", graph.node("Max", away, zero), ends)
        found = graph.node("Gather", graph.weight(table), away, axis=1)
        return graph.node("Unsqueeze", found, zero)

    def attend(
        self, q: str, k: str, v: str, bias: str = "", *rest: str, outputs: Any = None, **how: Any
    ) -> str:
        """Attention whose scores are not scaled, as T5's are."""
        operands = (q, k, v, "", "", bias, *rest)
        how = {"num_heads": self.heads, "scale": 1.0, "domain": MICROSOFT, **how}
        return self.graph.node("MultiHeadAttention", *operands, outputs=outputs, **how)


def build_encoder(model: Any, heads: int, width: int, path: Path) -> Part:
    """What is heard, and keys and values of it for each layer of the decoder."""
    made = Stack(model.encoder, heads)
    graph = made.graph
    words = graph.end("input_ids", ["batch", "heard"], TensorProto.INT64)
    made.embed(words)
    bias, added = made.bias(words, None), ""
    for block in model.encoder.block:
        x, layer = made.normalise(added, block.layer[0].layer_norm), block.layer[0].SelfAttention
        parts = (graph.linear(x, getattr(layer, name)) for name in "qkv")
        y = graph.linear(made.attend(*parts, bias), layer.o)
        x = made.normalise(y, block.layer[1].layer_norm)
        added = made.feed(x, block.layer[1].DenseReluDense)
    x = made.normalise(added, model.encoder.final_layer_norm)
    apart = graph.weight(np.array([0, 0, heads, width]))
    written = []
    for number, block in enumerate(model.decoder.block):
        layer = block.layer[1].EncDecAttention
        for kind, part in (("key", layer.k), ("value", layer.v)):
            y = graph.node("Reshape", graph.linear(x, part), apart)
            name = f"present_{kind}_cross_{number}"
            graph.node("Transpose", y, outputs=[name], perm=[0, 2, 1, 3])
            graph.end(name, ["batch", heads, "heard", width], TensorProto.FLOAT, written=True)
            written.append(f"past.{number}.encoder.{kind}")
    return Part(graph.save(path), ["heard"], written)


def build_decoder(model: Any, heads: int, width: int, path: Path) -> Part:
    """Words behind others, whose keys and values are given."""
    made = Stack(model.decoder, heads)
    graph = made.graph
    words = graph.end("input_ids", ["batch", "length"], TensorProto.INT64)
    made.embed(words)
    two = graph.weight(np.array(2))
    before = graph.node("Gather", graph.node("Shape", "past_key_self_0"), two)
    bias, added = made.bias(words, before), ""
    graph.end(
        "logits", ["batch", "length", model.config.vocab_size], TensorProto.FLOAT, written=True
    )
    read, written = ["words"], ["logits"]
    for number, block in enumerate(model.decoder.block):
        own, crossed, dense = block.layer
        x, layer = made.normalise(added, own.layer_norm), own.SelfAttention
        pasts, presents, heard = [], [], []
        for kind in ("key", "value"):
            held: list[Any] = ["batch", heads, "past", width]
            pasts.append(graph.end(f"past_{kind}_self_{number}", held, TensorProto.FLOAT))
            held = ["batch", heads, "heard", width]
            heard.append(graph.end(f"past_{kind}_cross_{number}", held, TensorProto.FLOAT))
            held, name = ["batch", heads, "total", width], f"present_{kind}_self_{number}"
            presents.append(graph.end(name, held, TensorProto.FLOAT, written=True))
            read += [f"past.{number}.{room}.{kind}" for room in ("decoder", "encoder")]
            written.append(f"past.{number}.decoder.{kind}")
        parts = [graph.linear(x, getattr(layer, name)) for name in "qkv"]
        ends = [f"attended_{number}", *presents]
        y = graph.linear(made.attend(*parts, bias, *pasts, outputs=ends, unidirectional=1), layer.o)
        x, layer = made.normalise(y, crossed.layer_norm), crossed.EncDecAttention
        y = graph.linear(made.attend(graph.linear(x, layer.q), *heard), layer.o)
        x = made.normalise(y, dense.layer_norm)
        added = made.feed(x, dense.DenseReluDense)
    x = made.normalise(added, model.decoder.final_layer_norm)
    if model.config.tie_word_embeddings:
        x = graph.node("Mul", x, graph.weight(np.float32(model.config.d_model**-0.5)))
    graph.node("Identity", graph.linear(x, model.lm_head), outputs=["logits"])
    return Part(graph.save(path), read, written)


def export_pair(model: Any, folder: Path) -> Layout:
    """An encoder that fills the caches of what is heard, and a decoder."""
    layers, heads, width = heads_of(model)
    encoder = build_encoder(model, heads, width, folder / "encoder.onnx")
    decoder = build_decoder(model, heads, width, folder / "decoder.onnx")
    own = [name for name in caches(layers, crossed=True) if ".decoder." in name]
    parts = {"encoder": encoder, "first": decoder, "step": decoder}
    return Layout(parts, dict.fromkeys(own, (1, heads, 0, width)))
