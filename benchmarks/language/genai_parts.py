"""ONNX files of onnxruntime-genai's own model builder, over caches of fixed room or of a window."""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx
import torch
from onnxruntime_genai.models import builder
from onnxruntime_genai.models.builders.mistral import MistralModel

from . import t5_parts
from .networks import NETWORKS as ALL
from .networks import PLACES
from .parts import Layout, Part, caches
from .torch_parts import heads_of

SPELLED = {"input_ids": "words", "attention_mask": "mask", "logits": "logits"}
HEARING = {"audio_features": "heard", "hidden_states": "hidden", **SPELLED}
SLACK = 4
"""Room of a cache beyond its window, so that it is cleared out now and then."""


class Mixtral(MistralModel):  # type: ignore[misc]
    """Mixtral of the builder's parts, which has no class for it: a decoder of fused experts."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.moe_intermediate_size = self.intermediate_size
        self.moe_attrs |= {
            "activation_type": "swiglu",
            "normalize_routing_weights": True,
            "swiglu_fusion": 1,
        }

    def get_moe_module(self, layer_id: int, layer: Any) -> Any:
        return layer.mlp

    def make_moe_preprocessing(self, layer_id: int, moe: Any, root_input: str) -> None:
        self.make_interleaved_swiglu_moe_preprocessing(layer_id, moe)

    def make_moe_router(self, layer_id: int, moe: Any, root_input: str) -> None:
        name = f"/model/layers.{layer_id}/moe/router"
        product = self.make_matmul(moe.gate, f"{name}/MatMul", root_input)
        shape = f"/model/constants/INT64/[-1, {self.moe_attrs['num_experts']}]"
        kind = {"dtype": self.io_dtype, "shape": self.make_moe_router_shape()}
        self.make_reshape(f"{name}/Reshape", [f"{product}/output_0", shape], **kind)

    def make_moe_subgraph(self, layer_id: int, moe: Any, root_input: str, *_: Any) -> None:
        kind, names = self.moe_attrs["op_type"], self.make_moe_expert_names(layer_id)
        name = f"/model/layers.{layer_id}/moe/{kind}"
        operands = {
            f"{part}{place}": names[f"{layer}_{part}"]
            for place, layer in ((1, "gate_up"), (2, "down"))
            for part in ("weight", "scales", "bias")
        }
        router = f"/model/layers.{layer_id}/moe/router/Reshape/output_0"
        self.make_moe_op(name, root_input=root_input, router_probs=router, **operands)
        self.layernorm_attrs["skip_input"] = f"{name}/output_0"


NETWORKS = {
    "llama": builder.LlamaModel,
    "qwen2": builder.QwenModel,
    "qwen3": builder.Qwen3Model,
    "gemma": builder.GemmaModel,
    "gemma3": builder.Gemma3Model,
    "phi": builder.PhiModel,
    "phi3": builder.Phi3MiniModel,
    "mistral": builder.MistralModel,
    "mixtral": Mixtral,
    "gptoss": builder.GPTOSSModel,
    "whisper": builder.WhisperModel,
}
"""The builder's classes; it has none for T5 (see `t5_parts`)."""


def configure(model: Any) -> Any:
    """The configuration as the transformers of the builder's time has it: angles lie flat in it."""
    about = copy.deepcopy(model.config)
    about.architectures = [type(model).__name__]
    angles = getattr(about, "rope_parameters", None) or {}
    if "full_attention" in angles:
        about.rope_local_base_freq = angles["sliding_attention"]["rope_theta"]
        about.rope_parameters = angles = angles["full_attention"]
    for key, value in angles.items():
        setattr(about, key, value)
    return about


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Without what the builder tells of its progress."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def build(model: Any, name: str, folder: Path, precision: str) -> Any:
    """Write the files of a model; what built them.

    Where weights are integers, ONNX Runtime must not round what they are multiplied with.
    """
    options: dict[str, Any] = {"accuracy_level": 1}
    kinds = (
        builder.set_io_dtype(precision, "cpu", options),
        builder.set_onnx_dtype(precision, options),
    )
    with silence(), torch.no_grad():
        made = NETWORKS[name](configure(model), *kinds, "cpu", str(folder / "cache"), options)
        for part in (made.encoder, made.decoder) if name == "whisper" else (made,):
            part.load_weights = lambda _: copy.deepcopy(model)
        made.make_model("")
        made.save_model(str(folder))
    return made


def read_part(path: Path, names: Mapping[str, str], **how: Any) -> Part:
    """A file and what its ends mean."""
    graph = onnx.load(path, load_external_data=False).graph
    inputs = [names[v.name] for v in graph.input]
    return Part(path, inputs, [names[v.name] for v in graph.output], **how)


def export_decoder(model: Any, name: str, folder: Path, precision: str) -> Layout:
    """One file for a prompt and for what follows."""
    made = build(model, name, folder, precision)
    layers, heads, width = heads_of(model)
    names = caches(layers)
    spelled = dict(SPELLED)
    for cache in names:
        rest = cache.removeprefix("past.")
        spelled |= {f"past_key_values.{rest}": cache, f"present.{rest}": cache}
    rooms = [made.window_size + SLACK if made.is_local(n) else PLACES for n in range(layers)]
    empty = {cache: (1, heads, rooms[int(cache.split(".")[1])], width) for cache in names}
    part = read_part(folder / "model.onnx", spelled)
    return Layout({"first": part, "step": part}, empty)


def export_pair(model: Any, name: str, folder: Path, precision: str) -> Layout:
    """An encoder that fills the caches of what is heard, and a decoder."""
    build(model, name, folder, precision)
    layers, heads, width = heads_of(model)
    spelled = dict(HEARING)
    own = []
    for n in range(layers):
        for kind in ("key", "value"):
            own.append(f"past.{n}.decoder.{kind}")
            for room, cache in (("self", own[-1]), ("cross", f"past.{n}.encoder.{kind}")):
                ends = (f"past_{kind}_{room}_{n}", f"present_{kind}_{room}_{n}")
                spelled |= dict.fromkeys(ends, cache)
    part = read_part(folder / "decoder.onnx", spelled, words="int32")
    encoder = read_part(folder / "encoder.onnx", spelled)
    parts = {"encoder": encoder, "first": part, "step": part}
    return Layout(parts, dict.fromkeys(own, (1, heads, 0, width)))


def export_layout(model: Any, name: str, folder: Path, precision: str = "fp32") -> Layout:
    """All parts of a network, with weights of `precision` (fp32, int4 or int8; T5: fp32)."""
    if name == "t5":
        return t5_parts.export_pair(model, folder)
    export = export_decoder if ALL[name].task == "decoder" else export_pair
    return export(model, name, folder, precision)
