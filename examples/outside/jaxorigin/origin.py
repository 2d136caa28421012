"""Cases of JAX's functions, converted by their jaxpr."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import ml_dtypes  # noqa: F401  makes NumPy know bfloat16 by name
import numpy as np

from conformance.case import ROUNDS, Case, f, rand
from conformance.engines.engine import Answer
from conformance.engines.functions import Functions
from conformance.engines.outside import OutsideOrigin
from conformance.oracles.oracle import Oracle
from nnir.model import Model, Value
from nnir.passes import CLEAN, apply
from nnir.types import TensorType, precision_of

from .primitives import apply_step

NAN, INF = float("nan"), float("inf")


class Jaxprs(Functions):
    """Functions that need no converter: they are asked for their jaxpr too."""

    def ask(self, case: Case, oracle: Oracle) -> Answer:
        answer = super().ask(case, oracle)
        asked = replace(case, op=f"jaxpr:{case.op}")
        (program,) = super().ask(asked, oracle).results
        return replace(answer, files=(program.tobytes(),))

    def model(self, case: Case, answer: Answer) -> Model:
        program = json.loads(answer.files[0])
        model = Model(case.op)
        arrays = [a for a in case.inputs if isinstance(a, np.ndarray)]
        values: dict[int, Value] = {}
        for name, array in zip(program["inputs"], arrays, strict=True):
            type = TensorType(precision_of(array.dtype), array.shape)
            values[name] = model.input(f"x{name}", type)
        for step in program["steps"]:
            (made,) = step["outputs"]
            if "constant" in step:
                data = step["constant"]
                array = np.frombuffer(bytes.fromhex(data["bytes"]), np.dtype(data["dtype"]))
                values[made] = model.constant(array.reshape(data["shape"]))
            else:
                values[made] = apply_step(step, [values[k] for k in step["inputs"]])
        model.outputs = [values[k] for k in program["outputs"]]
        apply(model, CLEAN)
        return model


X, SPECIAL = rand(2, 5), f(NAN, -INF, INF, -0.0, 1.5, -88.9)

CASES = (
    *(Case(f"jax.nn.{n}", (X,), tol=ROUNDS) for n in ("relu", "relu6", "gelu", "silu", "elu")),
    *(
        Case(f"jax.nn.{n}", (X,), tol=ROUNDS)
        for n in ("softplus", "sigmoid", "log_softmax", "celu")
    ),
    *(Case(f"jax.nn.{n}", (SPECIAL,), tol=ROUNDS, why="edges") for n in ("relu", "sigmoid")),
    Case("jax.nn.softmax", (X,), {"axis": 0}, tol=ROUNDS),
    Case("jax.nn.softmax", (X,), tol=ROUNDS),
    Case("jax.nn.softmax", (f(-INF, -INF),), tol=ROUNDS, why="nothing is left"),
    *(Case(f"jax.numpy.{n}", (X,), tol=ROUNDS) for n in ("exp", "tanh", "sqrt", "square", "sign")),
    *(
        Case(f"jax.numpy.{n}", (SPECIAL,), tol=ROUNDS, why="edges")
        for n in ("sign", "abs", "floor")
    ),
    *(Case(f"jax.numpy.{n}", (X,), {"axis": 1}, tol=ROUNDS) for n in ("sum", "max", "min", "mean")),
    *(
        Case(f"jax.numpy.{n}", (X,), {"axis": 0}, tol=ROUNDS)
        for n in ("var", "std", "cumsum", "prod")
    ),
    Case("jax.numpy.matmul", (rand(2, 3), rand(3, 4)), tol=ROUNDS),
    Case("jax.numpy.matmul", (rand(5, 2, 3), rand(5, 3, 4)), tol=ROUNDS, why="a batch"),
    Case("jax.numpy.tensordot", (rand(2, 3, 4), rand(3, 4, 5)), tol=ROUNDS),
    Case("jax.numpy.where", (X > 0, X, -X)),
    Case("jax.numpy.maximum", (f(NAN, 1, NAN), f(1, NAN, NAN)), why="NaN on either side"),
    Case("jax.numpy.transpose", (rand(2, 3, 4),), {"axes": (2, 0, 1)}),
    Case("jax.scipy.special.logsumexp", (X,), {"axis": 1}, tol=ROUNDS),
)

ORIGIN = OutsideOrigin(
    "jax",
    Jaxprs("jaxorigin.worker", {}),
    CASES,
    packages=("jax", "jaxlib"),
    python=os.environ.get("NNADAPTER_JAX_PYTHON"),
)
