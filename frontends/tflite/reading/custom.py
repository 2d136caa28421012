"""The options of custom operators."""

from __future__ import annotations

import struct
from typing import Any

from nnir.errors import BadFile

from . import flex
from .flexbuffer import decode

MAPS = frozenset({"AudioSpectrogram", "Mfcc", "TFLite_Detection_PostProcess"})
"""Operators whose options are a map with names."""

STRUCTURES = {"Convolution2DTransposeBias": ("padding", "stride_w", "stride_h")}
"""Operators whose options are a structure of C: numbers of 32 bits; newer versions have more."""

PADDINGS = {1: "SAME", 2: "VALID"}
"""TFLite's numbers of the structure, which are not those of its files."""


def options(name: str, payload: bytes) -> dict[str, Any]:
    """What is known of the options of a custom operator; else its bytes as they are."""
    if name.startswith(flex.PREFIX):
        return {flex.NODE: flex.read_node(payload)}
    if name in STRUCTURES:
        return _read_structure(name, payload)
    if name not in MAPS:
        return {"custom_options": payload} if payload else {}
    found = decode(payload)
    if not isinstance(found, dict):
        raise BadFile(f"the options of {name} are no map")
    return {k: v for k, v in found.items() if not k.startswith("_")}


def _read_structure(name: str, payload: bytes) -> dict[str, Any]:
    fields = STRUCTURES[name]
    if len(payload) < 4 * len(fields):
        raise BadFile(f"the options of {name} have {len(payload)} bytes")
    found = dict(zip(fields, struct.unpack_from(f"<{len(fields)}i", payload), strict=True))
    if found["padding"] not in PADDINGS:
        raise BadFile(f"{name} with padding {found['padding']}")
    return {**found, "padding": PADDINGS[found["padding"]]}
