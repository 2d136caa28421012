"""What the package brings: converters of two frontends, lowerings for two devices."""

from __future__ import annotations

import numpy as np

from frontends.table import Table
from hal.lowering import Lowerings
from nnadapter import Plugin
from nnir.model import Value

from .operator import acme_rotary

onnx, torch = Table(), Table()
onnx.same({"com.acme::Rotary": acme_rotary})
torch.same({"acme.rotary.default": acme_rotary})

onnxruntime, openvino = Lowerings(), Lowerings()


@onnxruntime.lower(acme_rotary)
def with_microsofts_kernel(g, input: Value, cos: Value, sin: Value):
    """ONNX Runtime has one kernel for it, which also takes where the first position is."""
    first = g.constant(np.zeros(1, np.int64))
    return g.node("RotaryEmbedding", input, first, cos, sin, domain="com.microsoft")


@openvino.lower(acme_rotary)
def in_parts(g, input: Value, cos: Value, sin: Value):
    """OpenVINO finds the pattern of a rotary embedding by itself."""
    first, second = g.node("Split", input, g.constant(np.int64(3)), outputs=2, num_splits=2)
    return g.node("Concat", first * cos - second * sin, second * cos + first * sin, axis=3)


PLUGIN = Plugin(
    "acme-rotary",
    "1.2",
    operators=(acme_rotary,),
    converters={"onnx": onnx, "torch": torch},
    lowerings={"onnxruntime": onnxruntime, "openvino": openvino},
    cases={"nnir": "acme_rotary.cases:NNIR", "torch": "acme_rotary.cases:TORCH"},
    registers={"torch": ["acme_rotary.torch_operator"]},
)
