"""The origin of `.nnapi` files: our runtime, by the calls of the HAL. Runs as a worker process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hal.drivers.nnapi.runtime import SoftwareDevice
from nnir.errors import BadInput, DeviceError
from nnir.formats.nnapi import files
from nnir.formats.nnapi.structures import (
    DataLocation,
    ErrorStatus,
    Model,
    Request,
    RequestArgument,
)

from ..processes.worker_loop import serve


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> list[np.ndarray]:
    """What the file at `path` gives."""
    return execute(files.load(Path(head["path"])), arrays)


def execute(made: Model, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The results of a model by the calls of the HAL; an error for any status but NONE."""
    status, prepared = SoftwareDevice().prepare_model(made)
    if prepared is None:
        raise DeviceError(f"prepareModel gives {status.name}")
    outputs = [made.operands[k] for k in made.output_indexes]
    memory = [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for a in arrays]
    sizes = [int(np.prod(o.dimensions)) * o.type.dtype.itemsize for o in outputs]
    memory += [np.zeros(size, np.uint8) for size in sizes]
    places = [DataLocation(k, 0, len(m)) for k, m in enumerate(memory)]
    shapes = [*(a.shape for a in arrays), *(o.dimensions for o in outputs)]
    arguments = tuple(
        RequestArgument(False, place, shape) for place, shape in zip(places, shapes, strict=True)
    )
    count = len(arrays)
    request = Request(arguments[:count], arguments[count:], tuple(memory))
    status = prepared.execute(request)
    if status != ErrorStatus.NONE:
        raise BadInput(f"execute gives {status.name}")
    pairs = zip(memory[count:], outputs, strict=True)
    return [m.view(o.type.dtype).reshape(o.dimensions) for m, o in pairs]


if __name__ == "__main__":
    serve(answer)
