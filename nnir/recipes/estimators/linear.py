"""Linear models: products of rows with coefficients."""

from __future__ import annotations

import numpy as np

from ...errors import BadType
from ...model import Value
from ...ops import linear
from ...types import Precision
from . import scores as scoring
from .scores import Floats, Ints, Transform


def project(x: Value, coefficients: Floats, count: int) -> Value:
    """The products [N, count] of rows [N, F] with `count` rows of F coefficients."""
    rows = np.array(coefficients, x.dtype)
    if count < 1 or not rows.size or rows.size % count:
        raise BadType(f"{rows.size} coefficients of {count} rows")
    return linear.mat_mul(x, x.model.constant(np.ascontiguousarray(rows.reshape(count, -1).T)))


def predict(
    x: Value,
    *,
    coefficients: Floats = (),
    intercepts: Floats = (),
    post_transform: Transform = "NONE",
    targets: int = 1,
) -> Value:
    """The targets [N, targets] of rows [N, F] in float32."""
    if x.rank != 2 or targets < 1 or len(intercepts) not in (0, targets):
        raise BadType(f"a linear model of {x.type} with {targets} targets")
    result = project(scoring.to_working_precision(x), coefficients, targets)
    if intercepts:
        result = result + intercepts
    return scoring.transform_scores(result.cast(Precision.FLOAT32), post_transform)


def classify(
    x: Value,
    *,
    classlabels_ints: Ints,
    coefficients: Floats,
    intercepts: Floats,
    post_transform: Transform = "NONE",
) -> tuple[Value, Value]:
    """The label [N] of each row [N, F], and as many scores as intercepts; a single one is that of
    the second of two classes."""
    rows, count = scoring.rows_of(x, "a linear model"), len(intercepts)
    labels, how = classlabels_ints, post_transform
    if len(labels) < max(count, 2):
        raise BadType(f"{len(labels)} labels of {max(count, 2)} classes")
    scores = project(rows, coefficients, count) + intercepts
    if count == 1:
        return scoring.choose_label(scores > 0, labels), scoring.split_score(
            scores, how, 1 - scores
        )
    return scoring.best_label(scores, labels[:count]), scoring.transform_scores(scores, how)
