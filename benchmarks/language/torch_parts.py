"""Programs of `torch.export`, whose caches are the objects of transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import torch.fx.experimental._config as symbols
from torch.export import Dim
from torch.utils import _pytree
from transformers.cache_utils import DynamicCache, EncoderDecoderCache
from transformers.integrations.executorch import register_dynamic_cache_export_support

from .networks import FRAMES, NETWORKS
from .parts import Layout, Part

ANY = Dim.DYNAMIC


def register_caches() -> None:
    """Let torch.export take caches apart; a second call does nothing."""
    register_dynamic_cache_export_support()
    if EncoderDecoderCache in _pytree.SUPPORTED_NODES:
        return
    _pytree.register_pytree_node(
        EncoderDecoderCache,
        lambda cache: ([cache.self_attention_cache, cache.cross_attention_cache], None),
        lambda parts, _: EncoderDecoderCache(*parts),
        serialized_type_name="transformers.EncoderDecoderCache",
        flatten_with_keys_fn=lambda cache: (
            [
                (_pytree.GetAttrKey("self_attention_cache"), cache.self_attention_cache),
                (_pytree.GetAttrKey("cross_attention_cache"), cache.cross_attention_cache),
            ],
            None,
        ),
    )


def make_cache(layers: int, size: tuple[int, ...]) -> DynamicCache:
    """A cache of random keys and values."""
    return DynamicCache([(torch.randn(size), torch.randn(size)) for _ in range(layers)])


def cache_shapes(layers: int) -> list[list[dict[int, Any]]]:
    """Open batch and length of each tensor of a cache."""
    return [[{0: ANY, 2: ANY}] * layers, [{0: ANY, 2: ANY}] * layers]


class Decoder(torch.nn.Module):
    """The decoder of a network that has an encoder too."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, words: Any, hidden: Any, past: Any) -> tuple[Any, Any]:
        """Logits and the next cache; `hidden` is None where the cache has what it gave."""
        states = (torch.zeros(1, 1, 1) if hidden is None else hidden,)
        more = {"encoder_outputs": states, "past_key_values": past, "use_cache": True}
        found = self.model(decoder_input_ids=words, **more)
        return found.logits, found.past_key_values


class Opening(Decoder):
    """The first words, which fill both caches."""

    def forward(self, words: Any, hidden: Any) -> tuple[Any, Any]:  # type: ignore[override]
        return super().forward(words, hidden, EncoderDecoderCache(DynamicCache(), DynamicCache()))


class Following(Decoder):
    """A word behind others."""

    def forward(self, words: Any, past: Any) -> tuple[Any, Any]:  # type: ignore[override]
        return super().forward(words, None, past)


class Encoder(torch.nn.Module):
    """What the decoder looks at."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model.get_encoder()

    def forward(self, heard: Any) -> Any:
        return self.model(heard).last_hidden_state


def keys_first(layers: int, *, crossed: bool = False) -> list[str]:
    """Names of caches as transformers takes them apart: all keys, then all values."""
    rooms = ("decoder.", "encoder.") if crossed else ("",)
    kinds = ("key", "value")
    return [f"past.{n}.{room}{kind}" for room in rooms for kind in kinds for n in range(layers)]


def heads_of(model: Any) -> tuple[int, int, int]:
    """Layers, heads and width of what a cache holds."""
    about = model.config
    layers = getattr(about, "decoder_layers", None) or about.num_hidden_layers
    heads = getattr(about, "num_key_value_heads", None) or about.num_attention_heads
    width = getattr(about, "head_dim", None) or getattr(about, "d_kv", None)
    return layers, heads, width or about.hidden_size // about.num_attention_heads


def export_decoder(model: Any, folder: Path | None) -> Layout:
    """A prompt of at least two words and a word behind others, as torch.export tells them apart."""
    layers, heads, width = heads_of(model)
    names = ["words", "mask", "places", *keys_first(layers)]
    parts = {}
    for part, count, behind in (("first", 3, 5), ("step", 1, 6)):
        keywords = {
            "input_ids": torch.randint(0, 300, (2, count)),
            "attention_mask": torch.ones(2, count + behind, dtype=torch.int64),
            "position_ids": torch.arange(behind, count + behind).expand(2, count).contiguous(),
            "past_key_values": make_cache(layers, (2, heads, behind, width)),
        }
        length = ANY if count > 1 else Dim.STATIC
        shapes = {key: {0: ANY, 1: length} for key in keywords}
        shapes["attention_mask"] = {0: ANY, 1: ANY}
        shapes["past_key_values"] = cache_shapes(layers)  # type: ignore[assignment]
        source, loading = export(model, (), keywords, shapes, folder and folder / f"{part}.pt2")
        parts[part] = Part(source, names, ["logits", *names[3:]], loading)
    return Layout(parts, dict.fromkeys(names[3:], (1, heads, 0, width)))


def export_pair(model: Any, name: str, folder: Path | None) -> Layout:
    """An encoder, the first words of a decoder, and a word behind others."""
    layers, heads, width = heads_of(model)
    hears = NETWORKS[name].task == "speech"
    heard = torch.randn(2, 16, FRAMES) if hears else torch.randint(0, 300, (2, 5))
    shape = {0: ANY} if hears else {0: ANY, 1: ANY}
    path = folder and folder / "encoder.pt2"
    source, loading = export(Encoder(model).eval(), (heard,), {}, (shape,), path)
    parts = {"encoder": Part(source, ["heard"], ["hidden"], loading)}
    hidden = torch.randn(2, 5, model.config.d_model)
    words = torch.randint(0, 300, (2, 3))
    shapes: Any = ({0: ANY, 1: ANY}, {0: ANY, 1: ANY})
    path = folder and folder / "first.pt2"
    source, loading = export(Opening(model).eval(), (words, hidden), {}, shapes, path)
    names = keys_first(layers, crossed=True)
    parts["first"] = Part(source, ["words", "hidden"], ["logits", *names], loading)
    past = EncoderDecoderCache(
        make_cache(layers, (2, heads, 6, width)), make_cache(layers, (2, heads, 5, width))
    )
    shapes = ({0: ANY}, [cache_shapes(layers), cache_shapes(layers)])
    path = folder and folder / "step.pt2"
    source, loading = export(Following(model).eval(), (words[:, :1], past), {}, shapes, path)
    parts["step"] = Part(source, ["words", *names], ["logits", *names], loading)
    return Layout(parts)


def export(
    model: Any, args: Any, keywords: Any, shapes: Any, path: Path | None
) -> tuple[Any, dict[str, Any]]:
    """What is loaded, and how: a program of open sizes, or without a path the module itself."""
    register_caches()
    if path is None:
        return model, {"inputs": args, "keywords": keywords, "dynamic_shapes": shapes}
    with any_size(), torch.no_grad():
        program = torch.export.export(model, args, keywords, dynamic_shapes=shapes, strict=False)
    torch.export.save(program, path)
    return path, {}


def any_size() -> Any:
    """While this is open, torch.export lets open sizes be 0 and 1 too."""
    return symbols.patch(backed_size_oblivious=True)


def export_layout(model: Any, name: str, folder: Path | None) -> Layout:
    """All parts of a network: files in a folder, or without one the modules themselves."""
    if NETWORKS[name].task == "decoder":
        return export_decoder(model, folder)
    return export_pair(model, name, folder)
