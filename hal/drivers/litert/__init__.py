"""LiteRT: runs models on the CPU kernels of TensorFlow Lite and writes `.tflite` files."""

from .driver import LiteRT

__all__ = ["LiteRT"]
