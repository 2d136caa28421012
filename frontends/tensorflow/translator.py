"""The translator of TensorFlow graphs."""

from __future__ import annotations

from typing import Any

from ..named_arguments import NamedTranslator
from .reading.variables import Variable


class TensorFlowTranslator(NamedTranslator):
    """Variables that pass into loops and branches are read there by their names."""

    def resolved(self, argument: Any) -> Any:
        return None if isinstance(argument, Variable) else super().resolved(argument)
