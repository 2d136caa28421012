"""ONNX files in optimum's layouts, of transformers with random weights: tasks, caches, parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers as t
from making import Write, main
from optimum.exporters.onnx import onnx_export_from_model

SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "vocab_size": 120,
}
GROUPED: dict[str, Any] = {**SMALL, "num_key_value_heads": 2, "head_dim": 8, "pad_token_id": 0}
IMAGES: dict[str, Any] = {**SMALL, "image_size": 32, "patch_size": 8}
HEARD: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
}
STAGES: dict[str, Any] = {"hidden_sizes": [8, 16, 40, 64], "depths": [1, 1, 2, 1]}
GENERATES = "text-generation-with-past"

MODELS: dict[str, tuple[Callable[[], Any], str]] = {
    "bert": (
        lambda: t.BertForSequenceClassification(t.BertConfig(**SMALL)),
        "text-classification",
    ),
    "roberta": (
        lambda: t.RobertaForTokenClassification(t.RobertaConfig(**SMALL)),
        "token-classification",
    ),
    "distilbert": (
        lambda: t.DistilBertForQuestionAnswering(
            t.DistilBertConfig(vocab_size=120, dim=32, n_layers=2, n_heads=4, hidden_dim=64)
        ),
        "question-answering",
    ),
    "albert": (
        lambda: t.AlbertForMaskedLM(t.AlbertConfig(**SMALL, embedding_size=16)),
        "fill-mask",
    ),
    "gpt2": (
        lambda: t.GPT2LMHeadModel(t.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=120)),
        GENERATES,
    ),
    "llama": (lambda: t.LlamaForCausalLM(t.LlamaConfig(**GROUPED)), GENERATES),
    "qwen2": (lambda: t.Qwen2ForCausalLM(t.Qwen2Config(**GROUPED)), GENERATES),
    "qwen3": (lambda: t.Qwen3ForCausalLM(t.Qwen3Config(**GROUPED)), GENERATES),
    "gemma": (lambda: t.GemmaForCausalLM(t.GemmaConfig(**GROUPED)), GENERATES),
    "phi3": (
        lambda: t.Phi3ForCausalLM(t.Phi3Config(**SMALL, num_key_value_heads=2, pad_token_id=0)),
        GENERATES,
    ),
    "mistral": (lambda: t.MistralForCausalLM(t.MistralConfig(**GROUPED)), GENERATES),
    "t5": (
        lambda: t.T5ForConditionalGeneration(
            t.T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=120)
        ),
        "text2text-generation-with-past",
    ),
    "bart": (
        lambda: t.BartForConditionalGeneration(t.BartConfig(**HEARD, vocab_size=120)),
        "text2text-generation-with-past",
    ),
    "whisper": (
        lambda: t.WhisperForConditionalGeneration(
            t.WhisperConfig(**HEARD, vocab_size=120, pad_token_id=0)
        ),
        "automatic-speech-recognition-with-past",
    ),
    "wav2vec2": (
        lambda: t.Wav2Vec2ForCTC(
            t.Wav2Vec2Config(
                **SMALL,
                conv_dim=(16, 16),
                conv_kernel=(10, 3),
                conv_stride=(5, 2),
                num_conv_pos_embeddings=16,
                num_conv_pos_embedding_groups=4,
            )
        ),
        "automatic-speech-recognition",
    ),
    "vit": (lambda: t.ViTForImageClassification(t.ViTConfig(**IMAGES)), "image-classification"),
    "deit": (lambda: t.DeiTForImageClassification(t.DeiTConfig(**IMAGES)), "image-classification"),
    "swin": (
        lambda: t.SwinForImageClassification(
            t.SwinConfig(
                image_size=32, embed_dim=12, depths=[1, 1], num_heads=[2, 4], window_size=4
            )
        ),
        "image-classification",
    ),
    "convnext": (
        lambda: t.ConvNextForImageClassification(t.ConvNextConfig(**STAGES, image_size=64)),
        "image-classification",
    ),
    "segformer": (
        lambda: t.SegformerForSemanticSegmentation(
            t.SegformerConfig(**STAGES, decoder_hidden_size=16)
        ),
        "semantic-segmentation",
    ),
    "clip": (
        lambda: t.CLIPModel(
            t.CLIPConfig(text_config={**SMALL, "eos_token_id": 2}, vision_config=IMAGES)
        ),
        "zero-shot-image-classification",
    ),
}


def write(name: str, place: Path) -> None:
    """A folder with the parts of a model."""
    torch.manual_seed(0)
    make, task = MODELS[name]
    onnx_export_from_model(make().eval(), place, task=task, do_validation=False)


def list_models() -> dict[str, Write]:
    """Each model once, in the operator set that optimum takes for it."""
    return {f"optimum-{name}": partial(write, name) for name in MODELS}


if __name__ == "__main__":
    main(list_models())
