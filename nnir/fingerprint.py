"""What tells models apart: a digest of graph and weights."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from .model import Model
from .serial import Encoder
from .types import precision_of


def digest(model: Model) -> bytes:
    """SHA-256 over the graph, the types, the names and every weight of a model.

    Equal models have equal digests, wherever their weights lie.
    """
    encoder = Encoder()
    graph = encoder.model(model)
    found = hashlib.sha256(json.dumps(graph, sort_keys=True).encode())
    for weight in encoder.weights:
        kind = f"\0{precision_of(weight.dtype).name}{list(weight.shape)}\0"
        found.update(kind.encode())
        found.update(np.ascontiguousarray(weight).reshape(-1).view(np.uint8).data)
    return found.digest()
