"""The process that answers for JAX: results of a function, and its jaxpr."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import jax

from conformance.oracles.functions import serve_functions

from .program import describe_program

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)


def find(name: str) -> Callable[..., Any]:
    """A function by its full name; behind `jaxpr:`, what it consists of as bytes of JSON."""
    if name.startswith("jaxpr:"):
        function = find(name.removeprefix("jaxpr:"))
        return lambda *args, **kwargs: describe_program(function, args, kwargs)
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


if __name__ == "__main__":
    serve_functions(find, jax.numpy.asarray)
