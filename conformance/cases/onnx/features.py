"""ONNX features for classical models: counts of n-grams, and the domain ai.onnx.ml."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, DeviceError, Unsupported

from ...case import ROUNDS, Case, Const, f, i, rand

ML = "ai.onnx.ml"
nan, inf = np.nan, np.inf
ROWS = i([1, 1, 3, 3, 3, 7], [8, 6, 7, 5, 6, 8], dtype=np.int32)
GRAMS: dict[str, Any] = {
    "mode": "TF",
    "min_gram_length": 1,
    "max_gram_length": 2,
    "max_skip_count": 0,
    "ngram_counts": [0, 4],
    "ngram_indexes": [0, 1, 2, 3, 4, 5, 6],
    "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7],
}
WEIGHTS = [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def grams(x: Any, why: str, *, raises: Any = None, oracle: str = "reference", **new: Any) -> Case:
    """TfIdfVectorizer with some attributes changed."""
    return Case("TfIdfVectorizer", (x,), GRAMS | new, why=why, raises=raises, oracle=oracle)


def ml(op: str, *inputs: Any, **attrs: Any) -> Any:
    """A case of the domain in two steps: the node, then what differs from the usual."""
    return lambda why="", **rest: Case(op, inputs, attrs, why=why, domain=ML, **rest)


MATRIX = rand(4, 3)
NORMS = ("MAX", "L1", "L2")
KEYS = {"keys_int64s": [2, 5, 5], "values_floats": [0.5, 1.5, 2.5]}

CASES = [
    grams(ROWS, "rows"),
    grams(ROWS[0].astype(np.int64), "one row of int64"),
    grams(ROWS, "one number between two", max_skip_count=1),
    grams(ROWS, "only pairs, far apart", min_gram_length=2, max_skip_count=5),
    grams(ROWS, "the weights of what occurs", mode="IDF", weights=WEIGHTS),
    grams(ROWS, "weighted counts", mode="TFIDF", weights=WEIGHTS),
    grams(ROWS, "counts weigh 1", mode="TFIDF", oracle="onnxruntime"),
    grams(ROWS, "what occurs weighs 1", mode="IDF", oracle="onnxruntime"),
    grams(ROWS, "columns in another order", ngram_indexes=[6, 5, 4, 3, 2, 1, 0]),
    grams(
        ROWS,
        "a weight belongs to an n-gram",
        oracle="onnxruntime",  # ONNX's evaluator takes the weight of the column
        mode="TFIDF",
        weights=WEIGHTS,
        ngram_indexes=[6, 5, 4, 3, 2, 1, 0],
    ),
    grams(ROWS, "two n-grams in a column", ngram_indexes=[0, 1, 2, 2, 1, 0, 0]),
    grams(
        ROWS,
        "weights in one column",
        mode="TFIDF",
        weights=WEIGHTS,
        ngram_indexes=[0, 1, 2, 2, 1, 0, 0],
        oracle="onnxruntime",
    ),
    grams(
        ROWS,
        "weights that exclude each other",
        mode="IDF",
        weights=WEIGHTS,
        ngram_indexes=[0, 1, 2, 2, 1, 0, 0],
        raises=BadType,
    ),
    grams(
        ROWS,
        "one column that occurs",
        mode="IDF",
        ngram_indexes=[0, 1, 2, 2, 1, 0, 0],
        oracle="onnxruntime",
    ),
    grams(ROWS[:, :1], "shorter than a pair"),
    grams(ROWS, "no such mode", mode="XX", raises=BadType),
    grams(ROWS, "half a pair", ngram_counts=[0, 3], raises=BadType),
    grams(ROWS, "too few columns", ngram_indexes=[0, 1], raises=BadType),
    grams(ROWS, "too few weights", mode="IDF", weights=[1.0], raises=BadType),
    grams(f(1, 2), "floats", raises=BadType),
    grams(ROWS, "strings", pool_strings=["a"], pool_int64s=[], raises=Unsupported),
    ml("ArrayFeatureExtractor", rand(2, 3, 4), i(3, 0))("the last axis"),
    ml("ArrayFeatureExtractor", f(1, 2, 3), Const(i([2, 0])))("a vector becomes a row"),
    ml("ArrayFeatureExtractor", i([1, 2], dtype=np.int32), i(1))("integers"),
    ml("ArrayFeatureExtractor", f(1, 2, 3), i(3))("outside", raises=DeviceError),
    ml("Binarizer", f(-1, 0, nan, inf, 2))(),
    ml("Binarizer", f(0.5, 0.75, 1), threshold=0.75)("not above itself"),
    ml("Binarizer", f(0.5, 0.75, 1, dtype=np.float64), threshold=0.75)("double"),
    ml("Binarizer", i(-1, 0, 1, 2), threshold=0.5)("between integers"),
    ml("Binarizer", i(-1, 0, 1, dtype=np.int32), threshold=-0.5)("between negative integers"),
    ml("Binarizer", i(-1, 5, dtype=np.int32), threshold=-1e20)("below all integers"),
    ml("Binarizer", i(-1, 5, dtype=np.int32), threshold=1e20)("above all integers"),
    ml("LabelEncoder", i([2, 5, 7]), **KEYS)("the last of equal keys"),
    ml("LabelEncoder", i(2, 7), **KEYS)("an old version", opset=2),
    ml("LabelEncoder", i(2, 7), **KEYS, default_float=9.5)("a default"),
    ml("LabelEncoder", f(1, -0.0, 3), keys_floats=[0.0, 1.0], values_int64s=[4, 5])("floats"),
    ml("LabelEncoder", f(1, nan, 3), keys_floats=[1.0, nan], values_int64s=[4, 5])(
        "nan is a key", oracle="onnxruntime"
    ),
    ml(
        "LabelEncoder",
        f(1, 2, dtype=np.float64),
        keys_tensor=f(1, 3, dtype=np.float64),
        values_tensor=i(7, 8, dtype=np.int16),
        default_tensor=i(-5, dtype=np.int16),
    )("tensors"),
    *(
        ml("LabelEncoder", i(2, 7), keys_tensor=i(2), values_tensor=np.array([5], kind))(
            f"what is no key, {np.dtype(kind).name}", oracle="onnxruntime"
        )
        for kind in (np.int64, np.float32, np.float64)
    ),
    ml("LabelEncoder", i(2, 7), keys_int64s=[2], values_int64s=[5])("what is no key"),
    ml("LabelEncoder", i(1), keys_int64s=[1], values_strings=["a"])("strings", raises=Unsupported),
    ml(
        "LabelEncoder",
        i(1, 3),
        keys_int64s=[3],
        values_int64s=[4],
        default_int64=7,
        default_string="unused",
    )("integers"),
    ml("LabelEncoder", i(1), keys_strings=["a"], values_int64s=[1])(
        "keys are strings", raises=Unsupported
    ),
    ml("LabelEncoder", f(1), **KEYS)("keys of another type", raises=BadType),
    ml("LabelEncoder", i(1), keys_int64s=[1, 2], values_int64s=[1])("a value", raises=BadType),
    ml("Scaler", MATRIX, offset=[1.0, -2.0, 0.5], scale=[2.0, 0.5, 3.0])(),
    ml("Scaler", MATRIX, offset=[1.0], scale=[3.0])("one number for all features", tol=ROUNDS),
    ml("Scaler", i([1, 2], [3, 4]), offset=[0.5, 1.0], scale=[2.0, 3.0])(
        "integers", oracle="onnxruntime"
    ),
    ml("Scaler", MATRIX.astype(np.float64), offset=[0.5], scale=[3.0])(
        "double", oracle="onnxruntime"
    ),
    ml("Scaler", MATRIX, offset=[1.0, 2.0], scale=[3.0])("a feature less", raises=BadType),
    *(ml("Normalizer", MATRIX, norm=n)(n, oracle="onnxruntime", tol=ROUNDS) for n in NORMS),
    *(
        ml("Normalizer", f([0, 0], [1, -3]), norm=n)(n + " of 0", oracle="onnxruntime", tol=ROUNDS)
        for n in NORMS
    ),
    ml("Normalizer", f([0, -3], [-1, -3]), norm="MAX")(
        "MAX of what is not above 0", oracle="onnxruntime", tol=ROUNDS
    ),
    ml("Normalizer", i([3, 4], [1, 2]), norm="L2")("integers", oracle="onnxruntime", tol=ROUNDS),
    ml("Normalizer", MATRIX, norm="L3")("no such norm", raises=Unsupported),
    ml("Imputer", f([1, nan], [nan, 2]), imputed_value_floats=[5.0, 6.0], replaced_value_float=nan)(
        "nan is missing"
    ),
    ml("Imputer", f([1, 0], [0, nan]), imputed_value_floats=[5.0])("one number, 0 is missing"),
    ml("Imputer", i([1, 7], [7, 2]), imputed_value_int64s=[5, 6], replaced_value_int64=7)(),
    ml("Imputer", i([1, 7]), imputed_value_floats=[5.0])("numbers of another type", raises=BadType),
    ml("OneHotEncoder", i(3, 1, 9), cats_int64s=[1, 3, 4])(),
    ml("OneHotEncoder", i([3, 1], [9, 4], dtype=np.int32), cats_int64s=[1, 3, 4])("a matrix"),
    ml("OneHotEncoder", i(3), cats_int64s=[1, 3], zeros=0)("all known", raises=Unsupported),
    ml("OneHotEncoder", i(3), cats_strings=["a"])("strings", raises=Unsupported),
    ml("OneHotEncoder", f(0.9, 1, -0.5, 1.7, nan, inf, 3e30), cats_int64s=[0, 1])(
        "floats", oracle="onnxruntime"
    ),
    ml("OneHotEncoder", f([3, 1], [9, 4], dtype=np.float64), cats_int64s=[1, 3])(
        "doubles", oracle="onnxruntime"
    ),
    ml("OneHotEncoder", np.array([True]), cats_int64s=[1])("truth values", raises=Unsupported),
    ml("OneHotEncoder", i(3), cats_int64s=[3, 3])("twice the same", raises=BadType),
    ml("FeatureVectorizer", rand(4, 3), rand(4, 2), inputdimensions=[3, 2])(
        "side by side", oracle="onnxruntime"
    ),
    ml("FeatureVectorizer", rand(4, 3), rand(4, 2), inputdimensions=[2, 4])(
        "cut and filled", oracle="onnxruntime"
    ),
    ml("FeatureVectorizer", i([1, 2], [3, 4]), inputdimensions=[2])(
        "integers", oracle="onnxruntime"
    ),
    ml("FeatureVectorizer", f(1, 2, 3), f(4, 5), inputdimensions=[3, 2])(
        "vectors are rows", oracle="onnxruntime"
    ),
    ml("FeatureVectorizer", rand(4, 3), rand(4, 2), inputdimensions=[1, 1])(
        "one of each", oracle="onnxruntime"
    ),
    ml("FeatureVectorizer", rand(4, 3), inputdimensions=[0])("none", raises=BadType),
    ml("FeatureVectorizer", f(1, 2), inputdimensions=[2, 2])("a size too many", raises=BadType),
    ml("FeatureVectorizer", rand(1, 2, 3), inputdimensions=[3])("three axes", raises=BadType),
]
