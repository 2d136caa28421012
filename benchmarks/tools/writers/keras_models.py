"""SavedModels and TFLite files of Keras, in every way to quantise that TensorFlow's converter has.

The same program writes those of Keras 2 and of Keras 3: what stands in its environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from making import Write, main

layers = tf.keras.layers
SAMPLES = 16


def convolved(rows: int | None) -> Any:
    return tf.keras.Sequential([
        layers.Input((24, 24, 3), rows),
        layers.Conv2D(8, 3, padding="same", activation="relu"),
        layers.BatchNormalization(),
        layers.MaxPooling2D(),
        layers.Conv2D(16, 3, strides=2, activation="relu6"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(10, activation="softmax"),
    ])  # fmt: skip


def separable(rows: int | None) -> Any:
    given = layers.Input((24, 24, 3), rows)
    found = layers.Conv2D(8, 3, 2, padding="same", use_bias=False)(given)
    found = layers.ReLU(6.0)(layers.BatchNormalization()(found))
    inside = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(found)
    inside = layers.ReLU(6.0)(layers.BatchNormalization()(inside))
    inside = layers.BatchNormalization()(layers.Conv2D(8, 1, use_bias=False)(inside))
    found = layers.Add()([found, inside])
    found = layers.SeparableConv2D(12, 3, dilation_rate=2, padding="same")(found)
    return tf.keras.Model(given, layers.Dense(5)(layers.Flatten()(found)))


def unet(rows: int | None) -> Any:
    given = layers.Input((24, 24, 3), rows)
    first = layers.Conv2D(8, 3, padding="same", activation="relu")(given)
    second = layers.Conv2D(12, 3, 2, padding="same", activation="elu")(first)
    up = layers.Conv2DTranspose(8, 3, 2, padding="same", activation="relu")(second)
    found = layers.Concatenate()([first, up, layers.UpSampling2D(interpolation="bilinear")(second)])
    return tf.keras.Model(given, layers.Conv2D(2, 1, activation="sigmoid")(found))


def excited(rows: int | None) -> Any:
    given = layers.Input((24, 24, 3), rows)
    found = layers.Conv2D(8, 5, padding="valid", activation="swish")(given)
    gate = layers.GlobalAveragePooling2D()(found)
    gate = layers.Dense(8, activation="hard_sigmoid")(layers.Dense(4, activation="relu")(gate))
    found = layers.Multiply()([found, layers.Reshape((1, 1, 8))(gate)])
    found = layers.AveragePooling2D(3, 2, padding="same")(layers.ZeroPadding2D(1)(found))
    return tf.keras.Model(given, layers.PReLU(shared_axes=[1, 2])(layers.Cropping2D(1)(found)))


def recurrent(kind: Any, rows: int | None) -> Any:
    return tf.keras.Sequential(
        [
            layers.Input((12, 6), rows),
            layers.Bidirectional(kind(8, return_sequences=True)),
            kind(6),
            layers.Dense(4, activation="tanh"),
        ]
    )


def attentive(rows: int | None) -> Any:
    given = layers.Input((12, 16), rows)
    found = layers.LayerNormalization(epsilon=1e-6)(given)
    found = given + layers.MultiHeadAttention(4, 4)(found, found)
    inside = layers.Dense(32, activation="gelu")(layers.LayerNormalization(epsilon=1e-6)(found))
    found = found + layers.Dense(16)(inside)
    return tf.keras.Model(given, layers.Dense(3)(layers.GlobalAveragePooling1D()(found)))


def heard(rows: int | None) -> Any:
    return tf.keras.Sequential(
        [
            layers.Input((64, 1), rows),
            layers.Conv1D(8, 5, 2, padding="causal", activation="relu"),
            layers.Conv1D(8, 3, dilation_rate=2, padding="same"),
            layers.LeakyReLU(),
            layers.MaxPooling1D(2),
            layers.Flatten(),
            layers.Dense(6, activation="softplus"),
        ]
    )


NETWORKS: dict[str, Callable[[int | None], Any]] = {
    "convolved": convolved,
    "separable": separable,
    "unet": unet,
    "excited": excited,
    "lstm": partial(recurrent, layers.LSTM),
    "gru": partial(recurrent, layers.GRU),
    "attentive": attentive,
    "heard": heard,
}


def build(name: str, rows: int | None = None) -> Any:
    """A network with statistics as after some training, for so many rows; for any where None."""
    tf.keras.utils.set_random_seed(0)
    rng = np.random.default_rng(0)
    model = NETWORKS[name](rows)
    for layer in model.layers:
        if isinstance(layer, layers.BatchNormalization):
            scale, shift, mean, variance = layer.get_weights()
            drawn = rng.random((2, len(mean)), np.float32)
            layer.set_weights([scale, shift, mean + drawn[0] - 0.5, variance * (0.5 + drawn[1])])
    return model


def export(name: str, place: Path) -> None:
    """The SavedModel of a network."""
    build(name).export(str(place))


def samples(shape: tuple[int, ...]) -> Iterator[list[np.ndarray]]:
    """What the ranges of tensors are taken from."""
    rng = np.random.default_rng(1)
    for _ in range(SAMPLES):
        yield [rng.random((1, *shape), np.float32)]


def float_alone(converter: Any) -> None:
    """As it is."""


def dynamic(converter: Any) -> None:
    """Weights of 8 bits."""
    converter.optimizations = [tf.lite.Optimize.DEFAULT]


def halves(converter: Any) -> None:
    """Weights of 16 bits."""
    dynamic(converter)
    converter.target_spec.supported_types = [tf.float16]


def integers(converter: Any) -> None:
    """Integers inside, real numbers at the ends and where there is no kernel."""
    dynamic(converter)


def integers_alone(converter: Any) -> None:
    """Integers everywhere."""
    dynamic(converter)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8


def bytes_alone(converter: Any) -> None:
    """Integers everywhere, of which those at the ends have no sign."""
    integers_alone(converter)
    converter.inference_input_type = converter.inference_output_type = tf.uint8


def wide(converter: Any) -> None:
    """Activations of 16 bits, weights of 8."""
    dynamic(converter)
    kind = tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
    converter.target_spec.supported_ops = [kind, tf.lite.OpsSet.TFLITE_BUILTINS]


WAYS = {
    "float": float_alone,
    "dynamic": dynamic,
    "float16": halves,
    "int8": integers,
    "int8-alone": integers_alone,
    "uint8-alone": bytes_alone,
    "int16x8": wide,
}
CALIBRATED = {"int8", "int8-alone", "uint8-alone", "int16x8"}


def convert(name: str, way: str, place: Path) -> None:
    """The TFLite file of a network."""
    model = build(name, 1)
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    WAYS[way](converter)
    if way in CALIBRATED:
        converter.representative_dataset = partial(samples, tuple(model.input_shape[1:]))
    place.write_bytes(converter.convert())


def list_models() -> dict[str, Write]:
    """Each network as a SavedModel and as TFLite files."""
    version = keras.__version__.split(".")[0]
    found: dict[str, Write] = {}
    for name in NETWORKS:
        found[f"keras{version}-{name}"] = partial(export, name)
        for way in WAYS:
            found[f"keras{version}-{name}-{way}.tflite"] = partial(convert, name, way)
    return found


if __name__ == "__main__":
    main(list_models())
