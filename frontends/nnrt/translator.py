"""The translator of NNRt graphs, whose tensors all say what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from nnir.errors import BadType
from nnir.formats.nnrt.model import Tensor
from nnir.recipes.nnrt.assembly import require_declared
from nnir.records import dataclass

from ..source import SourceModel, SourceNode
from ..table import Converter
from ..translate import Dialect, Translator


@dataclass(slots=True)
class NnrtSource(SourceModel):
    """What the reader returns: also the tensors that results are declared as, by their names."""

    declared: dict[str, Tensor] = field(default_factory=dict)


class NnrtTranslator(Translator):
    """Checks that an operation gives what the tensors of its results say."""

    def __init__(self, dialect: Dialect, source: NnrtSource) -> None:
        super().__init__(dialect, source)
        self.declared = source.declared

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        found = super().bind(converter, node, entries)
        results = found if isinstance(found, (tuple, list)) else [found]
        if len(results) != len(node.outputs):
            raise BadType(f"{node.op} gives {len(results)} results, not {len(node.outputs)}")
        for name, value in zip(node.outputs, results, strict=True):
            require_declared(self.declared[name], value.type, f"result {name!r}")
        return found
