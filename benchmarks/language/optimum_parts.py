"""ONNX files in the layout of optimum, written by the exporter that optimum uses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers.cache_utils import DynamicCache, EncoderDecoderCache

from .networks import FRAMES, NETWORKS
from .parts import Layout, Part, caches
from .torch_parts import Encoder, heads_of

OPSET = 18
SPELLED = {"words": "input_ids", "mask": "attention_mask", "places": "position_ids"}


def pair_up(flat: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Keys with their values."""
    return list(zip(flat[::2], flat[1::2], strict=True))


def flatten(cache: Any) -> list[Any]:
    """Key and value, layer by layer."""
    return [x for layer in cache.layers for x in (layer.keys, layer.values)]


class Flat(torch.nn.Module):
    """A decoder whose cache comes tensor by tensor."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, words: Any, mask: Any, places: Any, *past: Any) -> tuple[Any, ...]:
        more = {"attention_mask": mask, "position_ids": places, "use_cache": True}
        found = self.model(words, past_key_values=DynamicCache(pair_up(past)), **more)
        return found.logits, *flatten(found.past_key_values)


class Heard(Flat):
    """The decoder behind an encoder; gives only what it adds to the cache."""

    def forward(self, words: Any, hidden: Any, *past: Any) -> tuple[Any, ...]:  # type: ignore[override]
        cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        if past:
            own = [x for n in range(0, len(past), 4) for x in past[n : n + 2]]
            crossed = [x for n in range(0, len(past), 4) for x in past[n + 2 : n + 4]]
            cache = EncoderDecoderCache(DynamicCache(pair_up(own)), DynamicCache(pair_up(crossed)))
        more = {"encoder_outputs": (hidden,), "past_key_values": cache, "use_cache": True}
        found = self.model(decoder_input_ids=words, **more)
        own = flatten(found.past_key_values.self_attention_cache)
        if past:
            return found.logits, *own
        crossed = flatten(found.past_key_values.cross_attention_cache)
        layers = zip(pair_up(own), pair_up(crossed), strict=True)
        return found.logits, *[x for layer in layers for pair in layer for x in pair]


def spell(name: str, *, written: bool = False) -> str:
    """The name that optimum gives an input or an output."""
    if name.startswith("past."):
        return ("present." if written else "past_key_values.") + name.removeprefix("past.")
    return SPELLED.get(name, name)


def open_axes(name: str, *, written: bool = False) -> dict[int, str]:
    """Names of the open axes of an end."""
    behind = "past_sequence_length + sequence_length"
    if name.startswith("past."):
        length = "encoder_sequence_length" if ".encoder." in name else "past_sequence_length"
        return {0: "batch_size", 2: behind if written and ".encoder." not in name else length}
    lengths = {"mask": behind, "hidden": "encoder_sequence_length"}
    return {0: "batch_size", 1: lengths.get(name, "sequence_length")}


def export(
    module: Any, arguments: Sequence[Any], inputs: list[str], outputs: list[str], path: Path
) -> Part:
    """Write a file; an input that the trace does not use is none of it."""
    axes = {spell(name): open_axes(name) for name in inputs}
    axes |= {spell(name, written=True): open_axes(name, written=True) for name in outputs}
    if "heard" in axes:
        axes["heard"] = {0: "batch_size"} if arguments[0].ndim == 3 else axes["heard"]
    torch.onnx.export(
        module.eval(),
        tuple(arguments),
        path,
        input_names=[spell(name) for name in inputs],
        output_names=[spell(name, written=True) for name in outputs],
        dynamic_axes=axes,
        dynamo=False,
        opset_version=OPSET,
    )
    import onnx

    there = [value.name for value in onnx.load(path, load_external_data=False).graph.input]
    return Part(path, [name for name in inputs if spell(name) in there], outputs)


def export_decoder(model: Any, folder: Path) -> Layout:
    """One file for a prompt and for what follows."""
    layers, heads, width = heads_of(model)
    names = caches(layers)
    arguments = [
        torch.randint(0, 300, (2, 3)),
        torch.ones(2, 8, dtype=torch.int64),
        torch.arange(5, 8).expand(2, 3),
        *(torch.randn(2, heads, 5, width) for _ in names),
    ]
    inputs = ["words", "mask", "places", *names]
    part = export(Flat(model), arguments, inputs, ["logits", *names], folder / "model.onnx")
    return Layout({"first": part, "step": part}, dict.fromkeys(names, (1, heads, 0, width)))


def export_pair(model: Any, name: str, folder: Path) -> Layout:
    """An encoder, and a decoder with and without a past."""
    layers, heads, width = heads_of(model)
    hears = NETWORKS[name].task == "speech"
    heard = torch.randn(2, 16, FRAMES) if hears else torch.randint(0, 300, (2, 5))
    path = folder / "encoder_model.onnx"
    parts = {"encoder": export(Encoder(model), [heard], ["heard"], ["hidden"], path)}
    hidden = torch.randn(2, 5, model.config.d_model)
    words = torch.randint(0, 300, (2, 3))
    names = caches(layers, crossed=True)
    own = [name for name in names if ".decoder." in name]
    ends = ["words", "hidden"], ["logits", *names]
    parts["first"] = export(Heard(model), [words, hidden], *ends, folder / "decoder_model.onnx")
    past = [torch.randn(2, heads, 6 if name in own else 5, width) for name in names]
    ends = ["words", "hidden", *names], ["logits", *own]
    path = folder / "decoder_with_past_model.onnx"
    parts["step"] = export(Heard(model), [words[:, :1], hidden, *past], *ends, path)
    return Layout(parts)


def export_layout(model: Any, name: str, folder: Path) -> Layout:
    """All parts of a network."""
    if NETWORKS[name].task == "decoder":
        return export_decoder(model, folder)
    return export_pair(model, name, folder)
