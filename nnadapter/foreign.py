"""What is no model for any frontend: what it is, and what to give instead."""

from __future__ import annotations

from pathlib import Path

HDF5 = b"\x89HDF\r\n\x1a\n"
WEIGHTS = "weights without a graph; load them in their framework and save the whole model there"


def explain_foreign(source: Path, head: bytes) -> str:
    """What a path leads to that begins with `head`, and what is accepted; empty where that is not
    known."""
    if source.is_dir():
        return "a folder is read where it is a SavedModel, with a saved_model.pb or .pbtxt in it"
    if source.is_file() and not head:
        return "the file is empty"
    if head.startswith(HDF5):
        return (
            "HDF5, in which Keras keeps weights, and programs for itself; load it in Keras and "
            "write a SavedModel with model.export(folder)"
        )
    if head.startswith(b"GGUF") or head[8:10] == b'{"':  # a header of safetensors
        return WEIGHTS
    if head.lstrip().startswith(b"<?xml") and source.suffix == ".xml":
        return "OpenVINO IR is written and not read; convert the model that it was made from"
    if source.suffix == ".pdiparams":
        return "parameters of Paddle; give the program beside them, .json or .pdmodel"
    return ""
