"""The API of the standard: the calls of `nnadapter.h` with their order, results and codes.

A function `NNAdapterThing_doThis` is the method `Thing.do_this` here; what C gives back through a
pointer is returned, and a result code other than NO_ERROR is raised: `error.code` is the
standard's. `docs/api_map.md` lists every function. Whoever only wants to run a model is better
served by `nnadapter.compile`.
"""

from nnir.errors import Result

from .device import Context, Device, get_device_count, get_version
from .execution import Compilation, Execution
from .model import Model, Operand
from .types import OperandType

__all__ = [
    "Compilation",
    "Context",
    "Device",
    "Execution",
    "Model",
    "Operand",
    "OperandType",
    "Result",
    "get_device_count",
    "get_version",
]
