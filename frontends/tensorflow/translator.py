"""The translator of TensorFlow graphs."""

from __future__ import annotations

from typing import Any

from ..named_arguments import NamedTranslator
from ..source import Contents
from .reading.variables import Variable


class TensorFlowTranslator(NamedTranslator):
    """Variables and tables that pass into loops and branches are known there by their names."""

    def resolved(self, argument: Any) -> Any:
        if isinstance(argument, list):
            return [None if isinstance(a, Contents) else self.resolved(a) for a in argument]
        return None if isinstance(argument, Variable) else super().resolved(argument)
