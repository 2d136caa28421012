"""`python -m benchmarks.decoding [NAME ...]`: language models whose cache is a state.

Small models of random weights, as `transformers` exports them with a static cache, write 32 words
on every device, and in files of every format: the same words as the exported program in PyTorch.
Needs the package transformers.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import nnadapter as nna
from nnir.errors import NNAdapterError, summary

from .language.networks import DECODER, LOUDER

DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")
TARGETS = (".onnx", ".xml", ".tflite", ".pt2", ".nnir")
WORDS, FIRST, PLACES = 32, 5, 48
SIZES = {**DECODER, "use_cache": True}
CONFIGURATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LlamaConfig", {}),
    "qwen2": ("Qwen2Config", {}),
    "qwen3": ("Qwen3Config", {"head_dim": 16}),
    "mistral": ("MistralConfig", {}),
    "phi3": ("Phi3Config", {"pad_token_id": 0, "eos_token_id": 2}),
    "gemma": ("GemmaConfig", {"head_dim": 16}),
}

Run = Callable[[np.ndarray, np.ndarray], np.ndarray]


def export(name: str, path: Path, sizes: Mapping[str, Any] = SIZES, places: int = PLACES) -> Run:
    """Write a model with a cache of so many places as `.pt2`; what runs it in PyTorch."""
    import torch
    import transformers
    from transformers.integrations import executorch

    torch.manual_seed(0)
    kind, more = CONFIGURATIONS[name]
    configuration = getattr(transformers, kind)(**{**sizes, **more})
    configuration._attn_implementation = "sdpa"
    model = transformers.AutoModelForCausalLM.from_config(configuration).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.mul_(LOUDER)
    about = {"batch_size": 1, "max_cache_len": places, "device": "cpu"}
    model.generation_config = transformers.GenerationConfig(
        use_cache=True,
        cache_implementation="static",
        max_length=places,
        eos_token_id=2,
        pad_token_id=0,
        cache_config=about,
    )
    module = executorch.TorchExportableModuleWithStaticCache(
        model, batch_size=1, max_cache_len=places, device="cpu"
    )
    example = {"input_ids": torch.tensor([[FIRST]]), "cache_position": torch.tensor([0])}
    program = torch.export.export(module, (), example, strict=False)
    torch.export.save(program, path)
    whole = program.module()

    def run(words: np.ndarray, places: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            found = whole(
                input_ids=torch.from_numpy(words), cache_position=torch.from_numpy(places)
            )
        logits: np.ndarray = (found if isinstance(found, torch.Tensor) else found[0]).numpy()
        return logits

    return run


def decode(run: Run) -> list[int]:
    """The likeliest word behind those before it, again and again."""
    words = [FIRST]
    for place in range(WORDS):
        logits = run(np.array([[words[-1]]]), np.array([place]))
        words.append(int(logits[0, -1].argmax()))
    return words[1:]


def equal_words(path: Path, wanted: Sequence[int], device: str) -> str:
    """How many words are the same on a device."""
    try:
        with nna.compile(nna.load(path), device) as program:
            found = decode(lambda *arrays: program(*arrays)[0])
    except NNAdapterError as error:
        return summary(error)[:60]
    return f"{sum(a == b for a, b in zip(found, wanted, strict=True))}/{WORDS}"


def converts(path: Path, suffix: str) -> str:
    """Whether a format holds the model, proved over three calls in its engine."""
    try:
        nna.convert(path, path.with_name(f"written{suffix}"))
    except NNAdapterError as error:
        return summary(error)[:60]
    return "yes"


def main(names: Sequence[str]) -> None:
    """Print a row a model."""
    from rich.console import Console
    from rich.table import Table

    warnings.filterwarnings("ignore")
    table = Table("model", "different words", *DEVICES, *TARGETS)
    with tempfile.TemporaryDirectory() as folder:
        for name in names or CONFIGURATIONS:
            path = Path(folder) / f"{name}.pt2"
            wanted = decode(export(name, path))
            cells = [equal_words(path, wanted, device) for device in DEVICES]
            cells += [converts(path, suffix) for suffix in TARGETS]
            table.add_row(name, str(len(set(wanted))), *cells)
    Console(width=140).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
