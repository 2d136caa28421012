"""Which operators are written in others, and why the rest is not."""

from __future__ import annotations

import numpy as np

from nnir.decompositions.impossible import IMPOSSIBLE
from nnir.model import Model
from nnir.ops import OPERATORS, binary
from nnir.standard import Beyond, explain_beyond
from nnir.types import Precision, TensorType


def test_every_extension_has_a_decomposition_or_a_reason() -> None:
    extensions = [o for o in OPERATORS.values() if o.since == "ext"]
    written = {o.name for o in extensions if o.decompositions}
    reasons = {o.name for o in IMPOSSIBLE}
    assert written & reasons == set()
    assert {o.name for o in extensions} == written | reasons


def test_only_extensions_have_a_reason() -> None:
    assert {o.since for o in IMPOSSIBLE} == {"ext"}
    assert all(why and not why.endswith(".") for why in IMPOSSIBLE.values())


def test_the_reason_is_what_a_user_reads() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2,)))
    model.outputs = [binary.next_after(x, np.float32([1, 2]))]
    why = "it reads the bits of a number, and no operator of the standard does"
    assert explain_beyond(model) == [Beyond("NEXT_AFTER", 1, None, why)]
