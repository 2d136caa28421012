"""What the package brings: converters of three frontends, kernels of three engines."""

from __future__ import annotations

from frontends.table import Table
from hal.lowering import Lowerings
from nnadapter import Plugin
from nnir.model import Value
from nnir.types import Precision

from .build import library
from .operator import acme_snake

onnx, tensorflow, paddle = Table(), Table(), Table()
onnxruntime = Lowerings()


@onnx.convert("com.acme::Snake")
@tensorflow.convert("AcmeSnake")
def snake(x: Value, *, alpha: float = 1.0) -> Value:
    """The signature is the source's: a tensor `x`, an attribute `alpha`."""
    return acme_snake(x, alpha=alpha)


@paddle.convert("custom_op.acme_snake")
def paddles_snake(x: Value, *, alpha: float) -> Value:
    """Paddle writes every attribute into its programs: it has no default."""
    return acme_snake(x, alpha=alpha)


@onnxruntime.lower(acme_snake)
def with_own_kernel(g, input: Value, *, alpha: float):
    """The kernel takes float32."""
    wide = g.cast(input, Precision.FLOAT32)
    return g.cast(g.node("Snake", wide, domain="com.acme", alpha=alpha), input.precision)


PLUGIN = Plugin(
    "acme-snake",
    "0.3",
    operators=(acme_snake,),
    converters={"onnx": onnx, "tensorflow": tensorflow, "paddle": paddle},
    lowerings={"onnxruntime": onnxruntime},
    libraries={"onnxruntime": [library("onnxruntime")]},
    registers={
        "tensorflow": ["acme_snake.tensorflow_operator"],
        "paddle": ["acme_snake.paddle_operator"],
    },
    cases={
        "nnir": "acme_snake.cases:NNIR",
        "tensorflow": "acme_snake.cases:TENSORFLOW",
        "paddle": "acme_snake.cases:PADDLE",
    },
)
