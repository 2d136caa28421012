"""NNAdapter: read models of any framework, run them on any device, prove that they agree."""

from hal.runtime.options import Options
from nnir.errors import NNAdapterError
from nnir.model import Model
from nnir.types import Precision, TensorType

from .api import bisect, compile, convert, devices, load, ops, optimize, save, verify

__version__ = "0.1.0"
__all__ = [
    "Model",
    "NNAdapterError",
    "Options",
    "Precision",
    "TensorType",
    "bisect",
    "compile",
    "convert",
    "devices",
    "load",
    "ops",
    "optimize",
    "save",
    "verify",
]
