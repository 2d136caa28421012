"""Export one network: `python -m benchmarks.libraries.export LIBRARY NETWORK FILE`.

The libraries are installed in the folder `site` beside the folder of FILE. Batch statistics are
drawn at random, as all of them are 0 and 1 in a new network.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from . import LIBRARIES
from .catalog import Package


def main() -> None:
    """Write the program, and its inputs beside it."""
    library, name, file = sys.argv[1:]
    path = Path(file)
    sys.path.append(str(path.parent.parent / "site"))
    import torch

    found = LIBRARIES[library]
    network = found.networks[name]
    torch.manual_seed(0)
    module = network.build(Package(import_module(found.module))).eval()
    for part in module.modules():
        if getattr(part, "running_var", None) is not None:
            torch.nn.init.uniform_(part.running_var, 0.5, 1.5)
            torch.nn.init.normal_(part.running_mean, std=0.1)
    arrays = [g.array(k) for k, g in enumerate(network.inputs)]
    with torch.no_grad():
        program = torch.export.export(
            Plain(module), tuple(map(torch.from_numpy, arrays)), strict=False
        )
    torch.export.save(program, path)
    np.savez(path.with_suffix(".npz"), *arrays)


def tensors_in(value: Any) -> list[Any]:
    """The tensors in what a network returns, in order."""
    import torch

    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return tensors_in([*value.values()])
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors_in(v)]
    return tensors_in([*vars(value).values()]) if hasattr(value, "__dict__") else []


def Plain(module: Any) -> Any:  # noqa: N802  # it makes a module
    """A module whose results are tensors, not objects of the library."""
    import torch

    class Results(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = module

        def forward(self, *inputs: Any) -> Any:
            return tuple(tensors_in(self.inner(*inputs)))

    return Results()


if __name__ == "__main__":
    main()
