"""The standard: types, models, operators, passes and the archive."""

from .errors import NNAdapterError
from .model import Model, Operation, Value
from .types import Precision, TensorType

__all__ = ["Model", "NNAdapterError", "Operation", "Precision", "TensorType", "Value"]
