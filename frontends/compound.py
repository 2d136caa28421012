"""What is no tensor and consists of tensors, such as a list: it passes through loops and branches.

It is immutable: whatever changes it makes a new one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from nnir.model import Model, Value


class Compound(ABC):
    """Some tensors, and what they mean."""

    @property
    @abstractmethod
    def tensors(self) -> tuple[Value, ...]:
        """What it consists of."""

    @abstractmethod
    def of(self, tensors: Sequence[Value]) -> Compound:
        """The same kind of thing made of other tensors."""

    @property
    @abstractmethod
    def description(self) -> object:
        """What is known of it beside the types of its tensors; compared with `==`."""

    @abstractmethod
    def alike(self, other: Any) -> Compound:
        """The same, described so that `other`, which is of the same kind, fits too."""

    @abstractmethod
    def adopt(self, entry: Any, model: Model) -> Any:
        """An entry of `model` as what this is, or as it is where it says more than this.

        Unsupported where it is nothing of the kind.
        """


def unify(entry: Any, other: Any, model: Model) -> Any:
    """An entry of `model` as the kind of thing that `other` is, where that is the wider one."""
    is_other = isinstance(other, Compound) and type(entry) is not type(other)
    return other.adopt(entry, model) if is_other else entry
