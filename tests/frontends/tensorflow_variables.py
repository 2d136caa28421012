"""Fills a folder with TensorFlow models that write variables, or whose inputs have no rank.

Run as `python -m tests.frontends.tensorflow_variables FOLDER`, in a process of its own. What it
says of objects, which only this process has, is in `said.json`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

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


def save_steps(folder: Path) -> dict[str, float]:
    """What the object itself holds after a step, summed up: what nothing reads is written too."""
    module = Steps()
    specs = tf.TensorSpec((1, 4), tf.float32, "x"), tf.TensorSpec((1,), tf.int32, "place")
    function = module.step.get_concrete_function(*specs)
    tf.saved_model.save(module, folder / "steps", signatures=function)
    live = nna.compile(nna.load(function))
    live(np.ones((1, 4), np.float32), np.array([1], np.int32))
    return {n.partition(":")[0]: float(a.sum()) for n, a in live.states.items()}


def save_order(path: str, *, reads_first: bool) -> None:
    """Of TensorFlow 1: the order goes through nodes that only compute."""
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


def save_branch(folder: Path) -> None:
    """A branch that writes."""
    module = tf.Module()
    module.kept = tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            module.kept.assign(2.0)
        return x * module.kept

    spec = tf.TensorSpec((2,), tf.float32, "x")
    tf.saved_model.save(module, folder / "branch", signatures=step.get_concrete_function(spec))


def save_unranked(folder: Path) -> dict[str, Any]:
    """An input of unknown rank, and what becomes of the object without and with shapes."""
    module = tf.Module()
    signature = tf.function(
        lambda x: {"y": tf.nn.relu(x) * 2}, input_signature=[tf.TensorSpec(None, tf.float32, "x")]
    )
    module.f = signature
    tf.saved_model.save(module, folder / "unranked", signatures=signature)
    try:
        nna.load(signature)
        refusal = ""
    except Unsupported as error:
        refusal = str(error)
    rank = nna.load(signature, shapes={"x": [2, "width"]}).inputs[0].rank
    return {"refusal": refusal, "rank": rank}


def main(folder: Path) -> None:
    """All of them."""
    said = {"steps": save_steps(folder), "unranked": save_unranked(folder)}
    for reads_first in (True, False):
        save_order(str(folder / f"order-{reads_first}"), reads_first=reads_first)
    save_branch(folder)
    (folder / "said.json").write_text(json.dumps(said))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
