"""ONNX files of tf2onnx, from networks of Keras 2."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import tf2onnx
from keras_models import NETWORKS, build
from making import Write, main

OPSETS = (9, 10, 11, 12, 13, 14, 15, 16, 17, 18)


def write(name: str, opset: int, place: Path) -> None:
    """A file of one operator set."""
    tf2onnx.convert.from_keras(build(name), opset=opset, output_path=str(place))


def list_models() -> dict[str, Write]:
    """Each network in three operator sets, other ones by turns."""
    found: dict[str, Write] = {}
    for k, name in enumerate(NETWORKS):
        for opset in sorted({OPSETS[k % 10], OPSETS[(3 * k + 5) % 10], 18}):
            found[f"tf2onnx-{opset}-{name}.onnx"] = partial(write, name, opset)
    return found


if __name__ == "__main__":
    main(list_models())
