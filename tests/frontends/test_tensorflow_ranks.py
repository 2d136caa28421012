"""TensorFlow inputs of unknown rank."""

from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow as tf

import nnadapter as nna
from nnir.errors import Unsupported


def test_a_saved_model_of_unknown_rank(tmp_path: Path) -> None:
    module = tf.Module()
    signature = tf.function(
        lambda x: {"y": tf.nn.relu(x) * 2}, input_signature=[tf.TensorSpec(None, tf.float32, "x")]
    )
    module.f = signature
    tf.saved_model.save(module, tmp_path / "m", signatures=signature)
    with pytest.raises(Unsupported, match="inputs of unknown rank: 'x'"):
        nna.load(tmp_path / "m")
    loading = {"shapes": {"x": [2, "width"]}}
    assert nna.verify(tmp_path / "m", "onnxruntime", loading=loading).agrees
    with pytest.raises(Unsupported, match="inputs of unknown rank: 'x'"):
        nna.load(signature)
    assert nna.load(signature, **loading).inputs[0].rank == 2
