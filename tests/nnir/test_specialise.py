"""Models for inputs of known sizes."""

from __future__ import annotations

import numpy as np
import pytest

from nnir.check import check
from nnir.dim import symbol
from nnir.errors import BadInput
from nnir.evaluate import evaluate
from nnir.model import Model
from nnir.ops import binary, index, reduce, shape
from nnir.passes import CLEAN, apply
from nnir.specialise import fix_sizes, specialise
from nnir.types import Precision, TensorType


def flattened() -> Model:
    """Rows flattened by a computed shape, and their sum with themselves."""
    model = Model("flattened")
    rows = symbol("rows")
    model.symbols["rows"] = (0, None)
    x = model.input("x", TensorType(Precision.FLOAT32, (rows, 3, rows * 2)))
    count = index.gather(shape.shape(x, dtype=Precision.INT64), [0])
    flat = shape.reshape(x, shape.concat(count, model.constant([-1], np.int64), axis=0))
    model.outputs = [reduce.reduce_sum(binary.add(flat, flat), [1], keepdim=False)]
    return model


def test_sizes_become_numbers_and_shapes_constants() -> None:
    model = flattened()
    made = specialise(model, [(2, 3, 4)])
    check(made)
    apply(made, CLEAN)
    assert made.outputs[0].shape == (2,)
    assert all(v.is_static for v in made.values())
    assert "SHAPE" not in {o.operator.name for o in made.operations}
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(evaluate(made, [x])[0], evaluate(model, [x])[0])
    assert not model.inputs[0].is_static


@pytest.mark.parametrize("shape", [(2, 3), (2, 4, 4), (2, 3, 5)])
def test_shapes_that_do_not_fit(shape: tuple[int, ...]) -> None:
    with pytest.raises(BadInput):
        specialise(flattened(), [shape])


def test_sizes_by_name() -> None:
    model = flattened()
    model.symbols["rows"] = (1, 8)
    made = fix_sizes(model, {"rows": 2})
    assert [v.shape for v in made.inputs] == [(2, 3, 4)]
    for sizes, text in (({"nope": 2}, "no dimension nope; there are rows"), ({"rows": 9}, "=9")):
        with pytest.raises(BadInput, match=text):
            fix_sizes(model, sizes)
