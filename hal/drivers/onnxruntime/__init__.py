"""ONNX Runtime: runs models on its CPU provider and writes `.onnx` files."""

from nnir.deferred import deferring

__getattr__ = deferring(__name__)

from .driver import OnnxRuntime

__all__ = ["OnnxRuntime"]
