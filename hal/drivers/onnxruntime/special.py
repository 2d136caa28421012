"""Special functions on ONNX Runtime."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
