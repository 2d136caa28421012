"""ONNX signal processing."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import Case, Const, Tolerance, rand, scalar

CLOSE = Tolerance(1e-5, 2e-6)
REAL = rand(2, 6, 1)
COMPLEX = rand(2, 5, 2)
WAVE = rand(2, 20, 1)


def s(value: int) -> np.ndarray:
    """One integer at run time."""
    return scalar(value, np.int64)


DFT = [
    Case("DFT", (REAL,), tol=CLOSE, why="a real signal"),
    Case("DFT", (COMPLEX,), tol=CLOSE, why="a complex signal"),
    Case("DFT", (COMPLEX,), {"inverse": 1}, tol=CLOSE),
    Case("DFT", (REAL,), {"onesided": 1}, tol=CLOSE),
    Case("DFT", (COMPLEX,), {"onesided": 1, "inverse": 1}, tol=CLOSE, why="back to real"),
    Case("DFT", (REAL, Const(s(4))), tol=CLOSE, why="cut"),
    Case("DFT", (REAL, s(8)), {"onesided": 1}, tol=CLOSE, why="filled, at run time"),
    Case("DFT", (COMPLEX, s(7)), {"onesided": 1, "inverse": 1}, tol=CLOSE, why="an odd length"),
    Case("DFT", (rand(2, 3, 5, 1), None, Const(s(1))), tol=CLOSE, why="an inner axis"),
    Case("DFT", (rand(3, 4, 1, dtype=np.float64),), tol=Tolerance(1e-12, 1e-12), why="float64"),
    Case("DFT", (REAL,), {"axis": 0}, opset=17, tol=CLOSE, why="axis as an attribute"),
    Case("DFT", (COMPLEX,), {"onesided": 1}, why="half of a complex one", raises=BadType),
    Case("DFT", (rand(2, 3),), why="no parts", raises=BadType),
]
STFT = [
    Case("STFT", (WAVE, s(4), None, s(8)), tol=CLOSE, why="a length"),
    Case("STFT", (WAVE, Const(s(5)), rand(6)), tol=CLOSE, why="a window"),
    Case("STFT", (WAVE, s(4), rand(8), s(8)), {"onesided": 0}, tol=CLOSE),
    Case("STFT", (WAVE[:, :, 0], s(4), rand(8)), tol=CLOSE, why="two axes", oracle="onnxruntime"),
    Case("STFT", (WAVE, s(4)), why="neither", raises=BadType),
]
WINDOWS = [
    *(Case(op, (s(7),), tol=CLOSE) for op in ("HannWindow", "HammingWindow", "BlackmanWindow")),
    *(
        Case(op, (Const(s(8)),), {"periodic": 0, "output_datatype": 11}, tol=CLOSE)
        for op in ("HannWindow", "HammingWindow", "BlackmanWindow")
    ),
    Case("HannWindow", (Const(s(0)),), why="no sample"),
]
MEL = (s(8), s(32), s(8192), scalar(0.0), scalar(4096.0))
CASES = [
    *DFT,
    *STFT,
    *WINDOWS,
    Case("MelWeightMatrix", MEL, tol=CLOSE),
    Case("MelWeightMatrix", MEL, {"output_datatype": 11}, tol=CLOSE),
]
