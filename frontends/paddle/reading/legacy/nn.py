"""Legacy operators of neural networks: convolutions, pools, norms, resizing, recurrence."""

from __future__ import annotations

from .call import Call, Rule
from .rule import Rules, same

RULES = Rules()
RULES.same("conv2d", "conv3d", "depthwise_conv2d", "layer_norm", "instance_norm", "p_norm")
RULES.same("unpool3d", "add_position_encoding")
RULES["viterbi_decode"] = same(
    "viterbi_decode",
    {"Input": "potentials", "Transition": "transition_params", "Length": "lengths"},
    results=("Scores", "Path"),
)
RULES["conv2d_transpose"] = same("conv2d_transpose", {"Input": "x"})
RULES["depthwise_conv2d_transpose"] = same("depthwise_conv2d_transpose", {"Input": "x"})
RULES["conv3d_transpose"] = same("conv3d_transpose", {"Input": "x"})
RULES["deformable_conv"] = same("deformable_conv", {"Input": "x"})
RULES["deformable_conv_v1"] = same("deformable_conv", {"Input": "x"}, mask=None)
for _name in ("pool2d", "pool3d", "max_pool2d_with_index", "max_pool3d_with_index"):
    RULES[_name] = same(_name, attributes={"ksize": "kernel_size"})
RULES["unpool"] = same("unpool", attributes={"paddings": "padding", "unpooling_type": ""})
RULES["group_norm"] = same("group_norm", attributes={"data_layout": "data_format"})
RULES["norm"] = same("norm", results=("Out", "Norm"))
RULES["grid_sampler"] = same("grid_sample")
RULES["affine_grid"] = same("affine_grid", {"Theta": "input", "OutputShape": "output_shape"})
RULES["rnn"] = same("rnn", {"Input": "x"}, results=("Out", "DropoutState", "State", "Reserve"))
RULES["dropout"] = same(
    "dropout",
    {"Seed": "seed_tensor"},
    {"dropout_prob": "p", "dropout_implementation": "mode"},
)


@RULES.add("lrn")
def lrn(call: Call) -> None:
    names = ("n", "k", "alpha", "beta", "data_format")
    arguments = {"x": call.one("X")} | {n: call.attribute(n) for n in names}
    call.node("legacy.lrn", arguments, ["Out"])


@RULES.add("row_conv")
def row_conv(call: Call) -> None:
    arguments = {"x": call.one("X"), "filter": call.one("Filter")}
    call.node("legacy.row_conv", arguments, ["Out"])


@RULES.add("batch_norm", "sync_batch_norm")
def batch_norm(call: Call) -> None:
    """Where nothing is learned, the statistics that it writes are those that it read."""
    slots = {"x": "X", "mean": "Mean", "variance": "Variance", "scale": "Scale", "bias": "Bias"}
    arguments = {k: call.one(v) for k, v in slots.items()}
    names = ("momentum", "epsilon", "use_global_stats", "trainable_statistics")
    arguments |= {n: call.attribute(n) for n in names}
    is_test = bool(call.attribute("is_test", False))
    arguments |= {"is_test": is_test, "data_format": call.attribute("data_layout")}
    call.ignore("MomentumTensor")
    if (is_test and not arguments["trainable_statistics"]) or arguments["use_global_stats"]:
        call.node("batch_norm", arguments, ["Y"])
        return
    results = ["Y", "MeanOut", "VarianceOut", "SavedMean", "SavedVariance", "ReserveSpace"]
    call.node("batch_norm", arguments, results)


def _resize_rule(op: str) -> Rule:
    """The first versions have one scale for all axes."""

    def rule(call: Call) -> None:
        names = ("out_d", "out_h", "out_w", "align_corners", "align_mode")
        arguments = {"x": call.one("X")} | {n: call.attribute(n) for n in names}
        arguments["data_format"] = call.attribute("data_layout")
        is_named = "interp_method" in call.op.attributes
        method = call.attribute("interp_method") if is_named else op.removesuffix("_interp")
        arguments["interp_method"] = method
        scale = call.attribute("scale")
        if not isinstance(scale, list):
            scale = [scale] if scale > 0 else []
        size, sizes, tensor = call.one("OutSize"), call.many("SizeTensor"), call.one("Scale")
        arguments |= {"out_size": size, "size_tensor": sizes or None, "scale_tensor": tensor}
        call.node(op, arguments | {"scale": scale}, ["Out"])

    return rule


for _name in ("nearest", "bilinear", "bicubic", "linear", "trilinear"):
    RULES[f"{_name}_interp"] = RULES[f"{_name}_interp_v2"] = _resize_rule(f"{_name}_interp")
