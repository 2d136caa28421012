"""What is no model for any frontend: what it is, and what to give instead."""

from __future__ import annotations

from pathlib import Path

ZIP = b"PK\x03\x04"
HDF5 = b"\x89HDF\r\n\x1a\n"
TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""What torch.save of PyTorch 1.5 and older wrote at first: a number, as a pickle."""

ORT = b"ORTM"
"""Stands behind the first four bytes of what ONNX Runtime writes for itself."""

WEIGHTS = "weights without a graph; load them in their framework and save the whole model there"


OTHERS = {
    ".mlmodel": "Core ML",
    ".mlpackage": "Core ML",
    ".caffemodel": "Caffe",
    ".prototxt": "Caffe",
    ".engine": "TensorRT, compiled for one GPU",
    ".plan": "TensorRT, compiled for one GPU",
    ".mnn": "MNN",
    ".nb": "Paddle-Lite, compiled for one kind of processor",
    ".rknn": "RKNN, compiled for one chip",
    ".uff": "TensorRT of old",
}
"""What some files are by their names."""

MODELS = (
    ".keras", ".json", ".nnapi", ".nnir", ".nnrt", ".onnx", ".pb", ".pdmodel", ".pt", ".pt2",
    ".tflite",
)  # fmt: skip
"""How files of models end."""
MOST = 8


def _models_in(folder: Path) -> list[str]:
    """The names of what may be models in a folder, the first few."""
    names = sorted(p.name for p in folder.iterdir() if p.suffix in MODELS and p.is_file())
    return names if len(names) <= MOST else [*names[:MOST], f"{len(names) - MOST} more"]


def explain_foreign(source: Path, head: bytes) -> str:
    """What a path leads to that begins with `head`, and what is accepted; empty where that is not
    known."""
    if source.suffix in OTHERS:
        return f"a model of {OTHERS[source.suffix]}; convert the one that it was made from"
    if source.is_dir():
        if several := _models_in(source):
            return f"a folder with {', '.join(several)} in it: name one of them"
        return "a folder is read where it is a SavedModel, with a saved_model.pb or .pbtxt in it"
    if source.is_file() and not head:
        return "the file is empty"
    if head.startswith(ZIP):
        if source.suffix == ".npz":
            return "arrays of NumPy, which are inputs or weights and no program"
        return "a zip file without the members of a .pt2, .pt or .keras file"
    if head.startswith(HDF5):
        return (
            "HDF5, in which Keras keeps weights, and programs for itself; load it in Keras and "
            "write a SavedModel with model.export(folder)"
        )
    if head.startswith(TORCH):
        return (
            "a pickle of torch.save (weights or a whole module), which is code and not a program; "
            "load it in PyTorch and save the module with torch.export.save"
        )
    if head.startswith(b"GGUF") or head[8:10] == b'{"':  # a header of safetensors
        return WEIGHTS
    if head.lstrip().startswith(b"<?xml") and source.suffix == ".xml":
        return "OpenVINO IR is written and not read; convert the model that it was made from"
    if head[4:8] == ORT:
        return (
            "a program that ONNX Runtime has prepared for itself; convert the .onnx file that it "
            "was made from"
        )
    if source.suffix == ".pdiparams":
        return "parameters of Paddle; give the program beside them, .json or .pdmodel"
    return ""
