"""Write small models with TensorFlow; a script, as tests themselves never import TensorFlow.

    python -m tests.frontends.tensorflow_models FOLDER

Every model is a folder or a `.pb` file, and `NAME.npz` beside it holds inputs and outputs by name.
Where there are several batch sizes, the names end with `@N`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import keras
import tensorflow as tf

ROOT = Path(sys.argv[1])
RNG = np.random.default_rng(0)
L = keras.layers
v1 = tf.compat.v1


def data(*sizes: int, dtype: Any = np.float32) -> np.ndarray:
    return RNG.standard_normal(sizes).astype(dtype)


def save(name: str, runs: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Inputs and outputs beside the model."""
    arrays = {}
    for k, (inputs, outputs) in enumerate(runs):
        arrays |= {f"in:{n}@{k}": np.asarray(a) for n, a in inputs.items()}
        arrays |= {f"out:{n}@{k}": np.asarray(a) for n, a in outputs.items()}
    np.savez(ROOT / f"{name}.npz", **arrays)


def answers(folder: Path, inputs: dict[str, Any], signature: str = "serving_default") -> Any:
    """What a SavedModel gives."""
    found = tf.saved_model.load(str(folder)).signatures[signature]
    return {
        k: v.numpy() for k, v in found(**{n: tf.constant(a) for n, a in inputs.items()}).items()
    }


def keras_model(name: str, layers: Sequence[Any], shape: tuple[int, ...], batches: Any) -> None:
    model = keras.Sequential([keras.Input(shape, name="x"), *layers])
    exported(name, model, shape, batches)


def exported(name: str, model: Any, shape: tuple[int, ...], batches: Any) -> None:
    for layer in model.layers:  # statistics and biases as a trained model has them
        values = layer.get_weights()
        layer.set_weights([np.abs(data(*w.shape)) * 0.3 + 0.1 * (w.ndim == 1) for w in values])
    model.export(str(ROOT / name), verbose=False)
    runs = []
    for batch in batches:
        x = data(batch, *shape)
        runs.append(({"x": x}, {"y": model(x, training=False).numpy()}))
    save(name, runs)


def module(
    name: str, function: Callable[..., Any], runs: Sequence[dict[str, Any]], **specs: Any
) -> None:
    """A function of named tensors as a SavedModel; `specs` are sizes where they are not given."""
    holder = tf.Module()
    holder.weight = tf.Variable(data(3, 3), name="weight")
    signature = [
        tf.TensorSpec(specs.get(n, np.shape(a)), np.asarray(a).dtype, name=n)
        for n, a in runs[0].items()
    ]
    holder.call = tf.function(lambda *args: function(holder, *args), input_signature=signature)
    tf.saved_model.save(holder, str(ROOT / name), signatures={"serving_default": holder.call})
    save(name, [(r, answers(ROOT / name, r)) for r in runs])


def nets() -> None:
    conv = [
        L.Conv2D(4, 3, padding="same", use_bias=False),
        L.BatchNormalization(),
        L.ReLU(),
        L.MaxPooling2D(),
        L.Flatten(),
        L.Dense(5, activation="softmax"),
    ]
    keras_model("cnn", conv, (8, 8, 3), (1, 2, 5))
    keras_model("dense", [L.Dense(4, activation="relu"), L.Dense(3)], (6,), (1, 3, 7))
    for name, layer in {
        "lstm": L.LSTM(4, return_sequences=True),
        "gru": L.GRU(4),
        "bidirectional": L.Bidirectional(L.LSTM(3, return_sequences=True)),
        "simple_rnn": L.SimpleRNN(4),
        "unrolled": L.LSTM(4, unroll=True),
    }.items():
        keras_model(name, [layer], (5, 3), (1, 2, 4))


def residual() -> None:
    x = keras.Input((8, 8, 3), name="x")
    y = L.ReLU()(L.BatchNormalization()(L.Conv2D(4, 3, padding="same")(x)))
    z = L.BatchNormalization()(L.Conv2D(4, 3, padding="same")(y))
    y = L.ReLU()(L.Add()([y, z]))
    y = L.MaxPooling2D()(y)
    exported("residual", keras.Model(x, L.Conv2D(2, 1)(y)), (8, 8, 3), (1, 2))


def attention() -> None:
    x = keras.Input((6,), dtype="int32", name="x")
    y = L.Embedding(10, 8)(x)
    y = L.LayerNormalization()(y + L.MultiHeadAttention(2, 4)(y, y))
    model = keras.Model(x, L.Dense(3)(y))
    model.export(str(ROOT / "attention"), verbose=False)
    runs = []
    for batch in (1, 2, 3):
        ids = RNG.integers(0, 10, (batch, 6)).astype(np.int32)
        runs.append(({"x": ids}, {"y": model(ids).numpy()}))
    save("attention", runs)


