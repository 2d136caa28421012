"""NNAdapter: read models of any framework, run them on any device, prove that they agree."""

from __future__ import annotations

from .startup import leave_current_folder, require_own_packages

leave_current_folder()  # before what follows is imported

from typing import TYPE_CHECKING, Any  # noqa: E402

if TYPE_CHECKING:
    from hal.runtime.options import Options
    from nnir.errors import NNAdapterError
    from nnir.model import Model
    from nnir.plugins import Plugin
    from nnir.types import Precision, TensorType

    from .api import (
        add_plugin,
        bisect,
        check,
        compile,
        convert,
        devices,
        diff,
        inspect,
        ops,
        optimize,
        plugins,
        save,
        to_standard,
        verify,
    )
    from .batching.running import batch
    from .benchmarking import benchmark
    from .precision import to_precision
    from .quantisation.face import quantize
    from .scanning import scan
    from .sources import load

__version__ = "0.1.0"
__all__ = [
    "Model",
    "NNAdapterError",
    "Options",
    "Plugin",
    "Precision",
    "TensorType",
    "add_plugin",
    "batch",
    "benchmark",
    "bisect",
    "check",
    "compile",
    "convert",
    "devices",
    "diff",
    "inspect",
    "load",
    "ops",
    "optimize",
    "plugins",
    "quantize",
    "save",
    "scan",
    "to_precision",
    "to_standard",
    "verify",
]

_PLACES = {
    "Model": "nnir.model",
    "NNAdapterError": "nnir.errors",
    "Options": "hal.runtime.options",
    "Plugin": "nnir.plugins",
    "Precision": "nnir.types",
    "TensorType": "nnir.types",
    "batch": f"{__name__}.batching.running",
    "benchmark": f"{__name__}.benchmarking",
    "load": f"{__name__}.sources",
    "quantize": f"{__name__}.quantisation.face",
    "scan": f"{__name__}.scanning",
    "to_precision": f"{__name__}.precision",
}


def __getattr__(name: str) -> Any:
    """What is asked for is imported then: the program answers Ctrl-C before it is."""
    if name not in ("api", *__all__):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from nnir.collector import import_paused

        place = import_paused(_PLACES.get(name, f"{__name__}.api"))
    except ImportError:
        require_own_packages()
        raise
    found = place if name == "api" else getattr(place, name)
    globals()[name] = found
    return found
