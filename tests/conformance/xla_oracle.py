"""The TensorFlow oracle with the operator compiled by XLA, which runs what TensorFlow's own
processor kernels refuse (channels first, dilations). Runs as a worker process."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.oracles.oracle import argument
from conformance.oracles.tensorflow import call_operator, results, tf
from conformance.processes.worker_loop import serve


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> list[Any]:
    """Run `op` of the head on its arguments; whole numbers are constants of what is compiled."""
    given = dict(zip(head["names"], head["args"], strict=False)) | head["kwargs"]
    function = getattr(tf.raw_ops, head["op"])
    given = call_operator(given, function)
    places = [k for k, a in enumerate(arrays) if a.dtype.kind == "f"]

    @tf.function(jit_compile=True, autograph=False)
    def compiled(*floats: Any) -> Any:
        tensors = [tf.constant(a) for a in arrays]
        for place, tensor in zip(places, floats, strict=True):
            tensors[place] = tensor
        return function(**{k: argument(a, tensors, tf.as_dtype) for k, a in given.items()})

    return results(compiled(*(tf.constant(arrays[k]) for k in places)))


if __name__ == "__main__":
    serve(answer)
