"""Write the legacy programs in tests/data/paddle; run by hand, with Paddle 2.6.2 (numpy < 2).

    python tests/frontends/paddle_legacy_models.py tests/data/paddle

Paddle 3 writes such programs no longer but for a few. Weights are random from a fixed seed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import paddle
from paddle import nn
from paddle.base.layer_helper import LayerHelper
from paddle.base.proto import framework_pb2
from paddle.static import InputSpec
from paddle.static.nn import control_flow


class Net(nn.Layer):
    """Convolutions with batch norm, a residual, a depthwise one, dense layers."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2D(3, 8, 3, stride=2, padding=1, bias_attr=False)
        self.norm = nn.BatchNorm2D(8)
        self.second = nn.Conv2D(8, 8, 3, padding=1, groups=8)
        self.norm2 = nn.BatchNorm2D(8)
        self.dense = nn.Linear(8, 10)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        x = nn.functional.relu6(self.norm(self.first(x)))
        x = x + nn.functional.hardswish(self.norm2(self.second(x)))
        x = nn.functional.max_pool2d(x, 3, 2, 1)
        x = nn.functional.adaptive_avg_pool2d(x, 1).flatten(1)
        return nn.functional.softmax(self.dense(self.drop(x)))


class Encoder(nn.Layer):
    """Token numbers, a transformer encoder with a mask, the first state."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(30, 16)
        self.places = nn.Embedding(12, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", normalize_before=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.norm = nn.LayerNorm(16)

    def forward(self, ids):
        length = paddle.shape(ids)[1]
        places = paddle.arange(0, length, dtype="int64").unsqueeze(0)
        mask = paddle.unsqueeze((ids == 0).astype("float32") * -1e4, [1, 2])
        states = self.encoder(self.tokens(ids) + self.places(places), mask)
        return self.norm(states), paddle.tanh(states[:, 0])


class Reader(nn.Layer):
    """Text recognition: convolutions, columns as steps, LSTMs in both directions."""

    def __init__(self):
        super().__init__()
        self.convs = nn.Sequential(
            nn.Conv2D(1, 4, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(4, 8, 3, padding=1),
            nn.LeakyReLU(0.1),
            nn.MaxPool2D((4, 1), (4, 1)),
        )
        self.lstm = nn.LSTM(8, 6, num_layers=2, direction="bidirect")
        self.gru = nn.GRU(12, 5)
        self.dense = nn.Linear(5, 11)

    def forward(self, x):
        x = self.convs(x)
        x = paddle.transpose(paddle.squeeze(x, 2), [0, 2, 1])
        x, _ = self.lstm(x)
        x, _ = self.gru(x)
        scores = nn.functional.log_softmax(self.dense(x), axis=-1)
        return scores, paddle.argmax(scores, axis=-1)


class Detector(nn.Layer):
    """A head of YOLO v3: up-sampling, two scales, boxes, non-maximum suppression."""

    def __init__(self):
        super().__init__()
        self.body = nn.Conv2D(3, 8, 3, stride=8, padding=1)
        self.down = nn.Conv2D(8, 8, 3, stride=2, padding=1)
        self.coarse = nn.Conv2D(8, 14, 1)
        self.fine = nn.Conv2D(16, 14, 1)

    def forward(self, image, size):
        x = nn.functional.leaky_relu(self.body(image), 0.1)
        low = nn.functional.silu(self.down(x))
        up = nn.functional.interpolate(low, scale_factor=2, mode="nearest")
        found = [
            paddle.vision.ops.yolo_box(y, size, anchors, 2, 0.01, stride)
            for y, anchors, stride in (
                (self.coarse(low), [30, 40, 50, 30], 16),
                (self.fine(paddle.concat([x, up], axis=1)), [10, 13, 16, 20], 8),
            )
        ]
        boxes = paddle.concat([b for b, _ in found], axis=1)
        scores = paddle.transpose(paddle.concat([s for _, s in found], axis=1), [0, 2, 1])
        helper = LayerHelper("multiclass_nms3")
        kinds = ("float32", "int32", "int32")
        out = [helper.create_variable_for_type_inference(dtype=k) for k in kinds]
        helper.append_op(
            type="multiclass_nms3",
            inputs={"BBoxes": boxes, "Scores": scores},
            outputs={"Out": out[0], "Index": out[1], "NmsRoisNum": out[2]},
            attrs={
                "background_label": -1,
                "score_threshold": 0.05,
                "nms_top_k": 50,
                "keep_top_k": 10,
                "nms_threshold": 0.45,
                "nms_eta": 1.0,
                "normalized": False,
            },
        )
        return out[0], out[2]


class Branches(nn.Layer):
    """Conditionals that depend on the data, one inside another."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(3, 3)

    def forward(self, x):
        y = self.dense(x)
        if paddle.mean(y) > 0:
            y = y + 1
            z = x * 2
        else:
            y = y - 1
            z = x
            if paddle.max(x) > 1:
                z = z - y
        return y, z


