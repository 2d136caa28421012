"""Suites of conformance: by name, imported when they are used."""

from __future__ import annotations

from importlib import import_module

from nnir.errors import Unsupported

from ..running.suite import Suite

SUITES: dict[str, str] = {
    "cases": "conformance.suites.operators:Operators",
    "onnx-backend": "conformance.suites.official:OnnxBackend",
    "opinfo": "conformance.suites.samples:OpInfo",
    "models": "conformance.suites.folders:Folders",
    "fuzz": "conformance.suites.fuzz:Fuzz",
    "random-models": "conformance.suites.random_models:RandomModels",
}
"""Module and class of every suite; a module that is preloaded may add its own."""


def suite(name: str) -> type[Suite]:
    """The class of a suite; Unsupported for a name that is not known."""
    if name not in SUITES:
        raise Unsupported(f"no suite {name!r}; there are {', '.join(SUITES)}")
    module, _, class_name = SUITES[name].partition(":")
    found: type[Suite] = getattr(import_module(module), class_name)
    return found
