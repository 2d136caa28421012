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
    from concurrent.futures import ThreadPoolExecutor  # whoever keeps no caches does without

    encoder = Encoder()
    graph = encoder.model(model)
    found = hashlib.sha256(json.dumps(graph, sort_keys=True).encode())
    with ThreadPoolExecutor() as pool:  # hashing lets other threads run
        for part in pool.map(_digest, encoder.weights):
            found.update(part)
    return found.digest()


def _digest(weight: np.ndarray) -> bytes:
    kind = f"{precision_of(weight.dtype).name}{list(weight.shape)}"
    found = hashlib.sha256(kind.encode())
    found.update(np.ascontiguousarray(weight).reshape(-1).view(np.uint8).data)
    return found.digest()