class Loops(nn.Layer):
    """A loop of unknown length, and one that collects what it makes."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(3, 3)

    def forward(self, x, count):
        k = paddle.zeros([1], dtype="int64")
        while k < count:
            x = paddle.tanh(self.dense(x)) + 0.5
            k = k + 1
        return x, paddle.concat([x * row for row in range(3)], axis=0)


class Arrays(nn.Layer):
    """An array of tensors that a loop of unknown length writes to."""

    def forward(self, x, count):
        k = paddle.zeros([1], dtype="int64")
        rows = paddle.tensor.create_array("float32")
        rows = paddle.tensor.array_write(x, k, rows)
        while k < count:
            last = paddle.tensor.array_read(rows, k)
            k = k + 1
            rows = paddle.tensor.array_write(last * 0.5 + 1, k, rows)
        whole, _ = paddle.tensor.manipulation.tensor_array_to_tensor(rows, axis=0)
        return whole, paddle.tensor.array_length(rows)


class Decoder(nn.Layer):
    """Greedy decoding: each round chooses a token and appends it."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(7, 3)
        self.cell = nn.GRUCell(3, 3)
        self.dense = nn.Linear(3, 7)

    def forward(self, x, count):
        ids = paddle.full([2, 1], 1, "int64")
        k = paddle.zeros([1], dtype="int64")
        while k < count:
            _, x = self.cell(self.tokens(ids[:, -1]), x)
            best = paddle.argmax(self.dense(x), -1, keepdim=True)
            ids = paddle.concat([ids, best], 1)
            k = k + 1
        return ids, x


