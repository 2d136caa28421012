"""PyTorch programs: reading, the number of operations, and latency on ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from . import torch_models
from .measure import Row
from .turns import in_turns


def rows(folder: Path) -> list[Row]:
    """Reading BERT-base, in fresh processes; the first of a model is ours."""
    found = []
    for name in ("bert", "resnet50"):
        path = str(torch_models.ensure(folder, name)[0])
        load = f"torch.export.load({path!r})"
        mine = "import nnadapter as nna, frontends.torch, nnir.passes"
        ov = "import torch, openvino as ov"
        found += [
            Row(f"{name}.pt2", "nnadapter.load", mine, f"m = nna.load({path!r})"),
            Row(f"{name}.pt2", "torch.export.load", "import torch", f"m = {load}"),
            Row(f"{name}.pt2", "openvino convert_model", ov, f"m = ov.convert_model({load})"),
        ]
    return found


def compare(folder: Path, calls: int, out: Console) -> None:
    """Operations and latency against torch.onnx.export(dynamo=True, optimize=True)."""
    import onnx
    import onnxruntime

    import nnadapter as nna
    from conformance.verifying.inputs import random_inputs

    shown = Table(
        *("model", "operations", "nodes of torch.onnx", "ms", "ONNX Runtime ms", "ratio"),
        *("largest error",),
        title="PyTorch programs on onnxruntime and their ONNX export on ONNX Runtime, one thread",
    )
    for name in torch_models.NAMES:
        program, exported = torch_models.ensure(folder, name)
        model = nna.load(program)
        nna.optimize(model)
        nodes = len(onnx.load(exported, load_external_data=False).graph.node)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            exported, options, providers=["CPUExecutionProvider"]
        )
        arrays = random_inputs(model)
        feeds = dict(zip([i.name for i in session.get_inputs()], arrays, strict=True))
        compiled = nna.compile(model, "onnxruntime", "ONNXRUNTIME_NUM_THREADS=1;")
        error = max(
            float(np.abs(a - b).max() / np.abs(b).max())
            for a, b in zip(compiled(*arrays), session.run(None, feeds), strict=True)
        )
        found = in_turns(
            {
                "ours": lambda p=compiled, a=arrays: p(*a),
                "peer": lambda s=session, f=feeds: s.run(None, f),
            },
            calls,
        )
        ours, peer = found["ours"] * 1e3, found["peer"] * 1e3
        numbers = (f"{ours:.1f}", f"{peer:.1f}", f"{ours / peer:.3f}", f"{error:.0e}")
        shown.add_row(name, str(len(model.operations)), str(nodes), *numbers)
    out.print(shown)
