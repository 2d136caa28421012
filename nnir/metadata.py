"""Keys of a model's metadata that the standard knows."""

LIST_ENDS = "nnadapter.lists"
"""Tells which ends are lists of tensors, or may be left out: see `nnir.lists`."""

PAIRS = "nnadapter.states"
"""Says which inputs and outputs of a model's source, or of itself, are states: names of outputs by
names of inputs."""
