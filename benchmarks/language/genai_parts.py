"""ONNX files in the layout of onnxruntime-genai: GroupQueryAttention over caches of fixed room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .networks import PLACES
from .parts import Layout, Part, caches
from .torch_parts import heads_of

NETWORKS = ("llama", "qwen2", "qwen3", "gemma", "phi3", "mistral")
"""Those whose layers are built here; the others have layers of their own."""
MICROSOFT = "com.microsoft"
_TYPE = TensorProto.FLOAT


class Graph:
    """A graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, np.ndarray] = {}

    def node(self, kind: str, *inputs: str, outputs: Any = None, **attributes: Any) -> str:
        """Append a node; the name of its first output."""
        name = f"{kind}_{len(self.nodes)}"
        ends = outputs or [f"{name}_out"]
        self.nodes.append(helper.make_node(kind, list(inputs), ends, name=name, **attributes))
        return str(ends[0])

    def weight(self, name: str, data: Any) -> str:
        """Keep an array; its name."""
        self.weights[name] = np.ascontiguousarray(data)
        return name

    def linear(self, x: str, name: str, layer: Any) -> str:
        """A product, with its bias where it has one."""
        weight = self.weight(f"{name}.weight", layer.weight.detach().numpy().T)
        y = self.node("MatMul", x, weight)
        if layer.bias is None:
            return y
        return self.node("Add", y, self.weight(f"{name}.bias", layer.bias.detach().numpy()))

    def gain(self, name: str, layer: Any) -> str:
        """The factors of a norm; Gemma's are one more than its file says."""
        data = layer.weight.detach().numpy()
        return self.weight(f"{name}.weight", data + 1 if "Gemma" in type(layer).__name__ else data)


