"""Write small programs with Paddle; a script, as tests themselves never import Paddle.

    python -m tests.frontends.paddle_models FOLDER

Every model is `NAME.json` with `NAME.pdiparams`; `NAME.npz` holds inputs and outputs run by run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

os.environ["GLOG_minloglevel"] = "3"  # noqa: SIM112  Paddle's name
import paddle
from paddle import nn
from paddle.static import InputSpec

ROOT = Path(sys.argv[1])
RNG = np.random.default_rng(0)
Run = Sequence[np.ndarray]


def data(*sizes: int, dtype: Any = np.float32) -> np.ndarray:
    return RNG.standard_normal(sizes).astype(dtype)


def integers(*values: int, dtype: Any = np.int64) -> np.ndarray:
    return np.array(values, dtype)


def save(name: str, layer: nn.Layer, specs: Sequence[Any], runs: Sequence[Run]) -> None:
    """A layer as a program, and what it gives."""
    layer.eval()
    for state in layer.state_dict().values():  # statistics and biases as a trained model has them
        noise = RNG.random(state.shape).astype(np.float32) * 0.4 - 0.1
        if state.dtype == paddle.float32:
            state.set_value(np.abs(noise) + 0.1 if state.ndim == 1 else noise)
    kinds = [InputSpec(s, str(a.dtype)) for s, a in zip(specs, runs[0], strict=True)]
    program = paddle.jit.to_static(layer, input_spec=kinds, full_graph=True)
    paddle.jit.save(program, str(ROOT / name))
    loaded = paddle.jit.load(str(ROOT / name))
    arrays = {}
    for k, inputs in enumerate(runs):
        found = loaded(*(paddle.to_tensor(a) for a in inputs))
        outputs = found if isinstance(found, (list, tuple)) else [found]
        arrays |= {f"in{n}@{k}": a for n, a in enumerate(inputs)}
        arrays |= {f"out{n}@{k}": v.numpy() for n, v in enumerate(outputs)}
    np.savez(ROOT / f"{name}.npz", **arrays)


class Net(nn.Layer):
    """Convolutions with normalisation, a pool and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *(nn.Conv2D(3, 8, 3, padding=1, stride=2), nn.BatchNorm2D(8), nn.ReLU()),
            *(nn.Conv2D(8, 8, 3, padding=1, groups=8), nn.BatchNorm2D(8), nn.Hardswish()),
            *(nn.MaxPool2D(3, 2, 1), nn.Conv2D(8, 6, 1), nn.AdaptiveAvgPool2D(1)),
        )
        self.head = nn.Linear(6, 5)

    def forward(self, x: Any) -> Any:
        return nn.functional.softmax(self.head(paddle.flatten(self.body(x), 1)))


class Encoder(nn.Layer):
    """Attention over sequences of any length."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        block = nn.TransformerEncoderLayer(8, 2, 16, activation="gelu")
        self.blocks = nn.TransformerEncoder(block, 2)

    def forward(self, ids: Any) -> Any:
        mask = paddle.unsqueeze((ids == 0).astype("float32") * -1e9, [1, 2])
        return self.blocks(self.embed(ids), mask)


class Reader(nn.Layer):
    """Lines of text: columns of an image through an LSTM in both directions."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(1, 4, 3, padding=1)
        self.lstm = nn.LSTM(16, 6, num_layers=2, direction="bidirect")
        self.head = nn.Linear(12, 7)

    def forward(self, x: Any) -> Any:
        columns = paddle.transpose(nn.functional.relu(self.conv(x)), [0, 3, 1, 2])
        steps, (h, _) = self.lstm(paddle.flatten(columns, 2, 3))
        return self.head(steps), h


class Lengths(nn.Layer):
    """A GRU over sequences of different lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(3, 4, direction="bidirect")

    def forward(self, x: Any, lengths: Any) -> Any:
        return self.gru(x, sequence_length=lengths)


class Detector(nn.Layer):
    """A YOLOv3 head; `suppress` is how boxes that overlap go."""

    def __init__(self, suppress: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.conv = nn.Conv2D(4, 16, 1)
        self.suppress = suppress

    def forward(self, x: Any, size: Any) -> Any:
        boxes, scores = paddle.vision.ops.yolo_box(
            self.conv(x), size, [10, 13, 16, 30], 3, 0.01, 8, clip_bbox=True
        )
        return self.suppress(boxes, paddle.transpose(scores, [0, 2, 1]))


def by_class(boxes: Any, scores: Any) -> Any:
    found = paddle._C_ops.multiclass_nms3(boxes, scores, None, 0.3, 20, 10, 0.45, True, 1.0, -1)
    return found[0], found[2]


def by_matrix(boxes: Any, scores: Any) -> Any:
    return paddle.vision.ops.matrix_nms(boxes, scores, 0.3, 0.1, 20, 10, background_label=-1)


class Branch(nn.Layer):
    """Conditionals in conditionals, which read what is around them."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(4, 4)

    def forward(self, x: Any, y: Any) -> Any:
        z = y * 2
        if paddle.sum(x) > 0:
            if paddle.sum(y) > 0:
                x = self.dense(x) + z
            else:
                x = x * z - z
                z = z + 1
            y = paddle.tanh(y)
        else:
            x = x * z
        return x, y


