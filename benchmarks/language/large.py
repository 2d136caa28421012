"""`python -m benchmarks.language.large`: seven billion parameters, and the memory that they take.

A file in the layout of onnxruntime-genai with the sizes of Llama 2 7B: float16, its weights in a
file beside it, which has a hole where they would be. It is converted in a process of its own for
each format, whose anonymous memory is looked at meanwhile; nothing is verified, as that would run
it. Needs 14 GB on the disk for each format at a time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
from onnx import TensorProto, helper

HIDDEN, LAYERS, HEADS, INNER, WORDS, PLACES = 4096, 32, 32, 11008, 32000, 4096
WIDTH = HIDDEN // HEADS
TARGETS = (".onnx", ".nnir", ".xml")
MICROSOFT = "com.microsoft"
DATA = "model.onnx.data"

CHILD = """
import sys, threading, time
peak, done = [0], threading.Event()

def watch():
    while not done.is_set():
        status = open("/proc/self/status").read()
        peak[0] = max(peak[0], int(status.split("RssAnon:")[1].split()[0]))
        time.sleep(0.005)

threading.Thread(target=watch, daemon=True).start()
import json
import nnadapter as nna
started = time.perf_counter()
nna.convert(sys.argv[1], sys.argv[2], verify=False)
seconds = time.perf_counter() - started
done.set()
print(json.dumps([seconds, peak[0] / 1024]))
"""


class Graph:
    """A graph of float16, whose weights are places in a file."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[TensorProto] = []
        self.offset = 0

    def weight(self, name: str, *shape: int) -> str:
        """A place for a weight, at the next page."""
        tensor = TensorProto(name=name, dims=shape, data_type=TensorProto.FLOAT16)
        tensor.data_location = TensorProto.EXTERNAL
        length = 2
        for size in shape:
            length *= size
        place = {"location": DATA, "offset": str(self.offset), "length": str(length)}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=value)
        self.weights.append(tensor)
        self.offset += -(-length // 4096) * 4096
        return name

    def number(self, name: str, value: int | list[int]) -> str:
        """An integer constant."""
        dims = [len(value)] if isinstance(value, list) else []
        data = value if isinstance(value, list) else [value]
        self.weights.append(helper.make_tensor(name, TensorProto.INT64, dims, data))
        return name

    def node(
        self, kind: str, *inputs: str, outputs: list[str] | None = None, **more: object
    ) -> str:
        """Append a node; its first output."""
        name = f"{kind}_{len(self.nodes)}"
        ends = outputs or [f"{name}_out"]
        self.nodes.append(helper.make_node(kind, list(inputs), ends, name=name, **more))
        return ends[0]


def add_layer(
    g: Graph, number: int, x: str, skip: str, lengths: tuple[str, str]
) -> tuple[str, str]:
    """Attention and what follows; what the next layer reads, and what it adds to."""
    name = f"layers.{number}"
    parts = [g.node("MatMul", x, g.weight(f"{name}.{p}", HIDDEN, HIDDEN)) for p in "qkv"]
    kinds = ("key", "value")
    y = g.node(
        "GroupQueryAttention",
        *parts,
        *(f"past_key_values.{number}.{kind}" for kind in kinds),
        *lengths,
        *("cos_cache", "sin_cache"),
        outputs=[f"{name}.attention", *(f"present.{number}.{kind}" for kind in kinds)],
        domain=MICROSOFT,
        do_rotary=1,
        num_heads=HEADS,
        kv_num_heads=HEADS,
    )
    y = g.node("MatMul", y, g.weight(f"{name}.o", HIDDEN, HIDDEN))
    x, skip = add_norm(g, y, skip, f"{name}.post")
    gate = g.node("MatMul", x, g.weight(f"{name}.gate", HIDDEN, INNER))
    up = g.node("MatMul", x, g.weight(f"{name}.up", HIDDEN, INNER))
    y = g.node("Mul", g.node("Mul", gate, g.node("Sigmoid", gate)), up)
    y = g.node("MatMul", y, g.weight(f"{name}.down", INNER, HIDDEN))
    return add_norm(g, y, skip, f"{name}.next")


def add_norm(g: Graph, x: str, skip: str, name: str) -> tuple[str, str]:
    """A norm of a sum, and the sum."""
    ends = [f"{name}.out", "", "", f"{name}.sum"]
    gain = g.weight(f"{name}.gain", HIDDEN)
    g.node(
        "SkipSimplifiedLayerNormalization", x, skip, gain, outputs=ends, domain=MICROSOFT,
        epsilon=1e-5,
    )  # fmt: skip
    return ends[0], ends[3]


def write_model(folder: Path) -> Path:
    """The file, and beside it the hole for its weights."""
    g = Graph()
    one = g.number("one", 1)
    counts = g.node("ReduceSum", "attention_mask", g.number("axes", [1]), keepdims=0)
    counts = g.node("Cast", g.node("Sub", counts, one), to=TensorProto.INT32)
    total = g.node("Gather", g.node("Shape", "attention_mask"), one, axis=0)
    lengths = counts, g.node("Cast", total, to=TensorProto.INT32)
    g.weight("cos_cache", PLACES, WIDTH // 2)
    g.weight("sin_cache", PLACES, WIDTH // 2)
    skip = g.node("Gather", g.weight("embedding", WORDS, HIDDEN), "input_ids")
    gain = g.weight("first.gain", HIDDEN)
    x = g.node("SimplifiedLayerNormalization", skip, gain, axis=-1, epsilon=1e-5, stash_type=1)
    for number in range(LAYERS):
        x, skip = add_layer(g, number, x, skip, lengths)
    g.node("MatMul", x, g.weight("lm_head", HIDDEN, WORDS), outputs=["logits"])
    words: list[str | int] = ["batch_size", "sequence_length"]
    ends = helper.make_tensor_value_info
    inputs = [ends("input_ids", TensorProto.INT64, words)]
    inputs += [ends("attention_mask", TensorProto.INT64, ["batch_size", "total_length"])]
    outputs = [ends("logits", TensorProto.FLOAT16, [*words, WORDS])]
    for number in range(LAYERS):
        for kind in ("key", "value"):
            for name, there in (("past_key_values", inputs), ("present", outputs)):
                shape = ["batch_size", HEADS, f"{name}_length", WIDTH]
                there.append(ends(f"{name}.{number}.{kind}", TensorProto.FLOAT16, shape))
    graph = helper.make_graph(g.nodes, "main_graph", inputs, outputs, g.weights)
    versions = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=10), path)
    with open(folder / DATA, "wb") as file:
        file.truncate(g.offset)
    return path


def main() -> None:
    """Print seconds and memory for each format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=TARGETS)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = write_model(Path(folder))
        size = (path.parent / DATA).stat().st_size / 1e9
        print(f"{size:.1f} GB of weights")
        for suffix in given.targets:
            with tempfile.TemporaryDirectory(dir=given.folder) as output:
                target = str(Path(output) / f"written{suffix}")
                command = [sys.executable, "-W", "ignore", "-c", CHILD, str(path), target]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"{suffix:6} {(done.stderr.strip().splitlines() or ['killed'])[-1]}")
                    continue
                seconds, peak = json.loads(done.stdout.splitlines()[-1])
                files = sorted(f for f in Path(output).rglob("*") if f.is_file())
                gigabytes = sum(f.stat().st_size for f in files) / 1e9
                print(f"{suffix:6} {seconds:6.1f} s  {peak:6.0f} MB anonymous  {gigabytes:.1f} GB")


if __name__ == "__main__":
    main()
