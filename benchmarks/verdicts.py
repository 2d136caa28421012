"""What `verify` says of a model on each device, in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import nnadapter as nna
from nnir.errors import NNAdapterError, summary

DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")
AGREES, DIFFERS = "agrees", "differs"
Options = dict[str, Any]
"""What `nnadapter.load` is given beside a path."""


def ask(
    path: Path, device: str, options: Options, inputs: Sequence[np.ndarray] | None = None
) -> str:
    """`agrees`, or what is in the way: the kind of an error or `differs`, a colon, the rest."""
    try:
        report = nna.verify(path, device, inputs, loading=options)
    except NNAdapterError as error:
        return f"{type(error).__name__}: {summary(error)[:200]}"
    return AGREES if report else f"{DIFFERS}: {report.worst()}"