def blocks(folder, name):
    """Blocks that write variables from outside, as programs without dynamic graphs have them."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = paddle.static.data("x", [2, 3])
        count = paddle.static.data("count", [1], "int64")
        chosen, two = paddle.full([2, 3], 0.25), paddle.full([1], 2, "int64")
        with control_flow.Switch() as switch:
            with switch.case(count < two):
                paddle.assign(x * 2, output=chosen)
            with switch.case(count == two):
                paddle.assign(x * 3 + 0.5, output=chosen)
            with switch.default():
                paddle.assign(x - 1, output=chosen)
        k, total = paddle.full([1], 0, "int64"), paddle.zeros([2, 3])
        goes = paddle.less_than(k, count)
        with control_flow.While(goes).block():
            paddle.assign(total + chosen, output=total)
            paddle.increment(k)
            paddle.assign(paddle.less_than(k, count), output=goes)
    run = paddle.static.Executor(paddle.CPUPlace())
    run.run(startup)
    ends = ([x, count], [chosen, total])
    paddle.static.save_inference_model(str(folder / name), *ends, run, program=main)


def randomize(layer):
    """Weights and statistics of norms that are not those of a fresh layer."""
    generator = np.random.default_rng(0)
    for name, tensor in sorted(layer.state_dict().items()):
        low = 0.5 if name.endswith("_variance") else -0.5
        values = generator.uniform(low, low + 1, tensor.shape).astype(np.float32)
        tensor.set_value(values)


def traced(folder, name, layer, *specs):
    """A program by paddle.jit.save."""
    randomize(layer)
    layer.eval()
    paddle.jit.save(layer, str(folder / name), input_spec=list(specs), clip_extra=True)
    (folder / f"{name}.pdiparams.info").unlink(missing_ok=True)


def quantized(folder, name):
    """A program as PaddleSlim trains it: fake quantisers on activations and weights."""
    paddle.enable_static()
    paddle.seed(0)
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = paddle.static.data("x", [-1, 3, 8, 8])
        y = layer(x, [6, 3, 3, 3], 0.02)
        y = nn.functional.relu(y)
        y = layer(y, [4, 6, 3, 3], 0.03)
        y = paddle.mean(y, axis=[2, 3])
    run = paddle.static.Executor(paddle.CPUPlace())
    run.run(startup)
    paddle.static.save_inference_model(str(folder / name), [x], [y], run, program=main)


def layer(x, shape, scale):
    """A convolution of quantised operands."""
    helper = LayerHelper("conv2d")
    normal = nn.initializer.Normal(0.0, 0.3)
    weight = paddle.create_parameter(shape, "float32", default_initializer=normal)
    constant = nn.initializer.Constant(scale * 127)
    in_scale = paddle.create_parameter([1], "float32", default_initializer=constant)
    made = {k: helper.create_variable_for_type_inference("float32") for k in "abcd"}
    helper.append_op(
        type="fake_quantize_dequantize_moving_average_abs_max",
        inputs={"X": x, "InScale": in_scale},
        outputs={"Out": made["a"], "OutScale": in_scale},
        attrs={"is_test": True, "bit_length": 8, "moving_rate": 0.9},
    )
    helper.append_op(
        type="fake_channel_wise_quantize_dequantize_abs_max",
        inputs={"X": weight},
        outputs={"Out": made["b"], "OutScale": made["c"]},
        attrs={"quant_axis": 0, "bit_length": 8},
    )
    helper.append_op(
        type="conv2d",
        inputs={"Input": made["a"], "Filter": made["b"]},
        outputs={"Output": made["d"]},
        attrs={"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1},
    )
    return made["d"]


def separate(folder, name):
    """A program as Paddle 1 wrote it: `__model__` and one file for each parameter."""
    paddle.enable_static()
    run = paddle.static.Executor(paddle.CPUPlace())
    program, _, _ = paddle.static.load_inference_model(str(folder / name), run)
    target = folder / f"{name}_separate"
    target.mkdir(exist_ok=True)
    (target / "__model__").write_bytes((folder / f"{name}.pdmodel").read_bytes())
    stored = [v for v in program.list_vars() if v.persistable and v.name not in ("feed", "fetch")]
    paddle.static.io.save_vars(run, str(target), program, vars=stored)


def strip(path):
    """Take the lines of code that made each operator out of a program."""
    program = framework_pb2.ProgramDesc.FromString(path.read_bytes())
    for block in program.blocks:
        for op in block.ops:
            kept = [a for a in op.attrs if a.name != "op_callstack"]
            del op.attrs[:]
            op.attrs.extend(kept)
    path.write_bytes(program.SerializeToString())


def main(folder):
    """All programs."""
    folder.mkdir(parents=True, exist_ok=True)
    paddle.seed(0)
    image = InputSpec([None, 3, 32, 32], "float32", "image")
    vector = InputSpec([None, 3], "float32", "x")
    count = InputSpec([1], "int64", "count")
    traced(folder, "net", Net(), image)
    traced(folder, "encoder", Encoder(), InputSpec([None, None], "int64", "ids"))
    traced(folder, "reader", Reader(), InputSpec([None, 1, 8, None], "float32", "image"))
    traced(folder, "detector", Detector(), image, InputSpec([None, 2], "int32", "size"))
    traced(folder, "branches", Branches(), vector)
    traced(folder, "loops", Loops(), InputSpec([2, 3], "float32", "x"), count)
    traced(folder, "arrays", Arrays(), InputSpec([2, 3], "float32", "x"), count)
    traced(folder, "decoder", Decoder(), InputSpec([2, 3], "float32", "x"), count)
    quantized(folder, "quantized")
    blocks(folder, "blocks")
    for path in folder.glob("*.pdmodel"):
        strip(path)
    separate(folder, "net")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