def given() -> np.ndarray:
    """What goes into the models of control flow."""
    return np.random.default_rng(1).standard_normal((2, 3)).astype(np.float32)


FLAGS = [{"x": given(), "flag": np.array(True)}, {"x": given(), "flag": np.array(False)}]


def branches() -> None:
    def cond(m: Any, x: Any, flag: Any) -> Any:
        return {"y": tf.cond(flag, lambda: x @ m.weight, lambda: x - 1)}

    def case(m: Any, x: Any, k: Any) -> Any:
        return {"y": tf.switch_case(k, [lambda: x + 1, lambda: x @ m.weight, lambda: -x])}

    @tf.function
    def inner(x: Any, w: Any) -> Any:
        return tf.nn.relu(x @ w)

    @tf.function
    def outer(x: Any, w: Any) -> Any:
        return inner(inner(x, w), w) + inner(x, w)

    def batches(m: Any, x: Any) -> Any:
        return {"y": tf.reshape(tf.tanh(x @ m.weight), [tf.shape(x)[0] * 3])}

    module("cond", cond, FLAGS)
    module("case", case, [{"x": given(), "k": np.int32(k)} for k in (0, 1, 2, -1, 7)])
    module("calls", lambda m, x: {"y": outer(x, m.weight)}, [{"x": given()}])
    module("batches", batches, [{"x": data(n, 3)} for n in (1, 2, 5)], x=[None, 3])


def loops() -> None:
    def step(m: Any) -> Any:
        return lambda i, y: (i + 1, tf.tanh(y @ m.weight))

    def loop(m: Any, x: Any, n: Any) -> Any:
        return {"y": tf.while_loop(lambda i, _: i < n, step(m), (0, x))[1]}

    def fixed(m: Any, x: Any) -> Any:
        return {"y": tf.while_loop(lambda i, _: i < 3, step(m), (0, x))[1]}

    def growing(m: Any, x: Any, n: Any) -> Any:
        _, y = tf.while_loop(
            lambda i, _: i < n,
            lambda i, y: (i + 1, tf.concat([y, x], 0)),
            (0, x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 3])),
        )
        return {"y": y}

    def nested(m: Any, x: Any, flag: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return i + 1, tf.cond(flag, lambda: y @ m.weight, lambda: y * 0.5)

        _, y = tf.while_loop(lambda i, _: i < 70, body, (0, x))
        return {"y": tf.tanh(y)}

    module("while", loop, [{"x": given(), "n": np.int32(n)} for n in (5, 0)])
    module("fixed_while", fixed, [{"x": given()}])
    module("growing_while", growing, [{"x": given(), "n": np.int32(n)} for n in (5, 1)])
    module("nested", nested, FLAGS)


ELEMENT = {"element_shape": tf.constant([2, 3]), "element_dtype": tf.float32}


def lists() -> None:
    raw = tf.raw_ops

    def listed(m: Any, x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=4)
        for k in tf.range(4):
            array = array.write(k, x * tf.cast(k, tf.float32))
        return {"y": array.stack(), "last": array.read(3)}

    def pushed(m: Any, x: Any) -> Any:
        rows = raw.EmptyTensorList(max_num_elements=-1, **ELEMENT)
        rows = raw.TensorListPushBack(input_handle=rows, tensor=x)
        rows = raw.TensorListPushBack(input_handle=rows, tensor=-x)
        rows, last = raw.TensorListPopBack(input_handle=rows, **ELEMENT)
        rows = raw.TensorListResize(input_handle=rows, size=2)
        both = raw.TensorListStack(input_handle=rows, **ELEMENT)
        picked = raw.TensorListGather(input_handle=rows, indices=[1, 0, 0], **ELEMENT)
        nothing = tf.constant([], tf.int64)
        joined, lengths = raw.TensorListConcatV2(input_handle=rows, leading_dims=nothing, **ELEMENT)
        count = raw.TensorListLength(input_handle=rows)
        results = {"last": last, "both": both, "picked": picked, "joined": joined}
        return results | {"lengths": lengths, "count": count}

    def filled(m: Any, x: Any) -> Any:
        spread = tf.TensorArray(tf.float32, size=3).scatter([2, 0], x)
        shape = tf.constant([3])
        rows = raw.TensorListScatterV2(
            tensor=x, indices=[1, 3], element_shape=shape, num_elements=-1
        )
        rows = raw.TensorListScatterIntoExistingList(input_handle=rows, tensor=-x, indices=[0, 2])
        rows = raw.TensorListConcatLists(input_a=rows, input_b=rows, element_dtype=tf.float32)
        whole = raw.TensorListStack(
            input_handle=rows, element_shape=shape, element_dtype=tf.float32
        )
        parts = raw.TensorListSplit(
            tensor=tf.concat([x, x], 0), element_shape=tf.constant([-1, 3]), lengths=[1, 0, 3]
        )
        last = raw.TensorListGetItem(
            input_handle=parts, index=2, element_shape=tf.constant([3, 3]), element_dtype=tf.float32
        )
        return {"spread": spread.gather([0, 2]), "whole": whole, "last": last}

    def cells(m: Any, x: Any) -> Any:
        names = ("w", "wci", "wcf", "wco", "b")
        shapes = ([5, 8], [2], [2], [2], [8])
        weights = {n: tf.constant(data(*s)) for n, s in zip(names, shapes, strict=True)}
        found = raw.BlockLSTMV2(
            seq_len_max=tf.constant(2, tf.int64),
            x=tf.reshape(tf.tile(x, [4, 1]), [4, 2, 3]),
            cs_prev=tf.zeros([2, 2]),
            h_prev=tf.ones([2, 2]),
            **weights,
        )
        return {"h": found.h, "cs": found.cs}

    module("array", listed, [{"x": given()}])
    module("filled", filled, [{"x": given()}])
    module("list", pushed, [{"x": given()}])
    module("few_steps", cells, [{"x": given()}])


def signatures() -> None:
    holder = tf.Module()
    holder.scale = tf.Variable(3.0)
    spec = [tf.TensorSpec([None, 2], tf.float32, name="x")]
    functions = {
        "twice": tf.function(lambda x: {"y": x * 2}, input_signature=spec),
        "scaled": tf.function(lambda x: {"y": x * holder.scale}, input_signature=spec),
    }
    holder.functions = list(functions.values())
    tf.saved_model.save(holder, str(ROOT / "signatures"), signatures=functions)
    x = data(2, 2)
    runs = [({"x": x}, answers(ROOT / "signatures", {"x": x}, s)) for s in functions]
    save("signatures", runs)


def frozen() -> None:
    graph = v1.Graph()
    with graph.as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        w = v1.get_variable("w", initializer=data(4, 3))
        y = tf.nn.softmax(x @ w, name="y")
        session.run(v1.global_variables_initializer())
        definition = v1.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), ["y"]
        )
        (ROOT / "frozen.pb").write_bytes(definition.SerializeToString())
        runs = [data(n, 4) for n in (1, 3)]
        save("frozen", [({"x": a}, {"y": session.run(y, {x: a})}) for a in runs])
        folder = str(ROOT / "version1")
        v1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
        save("version1", [({"x": a}, {"y": session.run(y, {x: a})}) for a in runs])


