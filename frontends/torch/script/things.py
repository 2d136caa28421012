"""What the values of a TorchScript program are while it is walked.

Python's own numbers, texts, None and tuples stand for themselves. Tensors and numbers of the graph
are names in the translator's scope. Lists and dictionaries know where they were made: a branch
that may not be taken must not change what is outside of it.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from nnir.records import dataclass

from ...source import Ref

REEXPORT = "export the original module with torch.export.export and torch.export.save"


class Tensor(Ref):
    """The name of a tensor of the graph."""

    __slots__ = ()


class Number(Ref):
    """The name of an int, float or bool that is only known while running."""

    __slots__ = ()


@dataclass(eq=False, slots=True)
class Stored:
    """A tensor of the archive: a view of its bytes, and the storage that it shares with others.

    `is_trained`: it says that it requires gradients.
    """

    array: np.ndarray
    storage: str
    is_trained: bool = False
    name: str = ""


@dataclass(eq=False, slots=True)
class Instance:
    """An object of a class of the archive: a module, or what its code makes.

    `path` is its full name among modules (`encoder.layers.0`). `region` as for `Items`.
    """

    kind: str
    attributes: dict[str, Any] = field(default_factory=dict)
    path: str = ""
    region: int = 0


class Items(list[Any]):
    """A list; `region` is the part of the graph that it was made in.

    `is_stored`: it lies in the archive, and holds `Stored` for tensors.
    """

    def __init__(self, items: Any = (), region: int = 0, *, is_stored: bool = False) -> None:
        super().__init__(items)
        self.region = region
        self.is_stored = is_stored


class Table(dict[Any, Any]):
    """A dictionary; see `Items`."""

    def __init__(self, items: Any = (), region: int = 0, *, is_stored: bool = False) -> None:
        super().__init__(items)
        self.region = region
        self.is_stored = is_stored


class Named(tuple[Any, ...]):
    """A named tuple of the archive; `kind` is its class."""

    kind: str
    names: tuple[str, ...]

    def __new__(cls, items: Any, kind: str, names: tuple[str, ...]) -> Named:
        made = super().__new__(cls, items)
        made.kind, made.names = kind, names
        return made


@dataclass(frozen=True, slots=True)
class Device:
    """Where a tensor lies, which changes no element."""

    name: str = "cpu"


@dataclass(frozen=True, slots=True)
class Withheld:
    """Stands for what cannot be given; reading it is an error that says `why`."""

    why: str


@dataclass(frozen=True, slots=True)
class Uninitialized:
    """A variable that is not read where it has no value: any value will do."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the archive, or a method with the object that it is of."""

    name: str
    instance: Instance | None = None


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the archive by its full name."""

    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """An object of the archive that is not understood; `what` says what it is."""

    what: str
