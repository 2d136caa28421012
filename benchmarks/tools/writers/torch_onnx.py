"""ONNX files of torch.onnx: its exporter of programs and that of TorchScript, by operator sets."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import torch
from making import Write, main
from torch_networks import NETWORKS, build

OLDER = (9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20)
NEWER = (18, 19, 20, 21, 22, 23)


def write(name: str, opset: int, is_older: bool, place: Path) -> None:
    """A file with an open batch."""
    network, given = build(name)
    torch.onnx.export(
        network,
        (given,),
        str(place),
        opset_version=opset,
        dynamo=not is_older,
        input_names=["x"],
        dynamic_axes={"x": {0: "batch"}} if is_older else None,
        dynamic_shapes=None if is_older else ({0: torch.export.Dim("batch")},),
        external_data=False,
        verbose=False,
    )


def list_models() -> dict[str, Write]:
    """Each network in the newest operator set of both exporters, and in another one by turns."""
    found: dict[str, Write] = {}
    for k, name in enumerate(NETWORKS):
        for opset in sorted({OLDER[k % len(OLDER)], OLDER[(5 * k + 3) % len(OLDER)], 17}):
            found[f"script-{opset}-{name}.onnx"] = partial(write, name, opset, True)
        for opset in sorted({NEWER[k % len(NEWER)], 23}):
            found[f"program-{opset}-{name}.onnx"] = partial(write, name, opset, False)
    return found


if __name__ == "__main__":
    main(list_models())
