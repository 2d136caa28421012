"""Which operators are written in others, and why the rest is not."""

from __future__ import annotations

import numpy as np

from nnir.decompositions.impossible import IMPOSSIBLE
from nnir.model import Model
from nnir.ops import OPERATORS, binary
from nnir.standard import Beyond, to_standard
from nnir.types import Precision, TensorType

AWAITED = {
    *("AFFINE_GRID", "AVERAGE_POOL", "CHOLESKY", "COL_2_IM", "CONV_3D", "CONV_3D_TRANSPOSE"),
    *("CUM_MAX", "CUM_MIN", "CUM_PROD", "DETERMINANT", "GRID_SAMPLE_3D", "GRU", "IF", "INVERSE"),
    *("LP_POOL", "LSTM", "MATRIX_INVERSE", "MAX_POOL", "MAX_ROI_POOL", "MAX_ROI_POSITIONS"),
    *("MAX_UNPOOL", "NON_MAX_SUPPRESSION_INDICES", "REDUCE_LOG_SUM_EXP", "REDUCE_PROD", "RESIZE"),
    *("RNN", "ROI_ALIGN_MAX", "SOLVE_TRIANGULAR", "WHILE"),
}
"""Operators that are still to be written in others."""


def test_every_extension_has_a_decomposition_or_a_reason() -> None:
    extensions = [o for o in OPERATORS.values() if o.since == "ext"]
    written = {o.name for o in extensions if o.decompositions}
    reasons = {o.name for o in IMPOSSIBLE}
    assert written & reasons == set()
    assert {o.name for o in extensions} - written - reasons <= AWAITED


def test_only_extensions_have_a_reason() -> None:
    assert {o.since for o in IMPOSSIBLE} == {"ext"}
    assert all(why and not why.endswith(".") for why in IMPOSSIBLE.values())


def test_the_reason_is_what_a_user_reads() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2,)))
    model.outputs = [binary.next_after(x, np.float32([1, 2]))]
    why = "it reads the bits of a number, and no operator of the standard does"
    assert to_standard(model, level="unrolled") == [Beyond("NEXT_AFTER", why, 1)]
