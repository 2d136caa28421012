"""ATen operators that are refused: operands that do not fit, or what is not taken yet."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import Case, f, i, rand

X, SQUARE = rand(2, 3, 4), rand(3, 3)
CASES: list[Case] = [
    *(Case(op, given, raises=BadType, why=why) for op, given, why in (
        ("aten.outer.default", (X, f(1, 2)), "no vector"),
        ("aten.outer.default", (f(1, 2), X), "no second vector"),
        ("aten.tensordot.default", (X, X, [0, 1], [0]), "fewer axes"),
        ("aten.chunk.default", (X, 0), "no pieces"),
        ("aten.tensor_split.sections", (X, 0), "no sections"),
        ("aten.split.Tensor", (X, 0), "pieces of nothing"),
        ("aten.linalg_cross.default", (X, rand(3, 3)), "other axes"),
        ("aten.cross.default", (rand(2, 4), rand(2, 4)), "no axis of 3"),
        ("aten.avg_pool2d.default", (X, [2, 2], [1, 1], [0, 0], False, True, 0), "by 0"),
        ("aten.upsample_nearest2d.vec", (rand(1, 2, 3, 4), None, None), "no size"),
        ("aten.upsample_nearest2d.vec", (rand(1, 2, 3, 4), [2, 2], [2.0, 2.0]), "two sizes"),
        ("aten.upsample_nearest2d.vec", (rand(1, 2, 3, 4), None, [2.0]), "one factor"),
        ("aten.fft_fftn.default", (X, [2, 2], [0]), "two sizes of one axis"),
        ("aten.hann_window.default", (-1,), "below 0"),

        ("aten.histogramdd.int_bins", (rand(5, 2), 3, [0.0, 1.0]), "one range of two"),
        ("aten.linalg_matrix_norm.default", (X, 2.0, [0]), "one axis"),
        ("aten.lstm_cell.default", (rand(2, 3, 1), [rand(2, 4), rand(2, 4)], rand(16, 3),
                                    rand(16, 4)), "three axes"),
        ("aten.gru_cell.default", (rand(2, 3, 1), rand(2, 4), rand(12, 3), rand(12, 4)),
         "three axes"),
        ("aten.gru_cell.default", (rand(2, 3), rand(2, 4), rand(12, 3), rand(12, 4), rand(12)),
         "one bias of two"),
        ("aten._scaled_dot_product_flash_attention_for_cpu.default",
         (rand(1, 2, 3, 4), rand(2, 2, 3, 4), rand(2, 2, 3, 4)), "another batch of keys"),
        ("aten.lu_unpack.default", (rand(2, 3, 3), i(1, 2, 3, dtype=np.int32)),
         "pivots of one matrix of two"),
        ("aten._weight_norm.default", (rand(2, 3), f(1, 2, 3).reshape(3, 1)), "sizes of others"),
        ("aten.binary_cross_entropy.default", (f(0.5), f(1, 0)), "more targets"),
        ("aten._pdist_forward.default", (f(1, 2),), "no matrix"),
        ("quantized_decomposed.dequantize_per_token.default",
         (i(1, dtype=np.int8).reshape(1, 1), i(2).reshape(1, 1), i(0).reshape(1, 1), -128, 127,
          Precision.INT8, Precision.FLOAT32), "scales that are integers"),
        ("quantized_decomposed.choose_qparams_per_token.default", (i(1, 2), Precision.INT8),
         "of integers"),
        ("torchvision.nms.default", (rand(2, 5), rand(2), 0.5), "five corners"),
        ("aten.lu_unpack.default", (rand(4, 1), i(1, 2, 3, 4, dtype=np.int32)), "more pivots"),
        ("aten._trilinear.default",
         (rand(2, 1), rand(1, 1, 1), rand(1, 1), [1, 3], [0], [1, 2], [2, 3], 0), "other sizes"),
        ("aten.native_batch_norm.default",
         (rand(1, 2, 3), None, None, rand(2), rand(1), False, 0.1, 1e-5), "one variance of two"),
        ("aten.cross_entropy_loss.default", (rand(2, 3), i(0, 2), None, 1, -100, 1.5),
         "more than all is smoothed"),
    )),
    Case("aten.gradient.tensorarray", (rand(2, 3),), {"spacing": [f(0, 1, 3)], "dim": [0]},
         raises=BadType, why="more points than rows"),
    *(Case(op, given, raises=Unsupported, why=why) for op, given, why in (
        ("aten.max_pool2d_with_indices.default",
         (rand(1, 1, 1), [1, 2], [1, 2], [0, 1], [1, 2], True), "a window of nothing"),
        *(
            (f"aten.{name}.default", (i(1, 2, dtype=np.uint8).reshape(1, 1, 1, 2), [3, 4], False),
             "bytes")
            for name in ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa")
        ),
        ("aten.logit.default", (f(0.5), 0.75), "bounds in no order"),
        ("_operator.mul", (np.array(1 + 0j), 3), "a complex number"),
        ("_operator.add", (i(1, 2), 3), "two sizes for one"),
        ("torch.sym_ite", (f(True, False, dtype=np.bool_), 1, 0), "two answers for one"),
        ("torch.sym_float", (i(1),), "an axis"),
        ("math.floor", (f(1, dtype=np.float64),), "an axis"),
        ("aten.lerp.Scalar", (X, X, 2j), "a complex weight"),
        ("aten.histc.default", (i(1, 2), 3), "of integers"),
        ("aten.combinations.default", (rand(2000), 3), "too many"),
        ("aten.combinations.default", (rand(2000), 3, True), "too many with replacement"),
        ("aten._embedding_bag.default", (SQUARE, i(0, 1), i(0), False, 7), "no such mode"),
        ("aten.tril_indices.default", (-1, 2), "rows below 0"),
        ("aten.triu_indices.default", (2, -1), "columns below 0"),
        ("aten.renorm.default", (X, 2j, 0, 1.0), "a complex order"),
        ("aten.linalg_vector_norm.default", (X, 2j), "a complex order"),
    )),
]  # fmt: skip
