"""Some hundred random mutations of NNRt models; the script beside this tries as many as wanted."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest

from nnir.formats.nnrt import files
from nnir.formats.nnrt.enums import ReturnCode

from .nnrt_mutations import attack, build, compare_ways, run_built, run_file, starts


def test_mutations_are_accepted_with_equal_results_or_refused() -> None:
    ends, wrong = attack(400, seed=11)
    assert wrong == []
    assert sum(ends.values()) == 400
    assert ends["accepted with equal results"] > 20
    assert sum(n for end, n in ends.items() if end.startswith("refused")) > 100


@pytest.mark.parametrize("size", [None, 1])
@pytest.mark.parametrize("name", ["BIAS_ADD", "SCALE", "LAYER_NORM", "LSTM"])
def test_weights_of_open_sizes_go_both_ways(name: str, size: int | None) -> None:
    """They have the sizes that are wanted when the model runs, or that is refused."""
    start = next(s for s in starts() if s.name.startswith(f"{name}-"))
    (operation,) = start.model.operations
    fed = dict(zip(start.model.inputs, start.inputs, strict=True))
    tensors = list(start.model.tensors)
    inputs = [fed[k] if k in fed else tensors[k].data for k in operation.inputs]
    for k in operation.inputs[1:]:
        tensors[k] = replace(tensors[k], data=None, shape=(-1,) * len(tensors[k].shape))
    model = replace(start.model, tensors=tuple(tensors), inputs=operation.inputs)
    if size is not None:
        inputs[1] = inputs[1][..., :size]
    code, builder = build(model)
    assert code == ReturnCode.SUCCESS
    file = BytesIO()
    files.write(model, file)
    code, results = run_built(builder, inputs)
    assert bool(code) == (size is not None)
    assert compare_ways(code, results, run_file(file.getvalue(), inputs))[1] is None
