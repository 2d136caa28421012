"""Every case of every frontend on the devices beside builtin and onnxruntime.

What a device cannot do it refuses; what it does not refuse agrees with the origin framework.
"""

from __future__ import annotations

from collections import Counter

import pytest

from conformance.conform import conform
from conformance.result import GOOD, PASS, REFUSED
from conformance.suite import Options, missing

from .judging import OTHERS

FRONTENDS = ("onnx", "torch", "tensorflow", "tflite", "paddle", "paddle-legacy")


@pytest.mark.parametrize("frontend", FRONTENDS)
@pytest.mark.parametrize("device", OTHERS)
def test_no_case_is_wrong(device: str, frontend: str) -> None:
    if (why := missing(frontend)) is not None:
        pytest.skip(why)
    options = Options(frontends=(frontend,), devices=(device,), yardstick=False)
    found = conform(options, jobs=1).results
    wrong = [r for r in found if r.verdict not in {*GOOD, REFUSED}]
    assert not wrong, [f"{r.case}: {r.verdict} {r.reason[:200]}" for r in wrong[:20]]
    counts = Counter(r.verdict for r in found)
    assert counts[PASS] >= OTHERS[device] * len(found), counts
