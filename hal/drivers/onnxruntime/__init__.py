"""ONNX Runtime: runs models on its CPU provider and writes `.onnx` files."""

from .driver import OnnxRuntime

__all__ = ["OnnxRuntime"]
