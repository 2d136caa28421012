"""The options of custom operators."""

from __future__ import annotations

from typing import Any

from nnir.errors import BadFile

from . import flex
from .flexbuffer import decode

MAPS = frozenset({"AudioSpectrogram", "Mfcc", "TFLite_Detection_PostProcess"})
"""Operators whose options are a map with names."""


def options(name: str, payload: bytes) -> dict[str, Any]:
    """What is known of the options of a custom operator; else its bytes as they are."""
    if name.startswith(flex.PREFIX):
        return {flex.NODE: flex.read_node(payload)}
    if name not in MAPS:
        return {"custom_options": payload} if payload else {}
    found = decode(payload)
    if not isinstance(found, dict):
        raise BadFile(f"the options of {name} are no map")
    return {k: v for k, v in found.items() if not k.startswith("_")}
