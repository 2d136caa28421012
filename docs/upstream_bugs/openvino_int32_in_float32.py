"""OpenVINO: arithmetic of int32 goes through float32.

Kind: wrong value
Says: These operators take any numeric type, and say that the result has the type of the operands.
Above 2**24 the neighbours of a number are equal to it, so that ids and hashes are confused, and the
largest int32 divided by 1 changes its sign. Add, Subtract and Multiply are exact.
Seen: 2024.6.0, 2026.4.1
Here: products and sums of halves of 16 bits (`hal/drivers/openvino/integers.py`,
`hal/drivers/openvino/compare.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x, y = (ops.parameter([1], ov.Type.i32) for _ in range(2))
most = 2**31 - 1
wrong = 0
for name, made, numbers, want in (
    ("divide", ops.divide(x, y), (most, 1), most),
    ("mod", ops.mod(x, y), (most, 10), 7),
    ("equal", ops.equal(x, y), (2**24 + 1, 2**24), False),
    (
        "sum",
        ops.reduce_sum(ops.concat([x, y], 0), ops.constant(0), False),
        (2**24 + 1, 2),
        2**24 + 3,
    ),
    ("relu", ops.relu(ops.add(x, y)), (2**24, 1), 2**24 + 1),
):
    compiled = ov.Core().compile_model(ov.Model([made], [x, y]), "CPU")
    found = compiled([np.array([n], np.int32) for n in numbers])[0].item()
    print(f"{name} of {numbers[0]} and {numbers[1]}: got {found}, right is {want}")
    wrong += found != want
sys.exit(int(wrong > 0))
