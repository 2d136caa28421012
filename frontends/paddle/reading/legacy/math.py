"""Legacy operators that compute: elementwise, reductions, products of matrices, comparisons."""

from __future__ import annotations

from nnir.errors import Unsupported

from .call import Call, Rule
from .index import number
from .rule import Rules, element, same

RULES = Rules()
RULES.same(
    *("abs", "acos", "acosh", "angle", "as_complex", "as_real", "asin", "asinh", "atan", "atanh"),
    *("bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "bmm", "ceil", "celu"),
    *("cholesky", "clip", "clip_by_norm", "conj", "cos", "cosh", "cumprod", "cumsum"),
    *("digamma", "dist", "dot", "elu", "equal_all", "erf", "erfinv", "exp", "expm1", "floor"),
    *("gelu", "imag", "kron", "lerp", "lgamma", "log", "log10", "log1p", "log2", "log_softmax"),
    *("logical_and", "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid"),
    *("logsumexp", "matrix_power", "maxout", "multi_dot", "mv", "nextafter", "prelu", "real"),
    *("reciprocal", "relu", "relu6", "round", "rsqrt", "selu", "sigmoid", "sign", "silu", "sin"),
    *("sinh", "softmax", "softplus", "softsign", "sqrt", "square", "squared_l2_norm", "stanh"),
    *("tan", "tanh", "tanh_shrink", "thresholded_relu", "logcumsumexp", "fc"),
)
RULES.same(
    *("i0", "i0e", "i1", "i1e", "polygamma", "copysign", "l1_norm", "renorm", "swiglu"),
)
RULES["atan2"] = same("atan2", {"X1": "x", "X2": "y"})
RULES["baddbmm"] = same("baddbmm", attributes={"Alpha": "alpha", "Beta": "beta"})
RULES["complex"] = same("complex", {"X": "real", "Y": "imag"})
RULES["brelu"] = same("hardtanh")
RULES["cast"] = same("cast", attributes={"out_dtype": "dtype", "in_dtype": ""})
RULES["hard_shrink"] = same("hardshrink")
RULES["hard_sigmoid"] = same("hardsigmoid")
RULES["increment"] = same("increment", attributes={"step": "value"})
RULES["leaky_relu"] = same("leaky_relu", attributes={"alpha": "negative_slope"})
RULES["mean"] = same("mean_all")
RULES["mish"] = same("mish", attributes={"threshold": "lambda"})
RULES["pow"] = same("pow", {"FactorTensor": "y"}, {"factor": "y"})
RULES["scale"] = same("scale", {"ScaleTensor": "scale"})
RULES["softshrink"] = same("softshrink", attributes={"lambda": "threshold"})
RULES["sum"] = same("add_n", {"X": "inputs"})
RULES["addmm"] = same("addmm", attributes={"Alpha": "alpha", "Beta": "beta"})
RULES["cross"] = same("cross", attributes={"dim": "axis"})
RULES["einsum"] = same("einsum", {"Operands": "x"}, results=("Out",))
RULES["matmul_v2"] = same("matmul", attributes={"trans_x": "transpose_x", "trans_y": "transpose_y"})
RULES["mul"] = same("matmul_with_flatten")
RULES["matmul"] = same(
    "legacy_matmul", attributes={"transpose_X": "transpose_x", "transpose_Y": "transpose_y"}
)
RULES["trunc"] = same("trunc", {"X": "input"})
RULES["isfinite_v2"] = same("isfinite")
RULES["isinf_v2"] = same("isinf")
RULES["isnan_v2"] = same("isnan")

BINARY = {
    "elementwise_add": "add",
    "elementwise_div": "legacy.divide",
    "elementwise_floordiv": "floor_divide",
    "elementwise_fmax": "fmax",
    "elementwise_fmin": "fmin",
    "elementwise_heaviside": "heaviside",
    "elementwise_max": "maximum",
    "elementwise_min": "minimum",
    "elementwise_mod": "remainder",
    "elementwise_mul": "multiply",
    "elementwise_pow": "elementwise_pow",
    "elementwise_sub": "subtract",
    "minus": "subtract",
}
COMPARISONS = ("equal", "greater_equal", "greater_than", "less_equal", "less_than", "not_equal")


def _binary(op: str) -> Rule:
    """Of two tensors; `axis` is where the axes of the smaller one begin in the larger one."""

    def rule(call: Call) -> None:
        x, y, axis = call.one("X"), call.one("Y"), call.attribute("axis", -1)
        if axis != -1 and call.op.type in COMPARISONS:
            x = call.value("legacy.compared", x=x, y=y, axis=axis)
        elif axis != -1:
            x, y = (call.value("legacy.aligned", x=a, y=b, axis=axis) for a, b in ((x, y), (y, x)))
        call.node(op, {"x": x, "y": y}, ["Out"])

    return rule


for _name, _op in (BINARY | {n: n for n in COMPARISONS}).items():
    RULES[_name] = _binary(_op)

REDUCTIONS = {
    "reduce_all": "all",
    "reduce_amax": "amax",
    "reduce_amin": "amin",
    "reduce_any": "any",
    "reduce_max": "max",
    "reduce_mean": "mean",
    "reduce_min": "min",
    "reduce_prod": "prod",
    "reduce_sum": "sum",
    "frobenius_norm": "frobenius_norm",
}


def _reduction(op: str) -> Rule:
    def rule(call: Call) -> None:
        call.ignore("in_dtype")
        everything = bool(call.attribute("reduce_all"))
        axes = call.attribute("dim")
        axes = [] if everything else axes if isinstance(axes, list) else [axes]
        keep = bool(call.attribute("keep_dim"))
        kind = element(call.attribute("out_dtype"))
        arguments = {"x": call.one("X"), "axis": axes}
        match op:
            case "frobenius_norm":
                arguments |= {"keep_dim": keep, "reduce_all": not axes}
            case "prod":
                arguments |= {"keepdim": keep, "reduce_all": not axes}
            case "sum":
                arguments |= {"keepdim": keep, "dtype": kind}
            case _:
                arguments |= {"keepdim": keep}
        if op != "sum" and kind is not None:
            raise Unsupported(f"{call.op.type} into {kind.name.lower()}")
        call.node(op, arguments, ["Out"])

    return rule


for _name, _op in REDUCTIONS.items():
    RULES[_name] = _reduction(_op)


@RULES.add("hard_swish", "swish")
def ignore_attributes(call: Call) -> None:
    """Paddle 2 and 3 do not look at these attributes, Paddle 1 did."""
    usual = {"threshold": 6.0, "scale": 6.0, "offset": 3.0, "beta": 1.0}
    for name, value in usual.items():
        if call.attribute(name, value) != value:
            raise Unsupported(f"{call.op.type} with {name}={call.attribute(name)}")
    op = "hardswish" if call.op.type == "hard_swish" else "swish"
    call.node(op, {"x": call.one("X")}, ["Out"])


@RULES.add("allclose", "isclose")
def close(call: Call) -> None:
    """How close is a tensor, else a number that is written as text."""
    arguments = {"x": call.one("Input"), "y": call.one("Other")}
    for name, slot in (("rtol", "Rtol"), ("atol", "Atol")):
        text = call.attribute(name)
        arguments[name] = call.one(slot) if call.has(slot) else number(text, None)
    call.node(call.op.type, arguments | {"equal_nan": call.attribute("equal_nan")}, ["Out"])
