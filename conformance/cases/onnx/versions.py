"""ONNX operators at the ends of their versions: at the last opset before one, and at its first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from nnir.errors import Unsupported

from ...case import Case, f
from ...engines.onnx import NEWEST

FIRST: Mapping[int, str] = {
    7: "Acos Asin Atan Cos Sin Tan",
    9: "Acosh Asinh Atanh Cosh Erf IsNaN MaxUnpool MeanVarianceNormalization Shrink Sign"
    " Sinh TfIdfVectorizer Where",
    10: "ConvInteger DequantizeLinear IsInf Mod NonMaxSuppression QLinearConv QuantizeLinear"
    " Resize ThresholdedRelu",
    11: "BitShift CumSum DynamicQuantizeLinear Round Unique",
    12: "Celu GreaterOrEqual LessOrEqual NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
    14: "HardSwish",
    15: "CastLike",
    16: "GridSample",
    17: "SequenceMap",
    18: "BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Col2Im GroupNormalization Mish",
    19: "DeformConv",
    20: "AffineGrid Gelu",
    23: "Attention RMSNormalization RotaryEmbedding",
    24: "Swish",
    26: "BitCast CumProd",
    27: "CausalConvWithState LinearAttention",
    28: "SwiGLU",
}
"""The opsets after the first that operators came with; before it they are refused."""

CHANGED: Mapping[int, str] = {
    4: "Concat",
    5: "Reshape",
    6: "Cast Selu Tile",
    7: "Add And BatchNormalization Div Dropout Equal Greater Less Mul Or PRelu Pow Sub Upsample"
    " Xor",
    9: "Scan Upsample",
    10: "Dropout Slice TopK",
    11: "Clip Pad Resize",
    12: "Dropout",
    13: "Hardmax LogSoftmax ReduceSum Softmax Split Squeeze Unsqueeze",
    14: "BatchNormalization",
    16: "RoiAlign",
    18: "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd"
    " ReduceSum ReduceSumSquare",
    20: "DFT",
    21: "GroupNormalization",
}
"""The opsets that gave them other inputs, attributes or meanings."""

OPEN_END = 1000
LAST: Mapping[str, int] = {"Upsample": 9}
"""The last opsets of operators that are gone."""

UNKNOWN = frozenset({"DequantizeLinear"})
"""What ONNX's evaluator does not know in its first version."""


def by_operator(table: Mapping[int, str]) -> dict[str, list[int]]:
    """The opsets of each operator, in their order."""
    found: dict[str, list[int]] = {}
    for opset, names in table.items():
        for name in names.split():
            found.setdefault(name, []).append(opset)
    return found


def rows_before(cases: Iterable[Case]) -> Iterator[Case]:
    """The first row of each operator that came later, an opset too early."""
    plain = {c.op: c for c in reversed([*cases]) if not c.domain and c.raises is None}
    for name, (opset,) in by_operator(FIRST).items():
        row = plain.get(name) or Case(name, (f(1, 2),))
        yield replace(row, opset=opset - 1, raises=Unsupported, why="before it came")


def rows_at_ends(cases: Iterable[Case]) -> Iterator[Case]:
    """A row of each form of an operator, at the first and at the last opset of the form."""
    first, changed = by_operator(FIRST), by_operator(CHANGED)
    rows = [c for c in cases if not c.domain and c.raises is None]
    for name in sorted({*first, *changed} - UNKNOWN):
        later = changed.get(name, [])
        starts = [*first.get(name, [1]), *later]
        ends = [*(n - 1 for n in later), LAST.get(name, OPEN_END)]
        for start, end in zip(starts, ends, strict=True):
            form = [c for c in rows if c.op == name and start <= (c.opset or NEWEST) <= end]
            if form:
                row = form[0] if end == OPEN_END else max(form, key=lambda c: c.outputs)
                edges = {start, end} - {1, OPEN_END, *(c.opset or NEWEST for c in form)}
                yield from (replace(row, opset=opset) for opset in sorted(edges))
