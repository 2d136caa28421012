"""TensorFlow's operators in TFLite files, and the flexbuffers that hold their options."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from conformance.case import Case, rand
from conformance.cases.tflite.detection import options
from conformance.engines.tflite import run
from conformance.oracles.oracle import Oracle
from frontends.tflite.reading.flexbuffer import decode
from nnir.errors import BadFile, NNAdapterError, Unsupported

DEVICES = ("builtin", "onnxruntime")
X, Y = rand(2, 3, 4), rand(2, 3, 4, seed=1)
FLOAT = (6, 1)
"""Field and value of DT_FLOAT."""


def field(number: int, content: bytes) -> bytes:
    """A field with a length, of at most 127 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def attribute(name: str, kind: int, value: float) -> bytes:
    if isinstance(value, float):
        content = bytes([kind << 3 | 5]) + struct.pack("<f", value)
    else:
        content = bytes([kind << 3, int(value)])
    return field(5, field(1, name.encode()) + field(2, content))


def node(op: str, **attributes: tuple[int, float]) -> dict[str, Any]:
    """The options of an operator: a flexbuffer with its name and its NodeDef."""
    message = field(1, b"n") + field(2, op.encode())
    message += b"".join(attribute(k, *v) for k, v in attributes.items())
    data, places = b"", []
    for text in (op.encode(), message):
        data += b"\0" * (-len(data) % 4) + struct.pack("<I", len(text))
        places.append(len(data))
        data += text + b"\0"
    data += b"\0" * (-len(data) % 4) + struct.pack("<I", 2)
    data += b"".join(struct.pack("<I", len(data) + 4 * k - p) for k, p in enumerate(places))
    data += bytes([5 << 2 | 2] * 2)
    return {"custom_options": list(data + bytes([10, 10 << 2 | 2, 1]))}


ROWS = [
    ("Softsign", (X,), node("Softsign", T=FLOAT), X / (1 + np.abs(X))),
    ("LeakyRelu", (X,), node("LeakyRelu", T=FLOAT, alpha=(4, 0.5)), np.where(X > 0, X, X / 2)),
    ("LeakyRelu", (X,), node("LeakyRelu", T=FLOAT), np.where(X > 0, X, X * np.float32(0.2))),
    ("Pack", (X, Y), node("Pack", T=FLOAT, N=(3, 2), axis=(3, 1)), np.stack([X, Y], axis=1)),
    ("Xdivy", (X, Y), node("Xdivy", T=FLOAT), X / Y),
]
PAYLOAD = bytes(options()["custom_options"])


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle("conformance.oracles.litert", timeout=120) as worker:
        yield worker


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("op", "inputs", "attrs", "want"), ROWS)
def test_operator(
    op: str, inputs: tuple[Any, ...], attrs: Any, want: np.ndarray, device: str, oracle: Oracle
) -> None:
    (got,) = run(Case(f"Flex{op}", inputs, attrs, results=(want,)), device, oracle)
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize(
    ("op", "attrs", "error"),
    [
        ("FlexSoftsign", {"custom_options": [1, 2]}, BadFile),
        ("FlexSoftsign", {"custom_options": [5, 4, 1]}, BadFile),
        ("FlexPack", node("Pack", T=FLOAT, N=(3, 2), axis=(3, 1)), NNAdapterError),
        ("FlexNone", node("None"), Unsupported),
        ("NoneOfThese", {}, Unsupported),
    ],
)
def test_refused(op: str, attrs: dict[str, Any], error: type[Exception], oracle: Oracle) -> None:
    with pytest.raises(error):
        run(Case(op, (X,), attrs), "builtin", oracle)


def test_tensorflow_is_not_loaded_without_its_operators() -> None:
    probe = (
        "import sys, frontends.tflite as tflite\n"
        "tflite.FAMILIES\n"
        "print([m for m in sys.modules if m.startswith('frontends.tensorflow')])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_map() -> None:
    found = decode(PAYLOAD)
    assert found["max_detections"] == 5
    assert found["nms_iou_threshold"] == pytest.approx(0.4)
    assert found["_output_quantized"] is True


def test_plain_values() -> None:
    assert decode(bytes([7, 4, 1])) == 7
    assert decode(bytes([0, 0, 1])) is None
    assert decode(struct.pack("<f", 1.5) + bytes([3 << 2 | 2, 4])) == 1.5
    assert decode(bytes([2, 255, 3, 2, 11 << 2, 1])) == [-1, 3]
    assert decode(bytes([3, 4, 5, 3, 17 << 2, 1])) == [3, 4]


def test_damaged_bytes() -> None:
    """Whatever the bytes are: a value or a BadFile."""
    generator = np.random.default_rng(0)
    for _ in range(3000):
        content = bytearray(PAYLOAD[generator.integers(0, 9) :])
        for place in generator.integers(0, len(content), generator.integers(1, 6)):
            content[place] = generator.integers(0, 256)
        try:
            decode(bytes(content))
        except BadFile:
            continue
