"""Whose results may be taken for those of a device: engine, our code, processor and settings."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from functools import cache
from pathlib import Path

from nnir.machine import processor

from ..processes.cache_folder import VARIABLE
from ..processes.worker import FOLDER, LIMIT
from .versions import ENGINES, list_installed

ROOT = Path(__file__).parents[2]
BUILTIN = "builtin"
TOLD = (
    "CUBLAS_", "CUDA_", "GOOGLE_", "INTEL_", "LITERT_", "MKL_", "NNADAPTER_", "NVIDIA_", "OMP_",
    "ONEDNN_", "ONNXRUNTIME_", "OPENVINO_", "PYTORCH_", "TF_", "TORCH", "XNNPACK_",
)  # fmt: skip
"""What the names of variables begin with that engines and devices look at; properties of devices
are read from the environment too."""

UNTOLD = (FOLDER, LIMIT, VARIABLE)
"""Variables of processes, which are not looked at."""


@cache
def identity(device: str) -> str | None:
    """Everything but the model and its inputs that the results of a device depend on; None for
    devices of others, whose code is not known, and for `builtin`, which is as fast as a store."""
    packages = ENGINES.get(device)
    if packages is None or device == BUILTIN:
        return None
    variables = {k: v for k, v in os.environ.items() if k.startswith(TOLD) and k not in UNTOLD}
    facts = {
        "code": code(device),
        "versions": list_installed((*packages, "numpy", "ml_dtypes", "scipy")),
        "python": platform.python_version(),
        "processor": processor(),
        "variables": variables,
    }
    return json.dumps(facts, sort_keys=True)


@cache
def code(device: str) -> str:
    """A digest of our code between a model and a device: the drivers of others are not."""
    drivers = ROOT / "hal" / "drivers"
    others = {p for p in drivers.iterdir() if p.is_dir() and p.name != device}
    made = hashlib.sha256()
    for package in ("nnir", "hal"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if others.isdisjoint(path.parents):
                made.update(path.read_bytes())
    return made.hexdigest()
