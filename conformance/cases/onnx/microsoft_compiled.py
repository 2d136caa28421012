"""Parts of a model that were compiled for one processor."""

from __future__ import annotations

from nnir.errors import Unsupported

from ...case import Case, rand
from .microsoft_activation import MICROSOFT

CONTEXT = {
    "embed_mode": 0,
    "ep_cache_context": "part.bin",
    "ep_sdk_version": "2.3",
    "hardware_architecture": "v73",
    "main_context": 0,
    "max_size": 16,
    "notes": "a note",
    "onnx_model_filename": "m.onnx",
    "partition_name": "part",
    "source": "QNN",
}
SNPE = {"DLC": "bytes", "notes": "a note", "snpe_version": "1.61", "target_device": "DSP"}
CASES = [
    Case("EPContext", (rand(2),), why="nothing said", raises=Unsupported, domain=MICROSOFT),
    Case("EPContext", (rand(2),), CONTEXT, why="QNN", raises=Unsupported, domain=MICROSOFT),
    Case("Snpe", (rand(2), rand(3)), SNPE, raises=Unsupported, domain=MICROSOFT),
]
