"""Questions about padding and rearranging."""

from __future__ import annotations

import numpy as np

from ...case import Case, Const, f, i
from ..question import Arrays, Question, lite, number, plain, sizes, torch

ROW = f(1, 2, 3)
LINE = ROW.reshape(1, 1, 3)
CUBE = ROW.reshape(1, 1, 1, 1, 3)
PLANE = np.arange(1, 9, dtype=np.float32)


def pad_row(mode: str, before: int, after: int) -> dict[str, Case]:
    """A row with a border."""
    pairs = Const(i([before, after], dtype=np.int32))
    cases = {
        "onnx": plain("Pad", ROW, sizes(before, after, dtype=np.int64), mode=mode),
        "torch": torch("pad", LINE, [before, after], {"edge": "replicate"}.get(mode, mode)),
        "paddle": plain("pad3d", CUBE, [before, after, 0, 0, 0, 0],
                        {"edge": "replicate"}.get(mode, mode)),
    }  # fmt: skip
    if mode == "reflect":
        cases["tensorflow"] = plain("MirrorPad", ROW, pairs, mode="REFLECT")
        cases["tflite"] = lite("MIRROR_PAD", ROW, pairs, mode="REFLECT")
    return cases


def first(results: Arrays) -> Arrays:
    """Channels first."""
    return [results[0].transpose(0, 3, 1, 2)]


SEVEN = f(1, 2, 3, 4, 5, 6, 7)
DEEP = PLANE.reshape(1, 8, 1, 1)
QUESTIONS = [
    Question(
        "PAD",
        "Does a reflected border repeat the edge?",
        (ROW,),
        pad_row("reflect", 2, 1),
        "It does not; TensorFlow's SYMMETRIC does.",
    ),
    Question(
        "PAD",
        "May a reflected border be as wide as the data?",
        (ROW,),
        pad_row("reflect", 3, 0),
        "Three elements have two to mirror; some refuse, some begin again.",
    ),
    Question(
        "PAD",
        "May a border of copied edges be wider than the data?",
        (ROW,),
        pad_row("edge", 4, 0),
        "There is no reason why not.",
    ),
    Question(
        "PAD",
        "Does a negative border cut?",
        (ROW,),
        {
            "onnx": plain("Pad", ROW, sizes(-1, 0, dtype=np.int64)),
            "torch": torch("constant_pad_nd", ROW, [-1, 0]),
            "tensorflow": plain("PadV2", ROW, Const(i([-1, 0], dtype=np.int32)),
                                np.array(0, np.float32)),
            "tflite": lite("PAD", ROW, Const(i([-1, 0], dtype=np.int32))),
            "paddle": plain("pad", ROW, [-1, 0], 0.0),
        },
        "ONNX and PyTorch say so.",
    ),
    Question(
        "TRANSPOSE",
        "In which order does depth-to-space take the channels?",
        (DEEP,),
        {
            "onnx": plain("DepthToSpace", DEEP, blocksize=2),
            "torch": torch("pixel_shuffle", DEEP, 2),
            "tensorflow": plain("DepthToSpace", PLANE.reshape(1, 1, 1, 8), block_size=2,
                                data_format="NHWC"),
            "tflite": lite("DEPTH_TO_SPACE", PLANE.reshape(1, 1, 1, 8), block_size=2),
            "paddle": plain("pixel_shuffle", DEEP, 2),
        },
        "Eight channels become two of 2x2. ONNX's default (DCR) and TensorFlow's put a block's "
        "positions first, PyTorch's and Paddle's the channels. Mind the layouts: the answers of "
        "TensorFlow and TFLite are shown with the channels first.",
        views={"tensorflow": first, "tflite": first},
    ),
    Question(
        "TILE",
        "Does repeating take whole rows or single elements?",
        (f(1, 2),),
        {
            "onnx": plain("Tile", f(1, 2), sizes(2, dtype=np.int64)),
            "torch": torch("repeat", f(1, 2), [2]),
            "tensorflow": plain("Tile", f(1, 2), sizes(2)),
            "tflite": lite("TILE", f(1, 2), sizes(2)),
            "paddle": plain("tile", f(1, 2), [2]),
        },
        "`repeat` is PyTorch's tile; NumPy's repeat is `repeat_interleave`.",
    ),
    Question(
        "RESHAPE",
        "What does 0 mean in a new shape?",
        (f([1, 2, 3]),),
        {
            "onnx": plain("Reshape", f([1, 2, 3]), sizes(0, 3, dtype=np.int64)),
            "torch": torch("reshape", f([1, 2, 3]), [0, 3]),
            "tensorflow": plain("Reshape", f([1, 2, 3]), sizes(0, 3)),
            "tflite": lite("RESHAPE", f([1, 2, 3]), sizes(0, 3)),
            "paddle": plain("reshape", f([1, 2, 3]), [0, 3]),
        },
        "The size that was there (ONNX, Paddle), or a size of 0, which cannot hold what there is.",
    ),
    Question(
        "SPLIT",
        "How is a row of seven split in three?",
        (SEVEN,),
        {
            "onnx": Case("Split", (SEVEN,), {"num_outputs": 3}, outputs=3),
            "torch": torch("tensor_split.sections", SEVEN, 3),
            "tensorflow": plain("Split", number(0), SEVEN, num_split=3),
            "paddle": plain("split_with_num", SEVEN, 3, 0),
        },
        "ONNX makes the last one shorter, PyTorch's tensor_split the first ones longer, the others "
        "want equal parts.",
    ),
    Question(
        "SPLIT",
        "Into how many parts is a row of five cut, when four are wanted?",
        (f(1, 2, 3, 4, 5),),
        {
            "onnx": Case("Split", (f(1, 2, 3, 4, 5),), {"num_outputs": 4}, outputs=4),
            "torch": torch("chunk", f(1, 2, 3, 4, 5), 4),
        },
        "Parts of ceil(5 / 4) = 2: there is nothing left for the fourth.",
    ),
]  # fmt: skip
