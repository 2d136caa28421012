"""Convert a real model and prove the result: the light ResNet-50 that the onnx package carries.

Reads it, checks it, compares with the output that ONNX ships for it, runs its logits on every
device, and writes them in every format; each file is opened as its users open it and compared
with ONNX Runtime on the original. Run with `make demo`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from rich.console import Console
from rich.table import Table

import nnadapter as nna
from nnir.check import check

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
FORMATS = (".nnir", ".onnx", ".xml", ".tflite", ".pt2")
TOLERANCE = 1e-3


def expected_output() -> np.ndarray:
    """What ONNX says the model gives."""
    stored = (LIGHT / "light_resnet50_output_0.pb").read_bytes()
    return numpy_helper.to_array(onnx.TensorProto.FromString(stored))


def write_logits(path: Path) -> None:
    """Write the model without its last softmax.

    The weights that ship with it are constants, which make all logits equal and of the size of
    1e19 for most images: a softmax of them is nothing but their last bits.
    """
    model = onnx.load(LIGHT / "light_resnet50.onnx")
    softmax = model.graph.node.pop()
    model.graph.output[0].name = softmax.input[0]
    onnx.save(model, path)


def main() -> int:
    console = Console(soft_wrap=True)
    started = time.perf_counter()
    model = nna.load(LIGHT / "light_resnet50.onnx")
    console.print(
        f"read light_resnet50.onnx in {time.perf_counter() - started:.2f} s: "
        f"{len(model.operations)} operations, input {model.inputs[0].type}"
    )
    check(model)
    console.print("checked: the model is valid")

    shape = tuple(int(d) for d in model.inputs[0].shape)
    image = (np.arange(np.prod(shape)).reshape(shape) / np.prod(shape)).astype(np.float32)
    (shipped,) = nna.compile(model)(image)
    agrees = bool(np.abs(shipped - expected_output()).max() <= TOLERANCE)
    console.print(f"the output that ONNX ships: {'agrees' if agrees else 'DIFFERS'}")

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "logits.onnx"
        write_logits(source)
        agrees &= run_everywhere(console, source, image)
        for suffix in FORMATS:
            target = Path("light_resnet50").with_suffix(suffix)
            nna.convert(source, target)  # raises where the file differs
            console.print(f"wrote {target} ({target.stat().st_size:,} bytes), which agrees")
    return 0 if agrees else 1


def run_everywhere(console: Console, source: Path, image: np.ndarray) -> bool:
    """Print what every device makes of the logits; whether all agree with ONNX Runtime."""
    import onnxruntime

    session = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"])
    (want,) = session.run(None, {session.get_inputs()[0].name: image})
    model, agrees = nna.load(source), True
    table = Table("device", "compile s", "run s", "max abs error", "max rel error", "agrees")
    for device in nna.devices():
        started = time.perf_counter()
        program = nna.compile(model, device=device)
        compiled = time.perf_counter()
        (got,) = program(image)
        done = time.perf_counter()
        absolute = float(np.abs(got - want).max())
        relative = absolute / float(np.abs(want).max())
        agrees &= relative <= TOLERANCE
        row = (compiled - started, done - compiled)
        table.add_row(
            device,
            *(f"{s:.2f}" for s in row),
            f"{absolute:.1e}",
            f"{relative:.1e}",
            "yes" if relative <= TOLERANCE else "NO",
        )
    console.print(table)
    return agrees


if __name__ == "__main__":
    sys.exit(main())
