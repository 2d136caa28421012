"""Legacy operators of losses, linear algebra, spectra and special functions."""

from __future__ import annotations

from .call import Call
from .index import number
from .rule import Rules, element, same, whole

RULES = Rules()
RULES.same(
    *("eigh", "eigvalsh", "fft_c2c", "fft_c2r", "fft_r2c", "fill_diagonal", "fill_diagonal_tensor"),
    *("frame", "overlap_add", "stft", "l1_norm", "i0", "i0e", "i1", "i1e", "polygamma", "qr"),
    *("svd", "solve", "triangular_solve", "cholesky_solve", "renorm", "unpool3d"),
    *("sigmoid_cross_entropy_with_logits", "segment_pool", "copysign", "masked_fill"),
    *("swiglu", "add_position_encoding", "hinge_loss"),
)
RULES["atan2"] = same("atan2", {"X1": "x", "X2": "y"})
RULES["baddbmm"] = same("baddbmm", attributes={"Alpha": "alpha", "Beta": "beta"})
RULES["bce_loss"] = same("bce_loss", {"X": "input"})
RULES["complex"] = same("complex", {"X": "real", "Y": "imag"})
RULES["huber_loss"] = same("huber_loss", {"X": "input", "Y": "label"}, results=("Out", "Residual"))
RULES["kldiv_loss"] = same("kldiv_loss", {"Target": "label"})
RULES["label_smooth"] = same("label_smooth", {"X": "label"})
RULES["log_loss"] = same("log_loss", {"Predicted": "input", "Labels": "label"})
RULES["nll_loss"] = same("nll_loss", {"X": "input"}, results=("Out", "Total_weight"))
RULES["shard_index"] = same("shard_index", {"X": "input"})
RULES["softmax_with_cross_entropy"] = same(
    "cross_entropy_with_softmax", {"Logits": "input"}, results=("Softmax", "Loss")
)
RULES["viterbi_decode"] = same(
    "viterbi_decode",
    {"Input": "potentials", "Transition": "transition_params", "Length": "lengths"},
    results=("Scores", "Path"),
)


@RULES.add("allclose", "isclose")
def close(call: Call) -> None:
    """How close is a tensor, else a number that is written as text."""
    arguments = {"x": call.one("Input"), "y": call.one("Other")}
    for name, slot in (("rtol", "Rtol"), ("atol", "Atol")):
        text = call.attribute(name)
        arguments[name] = call.one(slot) if call.has(slot) else number(text, None)
    call.node(call.op.type, arguments | {"equal_nan": call.attribute("equal_nan")}, ["Out"])


@RULES.add("empty")
def empty(call: Call) -> None:
    """Whatever it holds: here zeros."""
    sizes = whole(call, "shape", "ShapeTensor", "ShapeTensorList")
    call.node("empty", {"shape": sizes, "dtype": element(call.attribute("dtype"))}, ["Out"])
