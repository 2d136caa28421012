"""Write small TFLite files with TensorFlow's converter; a script, as tests never import it.

    python -m tests.frontends.tflite_models FOLDER

`NAME.npz` beside `NAME.tflite` holds LiteRT's inputs and outputs in order, run by run; the results
of its plain kernels as `plain`, those of XNNPACK, which it uses by default, as `out`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import keras
import tensorflow as tf
from ai_edge_litert import interpreter as litert

ROOT = Path(sys.argv[1])
RNG = np.random.default_rng(0)
L = keras.layers
KERNELS = {
    "out": litert.OpResolverType.AUTO,
    "plain": litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
}


def data(*sizes: int, dtype: Any = np.float32) -> np.ndarray:
    return RNG.standard_normal(sizes).astype(dtype)


def save(name: str, content: bytes, runs: Sequence[Sequence[np.ndarray]]) -> None:
    """The file, and what LiteRT gives; real inputs are quantised where the file takes integers."""
    (ROOT / f"{name}.tflite").write_bytes(content)
    arrays: dict[str, np.ndarray] = {}
    for k, run in enumerate(runs):
        for label, kernels in KERNELS.items():
            found = litert.Interpreter(
                model_content=content, experimental_op_resolver_type=kernels, num_threads=1
            )
            for detail, given in zip(found.get_input_details(), run, strict=True):
                found.resize_tensor_input(detail["index"], given.shape)
            found.allocate_tensors()
            for place, (detail, given) in enumerate(
                zip(found.get_input_details(), run, strict=True)
            ):
                x = stored(given, detail)
                arrays[f"in:{place}@{k}"] = x
                found.set_tensor(detail["index"], x)
            found.invoke()
            for place, detail in enumerate(found.get_output_details()):
                arrays[f"{label}:{place}@{k}"] = found.get_tensor(detail["index"])
    np.savez(ROOT / f"{name}.npz", **arrays)


def stored(given: np.ndarray, detail: dict[str, Any]) -> np.ndarray:
    """An input in the type of the file."""
    kind = np.dtype(detail["dtype"])
    scale, zero = detail["quantization"]
    if given.dtype.kind != "f" or kind.kind == "f":
        return given.astype(kind)
    limits = np.iinfo(kind)
    return np.clip(np.rint(given / scale) + zero, limits.min, limits.max).astype(kind)


def shaken(model: Any) -> Any:
    """Statistics and biases as a trained model has them."""
    for layer in model.layers:
        values = layer.get_weights()
        layer.set_weights([np.abs(data(*w.shape)) * 0.3 + 0.1 * (w.ndim == 1) for w in values])
    return model


def converter(model: Any, shape: Sequence[int]) -> Any:
    """Of a Keras model, or of a function of one tensor."""
    if isinstance(model, keras.Model):
        return tf.lite.TFLiteConverter.from_keras_model(model)
    spec = tf.TensorSpec(shape, tf.float32, name="x")
    function = tf.function(model, input_signature=[spec]).get_concrete_function()
    return tf.lite.TFLiteConverter.from_concrete_functions([function])


def plain(name: str, model: Any, shape: tuple[int, ...], batches: Sequence[int] = (1, 3)) -> None:
    content = converter(model, (None, *shape)).convert()
    save(name, content, [[data(n, *shape)] for n in batches])


def quantized(
    name: str,
    model: Any,
    shape: tuple[int, ...],
    batches: Sequence[int],
    *,
    ops: Any = None,
    inputs: Any = None,
) -> None:
    """Fully quantised on random samples."""
    made = converter(model, (None, *shape))
    made.optimizations = [tf.lite.Optimize.DEFAULT]
    samples = [data(1, *shape) for _ in range(20)]
    made.representative_dataset = lambda: ([s] for s in samples)
    made.target_spec.supported_ops = [ops or tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    if inputs is not None:
        made.inference_input_type = made.inference_output_type = inputs
    save(name, made.convert(), [[data(n, *shape)] for n in batches])


def cnn() -> Any:
    return shaken(
        keras.Sequential(
            [
                keras.Input((8, 8, 3), name="x"),
                L.Conv2D(4, 3, padding="same", use_bias=False),
                L.BatchNormalization(),
                L.ReLU(6.0),
                L.DepthwiseConv2D(3, strides=2, padding="same"),
                L.MaxPooling2D(),
                L.Flatten(),
                L.Dense(5, activation="softmax"),
            ]
        )
    )


def mobile() -> Any:
    """Inverted residual blocks as MobileNetV2 has them."""
    x = keras.Input((32, 32, 3), name="x")
    y = L.ReLU(6.0)(L.BatchNormalization()(L.Conv2D(8, 3, strides=2, padding="same")(x)))
    for channels, stride in ((8, 1), (16, 2), (16, 1)):
        z = L.ReLU(6.0)(L.BatchNormalization()(L.Conv2D(4 * channels, 1, use_bias=False)(y)))
        z = L.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False)(z)
        z = L.ReLU(6.0)(L.BatchNormalization()(z))
        z = L.BatchNormalization()(L.Conv2D(channels, 1, use_bias=False)(z))
        y = L.Add()([y, z]) if z.shape == y.shape else z
    y = L.GlobalAveragePooling2D()(y)
    return keras.Model(x, L.Dense(10, activation="softmax")(y))


def upsampling() -> Any:
    x = keras.Input((6, 6, 4), name="x")
    y = L.Conv2DTranspose(3, 3, strides=2, padding="same", activation="relu")(x)
    y = L.Concatenate()([L.UpSampling2D()(x), y])
    y = L.AveragePooling2D(2, padding="same")(y)
    y = L.Conv2D(2, 3, padding="same", activation="sigmoid")(y)
    return shaken(keras.Model(x, y))


def branched(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.tanh(x), lambda: x - 1)


def looped(x: Any) -> Any:
    steps = tf.cast(tf.round(tf.reduce_max(tf.abs(x))) + 2, tf.int32)
    return tf.while_loop(lambda i, _: i < steps, lambda i, y: (i + 1, tf.tanh(y * 1.5)), (0, x))[1]


def attended(x: Any) -> Any:
    scores = tf.nn.softmax(tf.matmul(x, x, transpose_b=True) / 2.0)
    y = tf.matmul(scores, x)
    mean = tf.reduce_mean(y, -1, keepdims=True)
    spread = tf.reduce_mean(tf.math.squared_difference(y, mean), -1, keepdims=True)
    return (y - mean) * tf.math.rsqrt(spread + 1e-5)


def nets() -> None:
    net = cnn()
    plain("cnn", net, (8, 8, 3))
    plain("upsampling", upsampling(), (6, 6, 4))
    plain("branched", branched, (3,), (1, 2, 3))
    plain("looped", looped, (3,), (1, 2))
    plain("attended", attended, (5, 4))
    sequence = [keras.Input((5, 3), batch_size=1, name="x"), L.LSTM(4), L.Dense(2)]
    plain("lstm", keras.Sequential(sequence), (5, 3), (1,))
    quantized("cnn_int8", net, (8, 8, 3), (1, 4), inputs=tf.int8)
    quantized("cnn_uint8", net, (8, 8, 3), (1, 4), inputs=tf.uint8)
    quantized("cnn_float_ends", net, (8, 8, 3), (1, 4))
    quantized("mobile_int8", mobile(), (32, 32, 3), (1, 4), inputs=tf.int8)
    quantized("upsampling_int8", upsampling(), (6, 6, 4), (1, 2), inputs=tf.int8)
    wide = tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
    quantized("cnn_int16", net, (8, 8, 3), (1, 2), ops=wide, inputs=tf.int16)
    made = converter(net, (None, 8, 8, 3))
    made.optimizations = [tf.lite.Optimize.DEFAULT]
    made.target_spec.supported_types = [tf.float16]
    save("cnn_float16", made.convert(), [[data(2, 8, 8, 3)]])
    made = converter(mobile(), (None, 32, 32, 3))
    made.optimizations = [tf.lite.Optimize.DEFAULT]
    save("mobile_dynamic", made.convert(), [[data(2, 32, 32, 3)]])


def variables() -> None:
    """Variables that a graph of their own initialises, and several signatures."""
    holder = tf.Module()
    holder.weight = tf.Variable(data(3, 3))
    spec = [tf.TensorSpec([2, 3], tf.float32, name="x")]
    functions = {
        "product": tf.function(lambda x: {"y": x @ holder.weight}, input_signature=spec),
        "twice": tf.function(lambda x: {"y": x * 2}, input_signature=spec),
    }
    folder = str(ROOT / "variables_saved")
    tf.saved_model.save(holder, folder, signatures=functions)
    made = tf.lite.TFLiteConverter.from_saved_model(folder, signature_keys=list(functions))
    made.experimental_enable_resource_variables = True
    save("variables", made.convert(), [[data(2, 3)]])


def ordered() -> None:
    """A signature whose inputs and outputs are not in the order of their names."""
    specs = [tf.TensorSpec([2, 3], tf.float32, name=n) for n in ("z", "a")]
    function = tf.function(lambda z, a: {"y": z - 2 * a, "b": a + 1}, input_signature=specs)
    holder = tf.Module()
    folder = str(ROOT / "ordered_saved")
    tf.saved_model.save(holder, folder, signatures={"difference": function})
    made = tf.lite.TFLiteConverter.from_saved_model(folder, signature_keys=["difference"])
    save("ordered", made.convert(), [[data(2, 3), data(2, 3)]])


if __name__ == "__main__":
    keras.utils.set_random_seed(0)
    for write in (nets, variables, ordered):
        write()
