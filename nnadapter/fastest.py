"""`device="fastest"`: the device that is found to be the fastest, remembered beside the caches."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from hal.properties import environment
from hal.runtime import cache as caches
from hal.runtime import manager
from hal.runtime.program import Program, names_of
from nnir.budget import read_file
from nnir.errors import BadFile, BadInput, summary
from nnir.fingerprint import digest
from nnir.installed import version_of_provider
from nnir.machine import processor
from nnir.model import Model
from nnir.progress import note
from nnir.staging import replacing

from .checking import trial_of
from .names import FASTEST
from .racing import Race, Ranking, list_candidates

SUFFIX = ".fastest.json"
Make = Callable[..., Program]
"""`make(devices, **caching)` compiles for devices."""


def compile_fastest(
    model: Model | None,
    make: Make,
    properties: str,
    inputs: Sequence[np.ndarray] | None,
    cache_dir: Path | None,
    cache_token: str,
) -> Program:
    """The program of the fastest device that agrees with the references.

    With `cache_dir` the choice is kept there beside the compiled program, for this model, machine,
    devices, versions, properties and shapes of inputs; a file that is damaged or for something else
    is made anew.
    """
    if cache_dir is None:
        if model is None:
            raise BadInput(f"device {FASTEST!r} needs a model, or a token and a folder of caches")
        with Race(model, trial_of(model, inputs)) as race:
            race.run(list_candidates(), make)
            return race.winner()
    made_of = None if model is None else digest(model, cache_dir)
    token = cache_token or caches.token_of((made_of or b"").hex())
    place = caches.path_of(cache_dir, token).with_suffix(SUFFIX)
    device = _recall(place, made_of, properties, inputs)
    if device is None:
        if model is None:
            raise BadFile(f"no usable choice {place} and no model to try devices on")
        with Race(model, trial_of(model, inputs)) as race:
            race.run(list_candidates(), make)
        device = race.ranking.fastest
        kinds = manager.classes().values()
        packages = {p for kind in kinds for p in kind.packages}
        variables = {k for kind in kinds for k in kind.keys}
        _remember(place, _facts(made_of, properties, inputs, packages, variables), race.ranking)
    note(f"the fastest device is {device}")
    return make(
        names_of(device), cache_dir=cache_dir, cache_token=cache_token, model_digest=made_of
    )


def _facts(
    made_of: bytes | None,
    properties: str,
    inputs: Sequence[np.ndarray] | None,
    packages: Iterable[str],
    variables: Iterable[str],
) -> dict[str, Any]:
    """What the choice depends on, told without importing a driver; a token stands for the model
    where there is none. `packages` and `variables` are those that drivers look at."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "model": None if made_of is None else made_of.hex(),
        "machine": f"{processor()} {cores}",
        "devices": {name: manager.stamp(name) for name in manager.names()},
        "packages": {name: version_of_provider(name) for name in sorted(packages)},
        "environment": {name: environment(name) for name in sorted(variables)},
        "properties": properties,
        "inputs": None if inputs is None else [list(np.shape(a)) for a in inputs],
    }


def _recall(
    place: Path, made_of: bytes | None, properties: str, inputs: Sequence[np.ndarray] | None
) -> str | None:
    """The device that a file names for the same facts; None where there is none."""
    if not place.exists():
        return None
    try:
        kept = json.loads(read_file(place))
        known, device = dict(kept["facts"]), kept["device"]
        read = [[str(name) for name in known[key]] for key in ("packages", "environment")]
    except (ValueError, KeyError, TypeError, BadFile) as error:
        caches.refuse(f"{place.name}: {summary(error)}")
        return None
    facts = _facts(made_of, properties, inputs, *read)
    if made_of is None:
        known["model"] = None
    is_plain = isinstance(device, str) and {*names_of(device)} <= {*facts["devices"]}
    return device if is_plain and known == facts else None


def _remember(place: Path, facts: dict[str, Any], ranking: Ranking) -> None:
    """Keep a choice; a warning where that cannot be."""
    rows = [asdict(row) for row in ranking.rows]
    text = json.dumps({"device": ranking.fastest, "facts": facts, "rows": rows}, indent=1)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with replacing(place) as file:
            file.write(text.encode())
    except (OSError, BadFile) as error:
        caches.refuse(f"{place.name} is not kept: {summary(error)}")
