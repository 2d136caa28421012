"""Features for classical models: counts of n-grams, and the domain ai.onnx.ml."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops.features import tf_idf_vectorizer
from nnir.recipes.estimators import features
from nnir.records import dataclass

from ...table import Floats, Ints, Prefixed, Table

table = Table()
table.same({"TfIdfVectorizer": tf_idf_vectorizer}, since=9, weights=())
table.same(
    {
        "ai.onnx.ml::ArrayFeatureExtractor": features.take_columns,
        "ai.onnx.ml::Binarizer": features.binarize,
        "ai.onnx.ml::FeatureVectorizer": features.join_features,
        "ai.onnx.ml::Normalizer": features.normalize_rows,
        "ai.onnx.ml::Scaler": features.scale_features,
    }
)
table.same({"ai.onnx.ml::OneHotEncoder": features.encode_categories}, only={"zeros": 1})


@dataclass(frozen=True)
class Numbers(Prefixed):
    """Numbers that are one of three attributes."""

    floats: Floats | None = None
    int64s: Ints | None = None
    tensor: np.ndarray | None = None

    def array(self) -> np.ndarray:
        kinds = (self.floats, np.float32), (self.int64s, np.int64), (self.tensor, None)
        given = [np.array(a, kind).reshape(-1) for a, kind in kinds if a is not None]
        if len(given) != 1:
            raise BadType(f"LabelEncoder with {len(given)} kinds of keys or values")
        return given[0]


@table.convert("ai.onnx.ml::LabelEncoder", since=2)
def label_encoder(
    x: Value,
    *,
    default_float: float = -0.0,
    default_int64: int = -1,
    default_tensor: np.ndarray | None = None,
    keys: Numbers,
    values: Numbers,
) -> Value:
    """The defaults that are no tensor are those of values that are none."""
    found = values.array()
    number = default_float if values.int64s is None else default_int64
    if values.tensor is not None:
        number = -1 if found.dtype.kind == "i" else -0.0
    if values.tensor is None or default_tensor is None:
        default_tensor = np.array(number, found.dtype)
    return features.encode_labels(x, keys.array(), found, default_tensor)


@table.convert("ai.onnx.ml::Imputer")
def imputer(
    x: Value,
    *,
    imputed_value_floats: Floats = (),
    imputed_value_int64s: Ints = (),
    replaced_value_float: float = 0.0,
    replaced_value_int64: int = 0,
) -> Value:
    if x.is_float:
        return features.impute(x, replaced_value_float, imputed_value_floats)
    return features.impute(x, replaced_value_int64, imputed_value_int64s)
