"""The nnrt device: OpenHarmony's Neural Network Runtime, its operations run by our references."""

from .driver import Nnrt

__all__ = ["Nnrt"]
