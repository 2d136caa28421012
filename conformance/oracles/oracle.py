"""Oracles: origin frameworks in worker processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nnir.errors import Unsupported

from ..processes.worker import Worker


class Refused(Unsupported):
    """The origin framework itself refuses what it was asked."""


class Oracle(Worker):
    """A worker that runs models of one framework; restarted after a crash or a hang.

    `module` is what the worker runs (`python -m module`); use as a context manager. It sees what
    users give, so it writes only into a folder of its own and those in `writes`.
    """

    def __init__(self, module: str, *, writes: Sequence[str] = (), **limits: Any) -> None:
        super().__init__(module, writes=writes, **limits)

    def __enter__(self) -> Oracle:
        return self

    def ask(
        self, head: dict[str, Any], arrays: list[np.ndarray], blob: bytes = b""
    ) -> list[np.ndarray]:
        """The worker's arrays. Refused (an Unsupported) when the framework refuses; Lost (a
        DeviceError) when the worker dies, takes too long or more memory than allowed."""
        reply, results = self.call(head, arrays, blob)
        if "error" in reply:
            raise Refused(f"the origin framework refuses: {reply['error']}")
        return results


def argument(source: Any, tensors: Sequence[Any], dtype_of: Callable[[str], Any]) -> Any:
    """An argument in the framework's own terms: the inverse of `named.describe_argument`."""
    if isinstance(source, list):
        return [argument(a, tensors, dtype_of) for a in source]
    if isinstance(source, dict):
        ((kind, value),) = source.items()
        match kind:
            case "tensor":
                return tensors[value]
            case "dtype":
                return dtype_of(value)
            case "float":
                return float(value)
            case "complex":
                return complex(*map(float, value))
    return source
