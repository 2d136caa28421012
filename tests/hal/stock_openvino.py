"""Models on the device openvino and, as a written file, in OpenVINO without us."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import nnadapter as nna
from hal.quirks import MET, Quirk
from nnir.model import Model


def require_equal(model: Model, folder: Path, *arrays: Any, tolerance: float = 1e-5) -> None:
    """The results of the device and of its `.xml` in a stock OpenVINO are those of builtin."""
    import openvino

    wanted = nna.compile(model)(*arrays)
    path = folder / "model.xml"
    nna.convert(model, path, verify=False)
    exact = {"INFERENCE_PRECISION_HINT": "f32"}  # some processors compute in bfloat16 by default
    stock = openvino.Core().compile_model(openvino.Core().read_model(str(path)), "CPU", exact)
    found = stock(list(arrays))
    results = {
        "compiled": nna.compile(model, "openvino")(*arrays),
        "stock": [found[k] for k in range(len(wanted))],
    }
    for who, ends in results.items():
        for got, want in zip(ends, wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, err_msg=who)


def count_met(model: Model, quirk: Quirk) -> int:
    """How often compiling a model meets a bug."""
    found = Counter[Quirk]()
    token = MET.set(found)
    try:
        nna.compile(model, "openvino")
    finally:
        MET.reset(token)
    return found[quirk]