def archives() -> None:
    """Keras archives: a plain one, and one that asks for code to be run."""
    x = keras.Input((6,), name="x")
    model = keras.Model(x, L.Dense(3, activation="tanh")(x))
    model.save(ROOT / "archive.keras")
    runs = [data(n, 6) for n in (1, 4)]
    save("archive", [({"x": a}, {"y": model(a).numpy()}) for a in runs])
    first, second = keras.Input((3,), name="second"), keras.Input((3,), name="first")
    keras.Model([first, second], first - 2 * second).save(ROOT / "pair.keras")
    hostile = keras.Sequential([keras.Input((6,)), L.Lambda(lambda x: x + 1)])
    hostile.save(ROOT / "lambda.keras")


def ancient() -> None:
    """An operator that only graphs of old producers may have."""
    definition = v1.GraphDef()
    definition.versions.producer = 8
    shapes = {"t": [2, 3, 3, 4], "m": [4], "v": [4], "beta": [4], "gamma": [4]}
    for name, sizes in shapes.items():
        node = definition.node.add(name=name, op="Placeholder")
        node.attr["dtype"].type = tf.float32.as_datatype_enum
        node.attr["shape"].shape.CopyFrom(tf.TensorShape(sizes).as_proto())
    for scaled in (False, True):
        node = definition.node.add(name=f"y{int(scaled)}", op="BatchNormWithGlobalNormalization")
        node.input.extend(shapes)
        node.attr["T"].type = tf.float32.as_datatype_enum
        node.attr["variance_epsilon"].f = 0.01
        node.attr["scale_after_normalization"].b = scaled
    (ROOT / "ancient.pb").write_bytes(definition.SerializeToString())
    inputs = {n: np.abs(data(*s)) for n, s in shapes.items()}
    with v1.Graph().as_default() as graph, v1.Session() as session:
        v1.import_graph_def(definition, name="")
        fed = {f"{n}:0": a for n, a in inputs.items()}
        found = session.run([graph.get_tensor_by_name(f"y{k}:0") for k in (0, 1)], fed)
    save("ancient", [(inputs, {"y0": found[0], "y1": found[1]})])


if __name__ == "__main__":
    keras.utils.set_random_seed(0)
    for write in (
        nets,
        residual,
        attention,
        branches,
        loops,
        lists,
        signatures,
        frozen,
        archives,
        ancient,
    ):
        write()
