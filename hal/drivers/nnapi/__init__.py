"""Android's Neural Networks API 1.0: a driver that writes its models and runs them in software."""

from .driver import NNAPI

__all__ = ["NNAPI"]
