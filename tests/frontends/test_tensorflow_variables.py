"""Variables that a TensorFlow graph writes, in the order that it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import nnadapter as nna
from nnir.errors import Unsupported


class Steps(tf.Module):
    """Writes variables whole, by sums and by rows; one result is what was held before."""

    def __init__(self) -> None:
        self.level = tf.Variable(np.zeros((1, 4), np.float32), name="level")
        self.count = tf.Variable(3.0, name="count")
        self.rows = tf.Variable(np.zeros((3, 2), np.float32), name="rows")

    @tf.function
    def step(self, x: Any, place: Any) -> Any:
        before = self.level.read_value()
        self.level.assign(before * 0.5 + x)
        self.count.assign_add(1.0)
        self.rows.scatter_nd_update([place], [tf.reduce_sum(x) * tf.ones(2)])
        self.rows.scatter_add(tf.IndexedSlices(tf.ones((1, 2)), place))
        return {"y": self.level * self.count, "z": before, "r": tf.reduce_sum(self.rows, 0)}


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "litert"])
def test_what_a_signature_writes_is_kept(device: str, tmp_path: Path) -> None:
    module = Steps()
    specs = tf.TensorSpec((1, 4), tf.float32, "x"), tf.TensorSpec((1,), tf.int32, "place")
    tf.saved_model.save(
        module, tmp_path / "m", signatures=module.step.get_concrete_function(*specs)
    )
    function = module.step.get_concrete_function(*specs)
    live = nna.compile(nna.load(function))  # what nothing reads is written too
    live(np.ones((1, 4), np.float32), np.array([1], np.int32))
    assert {n.partition(":")[0]: a.sum() for n, a in live.states.items()} == {
        "level": 4,
        "count": 4,
        "rows": 10,
    }
    model = nna.load(tmp_path / "m")
    assert {s.name: s.initial.shape for s in model.states} == {
        "level": (1, 4),
        "count": (),
        "rows": (3, 2),
    }
    report = nna.verify(tmp_path / "m", device)
    assert report.agrees
    assert report.trials == 3


@pytest.mark.parametrize("reads_first", [True, False])
def test_the_order_goes_through_nodes_that_only_compute(reads_first: bool, tmp_path: Path) -> None:
    """A graph of TensorFlow 1 has the control inputs that its author wrote, and no others."""
    path = str(tmp_path / "m")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, (3,), "x")
        kept = tf.compat.v1.get_variable("kept", initializer=tf.ones(3), use_resource=True)
        if reads_first:
            seen = kept.read_value() * 2
            with tf.control_dependencies([seen + x]):
                write = kept.assign_add(x, read_value=False)
        else:
            write = kept.assign_add(x, read_value=False)
            with tf.control_dependencies([write]):
                shifted = tf.identity(x) + 1
            with tf.control_dependencies([shifted]):
                seen = kept.read_value() * 2
        with tf.control_dependencies([write]):
            y = tf.add(seen, x, name="y")
        session.run(tf.compat.v1.global_variables_initializer())
        tf.compat.v1.saved_model.simple_save(session, path, {"x": x}, {"y": y})
    program = nna.compile(nna.load(path))
    ones = np.ones(3, np.float32)
    first = 2 if reads_first else 4
    for call in range(3):
        np.testing.assert_array_equal(program(ones)[0], np.full(3, first + 2 * call + 1))
    assert nna.verify(path, "onnxruntime").agrees


def test_a_branch_that_writes_is_refused(tmp_path: Path) -> None:
    module = tf.Module()
    module.kept = tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            module.kept.assign(2.0)
        return x * module.kept

    spec = tf.TensorSpec((2,), tf.float32, "x")
    tf.saved_model.save(module, tmp_path / "m", signatures=step.get_concrete_function(spec))
    with pytest.raises(Unsupported, match="writes a variable in a branch or a loop"):
        nna.load(tmp_path / "m")
