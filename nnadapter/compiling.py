"""Compiling for devices that are named, checked or found out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hal.runtime.classes import program_class
from hal.runtime.program import Program, names_of
from hal.runtime.subgraph_config import Rules
from nnir.errors import BadInput
from nnir.model import Model
from nnir.records import dataclass

from .names import FASTEST


@dataclass(frozen=True)
class CompilePlan:
    """The arguments of `nnadapter.compile` that do not say for which devices."""

    properties: str = ""
    callback: Callable[[int, Any], int] | None = None
    cache_dir: Path | None = None
    cache_token: str = ""
    cache_buffer: bytes | None = None
    partition: str | os.PathLike[str] | None = None
    profile: bool = False


def compile_model(
    model: Model | None,
    device: str | Sequence[str],
    plan: CompilePlan,
    inputs: Sequence[np.ndarray] | None = None,
    *,
    check: bool = False,
) -> Program:
    """A program for devices, or for the fastest one; `inputs` are what it is checked or tried on.

    Raises what `nnadapter.compile` raises.
    """
    rules = None if plan.partition is None else _rules(plan.partition)
    names = names_of(device)

    def make(devices: Sequence[str], **caching: Any) -> Program:
        return program_class(model)(
            model,
            devices,
            plan.properties,
            plan.callback,
            rules=rules,
            profile=plan.profile,
            **caching,
        )

    kept = {"cache_dir": plan.cache_dir, "cache_token": plan.cache_token}
    if FASTEST in names:
        if len(names) > 1:
            raise BadInput(f"device {FASTEST!r} stands alone: it is one of all installed devices")
        if plan.cache_buffer is not None:
            raise BadInput(f"cache_buffer: not with device {FASTEST!r}; name a cache_dir")
        from .fastest import compile_fastest  # which tries devices: most programs do not

        place, token = plan.cache_dir, plan.cache_token
        return compile_fastest(model, make, plan.properties, inputs, place, token)
    if inputs is not None and not check:
        raise BadInput(
            f"inputs: what devices are checked or tried on, with check=True or {FASTEST!r}"
        )

    def make_kept(devices: Sequence[str]) -> Program:
        return make(devices, **kept, cache_buffer=plan.cache_buffer)

    if not check:
        return make_kept(names)
    if model is None:
        raise BadInput("check=True needs the model, not only what is left of it in a cache")
    from .checking import compile_checked  # most programs are not

    return compile_checked(model, names, make_kept, inputs)


def _rules(partition: str | os.PathLike[str]) -> Rules:
    """The rules of a path, or of a text."""
    if isinstance(partition, str) and not Path(partition).is_file():
        return Rules.parse(partition)
    return Rules.read(Path(partition))
