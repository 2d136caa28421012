"""The standard: types, models, operators, passes and the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .deferred import deferring

if TYPE_CHECKING:
    from .errors import NNAdapterError
    from .model import Model, Operation, Value
    from .types import Precision, TensorType

__all__ = ["Model", "NNAdapterError", "Operation", "Precision", "TensorType", "Value"]

_PLACES = {
    "Model": "model",
    "NNAdapterError": "errors",
    "Operation": "model",
    "Precision": "types",
    "TensorType": "types",
    "Value": "model",
}
_module = deferring(__name__)


def __getattr__(name: str) -> Any:
    """A name of `__all__`, or a module, which is imported when something of it is asked for."""
    return getattr(_module(_PLACES[name]), name) if name in _PLACES else _module(name)
