"""NNAPI files that are damaged, hostile, or say what the standard cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.cases.nnapi import CASES
from conformance.engines.nnapi import make_model
from frontends import nnapi
from nnir.check import check
from nnir.errors import BadFile, NNAdapterError, Unsupported
from nnir.formats.nnapi import files
from nnir.formats.nnapi.structures import LifeTime, Operand, OperandType
from nnir.types import Precision

from ..nnir.nnapi_models import one

STARTS = [make_model(c) for c in CASES if not c.raises][::7]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.nnapi"
    path.write_bytes(b"")
    assert nnapi.detects(path)
    for source in (path, b"NNAPI1.0", 3):
        with pytest.raises(BadFile):
            nnapi.load(source)  # type: ignore[arg-type]
    assert not nnapi.detects(b"TFL3")
    assert not nnapi.detects(tmp_path / "missing.nnapi")


@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_are_refused_or_make_a_valid_model(seed: int) -> None:
    rng = np.random.default_rng(seed)
    loaded = 0
    for model in STARTS:
        content = files.dumps(model)
        for _ in range(8):
            damaged = bytearray(content)
            for place in rng.integers(0, len(content), 2):
                damaged[place] = int(rng.integers(256))
            try:
                found = nnapi.load(bytes(damaged))
            except NNAdapterError:
                continue
            check(found)
            loaded += 1
    assert loaded


def test_scalars_that_are_not_known_are_refused_by_name() -> None:
    model = one("SOFTMAX", [(2, 3)], {"beta": 1.0})
    operands = list(model.operands)
    place = next(k for k, o in enumerate(operands) if o.type == OperandType.FLOAT32)
    beta = Operand(OperandType.FLOAT32, (), 1, lifetime=LifeTime.MODEL_INPUT)
    operands[place] = beta
    inputs = (*model.input_indexes, place)
    found = replace(model, operands=tuple(operands), input_indexes=inputs)
    with pytest.raises(Unsupported, match="is a scalar, FLOAT32"):
        nnapi.load(files.dumps(found))


def test_open_dimensions_become_names() -> None:
    found = nnapi.load(files.dumps(one("ADD", [(0, 3), (0, 3)], {"fuse_code": 0})))
    first, second = found.inputs
    assert str(first.shape[0]) == "batch" == str(second.shape[0])
    assert first.shape[1] == 3
    assert first.precision == Precision.FLOAT32


def test_weights_are_views_of_the_file(tmp_path: Path) -> None:
    table = np.arange(600, dtype=np.float32).reshape(100, 6)
    path = tmp_path / "table.nnapi"
    path.write_bytes(files.dumps(one("EMBEDDING_LOOKUP", [("i", 2), table])))
    found = nnapi.load(path)
    (weights,) = [v.constant for v in found.values() if v.constant is not None and v.rank == 2]
    assert np.array_equal(weights, table)
    assert not weights.flags.owndata
    assert not weights.flags.writeable
