"""How a network of a library is written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np


class Package:
    """A package whose modules are imported when they are asked for."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.module, name, None)
        if found is None or isinstance(found, ModuleType):
            return Package(import_module(f"{self.module.__name__}.{name}"))
        return found


@dataclass(frozen=True)
class Given:
    """An input: its type, its shape, and what it is drawn from."""

    precision: str
    shape: tuple[int, ...]
    draw: Callable[[np.random.Generator, tuple[int, ...]], Any]

    def array(self, seed: int) -> np.ndarray:
        """The same array for a seed every time."""
        made: np.ndarray = np.asarray(self.draw(np.random.default_rng(seed), self.shape))
        return made.astype(self.precision)


def floats(*shape: int) -> Given:
    """Normal numbers."""
    return Given("float32", shape, lambda rng, shape: rng.standard_normal(shape))


def unit(*shape: int) -> Given:
    """Numbers from 0 to 1, as the pixels of an image."""
    return Given("float32", shape, lambda rng, shape: rng.uniform(0, 1, shape))


def ids(most: int, *shape: int) -> Given:
    """Whole numbers below `most`."""
    return Given("int64", shape, lambda rng, shape: rng.integers(0, most, shape))


def ones(precision: str, *shape: int) -> Given:
    """A mask that keeps everything."""
    return Given(precision, shape, lambda rng, shape: np.ones(shape))


class Network:
    """What builds a network of random weights, and what it is called with."""

    def __init__(self, build: Callable[[Any], Any], *inputs: Given) -> None:
        self.build = build
        self.inputs = inputs


@dataclass(frozen=True)
class Library:
    """A package: what `pip` installs for it, where its networks are, and these."""

    packages: tuple[str, ...]
    module: str
    networks: Mapping[str, Network]
