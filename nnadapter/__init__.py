"""NNAdapter: read models of any framework, run them on any device, prove that they agree."""

from .startup import leave_current_folder

leave_current_folder()  # before what follows is imported

from hal.runtime.options import Options  # noqa: E402
from nnir.errors import NNAdapterError  # noqa: E402
from nnir.model import Model  # noqa: E402
from nnir.types import Precision, TensorType  # noqa: E402

from .api import bisect, compile, convert, devices, load, ops, optimize, save, verify  # noqa: E402

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