class While(nn.Layer):
    """As many steps as an input says."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(4, 4)

    def forward(self, x: Any, n: Any) -> Any:
        i = paddle.zeros([1], "int64")
        while i < n:
            x = paddle.tanh(self.dense(x)) + x
            i = i + 1
        return x, i


class Fixed(nn.Layer):
    """A loop whose number of iterations is known."""

    def forward(self, x: Any) -> Any:
        i = paddle.zeros([], "int64")
        while i < 3:
            x = x * 2 + 1
            i += 1
        return x


class Growing(nn.Layer):
    """A state that is longer after every iteration."""

    def forward(self, x: Any, n: Any) -> Any:
        i = paddle.zeros([1], "int64")
        while i < n:
            x = paddle.concat([x, x[:1] + 1])
            i = i + 1
        return x


class Steps(nn.Layer):
    """A recurrent cell step by step; its outputs are written to an array."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(3, 4)

    def forward(self, x: Any) -> Any:
        found = []
        h = paddle.zeros([paddle.shape(x)[0], 4])
        for t in range(paddle.shape(x)[1]):
            _, h = self.cell(x[:, t], h)
            found.append(h)
        return paddle.stack(found, 1), found[-1]


class Lists(nn.Layer):
    """Arrays that are written to outside and inside of a loop."""

    def forward(self, x: Any, n: Any) -> Any:
        array = paddle.tensor.create_array("float32")
        zero = paddle.zeros([1], "int64")
        paddle.tensor.array_write(x, zero, array)
        i = paddle.ones([1], "int64")
        while i < n:
            last = paddle.tensor.array_read(array, i - 1)
            paddle.tensor.array_write(last * 2, i, array)
            i = i + 1
        whole, _ = paddle.tensor.manipulation.tensor_array_to_tensor(array, axis=1)
        return whole, paddle.tensor.array_length(array), paddle.tensor.array_read(array, zero)


class Chosen(nn.Layer):
    """A loop with a condition in it, and a value from outside that both read."""

    def forward(self, x: Any, n: Any) -> Any:
        i = paddle.zeros([1], "int64")
        bias = paddle.mean(x)
        total = paddle.zeros_like(x)
        while i < n:
            if paddle.mean(total) > bias:
                half = x / 2
                total = total - half
            else:
                total = total + bias
            i = i + 1
        return total


class Written(nn.Layer):
    """What a loop writes in place is seen after it."""

    def forward(self, x: Any, n: Any) -> Any:
        i = paddle.zeros([1], "int64")
        total = paddle.zeros_like(x)

        def cond(i: Any, unused: Any) -> Any:
            return i < n

        def body(i: Any, unused: Any) -> Any:
            paddle.assign(total + x, total)
            return [i + 1, unused]

        i, _ = paddle.static.nn.while_loop(cond, body, [i, x])
        return total * 2, i


class Checked(nn.Layer):
    """Assertions and prints, which say nothing here."""

    def forward(self, x: Any) -> Any:
        paddle.static.nn.control_flow.Assert(paddle.shape(x)[0] > 0, [x])
        return paddle.static.Print(x + 1) * 2


class Open(nn.Layer):
    """Volumes of open sizes, which Paddle multiplies by channels as if they were -1."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.InstanceNorm3D(2)
        self.pool = nn.AdaptiveAvgPool3D((3, 2, 2))

    def forward(self, x: Any) -> Any:
        return self.pool(self.norm(x))


def main() -> None:
    any_image = [None, 3, 16, 20]
    save("cnn", Net(), [any_image], [[data(n, 3, 16, 20)] for n in (1, 3)])
    ids = [RNG.integers(0, 11, (n, t)) for n, t in ((2, 5), (1, 7))]
    save("transformer", Encoder(), [[None, None]], [[a] for a in ids])
    lines = [[data(n, 1, 4, w)] for n, w in ((2, 6), (1, 9))]
    save("crnn", Reader(), [[None, 1, 4, None]], lines)
    sequences = [[data(2, 5, 3), integers(5, 3)], [data(3, 4, 3), integers(1, 4, 2)]]
    save("lengths", Lengths(), [[None, None, 3], [None]], sequences)
    image = [data(2, 4, 5, 6), integers(40, 48, 80, 60, dtype=np.int32).reshape(2, 2)]
    for name, suppress in (("yolo", by_class), ("matrix_nms", by_matrix)):
        save(name, Detector(suppress), [[2, 4, 5, 6], [2, 2]], [image])
    signs = [[a * np.abs(data(2, 4)), b * np.abs(data(2, 4))] for a in (1, -1) for b in (1, -1)]
    save("branch", Branch(), [[None, 4]] * 2, [[x.astype(np.float32) for x in s] for s in signs])
    counts = [[data(2, 4), integers(n)] for n in (3, 0, 1)]
    for name, layer in (("while", While()), ("chosen", Chosen()), ("growing", Growing())):
        save(name, layer, [[None, 4], [1]], counts)
    save("fixed", Fixed(), [[None, 4]], [[data(2, 4)]])
    save("steps", Steps(), [[None, None, 3]], [[data(n, t, 3)] for n, t in ((2, 5), (1, 3))])
    save("lists", Lists(), [[2, 4], [1]], [[data(2, 4), integers(n)] for n in (4, 1, 2)])
    save("written", Written(), [[None, 4], [1]], counts)
    volumes = [[data(n, 2, *sizes)] for n, *sizes in ((1, 4, 5, 6), (3, 5, 3, 7))]
    save("open", Open(), [[None, 2, None, None, None]], volumes)
    save("checked", Checked(), [[2, 4]], [[data(2, 4)]])


if __name__ == "__main__":
    paddle.seed(0)
    main()
