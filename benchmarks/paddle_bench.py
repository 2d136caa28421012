"""Programs of Paddle: reading them against paddle2onnx and OpenVINO.

    PYTHON benchmarks/paddle_bench.py FOLDER

writes ResNet-50 with random weights in the format of the Paddle that PYTHON has.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .measure import Row


def ensure(folder: Path, python: str) -> Path:
    """The program that a Paddle writes, made in a process of its own where missing."""
    found = [p for p in folder.glob("model.*") if p.suffix in (".json", ".pdmodel")]
    if not found:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [python, "-W", "ignore", str(Path(__file__).resolve()), str(folder)],
            check=True, stdout=subprocess.DEVNULL, env={**os.environ, "GLOG_minloglevel": "3"},
        )  # fmt: skip
        found = [p for p in folder.glob("model.*") if p.suffix in (".json", ".pdmodel")]
    return found[0]


def rows(folder: Path, paddle2onnx: str | None, paddle2: str | None) -> list[Row]:
    """Reading, in fresh processes; the first of a format is ours.

    `paddle2onnx`: the Python of an environment that has it; `paddle2`: that of one with Paddle 2,
    which writes legacy programs.
    """
    from .measure import Row

    programs = {"ResNet-50 PIR": ensure(folder / "paddle_pir", sys.executable)}
    if paddle2:
        programs["ResNet-50 legacy"] = ensure(folder / "paddle_legacy", paddle2)
    found = []
    for label, program in programs.items():
        path, params = str(program), str(program.with_suffix(".pdiparams"))
        mine = "import nnadapter as nna, frontends.paddle, nnir.passes"
        found.append(Row(label, "nnadapter.load", mine, f"m = nna.load({path!r})"))
        if program.suffix == ".pdmodel":
            ov = "import openvino as ov"
            found.append(
                Row(label, "openvino convert_model", ov, f"m = ov.convert_model({path!r})")
            )
        if paddle2onnx:
            target = str(folder / "converted.onnx")
            body = f"paddle2onnx.export({path!r}, {params!r}, {target!r}, verbose=False)"
            found.append(Row(label, "paddle2onnx.export", "import paddle2onnx", body, paddle2onnx))
    return found


def write(folder: str) -> None:
    """Save ResNet-50 for inference."""
    import paddle

    model = paddle.vision.models.resnet50()
    model.eval()
    spec = paddle.static.InputSpec([None, 3, 224, 224], "float32")
    paddle.jit.save(model, str(Path(folder) / "model"), input_spec=[spec])


if __name__ == "__main__":
    write(sys.argv[1])
