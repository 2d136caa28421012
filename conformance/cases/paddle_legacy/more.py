"""Legacy operators of losses, linear algebra, spectra and special functions."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NoLowering, Unsupported

from ...case import ROUNDS, Case, Const, Limit, Tolerance, f, i, rand

LOOSE = Tolerance(relative=1e-4, absolute=1e-4)
X = rand(3, 4)
SQUARE = rand(3, 3) + 4 * np.eye(3, dtype=np.float32)
SYMMETRIC = SQUARE @ SQUARE.T
LOWER = np.linalg.cholesky(SYMMETRIC)
PAIR = {"Input": f(1, 2), "Other": f(1, 2.5)}
CHANCES = rand(3, 4, low=0.1, high=0.9)
WAVES = (rand(3, 4) + 1j * rand(3, 4, seed=1)).astype(np.complex64)
SPECTRUM = {"axes": [1], "normalization": "backward", "forward": True}
CLOSE = {"rtol": "1e-5", "atol": "1e-8"}

CASES = [
    Case("allclose", (PAIR,), CLOSE),
    Case("allclose", (PAIR,), {"rtol": "1e-5", "atol": "0.6"}),
    Case("isclose", (PAIR,), CLOSE),
    Case("atan2", ({"X1": X, "X2": rand(3, 4, seed=1)},), tol=ROUNDS),
    Case(
        "baddbmm",
        ({"Input": rand(2, 3, 5), "X": rand(2, 3, 4), "Y": rand(2, 4, 5)},),
        {"Alpha": 0.5, "Beta": 2.0},
        tol=LOOSE,
    ),
    Case("copysign", ({"x": f(1, -2), "y": f(-1, 1)},), results=("out",)),
    Case("complex", ({"X": X, "Y": rand(3, 4, seed=1)},)),
    *(
        Case(op, ({"x": f(-2, 0, 1, 3)},), tol=LOOSE, results=("out",))
        for op in ("i0", "i0e", "i1", "i1e")
    ),
    Case("polygamma", ({"x": f(1, 2.5)},), {"n": 1}, tol=LOOSE, results=("out",)),
    Case("bce_loss", ({"X": CHANCES, "Label": np.round(CHANCES)},), tol=ROUNDS),
    Case(
        "hinge_loss",
        ({"Logits": rand(3, 1), "Labels": f(0, 1, 1).reshape(3, 1)},),
        tol=ROUNDS,
        results=("Loss",),
    ),
    Case(
        "huber_loss",
        ({"X": X, "Y": rand(3, 4, seed=1)},),
        {"delta": 0.7},
        tol=ROUNDS,
        results=("Out", "Residual"),
    ),
    Case(
        "kldiv_loss",
        ({"X": X, "Target": CHANCES},),
        {"reduction": "none"},
        tol=ROUNDS,
        results=("Loss",),
    ),
    Case("kldiv_loss", ({"X": X, "Target": CHANCES},), tol=ROUNDS, results=("Loss",)),
    Case("l1_norm", ({"X": X},), tol=ROUNDS),
    Case("label_smooth", ({"X": np.eye(3, dtype=np.float32)},), {"epsilon": 0.1}, tol=ROUNDS),
    Case(
        "log_loss",
        ({"Predicted": CHANCES[:, :1], "Labels": f(0, 1, 1).reshape(3, 1)},),
        {"epsilon": 1e-4},
        tol=ROUNDS,
        results=("Loss",),
    ),
    Case("nll_loss", ({"X": X, "Label": i(1, 0, 3)},), results=("Out", "Total_weight"), tol=ROUNDS),
    Case("sigmoid_cross_entropy_with_logits", ({"X": X, "Label": CHANCES},), tol=ROUNDS),
    Case(
        "softmax_with_cross_entropy",
        ({"Logits": X, "Label": i(1, 0, 3).reshape(3, 1)},),
        results=("Softmax", "Loss"),
        tol=LOOSE,
    ),
    Case(
        "softmax_with_cross_entropy",
        ({"Logits": X, "Label": CHANCES},),
        {"soft_label": True},
        results=("Softmax", "Loss"),
        tol=LOOSE,
    ),
    Case(
        "shard_index",
        ({"X": i(1, 7, 12).reshape(3, 1)},),
        {"index_num": 20, "nshards": 2, "shard_id": 0},
    ),
    Case(
        "segment_pool",
        ({"X": X, "SegmentIds": i(0, 0, 1)},),
        {"pooltype": "MEAN"},
        results=("Out", "SummedIds"),
        read=1,
        tol=ROUNDS,
    ),
    Case(
        "viterbi_decode",
        ({"Input": rand(1, 3, 4), "Transition": rand(4, 4, seed=1), "Length": i(3)},),
        results=("Scores", "Path"),
        tol=ROUNDS,
    ),
    Case(
        "masked_fill", ({"x": X, "mask": rand(3, 4, dtype=bool), "value": f(2)},), results=("out",)
    ),
    Case("swiglu", ({"x": X, "y": rand(3, 4, seed=1)},), results=("out",), tol=ROUNDS),
    Case("add_position_encoding", ({"X": rand(2, 3, 4)},), {"alpha": 0.5, "beta": 2.0}, tol=LOOSE),
    Case("renorm", ({"X": X},), {"p": 2.0, "axis": 0, "max_norm": 1.0}, tol=LOOSE),
    Case("fill_diagonal", ({"X": X},), {"value": 5.0}),
    Case("fill_diagonal_tensor", ({"X": X, "Y": f(1, 2, 3)},)),
    Case("eigh", ({"X": SYMMETRIC},), results=("Eigenvalues", "Eigenvectors"), read=1, tol=LOOSE),
    Case(
        "eigvalsh", ({"X": SYMMETRIC},), results=("Eigenvalues", "Eigenvectors"), read=1, tol=LOOSE
    ),
    Case("qr", ({"X": SQUARE},), results=("Q", "R"), tol=LOOSE),
    Case("svd", ({"X": SQUARE},), results=("U", "S", "VH"), tol=LOOSE),
    Case("solve", ({"X": SQUARE, "Y": rand(3, 2)},), tol=LOOSE),
    Case("triangular_solve", ({"X": SQUARE, "Y": rand(3, 2)},), tol=LOOSE),
    Case(
        "triangular_solve",
        ({"X": SQUARE, "Y": rand(3, 2)},),
        {"upper": False, "transpose": True},
        tol=LOOSE,
    ),
    Case("cholesky_solve", ({"X": rand(3, 2), "Y": LOWER},), tol=LOOSE),
    Case("frame", ({"X": rand(8)},), {"frame_length": 4, "hop_length": 2}),
    Case("overlap_add", ({"X": rand(4, 3)},), {"hop_length": 2}, tol=ROUNDS),
    Case(
        "stft",
        ({"X": rand(1, 16), "Window": rand(8)},),
        {"n_fft": 8, "hop_length": 4, "normalized": False, "onesided": True},
        tol=LOOSE,
    ),
    Case("fft_c2c", ({"X": WAVES},), SPECTRUM, tol=LOOSE),
    Case("fft_r2c", ({"X": X},), SPECTRUM | {"onesided": True}, tol=LOOSE),
    Case("fft_c2r", ({"X": WAVES},), SPECTRUM | {"forward": False, "last_dim_size": 6}, tol=LOOSE),
    Case(
        "unpool3d",
        ({"X": rand(1, 1, 1, 1, 2), "Indices": i(0, 7, dtype=np.int32).reshape(1, 1, 1, 1, 2)},),
        {"ksize": [2, 2, 2], "strides": [2, 2, 2], "paddings": [0, 0, 0], "output_size": [2, 2, 4]},
    ),
    Case("empty", ({},), {"shape": [2, 3], "dtype": 5}, random=True),
    Case(
        "fill_zeros_like2",
        ({"X": rand(2, 3)},),
        {"dtype": 6},
        why="of another type",
        domain="fill_any_like",
    ),
    Case(
        "equal",
        ({"X": f(1, 2).reshape(1, 1, 2), "Y": f(1, 1)},),
        {"axis": 1},
        why="an axis that Paddle does not look at",
        raises=Unsupported,
    ),
    Case(
        "row_conv",
        ({"X": rand(1, 3, 2), "Filter": Const(rand(2, 1))},),
        why="other channels",
        raises=BadType,
    ),
]
LIMITS = [
    *(
        Limit(op, device="onnxruntime", raises=NoLowering, why="no linear algebra")
        for op in ("eigh", "eigvalsh", "svd")
    ),
]
