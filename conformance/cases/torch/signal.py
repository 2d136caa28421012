"""ATen Fourier transforms and windows."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import Case, Limit, Tolerance, i, rand

X = rand(3, 6)
Z = (rand(3, 6) + 1j * rand(3, 6, seed=1)).astype(np.complex64)
WIDE = Z.astype(np.complex128)
CUBE = (rand(3, 4, 2) + 1j * rand(3, 4, 2, seed=1)).astype(np.complex64)
CLOSE = Tolerance(relative=1e-5, absolute=5e-6)
NORMS = ("backward", "ortho", "forward")
REAL_IN = ("rfft", "ihfft")
REAL_OUT = ("irfft", "hfft")
FULL = ("fft", "ifft")

ONE = [
    *(
        Case(f"aten.fft_{op}.default", (x, n, -2, norm), why=f"{n} {norm}", tol=CLOSE)
        for op in (*FULL, *REAL_IN, *REAL_OUT)
        for x in ((X,) if op in REAL_IN else (Z,))
        for n, norm in ((None, None), (2, "ortho"), (5, "forward"), (4, "backward"))
    ),
    *(Case(f"aten.fft_{op}.default", (X,), why="real", tol=CLOSE) for op in (*FULL, *REAL_OUT)),
    *(Case(f"aten.fft_{op}.default", (WIDE,), why="wide", tol=CLOSE) for op in FULL),
    Case("aten.fft_fft.default", (i(1, 2, 3),), why="integers", tol=CLOSE),
    Case("aten.fft_fft.default", (X, None, 0, "half"), why="norm", raises=Unsupported),
    Case("aten.fft_rfft.default", (Z,), why="complex", raises=BadType),
]
MANY = [
    *(
        Case(f"aten.fft_{op}2.default", (x, None, [0, 1], norm), why=f"{norm}", tol=CLOSE)
        for op in (*FULL, *REAL_IN, *REAL_OUT)
        for x in ((X,) if op in REAL_IN else (Z,))
        for norm in NORMS
    ),
    *(
        Case(f"aten.fft_{op}n.default", (x, s, dim), why=f"{s} {dim}", tol=CLOSE)
        for op in (*FULL, *REAL_IN, *REAL_OUT)
        for x in ((X,) if op in REAL_IN else (Z,))
        for s, dim in ((None, None), ([4], None), ([2, 5], [1, 0]))
    ),
    *(
        Case(f"aten.fft_{op}2.default", (x, [2, 4]), why="sizes", tol=CLOSE)
        for op in (*FULL, *REAL_IN, *REAL_OUT)
        for x in ((X,) if op in REAL_IN else (Z,))
    ),
    *(
        Case(f"aten.fft_{op}n.default", (x, None, None, norm), why=norm, tol=CLOSE)
        for op in (*FULL, *REAL_IN, *REAL_OUT)
        for x in ((X,) if op in REAL_IN else (Z,))
        for norm in NORMS[1:]
    ),
    *(
        Case(f"aten.fft_{op}2.default", (x, None, [0, 1]), why="the first axes", tol=CLOSE)
        for op in (*FULL, *REAL_IN, *REAL_OUT)
        for x in ((CUBE.real.copy(),) if op in REAL_IN else (CUBE,))
    ),
]
INNER = [
    *(
        Case("aten._fft_c2c.default", (Z, [0, 1], n, forward), why=f"{n} {forward}", tol=CLOSE)
        for n in (0, 1, 2)
        for forward in (True, False)
    ),
    *(
        Case("aten._fft_r2c.default", (X, [0, 1], n, half), why=f"{n} {half}", tol=CLOSE)
        for n, half in ((0, True), (1, False), (2, True))
    ),
    *(Case("aten._fft_c2r.default", (Z, [1], n, 10), why=f"{n}", tol=CLOSE) for n in (0, 1, 2)),
    Case("aten._fft_c2c.default", (Z, [0], 3, True), why="unknown", raises=Unsupported),
    Case("aten.fft_fftshift.default", (rand(4, 5),)),
    Case("aten.fft_fftshift.default", (rand(4, 5), [1]), why="one axis"),
    Case("aten.fft_ifftshift.default", (rand(4, 5),)),
    Case("aten.fft_fftfreq.default", (5, 0.5), tol=CLOSE),
    Case("aten.fft_rfftfreq.default", (6,), {"dtype": Precision.FLOAT64}, tol=CLOSE),
    Case("aten.fft_ifftshift.default", (rand(4, 5), [1]), why="one axis"),
    Case("aten.fft_fftfreq.default", (5, 0.5), {"dtype": Precision.FLOAT64}, tol=CLOSE),
    Case("aten.fft_rfftfreq.default", (6, 0.5), why="a step", tol=CLOSE),
]
SOUND = rand(2, 20)
WEIGHTS = np.hanning(8).astype(np.float32)
REAL_SPECTRUM = [
    Case(
        "aten.fft_irfft.default", (np.array([1, np.inf, 2], np.float32),), why="infinite", tol=CLOSE
    ),
    Case("aten.fft_rfftn.default", (rand(2), None, []), why="no axes", raises=BadType),
    *(
        Case(f"aten.fft_{name}2.default", (data,), why="the last two axes of three", tol=CLOSE)
        for data, names in (
            (rand(2, 3, 4), ("rfft", "ihfft", "fft", "ifft")),
            (rand(2, 3, 4) + 1j * rand(2, 3, 4, seed=1), ("irfft", "hfft", "fft", "ifft")),
        )
        for name in names
    ),
]
FRAMES = [
    Case("aten.stft.default", (SOUND, 8, 4, 8, WEIGHTS, False, True, True), tol=CLOSE),
    Case(
        "aten.stft.default", (SOUND, 8, 4, 8, WEIGHTS, True, False, False), why="pairs", tol=CLOSE
    ),
    Case(
        "aten.stft.center",
        (SOUND, 8, None, 6, WEIGHTS[:6], True, "reflect", False, True, True),
        why="a shorter window",
        tol=CLOSE,
    ),
    Case(
        "aten.stft.center",
        (SOUND, 8, 4, 6, WEIGHTS[:6], False, "reflect", True, True, True),
        why="normalised, not centred",
        tol=CLOSE,
    ),
    *(
        Case(
            "aten.stft.center",
            (SOUND, 8, 4, 6, WEIGHTS[:6], True, mode, False, True, True),
            why=mode,
            tol=CLOSE,
        )
        for mode in ("constant", "replicate")
    ),
    *(
        Case(
            f"aten.stft.{op}",
            (rand(2, length), 8, 4, 6, WEIGHTS[:6], *mode, False, True, True, aligned),
            why=f"{length} samples, aligned {aligned}",
            tol=CLOSE,
        )
        for op, mode in (("default", ()), ("center", (False, "reflect")))
        for length, aligned in ((22, True), (22, False), (20, True))
    ),
    Case(
        "aten.stft.center",
        (SOUND, 8, 4, 6, WEIGHTS[:6], True, "reflect", False, True, True, True),
        why="aligned and centred",
        raises=Unsupported,
    ),
    Case(
        "aten.stft.center",
        (SOUND, 8, 4, 8, WEIGHTS, True, "reflect", False, False, True),
        why="whole spectra",
        tol=CLOSE,
    ),
]
SPECTRUM = np.fft.rfft(rand(3, 5, 8)).transpose(0, 2, 1).astype(np.complex64)
FRAMES += [
    Case("aten.istft.default", (SPECTRUM, 8, 4, 8, WEIGHTS + 1), tol=CLOSE),
    Case(
        "aten.istft.default",
        (np.fft.fft(rand(5, 8)).T.astype(np.complex64), 8, 4, 8, WEIGHTS + 1, False, True, False),
        tol=CLOSE,
        why="whole spectra",
    ),
    Case("aten.istft.default", (SPECTRUM[0], 8, 2, 6, WEIGHTS[:6] + 1), tol=CLOSE, why="one"),
    Case(
        "aten.istft.default",
        (SPECTRUM, 8, 4, 8, None, False, True, True, 13),
        tol=CLOSE,
        why="all arguments",
    ),
    Case(
        "aten.istft.default",
        (SPECTRUM, 8, 4, 8, None, True, False, True, None, True),
        why="complex",
        raises=Unsupported,
    ),
]
WINDOWS = [
    *(
        Case(f"aten.{n}_window.default", (7,), {"dtype": Precision.FLOAT64}, tol=CLOSE)
        for n in ("hann", "hamming", "blackman", "bartlett", "kaiser")
    ),
    *(
        Case(f"aten.{n}_window.periodic", (k, False), why=f"{k}", tol=CLOSE)
        for n in ("hann", "hamming", "blackman", "bartlett", "kaiser")
        for k in (0, 1, 6)
    ),
    Case("aten.hamming_window.periodic_alpha", (6, True, 0.5), tol=CLOSE),
    Case("aten.hamming_window.periodic_alpha_beta", (6, False, 0.5, 0.4), tol=CLOSE),
    Case("aten.kaiser_window.beta", (6, True, 5.0), tol=CLOSE),
    *(
        Case(f"aten.{name}", given, {"dtype": Precision.FLOAT64}, tol=CLOSE)
        for name, given in (
            *((f"{n}_window.periodic", (6, True)) for n in ("hann", "hamming", "blackman")),
            *((f"{n}_window.periodic", (6, True)) for n in ("bartlett", "kaiser")),
            ("hamming_window.periodic_alpha", (6, True, 0.5)),
            ("hamming_window.periodic_alpha_beta", (6, False, 0.5, 0.4)),
            ("kaiser_window.beta", (6, True, 5.0)),
        )
    ),
]
SHIFTS = ("fftshift", "ifftshift")
CASES = [*ONE, *MANY, *INNER, *REAL_SPECTRUM, *FRAMES, *WINDOWS]
LIMITS = [
    Limit(
        "aten.fft_irfft.default",
        device="onnxruntime",
        case="infinite",
        why="ONNX Runtime's DFT multiplies infinities by zeros",
    ),
    Limit(
        "aten.fft_irfft.default",
        device="litert",
        case="infinite",
        why="a product of matrices multiplies infinities by zeros",
    ),
    Limit(
        "aten.fft_irfft.default",
        device="openvino",
        case="infinite",
        why="OpenVINO's DFT multiplies infinities by zeros",
    ),
]
CASES += [
    *(Case(f"aten.fft_{op}.default", (rand(5, 4), [-1, 0]), why="two axes") for op in SHIFTS),
]
