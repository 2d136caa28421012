"""Note the nodes of written files: `python -m conformance.cases.nnir.make_written`."""

from __future__ import annotations

import json

from hal.runtime import manager
from nnir.staging import temporary_folder

from ...engines.written import nodes_of
from .written import CHAINS, FILE, Written

DEVICES = {".onnx": "onnxruntime", ".tflite": "litert"}


def find_nodes(case: Written) -> str:
    """The nodes of a case in its format."""
    with temporary_folder() as folder:
        path = folder / f"model{case.noted}"
        manager.find(DEVICES[case.noted])().export(case.model(), path)
        return nodes_of(path)


if __name__ == "__main__":
    rows = {str(c): find_nodes(c) for c in CHAINS if c.noted}
    FILE.write_text(json.dumps(rows, indent=0, sort_keys=True) + "\n")
