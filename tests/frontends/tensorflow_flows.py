"""Write models of control flow with TensorFlow, as `tensorflow_models.py` does.

    python -m tests.frontends.tensorflow_flows FOLDER loops|dataflow

`loops` are loops of unknown length over lists; `dataflow` are graphs of Switch, Merge and Enter.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import convert_to_constants

from .tensorflow_models import ROOT, L, data, module, save, v1

raw = tf.raw_ops


def recurrent() -> None:
    """Keras layers whose time has no fixed length."""
    plain = {
        "lstm": [L.LSTM(4, return_sequences=True)],
        "last": [L.LSTM(4)],
        "gru": [L.GRU(4, return_sequences=True)],
        "gru_before": [L.GRU(4, reset_after=False)],
        "simple_rnn": [L.SimpleRNN(4, return_sequences=True)],
        "bidirectional": [L.Bidirectional(L.LSTM(3, return_sequences=True))],
        "backwards": [L.LSTM(4, go_backwards=True, return_sequences=True)],
        "stacked": [L.LSTM(4, return_sequences=True), L.GRU(3), L.Dense(2)],
        "masked": [L.Masking(0.5), L.LSTM(3, return_sequences=True), L.GRU(2)],
    }
    for name, layers in plain.items():
        recurrent_model(f"any_{name}", layers, (3,), [(2, 5), (1, 1), (3, 8)])
    conv = [L.ConvLSTM2D(2, 3, padding="same", return_sequences=True)]
    recurrent_model("any_conv_lstm", conv, (4, 5, 2), [(2, 3), (1, 6)])
    long = keras.Sequential([keras.Input((1000, 3), name="x"), L.LSTM(4, return_sequences=True)])
    long.export(str(ROOT / "long_lstm"), verbose=False)
    x = data(2, 1000, 3)
    save("long_lstm", [({"x": x}, {"y": long(x).numpy()})])


def recurrent_model(name: str, layers: list[Any], shape: tuple[int, ...], sizes: Any) -> None:
    model = keras.Sequential([keras.Input((None, *shape), name="x"), *layers])
    model.export(str(ROOT / name), verbose=False)
    runs = []
    for size in sizes:
        x = data(*size, *shape)
        x[-1, 3:] = 0.5  # what Masking masks
        runs.append(({"x": x}, {"y": model(x, training=False).numpy()}))
    save(name, runs)


ELEMENT = {"element_shape": tf.constant([3]), "element_dtype": tf.float32}


def lists() -> None:
    def pushed(m: Any, x: Any) -> Any:
        rows = raw.EmptyTensorList(max_num_elements=-1, **ELEMENT)
        count = tf.shape(x)[0]

        def step(k: Any, rows: Any) -> Any:
            return k + 1, raw.TensorListPushBack(input_handle=rows, tensor=tf.tanh(x[k]))

        _, rows = tf.while_loop(lambda k, _: k < count, step, (0, rows))
        length = raw.TensorListLength(input_handle=rows)
        return {"y": raw.TensorListStack(input_handle=rows, **ELEMENT), "length": length}

    def popped(m: Any, x: Any) -> Any:
        rows = raw.TensorListFromTensor(tensor=x, element_shape=tf.constant([3]))

        def step(total: Any, rows: Any) -> Any:
            rows, last = raw.TensorListPopBack(input_handle=rows, **ELEMENT)
            return total * 0.5 + last, rows

        def go(_: Any, rows: Any) -> Any:
            return raw.TensorListLength(input_handle=rows) > 1

        total, rows = tf.while_loop(go, step, (tf.zeros([3]), rows))
        return {"y": total, "rest": raw.TensorListStack(input_handle=rows, **ELEMENT)}

    def resized(m: Any, x: Any) -> Any:
        rows = raw.TensorListFromTensor(tensor=x, element_shape=tf.constant([3]))
        rows = raw.TensorListResize(input_handle=rows, size=4)
        back = raw.TensorListReserve(num_elements=tf.shape(x)[0], **ELEMENT)
        back = raw.TensorListSetItem(input_handle=back, index=tf.shape(x)[0] - 1, item=x[0])
        picked = raw.TensorListGather(input_handle=rows, indices=[3, 0], **ELEMENT)
        results = {"a": raw.TensorListStack(input_handle=rows, **ELEMENT), "picked": picked}
        back = raw.TensorListResize(input_handle=back, size=tf.shape(x)[0] + 1)
        return results | {"b": raw.TensorListStack(input_handle=back, **ELEMENT)}

    def sorted_in(m: Any, x: Any) -> Any:
        count = tf.shape(x)[0]
        array = tf.TensorArray(tf.float32, size=count)
        array = array.scatter(tf.range(count - 1, -1, -1), x)
        return {"y": array.stack(), "two": array.gather([0, count - 1])}

    for function in (pushed, popped, resized, sorted_in):
        module(f"any_{function.__name__}", function, ROWS, x=[None, 3])


def written_in_loops() -> None:
    def grown(m: Any, x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[3])
        for k in tf.range(tf.shape(x)[0]):
            array = array.write(k * 2, x[k] + 1)
        return {"y": array.stack(), "size": array.size()}

    def mapped(m: Any, x: Any) -> Any:
        both = tf.map_fn(
            lambda r: (r * 2, tf.reduce_sum(r)), x, fn_output_signature=(tf.float32,) * 2
        )
        return {"a": both[0], "b": both[1]}

    def scanned(m: Any, x: Any) -> Any:
        return {"y": tf.scan(lambda a, r: a * 0.5 + r, x)}

    def chosen(m: Any, x: Any, flag: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=2, element_shape=[3])
        array = array.write(0, x[0])
        array = tf.cond(flag, lambda: array.write(1, x[1]), lambda: array.write(1, -x[1]))
        return {"y": array.stack()}

    def nested(m: Any, x: Any) -> Any:
        out = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        for k in tf.range(tf.shape(x)[0]):
            inner = tf.TensorArray(tf.float32, size=k + 1)
            for j in tf.range(k + 1):
                inner = inner.write(j, x[j] * tf.cast(k, tf.float32))
            out = out.write(k, tf.reduce_sum(inner.stack(), 0))
        return {"y": out.stack()}

    for function in (grown, mapped, scanned, nested):
        module(f"any_{function.__name__}", function, ROWS, x=[None, 3])
    flags = [{"x": data(2, 3), "flag": np.array(f)} for f in (True, False)]
    module("any_chosen", chosen, flags)


ROWS = [{"x": data(n, 3)} for n in (4, 1, 7)]


def decisions() -> None:
    """Lists in loops that decide what to do with them."""

    def filtered(m: Any, x: Any) -> Any:
        kept = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[3])
        for k in tf.range(tf.shape(x)[0]):
            if tf.reduce_sum(x[k]) > 0.0:
                kept = kept.write(kept.size(), x[k])
        return {"y": kept.stack()}

    def unread(m: Any, x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        other = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for k in tf.range(tf.shape(x)[0]):
            array = array.write(k, x[k] * 2)
            if tf.reduce_sum(x[k]) > 0.0:
                other = other.write(other.size(), x[k])
        return {"y": array.stack()}

    def decoded(m: Any, x: Any) -> Any:
        tokens = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        k, h = 0, x
        while k < 10 and tf.reduce_sum(tf.abs(h)) > 0.5:
            h = tf.tanh(h @ m.weight) * 0.7
            tokens = tokens.write(k, tf.cast(tf.argmax(h, 1), tf.int32))
            k += 1
        return {"y": tf.transpose(tokens.stack()), "h": h}

    def bools(m: Any, x: Any) -> Any:
        array = tf.TensorArray(tf.bool, size=tf.shape(x)[0])
        for k in tf.range(tf.shape(x)[0]):
            array = array.write(k, tf.reduce_sum(x[k]) > 0)
        return {"y": array.stack()}

    def uneven(m: Any, x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=100, infer_shape=False)
        for k in tf.range(100):
            array = array.write(k, tf.repeat(x, k % 3 + 1, 0))
        return {"y": array.concat()}

    def prefixes(m: Any, x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=tf.shape(x)[0], infer_shape=False)
        for k in tf.range(tf.shape(x)[0]):
            array = array.write(k, x[: k + 1])
        return {"y": array.concat()}

    for function in (filtered, unread, decoded, bools, prefixes):
        module(f"any_{function.__name__}", function, ROWS, x=[None, 3])
    module("long_uneven", uneven, [{"x": data(2, 3)}])


def frozen(name: str, build: Callable[..., Any], runs: list[dict[str, Any]], **sizes: Any) -> None:
    """A graph of TensorFlow 1 with its placeholders and its outputs `y`, `y_1`, ..."""
    graph = v1.Graph()
    with graph.as_default(), v1.Session() as session:
        inputs = {
            n: v1.placeholder(np.asarray(a).dtype, sizes.get(n, np.shape(a)), name=n)
            for n, a in runs[0].items()
        }
        results = build(**inputs)
        results = results if isinstance(results, (list, tuple)) else [results]
        outputs = [tf.identity(r, name="y") for r in results]
        session.run(v1.global_variables_initializer())
        names = [o.op.name for o in outputs]
        definition = v1.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), names
        )
        (ROOT / f"{name}.pb").write_bytes(definition.SerializeToString())
        found = []
        for run in runs:
            got = session.run(outputs, {inputs[n]: a for n, a in run.items()})
            found.append((run, dict(zip(names, got, strict=True))))
        save(name, found)
        if v1.global_variables():
            folder = str(ROOT / f"{name}_saved")
            v1.saved_model.simple_save(
                session, folder, inputs, dict(zip(names, outputs, strict=True))
            )
            save(f"{name}_saved", found)


def lowered(
    name: str, function: Callable[..., Any], runs: list[dict[str, Any]], **sizes: Any
) -> None:
    """A function of TensorFlow 2, its control flow taken apart."""
    specs = [
        tf.TensorSpec(sizes.get(n, np.shape(a)), np.asarray(a).dtype, name=n)
        for n, a in runs[0].items()
    ]
    concrete = tf.function(function).get_concrete_function(*specs)
    made = convert_to_constants.convert_variables_to_constants_v2(concrete)
    (ROOT / f"{name}.pb").write_bytes(made.graph.as_graph_def().SerializeToString())
    found = []
    for run in runs:
        got = function(*map(tf.constant, run.values()))
        got = got if isinstance(got, (list, tuple)) else [got]
        found.append(
            (run, {o.op.name: np.asarray(g) for o, g in zip(made.outputs, got, strict=True)})
        )
    save(name, found)


X = data(2, 3)
FLAGS = [{"x": X, "p": np.array(f)} for f in (True, False)]
PAIRS = [{"x": X, "p": np.array(f), "q": np.array(g)} for f in (True, False) for g in (True, False)]
COUNTS = [{"x": X, "n": np.int32(n)} for n in (3, 0, 7)]


def conditionals() -> None:
    def cond(x: Any, p: Any) -> Any:
        return v1.cond(p, lambda: x * 2, lambda: x - 1)

    def constants(x: Any, p: Any) -> Any:
        return v1.cond(p, lambda: tf.constant(1.0), lambda: tf.constant(2.0)) + x

    def several(x: Any, p: Any) -> Any:
        w = v1.get_variable("w", initializer=data(3, 3))
        a, b = v1.cond(p, lambda: (x @ w, x), lambda: (x, x * 3))
        return a + b, b

    def nested(x: Any, p: Any, q: Any) -> Any:
        def inner() -> Any:
            return v1.cond(q, lambda: tf.tanh(x), lambda: tf.constant(4.0) * x)

        y = v1.cond(p, inner, lambda: x - 1)
        return v1.cond(p, lambda: y + 1, lambda: v1.cond(q, lambda: y, lambda: -y))

    def chained(x: Any, p: Any, q: Any) -> Any:
        a = v1.cond(p, lambda: x + 1, lambda: x)
        b = v1.cond(q, lambda: x * 2, lambda: x)
        c = v1.cond(q, lambda: a * 3, lambda: a)
        d = v1.cond(p, lambda: b - 1, lambda: b + c)
        return d + c

    def same(x: Any, p: Any) -> Any:
        return v1.cond(p, lambda: v1.cond(p, lambda: x, lambda: -x), lambda: x * 5)

    def phase(x: Any) -> Any:
        training = v1.placeholder_with_default(False, [], name="keras_learning_phase")
        y = v1.cond(training, lambda: tf.nn.dropout(x, rate=0.5), lambda: tf.identity(x))
        z = v1.cond(tf.logical_not(training), lambda: y * 2, lambda: py(y))
        return v1.cond(tf.constant(True), lambda: z + 1, lambda: py(z))

    def py(x: Any) -> Any:
        made = v1.py_func(lambda a: a, [x], tf.float32)
        made.set_shape(x.shape)
        return made

    def which(x: Any, p: Any) -> Any:
        switched = v1.raw_ops.Switch(data=x, pred=p)
        merged, index = raw.Merge(inputs=[switched.output_false, tf.exp(switched.output_true)])
        return merged, index

    frozen("v1_cond", cond, FLAGS)
    frozen("v1_constants", constants, FLAGS)
    frozen("v1_several", several, FLAGS)
    frozen("v1_nested", nested, PAIRS)
    frozen("v1_chained", chained, PAIRS)
    frozen("v1_same", same, FLAGS)
    frozen("v1_phase", phase, [{"x": X}])
    frozen("v1_which", which, FLAGS)


def loops() -> None:
    def loop(x: Any, n: Any) -> Any:
        w = v1.get_variable("w", initializer=data(3, 3))
        step = lambda k, y: (k + 1, tf.tanh(y @ w))  # noqa: E731
        return v1.while_loop(lambda k, y: k < n, step, [0, x])

    def fixed(x: Any) -> Any:
        return v1.while_loop(lambda k, y: k < 5, lambda k, y: (k + 1, y * 0.5 + x), [0, x])[1]

    def swapped(x: Any, n: Any) -> Any:
        step = lambda k, a, b: (k + 1, b, a + b)  # noqa: E731
        return v1.while_loop(lambda k, a, b: k < n, step, [0, x, x * 2])[1:]

    def nested(x: Any, n: Any) -> Any:
        def outer(k: Any, y: Any) -> Any:
            inner = lambda j, z: (j + 1, z * 0.5 + x)  # noqa: E731
            return k + 1, v1.while_loop(lambda j, z: j < k, inner, [0, y])[1]

        return v1.while_loop(lambda k, y: k < n, outer, [0, x])[1]

    def cond_in(x: Any, n: Any) -> Any:
        def step(k: Any, y: Any) -> Any:
            even = tf.equal(k % 2, 0)
            return k + 1, v1.cond(even, lambda: y + x, lambda: y * tf.constant(2.0))

        return v1.while_loop(lambda k, y: k < n, step, [0, x])[1]

    def in_cond(x: Any, p: Any) -> Any:
        def inside() -> Any:
            step = lambda k, y: (k + 1, y * 0.5 + 1)  # noqa: E731
            return v1.while_loop(lambda k, y: tf.reduce_sum(y) < 100 - k, step, [1.0, x])[1]

        return v1.cond(p, lambda: -inside(), lambda: x)

    def after(x: Any, n: Any) -> Any:
        step = lambda k, y: (k + 1, y + 1)  # noqa: E731
        m, y = v1.while_loop(lambda k, y: k < n, step, [0, x])
        return v1.while_loop(lambda k, y: k < m * 2, lambda k, y: (k + 1, y * 1.1), [0, y])[1]

    def growing(x: Any, n: Any) -> Any:
        return v1.while_loop(
            lambda k, y: k < n,
            lambda k, y: (k + 1, tf.concat([y, x], 0)),
            [0, x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])],
        )[1]

    frozen("v1_loop", loop, COUNTS)
    frozen("v1_fixed", fixed, [{"x": X}])
    frozen("v1_swapped", swapped, COUNTS)
    frozen("v1_loops", nested, COUNTS)
    frozen("v1_cond_in_loop", cond_in, COUNTS)
    frozen("v1_loop_in_cond", in_cond, FLAGS)
    frozen("v1_after", after, COUNTS)
    frozen("v1_growing", growing, COUNTS)


def mixtures() -> None:
    """Loops in conditionals in loops, with variables."""

    def mixed(x: Any, p: Any, n: Any) -> Any:
        def step(k: Any, y: Any, z: Any) -> Any:
            def deep() -> Any:
                inner = lambda j, w: (j + 1, w + v1.cond(p, lambda: x, lambda: w * 0.5))  # noqa: E731
                return v1.while_loop(lambda j, w: j < k, inner, [0, y])[1]

            y = v1.cond(tf.logical_and(p, k > 1), deep, lambda: y - z)
            return k + 1, y, v1.cond(p, lambda: z + y, lambda: z)

        return v1.while_loop(lambda k, y, z: k < n, step, [0, x, x * 2])

    def variables(x: Any, p: Any) -> Any:
        w = v1.get_variable("w", initializer=data(3, 3), use_resource=True)
        b = v1.get_variable("b", initializer=data(3), use_resource=False)

        def inside() -> Any:
            step = lambda k, y: (k + 1.0, y @ w + b)  # noqa: E731
            return v1.while_loop(lambda k, y: k < 3.0, step, [0.0, x])[1]

        return v1.cond(p, lambda: x @ w + b, inside)

    mixes = [{"x": X, "p": np.array(p), "n": np.int32(n)} for p in (True, False) for n in (0, 3)]
    frozen("v1_mixed", mixed, mixes)
    frozen("v1_variables", variables, FLAGS)


def arrays() -> None:
    def mapped(x: Any) -> Any:
        return v1.map_fn(lambda r: tf.tanh(r) * 2, x)

    def scanned(x: Any) -> Any:
        return v1.scan(lambda a, r: a * 0.5 + r, x)

    def folded(x: Any) -> Any:
        return v1.foldr(lambda a, r: a * 0.5 + r, x)

    def written(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
        step = lambda k, a: (k + 1, a.write(k, x[k] * 2))  # noqa: E731
        count = tf.shape(x)[0]
        _, array = v1.while_loop(lambda k, a: k < count, step, [0, array])
        parts = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x[:3], [1, 2])
        first = array.gather([count - 1, 0])
        return array.stack(), array.size(), first, parts.concat(), array.read(0)

    def joined(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        step = lambda k, a: (k + 1, a.write(k, tf.stack([x[k], -x[k]])))  # noqa: E731
        _, array = v1.while_loop(lambda k, a: k < tf.shape(x)[0], step, [0, array])
        return array.concat()

    def rnn(x: Any) -> Any:
        w, u = data(3, 4), data(4, 4)
        count = tf.shape(x)[1]
        given = tf.TensorArray(tf.float32, size=count).unstack(tf.transpose(x, [1, 0, 2]))
        out = tf.TensorArray(tf.float32, size=count)

        def step(k: Any, h: Any, out: Any) -> Any:
            h = tf.tanh(given.read(k) @ w + h @ u)
            return k + 1, h, out.write(k, h)

        start = [0, tf.zeros([tf.shape(x)[0], 4]), out]
        _, h, out = v1.while_loop(lambda k, *_: k < count, step, start)
        return tf.transpose(out.stack(), [1, 0, 2]), h

    def chosen(x: Any, n: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=n)

        def step(k: Any, a: Any) -> Any:
            return k + 1, v1.cond(k > 1, lambda: a.write(k, x + 1), lambda: a.write(k, -x))

        return v1.while_loop(lambda k, _: k < n, step, [0, array])[1].stack()

    frozen("v1_chosen", chosen, COUNTS[::2])
    rows = [{"x": data(n, 3)} for n in (4, 3, 9)]
    for function in (mapped, scanned, folded, written, joined):
        frozen(f"v1_{function.__name__}", function, rows, x=[None, 3])
    frozen("v1_rnn", rnn, [{"x": data(n, m, 3)} for n, m in ((2, 5), (1, 1))], x=[None, None, 3])
    frozen("v1_rnn_fixed", rnn, [{"x": data(2, 5, 3)}])


class Cell:
    """What `dynamic_rnn` takes for a cell of Keras 2."""

    output_size = state_size = 4

    def get_initial_state(self, inputs: Any, batch_size: Any, dtype: Any) -> Any:
        return tf.zeros([batch_size, 4], dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return tf.zeros([batch_size, 4], dtype)

    def __call__(self, x: Any, h: Any, scope: Any = None) -> Any:
        with v1.variable_scope(scope or "cell", reuse=v1.AUTO_REUSE):
            start = v1.constant_initializer(data(7, 4))
            w = v1.get_variable("w", [7, 4], initializer=start)
        h = tf.tanh(tf.concat([x, h], 1) @ w)
        return h, h


def networks() -> None:
    def plain(x: Any) -> Any:
        return v1.nn.dynamic_rnn(Cell(), x, dtype=tf.float32)

    def lengths(x: Any, n: Any) -> Any:
        cells = Cell(), Cell()
        both = v1.nn.bidirectional_dynamic_rnn(*cells, x, sequence_length=n, dtype=tf.float32)
        return [*both[0], *both[1]]

    runs = [{"x": data(n, m, 3)} for n, m in ((2, 5), (1, 1))]
    frozen("v1_dynamic", plain, runs, x=[None, None, 3])
    frozen("v1_dynamic_fixed", plain, runs[:1])
    ends = ([2, 5, 1], [1, 1, 1])
    runs = [{"x": data(3, max(n), 3), "n": np.array(n, np.int32)} for n in ends]
    frozen("v1_lengths", lengths, runs, x=[None, None, 3], n=[None])
    frozen("v1_lengths_fixed", lengths, runs[:1])


def functions() -> None:
    def cond(x: Any, p: Any) -> Any:
        return tf.cond(p, lambda: x @ tf.ones([3, 3]), lambda: x - 1)

    def case(x: Any, k: Any) -> Any:
        return tf.switch_case(k, [lambda: x + 1, lambda: tf.exp(x), lambda: -x])

    def loop(x: Any, n: Any) -> Any:
        for k in tf.range(n):
            x = x * 0.5 + tf.cast(k, tf.float32)
            if k % 2 == 0:
                x = tf.tanh(x)
        return x

    frozen_case = [{"x": X, "k": np.int32(k)} for k in (0, 1, 2, -1, 7)]
    lowered("v2_cond", cond, FLAGS)
    lowered("v2_case", case, frozen_case)
    lowered("v2_loop", loop, COUNTS)
    layers = {"lstm": L.LSTM(4, return_sequences=True), "bidirectional": L.Bidirectional(L.GRU(3))}
    for name, layer in layers.items():
        any_length = keras.Sequential([keras.Input((None, 3)), layer])
        runs = [{"x": data(n, m, 3)} for n, m in ((2, 5), (1, 2))]
        model = lambda x, m=any_length: m(x, training=False)  # noqa: E731
        lowered(f"v2_{name}", model, runs, x=[None, None, 3])
        lowered(f"v2_{name}_fixed", model, runs[:1])


if __name__ == "__main__":
    keras.utils.set_random_seed(0)
    if sys.argv[2] == "loops":
        recurrent()
        lists()
        written_in_loops()
        decisions()
    else:
        v1.disable_control_flow_v2()
        conditionals()
        loops()
        mixtures()
        arrays()
        networks()
        v1.enable_control_flow_v2()
        functions()
