"""Paddle's products of matrices and vectors."""

from __future__ import annotations

from nnir import build
from nnir.broadcast import axis_of, shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, linear, reduce, shape
from nnir.recipes import linalg as linalg_recipes
from nnir.recipes import linear as linear_recipes
from nnir.recipes.linear import scale_by, weighted_sum

from ...table import Items, Table

table = Table()
table.named(
    {
        "kron": (linear_recipes.kron, "x y"),
        "mv": (linear.mat_mul, "x vec"),
        "matmul": (linear.mat_mul, "x y transpose_x transpose_y"),
    }
)


@table.convert("legacy_matmul")
def legacy_matmul(x: Value, y: Value, transpose_x: bool, transpose_y: bool, alpha: float) -> Value:
    product = linear.mat_mul(x, y, transpose_x=transpose_x, transpose_y=transpose_y)
    return scale_by(product, alpha)


@table.convert("bmm")
def bmm(x: Value, y: Value) -> Value:
    if x.rank != 3 or y.rank != 3:
        raise BadType(f"bmm of {x.type} and {y.type}")
    return linear.mat_mul(x, y)


@table.convert("dot")
def dot(x: Value, y: Value) -> Value:
    """Of vectors, or of the rows of two matrices."""
    return reduce.reduce_sum(x * y, [-1], keepdim=False)


@table.convert("addmm", "addmm_")
def addmm(input: Value, x: Value, y: Value, beta: float, alpha: float) -> Value:
    return weighted_sum(input, linear.mat_mul(x, y), beta, alpha)


@table.convert("baddbmm", "baddbmm_")
def baddbmm(input: Value, x: Value, y: Value, beta: float, alpha: float) -> Value:
    """What is added has an axis for the batch: Paddle lays a matrix along that."""
    if shapes_differ(x.shape[:1], y.shape[:1]):
        raise BadType(f"baddbmm of {input.type}, {x.type} and {y.type}: batches differ")
    if input.rank != 3:
        raise Unsupported(f"baddbmm of {input.type}, where three axes are needed")
    return weighted_sum(input, linear.mat_mul(x, y), beta, alpha)


@table.convert("multi_dot")
def multi_dot(x: Items) -> Value:
    return linear_recipes.multi_dot(x)


@table.convert("einsum")
def einsum(x: Items, equation: str) -> Value:
    return linear.einsum(*x, equation=equation.replace(" ", ""))


@table.convert("bilinear")
def bilinear(x: Value, y: Value, weight: Value, bias: Value | None) -> Value:
    half = linear.einsum(x, weight, equation="ni,oij->noj")
    result = shape.squeeze(linear.mat_mul(half, shape.unsqueeze(y, [-1])), [-1])
    return result if bias is None else result + bias


@table.convert("cross")
def cross(x: Value, y: Value, axis: int) -> Value:
    """Without an axis, which 9 says, along the first one of 3 elements."""
    if axis == 9:
        found = [k for k, size in enumerate(x.shape) if size == 3]
        if not found:
            raise BadType(f"a cross product of {x.type}")
        axis = found[0]
    return linalg_recipes.cross(x, y, axis_of(axis, x.rank))


def flat_matrix(x: Value, columns: int) -> Value:
    """The axes up to `columns` as rows, the others as columns."""
    own = build.sizes_of(x)
    return build.reshape(x, [build.product(own[:columns]), build.product(own[columns:])])


@table.convert("matmul_with_flatten")
def matmul_with_flatten(x: Value, y: Value, x_num_col_dims: int, y_num_col_dims: int) -> Value:
    left, right = build.sizes_of(x)[:x_num_col_dims], build.sizes_of(y)[y_num_col_dims:]
    product = linear.mat_mul(flat_matrix(x, x_num_col_dims), flat_matrix(y, y_num_col_dims))
    return build.reshape(product, [*left, *right])


def activate(x: Value, name: str) -> Value:
    """The activation that a fused operator names."""
    match name:
        case "" | "none" | "identity":
            return x
        case "relu":
            return activation.relu(x)
        case "gelu":
            return activation.gelu(x)
    raise Unsupported(f"a dense layer with the activation {name!r}")


@table.convert("fc", "gemm_epilogue")
def fc(
    input: Value,
    w: Value,
    bias: Value | None,
    in_num_col_dims: int,
    activation_type: str,
    padding_weights: bool,
) -> Value:
    if padding_weights:
        raise Unsupported("fc with padding_weights=True")
    product = matmul_with_flatten(input, w, in_num_col_dims, 1)
    if bias is not None:
        flat = bias if bias.rank == 1 else shape.reshape(bias, [-1])
        if shapes_differ(flat.shape, product.shape[-1:]):
            raise BadType(f"fc to {product.type} with a bias {bias.type}")
        product = product + flat
    return activate(product, activation_type)


@table.convert("linear_v2")
def linear_v2(input: Value, weight: Value, bias: Value | None, transpose_weight: bool) -> Value:
    product = linear.mat_mul(input, weight, transpose_y=transpose_weight)
    return product if bias is None else product + bias


@table.convert("batch_fc")
def batch_fc(input: Value, w: Value, bias: Value) -> Value:
    return linear.mat_mul(input, w) + shape.unsqueeze(bias, [1])


table.convert("matrix_power")(linear_recipes.matrix_power)
