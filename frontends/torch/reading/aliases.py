"""Operators of ATen under two names: the one that converters use for the other."""

from __future__ import annotations

import functools

from . import schema

ALIASES = {
    "__and__": "bitwise_and",
    "__lshift__": "bitwise_left_shift",
    "__or__": "bitwise_or",
    "__rshift__": "bitwise_right_shift",
    "__xor__": "bitwise_xor",
    "absolute": "abs",
    "alias_copy": "alias",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "as_strided_copy": "as_strided",
    "clip": "clamp",
    "concat": "cat",
    "concatenate": "cat",
    "detach_copy": "detach",
    "diagonal_copy": "diagonal",
    "divide": "div",
    "expand_copy": "expand",
    "fix": "trunc",
    "ger": "outer",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "linalg_matmul": "matmul",
    "moveaxis": "movedim",
    "multiply": "mul",
    "narrow_copy": "narrow",
    "negative": "neg",
    "not_equal": "ne",
    "permute_copy": "permute",
    "row_stack": "vstack",
    "select_copy": "select",
    "slice_copy": "slice",
    "special_digamma": "digamma",
    "special_erf": "erf",
    "special_erfc": "erfc",
    "special_erfinv": "erfinv",
    "special_exp2": "exp2",
    "special_expit": "sigmoid",
    "special_expm1": "expm1",
    "special_gammainc": "igamma",
    "special_gammaincc": "igammac",
    "special_gammaln": "lgamma",
    "special_i0": "i0",
    "special_log1p": "log1p",
    "special_logit": "logit",
    "special_logsumexp": "logsumexp",
    "special_multigammaln": "mvlgamma",
    "special_polygamma": "polygamma",
    "special_psi": "digamma",
    "special_sinc": "sinc",
    "split_copy": "split",
    "split_with_sizes_copy": "split_with_sizes",
    "squeeze_copy": "squeeze",
    "subtract": "sub",
    "t_copy": "t",
    "transpose_copy": "transpose",
    "true_divide": "div",
    "unbind_copy": "unbind",
    "unfold_copy": "unfold",
    "unsqueeze_copy": "unsqueeze",
    "view_copy": "view",
}
"""One meaning, one converter; a test holds that the signatures are the same."""


@functools.cache
def canonical(op: str) -> str:
    """The name that converters use."""
    namespace, packet, overload = (*op.split(".", 2), "", "")[:3]
    if namespace == "aten" and packet in ALIASES:
        found = f"aten.{ALIASES[packet]}.{overload}"
        return found if schema.find(found) is not None else op
    return op
