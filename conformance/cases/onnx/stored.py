"""ONNX models with initializers of every element type, in the fields that protobuf has for them."""

from __future__ import annotations

from ...case import Case, ModelCase, f

TYPES = (
    *("float", "double", "float16", "bfloat16", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)
ONE = {"float16": 0x3C00, "bfloat16": 0x3F80}
"""What is written for 1: the bits of floats of 16 bits."""

TWO = """<ir_version: 10, opset_import: ["" : 21]>
main (float[2] x) => (float[4] y, float[N] z)
<{type}[2] w = {{{one}, 0}}, {type}[0] none = {{}}, {type}[1, 1] one = {{{one}}}> {{
  a = Cast <to = 1> (w)
  b = Cast <to = 1> (none)
  c = Cast <to = 1> (one)
  d = Mul (x, c)
  e = Squeeze (d)
  y = Concat <axis = 0> (e, a, b)
  z = Concat <axis = 0> (b, a)
}}"""
FUNCTION = """<ir_version: 10, opset_import: ["" : 21, "own" : 1]>
main (float[2] x) => (float[2] y, float[2] z) {
  y = own.scaled <by = 3.0> (x)
  z = own.scaled (y)
}
<domain: "own", opset_import: ["" : 21]>
scaled <by: float = 2.0> (a) => (b) {
  factor = Constant <value_float: float = @by> ()
  b = Mul (a, factor)
}"""

CASES: list[Case] = []
MODELS = [
    *(
        ModelCase(
            ("Cast", "Concat"),
            TWO.format(type=name, one=ONE.get(name, 1)),
            (f(5, 6),),
            f"initializers of {name}",
        )
        for name in TYPES
    ),
    ModelCase(
        ("Mul",),
        FUNCTION,
        (f(5, 6),),
        "a function with an attribute that has a default",
        oracle="onnxruntime",  # the reference evaluator knows no such defaults
    ),
]
