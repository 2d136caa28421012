"""`device="fastest"`: the device that is found to be the fastest, remembered beside the caches."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from conformance.running.identity import processor
from hal.device import Device
from hal.properties import environment
from hal.runtime import cache as caches
from hal.runtime import manager
from hal.runtime.program import Program, names_of
from nnir.budget import read_file
from nnir.errors import BadFile, BadInput, summary
from nnir.fingerprint import digest
from nnir.installed import version_of_provider
from nnir.model import Model
from nnir.progress import note
from nnir.staging import replacing

from .checking import trial_of
from .racing import FASTEST, Race, Ranking, list_candidates

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
    candidates = list_candidates()
    if cache_dir is None:
        if model is None:
            raise BadInput(f"device {FASTEST!r} needs a model, or a token and a folder of caches")
        with Race(model, trial_of(model, inputs)) as race:
            race.run(candidates, make)
            return race.winner()
    made_of = None if model is None else digest(model)
    facts = _facts(made_of, candidates, properties, inputs)
    token = cache_token or caches.token_of((made_of or b"").hex())
    place = caches.path_of(cache_dir, token).with_suffix(SUFFIX)
    device = _recall(place, facts)
    if device is None:
        if model is None:
            raise BadFile(f"no usable choice {place} and no model to try devices on")
        with Race(model, trial_of(model, inputs)) as race:
            race.run(candidates, make)
        device = race.ranking.fastest
        _remember(place, facts, race.ranking)
    note(f"the fastest device is {device}")
    return make(
        names_of(device), cache_dir=cache_dir, cache_token=cache_token, model_digest=made_of
    )


def _facts(
    made_of: bytes | None,
    candidates: Sequence[str],
    properties: str,
    inputs: Sequence[np.ndarray] | None,
) -> dict[str, Any]:
    """What the choice depends on; a token stands for the model where there is none."""
    found = manager.classes()
    variables = {k: environment(k) for name in candidates for k in found[name].keys}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "model": None if made_of is None else made_of.hex(),
        "machine": f"{processor()} {cores}",
        "devices": {name: _release(found[name]) for name in candidates},
        "properties": properties,
        "environment": {k: v for k, v in variables.items() if v is not None},
        "inputs": None if inputs is None else [list(np.shape(a)) for a in inputs],
    }


def _release(kind: type[Device]) -> str:
    """The version of a device and its engine, without opening it."""
    return " ".join(
        [str(kind.version), *(f"{p} {version_of_provider(p) or 'none'}" for p in kind.packages)]
    )


def _recall(place: Path, facts: Mapping[str, Any]) -> str | None:
    """The device that a file names for the same facts; None where there is none."""
    if not place.exists():
        return None
    try:
        kept = json.loads(read_file(place))
        known, device = dict(kept["facts"]), kept["device"]
    except (ValueError, KeyError, TypeError, BadFile) as error:
        caches.refuse(f"{place.name}: {summary(error)}")
        return None
    if facts["model"] is None:
        known["model"] = None
    is_plain = isinstance(device, str) and {*names_of(device)} <= {*facts["devices"]}
    return device if is_plain and known == facts else None


def _remember(place: Path, facts: Mapping[str, Any], ranking: Ranking) -> None:
    """Keep a choice; a warning where that cannot be."""
    rows = [asdict(row) for row in ranking.rows]
    text = json.dumps({"device": ranking.fastest, "facts": facts, "rows": rows}, indent=1)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with replacing(place) as file:
            file.write(text.encode())
    except (OSError, BadFile) as error:
        caches.refuse(f"{place.name} is not kept: {summary(error)}")
