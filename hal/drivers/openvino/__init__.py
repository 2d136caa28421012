"""OpenVINO: runs models on Intel's runtime and writes its IR, `.xml` with `.bin`."""

from .driver import OpenVINO

__all__ = ["OpenVINO"]
