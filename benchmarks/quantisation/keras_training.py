"""Train a Keras network a little and write it as a SavedModel and as a float TFLite file.

python -m benchmarks.quantisation.keras_training FOLDER NAME
"""

from __future__ import annotations

import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from . import tasks

PLANS = {
    "keras_resnet50": (keras.applications.ResNet50, 110, 1e-3),
    "keras_mobilenet_v2": (keras.applications.MobileNetV2, 300, 3e-3),
}
"""Network, steps and learning rate: about a minute of one core."""

BATCH = 32
AVERAGED = 30
"""Batches that say what BatchNorm finds in the end."""


def build(name: str) -> keras.Model:
    """The network with logits of ten classes."""
    made = PLANS[name][0](
        include_top=False, weights=None, input_shape=(tasks.SIDE, tasks.SIDE, 3), pooling="avg"
    )
    logits = keras.layers.Dense(tasks.CLASSES)(made.output)
    network = keras.Model(made.input, logits)
    for layer in norms_of(network):
        layer.momentum = 0.9
    return network


def norms_of(network: keras.Model) -> list[keras.layers.BatchNormalization]:
    return [x for x in network.layers if isinstance(x, keras.layers.BatchNormalization)]


def draw(rng: np.random.Generator, count: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Images with the channels last, and their kinds."""
    arrays, kinds = tasks.images(rng, count)
    return tf.constant(arrays["image"].transpose(0, 2, 3, 1)), tf.constant(kinds)


def train(network: keras.Model, steps: int, rate: float) -> None:
    rng = np.random.default_rng(0)
    schedule = keras.optimizers.schedules.CosineDecay(
        rate / 20, steps, warmup_target=rate, warmup_steps=steps // 5
    )
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.01, global_clipnorm=1.0)
    lost = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def learn(images: tf.Tensor, kinds: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = lost(kinds, network(images, training=True))
        variables = network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    for _ in range(steps):
        learn(*draw(rng, BATCH))
    average = tf.function(lambda images: network(images, training=True))
    for _ in range(AVERAGED):
        average(draw(rng, BATCH)[0])


def main(folder: Path, name: str) -> None:
    """Write `saved_model` and `float.tflite` into a folder."""
    keras.utils.set_random_seed(0)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    network = build(name)
    train(network, *PLANS[name][1:])
    network.export(folder / "saved_model", verbose=False)
    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder / "saved_model"))
    (folder / "float.tflite").write_bytes(converter.convert())


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
