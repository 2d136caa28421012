"""Paddle's operators that several others were fused to."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, Unsupported

from ...case import ROUNDS, Case, rand

X = rand(2, 3, 4)
LINE = rand(4)
HEADS = rand(2, 5, 3, 4), rand(2, 5, 3, 4, seed=1), rand(2, 5, 3, 4, seed=2)
WAVES = rand(1, 5, 1, 4, seed=3), rand(1, 5, 1, 4, seed=4)
IDS = np.array([[4, 3, 2, 1, 0], [0, 2, 4, 1, 3]])


def fused(
    op: str,
    *inputs: Any,
    why: str = "",
    raises: type[NNAdapterError] | None = None,
    read: int | None = None,
    **attrs: Any,
) -> Case:
    """Several operators at once."""
    return Case(op, inputs, attrs, tol=ROUNDS, why=why, raises=raises, read=read)


QUANT: dict[str, Any] = {
    "quant_scale": -1.0,
    "quant_round_type": 0,
    "quant_max_bound": 0.0,
    "quant_min_bound": 0.0,
}
RESIDUAL: dict[str, Any] = {"epsilon": 1e-5, "residual_alpha": 0.5, "begin_norm_axis": 1} | QUANT
RMS: dict[str, Any] = {"epsilon": 1e-5, "begin_norm_axis": 1} | QUANT
MEMORY: dict[str, Any] = {"causal": False, "dropout_p": 0.0, "scale": -1.0, "is_test": True}
NONE = (None,) * 5
MOST = (0.0, 0.0)
IMAGE = rand(1, 2, 4, 5), rand(3, 2, 3, 3)
DROP: dict[str, Any] = {"p": 0.3, "is_test": True, "mode": "upscale_in_train"}

DENSE = (rand(3, 4), rand(4, 5), rand(3, 5), rand(5), rand(5), rand(5, seed=1))
NOT_FUSED: dict[str, Any] = {
    "axis": 0,
    "fuse_activation": "relu",
    "fuse_alpha": 0.5,
    "fuse_beta": 0.5,
    "fused_output_scale": 2.0,
    "fused_unsqueeze2_axes": [0],
    "scale_x": 2.0,
    "scale_y": 2.0,
    "scale_out": 2.0,
}
"""What the operators of one or two tensors refuse to have fused to them."""

CASES = [
    fused("fused_gemm_epilogue", rand(3, 4), rand(4, 5), rand(5)),
    fused("fused_gemm_epilogue", rand(4, 3), rand(5, 4), rand(5), trans_x=True, trans_y=True),
    fused("fused_gemm_epilogue", rand(3, 4), rand(4, 5), rand(5), activation="relu"),
    fused("fused_gemm_epilogue", X, rand(4, 5), rand(5), activation="gelu"),
    fused("fused_gemm_epilogue", X, rand(4, 5), rand(5), activation="mish", raises=Unsupported),
    fused(
        "fused_gemm_epilogue", X, rand(4, 5), rand(5), activation="leaky_relu", raises=Unsupported
    ),
    *(
        fused("fused_bias_act", X, LINE, None, None, None, act_method=name)
        for name in ("gelu", "relu", "swish", "swiglu", "geglu")
    ),
    fused("fused_bias_act", X, None, None, None, None, why="no bias"),
    fused("fused_bias_act", X, LINE, None, None, None, quant_scale=0.5, raises=Unsupported),
    fused(
        "fused_bias_act",
        rand(2, 3),
        None,
        None,
        None,
        None,
        act_method="swiglu",
        raises=BadType,
        why="odd size",
    ),
    fused("fused_dropout_add", X, LINE, None, **DROP),
    fused("fused_dropout_add", X, LINE, None, **DROP | {"mode": "downscale_in_infer"}),
    fused("fused_dropout_add", X, LINE, None, **DROP | {"is_test": False}, raises=Unsupported),
    fused("fused_dropout_add", X, LINE, None, **DROP | {"mode": "other"}, raises=Unsupported),
    fused("fused_softmax_mask", rand(2, 2, 3, 8), rand(2, 1, 3, 8)),
    fused("fused_softmax_mask_upper_triangle", rand(2, 2, 8, 8)),
    fused("flash_attn", *HEADS, None, None),
    fused("flash_attn", *HEADS, None, rand(2, 1, 5, 5), why="mask"),
    fused("flash_attn", *HEADS, None, None, causal=True),
    fused("flash_attn", *HEADS, None, None, dropout=0.5, raises=Unsupported),
    fused(
        "flash_attn",
        HEADS[0],
        rand(2, 6, 3, 4),
        rand(2, 6, 3, 4),
        None,
        None,
        causal=True,
        raises=Unsupported,
        why="more keys",
    ),
    fused("flash_attn", HEADS[0], rand(2, 6, 3, 4), rand(2, 6, 3, 4), None, None, why="6 keys"),
    fused("memory_efficient_attention", *HEADS, None, *NONE[:4], *MOST, **MEMORY),
    fused(
        "memory_efficient_attention",
        *HEADS,
        rand(2, 3, 5, 5),
        *NONE[:4],
        *MOST,
        **MEMORY | {"scale": 0.3},
    ),
    fused(
        "memory_efficient_attention", *HEADS, None, *NONE[:4], *MOST, **MEMORY | {"causal": True}
    ),
    fused(
        "memory_efficient_attention",
        *HEADS,
        None,
        IDS,
        *NONE[:3],
        *MOST,
        **MEMORY,
        raises=Unsupported,
        why="lengths",
    ),
    fused("fused_rotary_position_embedding", *HEADS, *WAVES, None, why="pairs"),
    fused(
        "fused_rotary_position_embedding",
        *HEADS[:2],
        None,
        *WAVES,
        None,
        use_neox_rotary_style=False,
    ),
    fused("fused_rotary_position_embedding", HEADS[0], None, None, *WAVES, IDS, why="positions"),
    fused("fused_rotary_position_embedding", *HEADS, None, None, None, raises=Unsupported),
    fused(
        "fused_rotary_position_embedding",
        rand(2, 5, 3, 3),
        None,
        None,
        rand(5, 3),
        rand(5, 3),
        None,
        raises=BadType,
        why="odd size",
    ),
    fused("fused_conv2d_add_act", *IMAGE, rand(3), None),
    fused("fused_conv2d_add_act", *IMAGE, rand(3), rand(1, 3, 2, 3), activation="sigmoid"),
    fused("fused_conv2d_add_act", *IMAGE, rand(3), None, activation="leaky_relu", fuse_alpha=0.1),
    *(
        fused("fused_conv2d_add_act", *IMAGE, rand(3), None, activation=name)
        for name in ("identity", "relu", "relu6", "swish", "tanh")
    ),
    fused("fused_conv2d_add_act", *IMAGE, rand(3), None, split_channels=[1, 2], raises=Unsupported),
    fused(
        "skip_layernorm",
        X,
        rand(2, 3, 4, seed=1),
        LINE,
        rand(4, seed=1),
        epsilon=1e-5,
        begin_norm_axis=2,
    ),
    fused("fast_ln", X, LINE, rand(4, seed=1), epsilon=1e-5),
    fused("fast_rms_norm", X, LINE, epsilon=1e-5, read=1),
    fused("fused_rms_norm_ext", X, LINE, epsilon=1e-3, read=1),
    fused(
        "fused_bias_residual_layernorm",
        rand(3, 4),
        LINE,
        rand(3, 4, seed=1),
        LINE,
        rand(4, seed=1),
        **RESIDUAL,
        read=2,
    ),
    fused(
        "fused_bias_residual_layernorm",
        rand(3, 4),
        None,
        None,
        LINE,
        LINE,
        **RESIDUAL,
        read=1,
        why="only norm",
    ),
    fused(
        "fused_bias_residual_layernorm",
        rand(3, 4),
        None,
        None,
        LINE,
        LINE,
        **RESIDUAL | {"quant_scale": 1.0},
        raises=Unsupported,
        why="quantised",
    ),
    fused("fused_rms_norm_quant", rand(3, 4), None, None, LINE, None, **RMS),
    fused(
        "fused_rms_norm_quant",
        rand(3, 4),
        LINE,
        rand(3, 4, seed=1),
        LINE,
        rand(4, seed=1),
        **RMS,
        why="all",
    ),
    fused(
        "fused_bias_dropout_residual_layer_norm",
        X,
        rand(2, 3, 4, seed=1),
        LINE,
        LINE,
        rand(4, seed=1),
        is_test=True,
        dropout_implementation="upscale_in_train",
    ),
    fused(
        "fused_bias_dropout_residual_layer_norm",
        X,
        rand(2, 3, 4, seed=1),
        None,
        None,
        None,
        is_test=True,
        dropout_rate=0.2,
    ),
    fused(
        "fused_fc_elementwise_layernorm",
        rand(3, 4),
        rand(4, 5),
        rand(3, 5),
        rand(5),
        rand(5),
        rand(5, seed=1),
    ),
    fused(
        "fused_fc_elementwise_layernorm",
        rand(2, 3, 2),
        rand(6, 5),
        rand(2, 5),
        None,
        None,
        None,
        activation_type="relu",
    ),
    fused(
        "add_group_norm_silu",
        rand(2, 4, 3, 3),
        None,
        LINE,
        rand(4, seed=1),
        groups=2,
        activation="silu",
    ),
    fused(
        "add_group_norm_silu",
        rand(2, 4, 3, 3),
        rand(2, 4, 3, 3, seed=1),
        LINE,
        LINE,
        groups=4,
    ),
    fused("fusion_squared_mat_sub", rand(3, 4), rand(4, 5), scalar=0.5),
    fused("fusion_repeated_fc_relu", rand(3, 4), [rand(4, 5), rand(5, 6)], [rand(5), rand(6)]),
    *(
        fused(f"fused_elementwise_{name}", X, rand(4, low=0.5))
        for name in ("add", "sub", "mul", "div")
    ),
    fused("fused_elementwise_add", X, LINE, fuse_activation="relu", raises=Unsupported),
    fused("self_dp_attention", rand(2, 5, 3, 2, 4), alpha=0.3, head_number=2),
    fused("fused_bias_act", X, LINE, None, None, None, compute_dtype="fp32"),
    fused(
        "fused_bias_act",
        X,
        LINE,
        None,
        None,
        None,
        quant_round_type=0,
        quant_max_bound=126.0,
        quant_min_bound=-126.0,
        why="no scale to quantise by",
    ),
    fused("fused_dropout_add", X, LINE, None, **DROP, seed=3, fix_seed=True),
    *(
        fused("fused_conv2d_add_act", *IMAGE, rand(3), None, **how)
        for how in (
            {"strides": [2, 1]},
            {"paddings": [1, 0]},
            {"dilations": [1, 2]},
            {"padding_algorithm": "SAME", "paddings": [1, 1]},
            {"exhaustive_search": True, "workspace_size_MB": 64},
        )
    ),
    fused("fused_conv2d_add_act", IMAGE[0], rand(4, 1, 3, 3), rand(4), None, groups=2),
    *(
        fused(
            "fused_bias_dropout_residual_layer_norm",
            X,
            rand(2, 3, 4, seed=1),
            *(LINE, LINE, rand(4, seed=1)),
            is_test=True,
            **how,
        )
        for how in ({"ln_epsilon": 0.001}, {"dropout_fix_seed": False, "dropout_seed": 5})
    ),
    fused("fused_fc_elementwise_layernorm", *DENSE, epsilon=0.001),
    fused(
        "fused_fc_elementwise_layernorm",
        *(rand(2, 3, 4), rand(4, 5), rand(2, 3, 5), rand(5), rand(5), rand(5, seed=1)),
        x_num_col_dims=2,
        begin_norm_axis=2,
    ),
    fused(
        "add_group_norm_silu",
        *(rand(2, 4, 3, 3), None, LINE, rand(4, seed=1)),
        groups=2,
        epsilon=0.1,
    ),
    fused(
        "add_group_norm_silu",
        *(rand(2, 3, 3, 4), None, LINE, rand(4, seed=1)),
        groups=2,
        data_format="NHWC",
    ),
    *(
        fused(
            f"fused_elementwise_{name}",
            X,
            rand(2, 3, 4, seed=1),
            **{key: value},
            raises=Unsupported,
        )
        for name in ("add", "sub", "mul", "div")
        for key, value in NOT_FUSED.items()
        if (name, key) != ("add", "fuse_activation")
    ),
    fused("flash_attn", *HEADS, None, None, return_softmax=True),
    fused("flash_attn", *HEADS, None, None, is_test=True, dropout=0.5, rng_name="x"),
    fused("fused_rotary_position_embedding", *HEADS, *WAVES, None, rotary_emb_base=100.0),
    fused(
        "fused_rotary_position_embedding",
        *HEADS,
        *WAVES,
        None,
        time_major=True,
        raises=Unsupported,
    ),
]
CASES += [
    fused("fused_rms_norm_quant", rand(2, 3, 4), None, None, rand(12), None,
          **RMS | {"begin_norm_axis": 1}, why="a flat weight of two axes"),
]  # fmt: skip
