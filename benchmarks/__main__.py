"""`python -m benchmarks`: everything, in one run, medians and ratios to the peers.

python -m benchmarks [convert] [latency] [overhead] [nodes] [formats] [import] [torch] [tensorflow]
                     [tflite] [paddle] [conform] [devices] [--rounds 3] [--folder DIR]
                     [--bert FILE.onnx] [--resnet FILE.onnx] [--tf2onnx PYTHON]
                     [--paddle2onnx PYTHON] [--paddle2 PYTHON]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from . import (
    conform_bench,
    devices_bench,
    models,
    paddle_bench,
    tensorflow_bench,
    tflite_bench,
    torch_bench,
)
from .measure import Result, Row, measure
from .turns import in_turns

OUT = Console(width=150)
NODES = (1_000, 10_000, 100_000)
CHAINS = (16_000, 160_000)
FORMATS = {
    **dict.fromkeys((".onnx", ".nnir", ".tflite", ".pb", ".json"), CHAINS),
    **dict.fromkeys((".pt2", ".pt"), CHAINS[:1]),
}
"""So many nodes; five eighths are left in what is written of the ONNX file. To write a `.pt2` file
of 16,000 takes half a minute; of TorchScript a million steps are walked, which 160,000 exceed."""
CONVERTED = frozenset({".nnir", ".tflite", ".pt2"})
ARGUMENTS = {".pt": ", shapes={'x': ['batch', 4]}"}
READERS = (
    ("onnx.load", "import onnx", "m = onnx.load({path!r})"),
    ("onnx_ir.load", "import onnx_ir", "m = onnx_ir.load({path!r})"),
    ("openvino read_model", "import openvino as ov; c = ov.Core()", "m = c.read_model({path!r})"),
    ("onnxruntime session", "import onnxruntime as rt", "m = rt.InferenceSession({path!r})"),
)
WALK = (
    "m = onnx.load({path!r}); w = [(n.op_type, list(n.input), list(n.output), n.name, "
    "{{a.name: onnx.helper.get_attribute_value(a) for a in n.attribute}}) for n in m.graph.node]"
)
READ = (
    (
        "from pathlib import Path\nfrom frontends.onnx.reading import reader\n"
        "from nnir.mapping import map_file"
    ),
    "m = reader.read(map_file(Path({path!r})))",
)


def table(title: str, results: list[Result]) -> None:
    """One row a peer; ratios are peer to ours, so above 1 is in our favour."""
    shown = Table(
        "model",
        "what",
        "seconds",
        "process s",
        "peak MB",
        "time ratio",
        "process ratio",
        "memory ratio",
        title=title,
    )
    ours: dict[str, Result] = {}
    for result in results:
        base = ours.setdefault(result.row.model, result)
        if result.error:
            shown.add_row(result.row.model, result.row.label, f"not measured: {result.error}")
            continue
        shown.add_row(
            result.row.model,
            result.row.label,
            f"{result.seconds:.3f}",
            f"{result.process:.2f}",
            f"{result.peak_mb:.0f}",
            f"{result.seconds / base.seconds:.2f}" if base.seconds else "",
            f"{result.process / base.process:.2f}" if base.process else "",
            f"{result.peak_mb / base.peak_mb:.2f}" if base.peak_mb else "",
        )
    OUT.print(shown)


def convert(files: dict[str, Path], folder: Path, rounds: int) -> None:
    """Loading, and loading plus saving, in fresh processes."""
    rows = []
    for name, path in files.items():
        text, copy = str(path), str(folder / "copy.tmp")
        mine = "import nnadapter as nna, frontends.onnx, nnir.passes"
        rows.append(Row(name, "nnadapter.load", mine, f"m = nna.load({text!r})"))
        rows += [Row(name, label, setup, body.format(path=text)) for label, setup, body in READERS]
        saved = str(folder / f"{name}.nnir")
        save = f"nna.save(nna.load({text!r}), {saved!r})"
        rows.append(Row(f"{name} save", "load + save .nnir", mine, save))
        rows.append(
            Row(
                f"{name} save",
                "copy of the file",
                "import shutil",
                f"shutil.copyfile({text!r}, {copy!r})",
            )
        )
        nnir = f"m = nna.load({saved!r})"
        rows.append(Row(f"{name} .nnir", "nnadapter.load .nnir", mine, nnir))
    table("Conversion, each in a process of its own", measure(rows, rounds))


def nodes(folder: Path, rounds: int) -> None:
    """Cost per node of reading and of translating."""
    rows = []
    for count in (*NODES, 40_000):
        text = str(models.ensure(folder, f"chain-{count}"))
        name = f"{count} nodes"
        rows.append(Row(name, "read", READ[0], READ[1].format(path=text)))
        rows.append(Row(name, "onnx.load + walk", "import onnx", WALK.format(path=text)))
        rows.append(
            Row(
                name,
                "nnadapter.load",
                "import nnadapter as nna, frontends.onnx",
                f"m = nna.load({text!r})",
            )
        )
        setup = f"{READ[0]}\nfrom frontends import onnx\n{READ[1].format(path=text)}"
        rows.append(Row(name, "translate only", setup, "t = onnx.translate(m)"))
    show_nodes("Large graphs", measure(rows, rounds))


def formats(folder: Path, rounds: int) -> None:
    """Cost per node of loading other formats."""
    rows = []
    for suffix, counts in FORMATS.items():
        for count in counts:
            path = models.ensure(folder, f"chain-{count}", suffix)
            left = count * 5 // 8 if suffix in CONVERTED else count
            name, load = f"{left} nodes", f"m = nna.load({str(path)!r}{ARGUMENTS.get(suffix, '')})"
            rows.append(Row(name, f"load {suffix}", "import nnadapter as nna", load))
    show_nodes("Large graphs of other formats", measure(rows, rounds))


def show_nodes(title: str, results: list[Result]) -> None:
    """A table, and what a node takes."""
    table(title, results)
    for result in results:
        count = int(result.row.model.split()[0])
        each = result.seconds / count * 1e6
        OUT.print(f"{result.row.model:>14} {result.row.label:18} {each:7.2f} us a node")


def latency(files: dict[str, Path], calls: int) -> None:
    """nnadapter on onnxruntime against ONNX Runtime on the original file, in turns."""
    import onnxruntime

    import nnadapter as nna
    from conformance.verifying.inputs import random_inputs

    shown = Table("model", "nnadapter ms", "onnxruntime ms", "ratio", title="Latency, two threads")
    for name, path in files.items():
        model = nna.load(path)
        arrays = random_inputs(model)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        feeds = dict(zip([i.name for i in session.get_inputs()], arrays, strict=True))
        program = nna.compile(model, "onnxruntime", "ONNXRUNTIME_NUM_THREADS=2;")
        found = in_turns(
            {
                "ours": lambda p=program, a=arrays: p(*a),
                "peer": lambda s=session, f=feeds: s.run(None, f),
            },
            calls,
        )
        ours, peer = found["ours"] * 1e3, found["peer"] * 1e3
        shown.add_row(name, f"{ours:.2f}", f"{peer:.2f}", f"{ours / peer:.3f}")
    OUT.print(shown)


def overhead(folder: Path) -> None:
    """The cost of a call on a model that does almost nothing."""
    import onnxruntime

    import nnadapter as nna

    path = models.ensure(folder, "tiny")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    program = nna.compile(nna.load(path), "onnxruntime")
    x = np.ones(3, np.float32)
    found = in_turns(
        {"ours": lambda: program(x), "peer": lambda: session.run(None, {"x": x})}, 20_000
    )
    ours, peer = found["ours"] * 1e6, found["peer"] * 1e6
    OUT.print(f"a call: nnadapter {ours:.1f} us, onnxruntime {peer:.1f} us, {ours - peer:+.1f} us")


def imports(rounds: int) -> None:
    """What `import` costs."""
    rows = [
        Row("import", "nnadapter", "", "import nnadapter"),
        Row("import", "numpy", "", "import numpy"),
        *(
            Row("import", name, "", f"import {name}")
            for name in ("onnx", "onnxruntime", "openvino")
        ),
    ]
    table("Imports", measure(rows, rounds))


def torch(folder: Path, rounds: int, calls: int) -> None:
    """PyTorch programs; needs torch, transformers, onnxscript and openvino."""
    table("Reading .pt2, each in a process of its own", measure(torch_bench.rows(folder), rounds))
    torch_bench.compare(folder, calls, OUT)


def tensorflow(folder: Path, rounds: int, tf2onnx: str | None) -> None:
    """Keras SavedModels; needs tensorflow and openvino."""
    measured = measure(tensorflow_bench.rows(folder, tf2onnx), rounds)
    table("Reading SavedModels, each in a process of its own", measured)


def tflite(folder: Path, rounds: int) -> None:
    """A quantised `.tflite` file; needs tensorflow to make it, and openvino."""
    measured = measure(tflite_bench.rows(folder), rounds)
    table("Reading a quantised .tflite file, each in a process of its own", measured)


def paddle(folder: Path, rounds: int, paddle2onnx: str | None, paddle2: str | None) -> None:
    """ResNet-50 of Paddle in both formats; needs paddlepaddle and openvino."""
    measured = measure(paddle_bench.rows(folder, paddle2onnx, paddle2), rounds)
    table("Reading programs of Paddle, each in a process of its own", measured)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", default=["import", "convert", "nodes", "overhead", "latency"]
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=30, help="calls of each in `latency`")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "nnadapter-bench"
    )
    parser.add_argument("--bert", type=Path, help="measure this file instead of our own BERT")
    parser.add_argument(
        "--resnet", type=Path, help="measure this file instead of our own ResNet-50"
    )
    parser.add_argument("--tf2onnx", help="the Python of an environment that has tf2onnx")
    parser.add_argument("--paddle2onnx", help="the Python of an environment that has paddle2onnx")
    parser.add_argument("--paddle2", help="the Python of an environment that has Paddle 2")
    given = parser.parse_args()
    files = {}
    if {"convert", "latency", "devices"} & set(given.parts):
        files = {
            "resnet50": given.resnet or models.ensure(given.folder, "resnet50"),
            "bert": given.bert or models.ensure(given.folder, "bert"),
        }
    steps: dict[str, Callable[[], None]] = {
        "import": lambda: imports(given.rounds),
        "convert": lambda: convert(files, given.folder, given.rounds),
        "nodes": lambda: nodes(given.folder, given.rounds),
        "formats": lambda: formats(given.folder, given.rounds),
        "overhead": lambda: overhead(given.folder),
        "latency": lambda: latency(files, given.calls),
        "torch": lambda: torch(given.folder, given.rounds, given.calls),
        "paddle": lambda: paddle(given.folder, given.rounds, given.paddle2onnx, given.paddle2),
        "devices": lambda: devices_bench.table(OUT, given.folder, files, given.calls),
        "conform": lambda: conform_bench.table(OUT),
        "tflite": lambda: tflite(given.folder, given.rounds),
        "tensorflow": lambda: tensorflow(given.folder, given.rounds, given.tf2onnx),
    }
    for part in given.parts:
        steps[part]()


if __name__ == "__main__":
    main()