class Decoder:
    """Builds a decoder of the kind of Llama from a model of transformers."""

    def __init__(self, model: Any) -> None:
        self.model, self.graph = model, Graph()
        self.layers, self.heads, self.width = heads_of(model)
        self.epsilon = model.config.rms_norm_eps

    def build(self) -> onnx.ModelProto:
        """The whole graph."""
        graph, about = self.graph, self.model.config
        lengths = self._count_words()
        table = self.model.model.embed_tokens.weight.detach().numpy()
        if about.model_type == "gemma":
            table = table * np.float32(about.hidden_size**0.5)
        x = graph.node("Gather", graph.weight("embedding", table), "input_ids")
        skip = x
        first = self.model.model.layers[0].input_layernorm
        x = graph.node(
            "SimplifiedLayerNormalization", x, graph.gain("norm.0", first),
            axis=-1, epsilon=self.epsilon, stash_type=1,
        )  # fmt: skip
        norms = [layer.input_layernorm for layer in self.model.model.layers[1:]]
        for number, layer in enumerate(self.model.model.layers):
            y = self._attend(x, layer.self_attn, number, lengths)
            x, skip = self._normalise(y, skip, layer.post_attention_layernorm, f"post.{number}")
            y = self._feed(x, layer.mlp, f"mlp.{number}")
            norm = [*norms, self.model.model.norm][number]
            x, skip = self._normalise(y, skip, norm, f"norm.{number + 1}")
        logits = graph.linear(x, "lm_head", self.model.lm_head)
        graph.node("Identity", logits, outputs=["logits"])
        return self._finish()

    def _count_words(self) -> tuple[str, str]:
        """How many words there are but one, of each sample and in all."""
        graph = self.graph
        one, axis = (graph.weight(n, np.array(v)) for n, v in (("one", 1), ("axis", [1])))
        counts = graph.node("ReduceSum", "attention_mask", axis, keepdims=0)
        counts = graph.node("Sub", counts, one)
        counts = graph.node("Cast", counts, to=TensorProto.INT32)
        total = graph.node("Gather", graph.node("Shape", "attention_mask"), one, axis=0)
        return counts, graph.node("Cast", total, to=TensorProto.INT32)

    def _normalise(self, x: str, skip: str, layer: Any, name: str) -> tuple[str, str]:
        outputs = [f"{name}.out", "", "", f"{name}.sum"]
        self.graph.node(
            "SkipSimplifiedLayerNormalization", x, skip, self.graph.gain(name, layer),
            outputs=outputs, domain=MICROSOFT, epsilon=self.epsilon,
        )  # fmt: skip
        return outputs[0], outputs[3]

    def _attend(self, x: str, layer: Any, number: int, lengths: tuple[str, str]) -> str:
        graph, name = self.graph, f"attention.{number}"
        if hasattr(layer, "qkv_proj"):
            parts = [graph.linear(x, f"{name}.qkv", layer.qkv_proj), "", ""]
        else:
            parts = [graph.linear(x, f"{name}.{p}", getattr(layer, f"{p}_proj")) for p in "qkv"]
        for place, norm in enumerate(("q_norm", "k_norm")):
            if hasattr(layer, norm):
                parts[place] = self._normalise_heads(
                    parts[place], getattr(layer, norm), f"{name}.{norm}"
                )
        past = [f"past_key_values.{number}.{kind}" for kind in ("key", "value")]
        present = [f"present.{number}.{kind}" for kind in ("key", "value")]
        window = getattr(self.model.config, "sliding_window", None) or -1
        y = graph.node(
            "GroupQueryAttention", *parts, *past, *lengths, *self._turn_tables(),
            outputs=[f"{name}.out", *present], domain=MICROSOFT, do_rotary=1,
            num_heads=self.model.config.num_attention_heads, kv_num_heads=self.heads,
            local_window_size=window, scale=self.width**-0.5,
        )  # fmt: skip
        return graph.linear(y, f"{name}.o", layer.o_proj)

    def _normalise_heads(self, x: str, layer: Any, name: str) -> str:
        graph = self.graph
        split = graph.weight("split", np.array([0, 0, -1, self.width]))
        x = graph.node("Reshape", x, split)
        x = graph.node(
            "SimplifiedLayerNormalization", x, graph.gain(name, layer),
            axis=-1, epsilon=self.epsilon, stash_type=1,
        )  # fmt: skip
        return graph.node("Reshape", x, graph.weight("merge", np.array([0, 0, -1])))

    def _turn_tables(self) -> tuple[str, str]:
        import torch

        places = torch.arange(self.model.config.max_position_embeddings)[None]
        cos, sin = self.model.model.rotary_emb(torch.zeros(1), places)
        half = self.width // 2
        return (
            self.graph.weight("cos_cache", cos[0, :, :half].detach().numpy()),
            self.graph.weight("sin_cache", sin[0, :, :half].detach().numpy()),
        )

    def _feed(self, x: str, layer: Any, name: str) -> str:
        graph = self.graph
        if hasattr(layer, "gate_up_proj"):
            both = graph.linear(x, f"{name}.gate_up", layer.gate_up_proj)
            ends = [f"{name}.gate", f"{name}.up"]
            graph.node("Split", both, outputs=ends, axis=-1, num_outputs=2)
            gate, up = ends
        else:
            gate = graph.linear(x, f"{name}.gate_proj", layer.gate_proj)
            up = graph.linear(x, f"{name}.up_proj", layer.up_proj)
        if self.model.config.model_type == "gemma":
            gate = graph.node("FastGelu", gate, domain=MICROSOFT)
        else:
            gate = graph.node("Mul", gate, graph.node("Sigmoid", gate))
        return graph.linear(graph.node("Mul", gate, up), f"{name}.down", layer.down_proj)

    def _finish(self) -> onnx.ModelProto:
        def end(name: str, kind: int, shape: list[Any]) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(name, kind, shape)

        words = "batch_size", "sequence_length"
        inputs = [
            end("input_ids", TensorProto.INT64, [*words]),
            end("attention_mask", TensorProto.INT64, ["batch_size", "total_sequence_length"]),
        ]
        outputs = [end("logits", _TYPE, [*words, self.model.config.vocab_size])]
        for number in range(self.layers):
            for kind in ("key", "value"):
                for name, ends in (("past_key_values", inputs), ("present", outputs)):
                    length = "past_sequence_length" if ends is inputs else "present_length"
                    shape = ["batch_size", self.heads, length, self.width]
                    ends.append(end(f"{name}.{number}.{kind}", _TYPE, shape))
        weights = [numpy_helper.from_array(data, name) for name, data in self.graph.weights.items()]
        graph = helper.make_graph(self.graph.nodes, "main_graph", inputs, outputs, weights)
        versions = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=10)


def export_layout(model: Any, name: str, folder: Path) -> Layout:
    """One file for a prompt and for what follows."""
    path = folder / "model.onnx"
    onnx.save(Decoder(model).build(), path)
    layers, heads, width = heads_of(model)
    names = caches(layers)
    part = Part(path, ["words", "mask", *names], ["logits", *names])
    return Layout({"first": part, "step": part}, dict.fromkeys(names, (1, heads, PLACES, width)))
