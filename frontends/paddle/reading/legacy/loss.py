"""Legacy losses."""

from __future__ import annotations

from .rule import Rules, same

RULES = Rules()
RULES.same("sigmoid_cross_entropy_with_logits", "hinge_loss")
RULES["bce_loss"] = same("bce_loss", {"X": "input"})
RULES["huber_loss"] = same("huber_loss", {"X": "input", "Y": "label"}, results=("Out", "Residual"))
RULES["kldiv_loss"] = same("kldiv_loss", {"Target": "label"})
RULES["label_smooth"] = same("label_smooth", {"X": "label"})
RULES["log_loss"] = same("log_loss", {"Predicted": "input", "Labels": "label"})
RULES["nll_loss"] = same("nll_loss", {"X": "input"}, results=("Out", "Total_weight"))
RULES["softmax_with_cross_entropy"] = same(
    "cross_entropy_with_softmax", {"Logits": "input"}, results=("Softmax", "Loss")
)
