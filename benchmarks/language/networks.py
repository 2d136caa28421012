"""Language models of random weights, and the words that PyTorch writes with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

WORDS = 32
PROMPTS = (3, 17)
PLACES = 64
"""Room in a cache of fixed size."""
LOUDER = 4
"""How much larger than usual the weights are, so that the words vary."""
START = 3
FRAMES = 3000
"""Frames that Whisper's encoder hears, of which it makes half as many."""

DECODER = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "vocab_size": 300,
    "max_position_embeddings": 128,
}
_T5 = {
    "d_model": 64,
    "d_kv": 16,
    "d_ff": 128,
    "num_layers": 2,
    "num_heads": 4,
    "vocab_size": 300,
    "feed_forward_proj": "gated-gelu",
    "decoder_start_token_id": START,
}
_WHISPER = {
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 128,
    "decoder_ffn_dim": 128,
    "vocab_size": 300,
    "num_mel_bins": 16,
    "max_source_positions": FRAMES // 2,
    "max_target_positions": 64,
    "decoder_start_token_id": START,
    "pad_token_id": 0,
    "tie_word_embeddings": False,
}
_WINDOWED = {
    "head_dim": 16,
    "tie_word_embeddings": False,
    "sliding_window": 8,
    "layer_types": ["sliding_attention", "full_attention"],
}
_EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}


@dataclass(frozen=True)
class Network:
    """A class of configurations, and how this one differs; `task` says what it is given."""

    configuration: str
    more: Mapping[str, Any]
    task: str = "decoder"


NETWORKS = {
    "llama": Network("LlamaConfig", {}),
    "qwen2": Network("Qwen2Config", {}),
    "qwen3": Network("Qwen3Config", {"head_dim": 16}),
    "gemma": Network("GemmaConfig", {"head_dim": 16, "tie_word_embeddings": False}),
    "gemma3": Network("Gemma3TextConfig", _WINDOWED),
    "phi": Network("PhiConfig", {"num_attention_heads": 2, "num_key_value_heads": 1}),
    "phi3": Network("Phi3Config", {"pad_token_id": 0}),
    "mistral": Network("MistralConfig", {}),
    "mixtral": Network("MixtralConfig", _EXPERTS),
    "gptoss": Network("GptOssConfig", _WINDOWED | _EXPERTS),
    "whisper": Network("WhisperConfig", _WHISPER, "speech"),
    "t5": Network("T5Config", _T5, "translation"),
}


def build_network(name: str, wider: Mapping[str, Any] = DECODER) -> Any:
    """A model of transformers, the same at each call; `wider` are other sizes of a decoder.

    Biases begin with 0 and factors of norms with 1, which exporters leave out; those of trained
    models are others, and so are these.
    """
    import torch
    import transformers

    network = NETWORKS[name]
    torch.manual_seed(0)
    sizes = wider if network.task == "decoder" else {}
    configuration = getattr(transformers, network.configuration)(**{**sizes, **network.more})
    kind = {
        "decoder": transformers.AutoModelForCausalLM,
        "speech": transformers.AutoModelForSpeechSeq2Seq,
        "translation": transformers.AutoModelForSeq2SeqLM,
    }[network.task]
    has_experts = "num_local_experts" in network.more
    options = {"experts_implementation": "batched_mm"} if has_experts else {}
    model = kind.from_config(configuration, **options).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.mul_(LOUDER)
            else:
                weight.add_(torch.rand_like(weight) / 10)
    model.generation_config = transformers.GenerationConfig(
        pad_token_id=0, eos_token_id=None, decoder_start_token_id=START
    )
    return model


def make_prompt(name: str, length: int) -> np.ndarray:
    """Words [1, length], or what Whisper hears, [1, bins, frames]."""
    rng = np.random.default_rng(length)
    if NETWORKS[name].task == "speech":
        return rng.standard_normal((1, 16, FRAMES)).astype(np.float32)
    return rng.integers(4, 300, (1, length))


def make_start(name: str, length: int) -> np.ndarray:
    """The first words of a decoder that has an encoder."""
    if NETWORKS[name].task == "speech":
        return np.full((1, length), START)
    return np.array([[START, 5]])


def generate(model: Any, name: str, length: int) -> list[int]:
    """What PyTorch writes, word by word the likeliest."""
    import torch
    from transformers import GenerationMixin

    prompt = torch.from_numpy(make_prompt(name, length))
    options: dict[str, Any] = {"max_new_tokens": WORDS, "do_sample": False}
    if NETWORKS[name].task != "decoder":
        options["decoder_input_ids"] = torch.from_numpy(make_start(name, length))
    if NETWORKS[name].task != "speech":
        options["attention_mask"] = torch.ones_like(prompt)
    found = GenerationMixin.generate(model, prompt, **options)  # Whisper's own wants a language
    words: list[int] = found[0, -WORDS:].tolist()
    return words
