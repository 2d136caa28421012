"""What tells models apart: a digest of graph and weights."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .errors import BadFile
from .mapping import file_of
from .model import Model
from .serial import Encoder
from .staging import replacing
from .types import precision_of

MEMO_SUFFIX = ".digest"
LEAST = 1 << 20
"""Bytes of weights for which their digest is worth a file."""

SETTLED = 2 * 10**9
"""Nanoseconds for which a file must have been left alone: clocks of file systems are coarse."""

LENGTH = hashlib.sha256().digest_size


def digest(model: Model, memos: Path | None = None) -> bytes:
    """SHA-256 over the graph, the types, the names and every weight of a model.

    Equal models have equal digests, wherever their weights lie. In the folder `memos` it is noted
    for the files that weights are mapped from, by what the system says of them (device, number,
    size, times of the last changes); while that is the same, weights are not read again.
    """
    encoder = Encoder()
    graph = encoder.model(model)
    found = hashlib.sha256(json.dumps(graph, sort_keys=True).encode())
    begin = found.digest()
    memo = None if memos is None else _memo_path(memos, begin, encoder.weights)
    if memo is not None and (noted := _read_memo(memo)):
        return noted
    for part in _digests(encoder.weights):
        found.update(part)
    if memos is not None and memo is not None:
        meanwhile = _memo_path(memos, begin, encoder.weights)
        if meanwhile == memo:  # nothing changed while it was read
            _write_memo(memo, found.digest())
    return found.digest()


def _memo_path(memos: Path, graph: bytes, weights: Sequence[np.ndarray]) -> Path | None:
    """Where the digest of weights in files is noted; None where few are, or one is too young."""
    found = hashlib.sha256(graph)
    mapped, now = 0, time.time_ns()
    states: dict[int, os.stat_result] = {}
    others = []
    for weight in weights:
        place = file_of(weight)
        if place is None:
            others.append(weight)
            continue
        descriptor, offset = place
        about = states.get(descriptor) or states.setdefault(descriptor, os.fstat(descriptor))
        if max(about.st_mtime_ns, about.st_ctime_ns) > now - SETTLED:
            return None
        identity = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        kind = (precision_of(weight.dtype).name, weight.shape, weight.strides)
        found.update(repr((identity, offset, kind)).encode())
        mapped += weight.nbytes
    if mapped < LEAST:
        return None
    for part in _digests(others):
        found.update(part)
    return memos / f"{found.hexdigest()[:32]}{MEMO_SUFFIX}"


def _read_memo(memo: Path) -> bytes | None:
    try:
        noted = memo.read_bytes()
    except OSError:
        return None
    whole, check = noted[:LENGTH], noted[LENGTH:]
    return whole if hashlib.sha256(whole).digest() == check else None


def _write_memo(memo: Path, noted: bytes) -> None:
    """Write a memo, whole or not at all; where that cannot be, nothing is noted."""
    try:
        memo.parent.mkdir(parents=True, exist_ok=True)
        with replacing(memo) as file:
            file.write(noted + hashlib.sha256(noted).digest())
    except (OSError, BadFile):
        return


def _digests(weights: Sequence[np.ndarray]) -> list[bytes]:
    """Those of weights, in order."""
    from concurrent.futures import ThreadPoolExecutor  # whoever keeps no caches does without

    if sum(w.nbytes for w in weights) < LEAST:
        return [_digest(w) for w in weights]
    with ThreadPoolExecutor() as pool:  # hashing lets other threads run
        return list(pool.map(_digest, weights))


def _digest(weight: np.ndarray) -> bytes:
    kind = f"{precision_of(weight.dtype).name}{list(weight.shape)}"
    found = hashlib.sha256(kind.encode())
    found.update(np.ascontiguousarray(weight).reshape(-1).view(np.uint8).data)
    return found.digest()
