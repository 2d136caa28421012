"""ATen activations."""

from __future__ import annotations

from nnir import build
from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, attention, compare, generate, shape, unary
from nnir.recipes import activation as activation_recipes
from nnir.recipes.activation import real_number, softmax_along
from nnir.recipes.promotion import Number, round_once
from nnir.types import Precision

from ...table import Table

table = Table()
table.same(
    {
        "aten.relu.default": activation.relu,
        "aten.relu6.default": activation.relu6,
        "aten.silu.default": activation.swish,
    }
)


@table.convert("aten.gelu.default")
def gelu(self: Value, *, approximate: str = "none") -> Value:
    match approximate:
        case "none" | "tanh":
            return activation.gelu(self, approximate=approximate == "tanh")
    raise Unsupported(f"gelu with approximate={approximate!r}")


@table.convert("aten.mish.default")
def mish(self: Value) -> Value:
    return round_once(lambda x: x * activation.tanh(activation.softplus(x, threshold=40.0)), self)


@table.convert("aten.elu.default")
def elu(self: Value, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1) -> Value:
    return activation_recipes.elu(self, alpha, scale, input_scale)


@table.convert("aten.celu.default")
def celu(self: Value, alpha: Number = 1.0) -> Value:
    return activation.celu(self, alpha=real_number(alpha, "celu with alpha"))


SELU = 1.6732632423543772848170429916717, 1.0507009873554804934193352946


@table.convert("aten.selu.default")
def selu(self: Value) -> Value:
    return elu(self, *SELU)


@table.convert("aten.leaky_relu.default")
def leaky_relu(self: Value, negative_slope: Number = 0.01) -> Value:
    return activation.leaky_relu(
        self, alpha=real_number(negative_slope, "leaky_relu with negative_slope")
    )


@table.convert("aten.rrelu.default")
def rrelu(
    self: Value,
    lower: Number = 0.125,
    upper: Number = 0.3333333333333333,
    training: bool = False,
    generator: None = None,
) -> Value:
    if training:
        raise Unsupported("rrelu in training")
    return leaky_relu(self, (real_number(lower, "lower") + real_number(upper, "upper")) / 2)


@table.convert("aten.prelu.default")
def prelu(self: Value, weight: Value) -> Value:
    return activation.prelu(self, weight if weight.rank == 1 else shape.reshape(weight, [-1]))


@table.convert("aten._prelu_kernel.default")
def prelu_kernel(self: Value, weight: Value) -> Value:
    above = self > 0
    return compare.where(above, self, weight * self)


@table.convert("aten.hardtanh.default")
def hardtanh(self: Value, min_val: Number = -1, max_val: Number = 1) -> Value:
    bounds = (real_number(n, "a bound of hardtanh") for n in (min_val, max_val))
    return activation.clip(self, *(self.scalar(n) for n in bounds))


@table.convert("aten.hardsigmoid.default")
def hardsigmoid(self: Value) -> Value:
    return activation.hard_sigmoid(self, alpha=1 / 6, beta=0.5)


@table.convert("aten.hardswish.default")
def hardswish(self: Value) -> Value:
    return activation.hard_swish(self, alpha=1 / 6, beta=0.5)


@table.convert("aten.hardshrink.default")
def hardshrink(self: Value, lambd: Number = 0.5) -> Value:
    limit = self.scalar(real_number(lambd, "hardshrink with lambd"))
    inside = abs(self) <= limit
    return compare.where(inside, 0, self)


@table.convert("aten.softshrink.default")
def softshrink(self: Value, lambd: Number = 0.5) -> Value:
    return activation_recipes.softshrink(self, lambd)


@table.convert("aten.softplus.default")
def softplus(self: Value, beta: Number = 1, threshold: Number = 20) -> Value:
    numbers = {"beta": real_number(beta, "beta"), "threshold": real_number(threshold, "threshold")}
    return activation.softplus(self, **numbers)


@table.convert("aten.threshold.default")
def threshold(self: Value, threshold: Number, value: Number) -> Value:
    return activation_recipes.threshold(self, threshold, value)


@table.convert("aten.glu.default")
def glu(self: Value, dim: int = -1) -> Value:
    axis = axis_of(dim, self.rank)
    size = self.shape[axis]
    if not isinstance(size, Expr) and size % 2:
        raise BadType(f"glu of {self.type} along axis {dim}, whose size is odd")
    half = self.size(axis) / 2
    left, right = shape.split(self, build.vector(self.model, [half, half]), axis=axis)
    return round_once(lambda x, y: x * activation.sigmoid(y), left, right)


@table.convert("aten.log_sigmoid.default")
def log_sigmoid(self: Value) -> Value:
    return activation_recipes.log_sigmoid(self)


@table.convert("aten.log_sigmoid_forward.default")
def log_sigmoid_forward(self: Value) -> tuple[Value, Value]:
    return log_sigmoid(self), unary.exp(-abs(self))


@table.convert("aten.softmax.int", "aten.special_softmax.default")
def softmax(self: Value, dim: int, dtype: Precision | None = None) -> Value:
    return softmax_along(activation.softmax, self, dim, dtype)


@table.convert("aten._safe_softmax.default")
def safe_softmax(self: Value, dim: int, dtype: Precision | None = None) -> Value:
    return softmax_along(attention.safe_softmax, self, dim, dtype)


@table.convert("aten.log_softmax.int")
def log_softmax(self: Value, dim: int, dtype: Precision | None = None) -> Value:
    return softmax_along(activation.log_softmax, self, dim, dtype)


@table.convert("aten.special_log_softmax.default")
def special_log_softmax(self: Value, dim: int, *, dtype: Precision | None = None) -> Value:
    return softmax_along(activation.log_softmax, self, dim, dtype)


@table.convert("aten._softmax.default")
def softmax_kernel(self: Value, dim: int, half_to_float: bool) -> Value:
    wide = Precision.FLOAT32 if half_to_float else None
    return softmax_along(activation.softmax, self, dim, wide)


@table.convert("aten._log_softmax.default")
def log_softmax_kernel(self: Value, dim: int, half_to_float: bool) -> Value:
    wide = Precision.FLOAT32 if half_to_float else None
    return softmax_along(activation.log_softmax, self, dim, wide)


@table.convert(
    *("aten.dropout.default", "aten.feature_dropout.default"),
    *("aten.alpha_dropout.default", "aten.feature_alpha_dropout.default"),
)
def dropout(input: Value, p: float, train: bool) -> Value:
    if train and p > 0:
        raise Unsupported(f"dropout in training, with p={p!r}: export the model after .eval()")
    return input


@table.convert("aten.native_dropout.default")
def native_dropout(input: Value, p: float, train: bool | None) -> tuple[Value, Value]:
    kept = dropout(input, p, True if train is None else train)
    return kept, generate.fill_like(input, input.model.constant(True))
