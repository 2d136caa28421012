"""Networks of PyTorch libraries, as their users build them: see `__main__.py`."""

from __future__ import annotations

from .catalog import Library
from .diffusion import DENOISERS
from .graphs import LAYERS
from .images import RESTORATION, VISION_TRANSFORMERS
from .volumes import VOLUMES

LIBRARIES = {
    "diffusers": Library(
        (
            *("diffusers", "transformers", "tokenizers", "huggingface_hub", "hf-xet", "regex"),
            *("safetensors", "requests", "tqdm", "pyyaml", "packaging", "filelock", "typer"),
            *("httpx", "httpcore", "h11", "httpx2", "httpcore2", "truststore", "anyio", "idna"),
            *("certifi", "click", "importlib_metadata", "zipp"),
        ),
        "diffusers",
        DENOISERS,
    ),
    "monai": Library(("monai", "einops"), "monai.networks.nets", VOLUMES),
    "spandrel": Library(
        ("spandrel", "einops", "torchvision==0.28.0", "safetensors"), "spandrel", RESTORATION
    ),
    "torch_geometric": Library(
        ("torch_geometric", "xxhash", "tqdm", "psutil", "aiohttp", "fsspec", "jinja2"),
        "torch_geometric.nn",
        LAYERS,
    ),
    "vit_pytorch": Library(
        ("vit_pytorch", "einops", "torchvision==0.28.0"), "vit_pytorch", VISION_TRANSFORMERS
    ),
}
