"""TFLite's quantisation."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import EXACT, ROUNDS, Case, Const, f, rand
from ...engines.tflite import Scaled
from .numbers import QUANTUM, integers, name, q, stored

X = rand(3, 5, low=-4, high=4)
FLOAT = (np.float32,)
BYTES = (np.int8, np.uint8)
HALVES = f(-1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 1e9, -1e9)
ROWS = Scaled(integers(3, 5), (0.1, 0.02, 0.3), (0, 0, 0), 0, constant=True)
COLUMNS = Scaled(integers(3, 5), (0.1, 0.02, 0.3, 0.4, 0.5), (0,) * 5, 1)

CASES = [
    *(Case("QUANTIZE", (X,), results=stored(0.02 if d != np.int16 else 0.0002,
                                            7 if d != np.int16 else 0, d), tol=QUANTUM, opset=2,
           why=name(d)) for d in (*BYTES, np.int16)),
    *(Case("QUANTIZE", (HALVES,), results=stored(0.5, 4, d), tol=QUANTUM,
           why=f"halves and far numbers, {name(d)}") for d in BYTES),
    *(Case("QUANTIZE", (q(3, 90, dtype=a),), results=stored(0.03, 9, b), tol=QUANTUM, opset=2,
           why=f"{name(a)} to {name(b)}")
      for a in (*BYTES, np.int16) for b in BYTES if (a, b) != (np.int16, np.uint8)),
    Case("QUANTIZE", (q(3, 90),), results=stored(0.0003, 0, np.int16), tol=QUANTUM, opset=2,
         why="int8 to int16"),
    Case("QUANTIZE", (q(3, 90, dtype=np.int16),), results=stored(0.0003, 0, np.int16), tol=QUANTUM,
         opset=2, why="int16 to int16"),
    Case("QUANTIZE", (X,), results=(np.int8,), raises=BadType, why="without a scale"),
    *(Case("DEQUANTIZE", (q(3, 90, dtype=d),), results=FLOAT, tol=ROUNDS, opset=3, why=name(d))
      for d in (*BYTES, np.int16)),
    Case("DEQUANTIZE", (ROWS,), results=FLOAT, tol=EXACT, opset=5, why="per row"),
    Case("DEQUANTIZE", (COLUMNS,), results=FLOAT, opset=5, why="per column"),
    Case("DEQUANTIZE", (X.astype(np.float16),), results=FLOAT, opset=3, why="float16"),
    Case("DEQUANTIZE", (Const(X.astype(np.float16)),), results=FLOAT, opset=3,
         why="known float16"),
    Case("FAKE_QUANT", (X,), {"min": -2.0, "max": 3.0, "num_bits": 8}, tol=ROUNDS),
    Case("FAKE_QUANT", (X,), {"min": 0.0, "max": 3.0, "num_bits": 4}, tol=ROUNDS),
    Case("QUANTIZE", (X,), results=(COLUMNS,), tol=QUANTUM, opset=2, why="per column"),
    Case("QUANTIZE", (X,), results=(ROWS,), tol=QUANTUM, opset=2, why="per row"),
]  # fmt: skip
