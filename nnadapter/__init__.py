"""NNAdapter: read models of any framework, run them on any device, prove that they agree."""

from .api import compile, load

__all__ = ["compile", "load"]
