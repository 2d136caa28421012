"""The worker's side of `conformance.engines.functions`: a framework's functions, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..processes.worker_loop import serve
from .oracle import argument


def serve_functions(
    find: Callable[[str], Callable[..., Any]],
    tensor: Callable[[np.ndarray], Any] = np.asarray,
    dtype_of: Callable[[str], Any] = np.dtype,
) -> None:
    """Answer with what the framework's functions give. `find` gives the function of a name,
    `tensor` makes the framework's of an array, `dtype_of` its type of a NumPy name."""

    def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> Sequence[np.ndarray]:
        tensors = [tensor(a) for a in arrays]
        args = [argument(a, tensors, dtype_of) for a in head["args"]]
        kwargs = {k: argument(a, tensors, dtype_of) for k, a in head["kwargs"].items()}
        found = find(head["op"])(*args, **kwargs)
        many = isinstance(found, (list, tuple))
        return [np.asarray(f) for f in (found if many else [found])]

    serve(answer)
