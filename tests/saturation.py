"""Tests that say nothing where ONNX Runtime adds products of two bytes in 16 bits.

Without an instruction for sums of such products (VNNI), which nearly all processors have, its sums
of UINT8 by INT8 saturate: by its own documentation, and not by ours.
"""

from __future__ import annotations

import pytest

from conformance.suites import processors

SATURATES = processors.saturates()
needs_exact_sums = pytest.mark.skipif(
    SATURATES, reason="ONNX Runtime's sums of products of bytes saturate on this processor"
)
