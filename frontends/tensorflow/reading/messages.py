"""TensorFlow's protobuf messages, as far as graphs, functions and variables need them.

Field numbers are those of tensorflow/core/framework and tensorflow/core/protobuf. Fields that are
not named here are skipped.
"""

from __future__ import annotations

from nnir.formats.protobuf import Field, Message, inner, inners, many, one
from nnir.formats.protobuf import decode as decode

SAVED = "saved_model.pb"
"""The file in the folder of a SavedModel."""

SHAPE: Message = {2: inners("dim", {1: one("size", "int")}), 3: one("unknown_rank", "int")}
TENSOR: Message = {
    1: one("dtype", "int"),
    2: inner("shape", SHAPE),
    4: one("content", "span"),
    5: many("float_val", "float"),
    6: many("double_val", "double"),
    7: many("int_val", "int"),
    8: many("string_val", "bytes"),
    9: many("scomplex_val", "float"),
    10: many("int64_val", "int"),
    11: many("bool_val", "int"),
    12: many("dcomplex_val", "double"),
    13: many("half_val", "int"),
    16: many("uint32_val", "int"),
    17: many("uint64_val", "int"),
}
ATTRIBUTE: dict[int, Field] = {}
ATTRIBUTES: Message = {1: one("key"), 2: inner("value", ATTRIBUTE)}
FUNCTION_NAME: Message = {1: one("name"), 2: inners("attr", ATTRIBUTES)}
LIST: Message = {
    2: many("s", "bytes"),
    3: many("i", "int"),
    4: many("f", "float"),
    5: many("b", "int"),
    6: many("type", "int"),
    7: inners("shape", SHAPE),
    8: inners("tensor", TENSOR),
    9: inners("func", FUNCTION_NAME),
}
ATTRIBUTE.update(
    {
        1: inner("list", LIST),
        2: one("s", "bytes"),
        3: one("i", "int"),
        4: one("f", "float"),
        5: one("b", "int"),
        6: one("type", "int"),
        7: inner("shape", SHAPE),
        8: inner("tensor", TENSOR),
        9: one("placeholder"),
        10: inner("func", FUNCTION_NAME),
    }
)
NODE: Message = {
    1: one("name"),
    2: one("op"),
    3: many("input"),
    5: many("attr", "span"),
}
PAIR: Message = {1: one("key"), 2: one("value", "span")}
ARGUMENT: Message = {1: one("name"), 3: one("type", "int")}
SIGNATURE: Message = {
    1: one("name"),
    2: inners("input_arg", ARGUMENT),
    3: inners("output_arg", ARGUMENT),
}
TEXTS: Message = {1: one("key"), 2: one("value")}
FUNCTION: Message = {
    1: inner("signature", SIGNATURE),
    3: many("node_def", "span"),
    4: inners("ret", TEXTS),
    6: inners("control_ret", TEXTS),
}
GRAPH: Message = {
    1: inners("node", NODE),
    2: inner("library", {1: inners("function", FUNCTION)}),
    4: inner("versions", {1: one("producer", "int")}),
}
TENSOR_INFO: Message = {1: one("name"), 2: one("dtype", "int"), 3: inner("shape", SHAPE)}
TENSOR_INFOS: Message = {1: one("key"), 2: inner("value", TENSOR_INFO)}
SIGNATURE_DEF: Message = {1: inners("inputs", TENSOR_INFOS), 2: inners("outputs", TENSOR_INFOS)}
META_GRAPH: Message = {
    1: inner("meta_info", {4: many("tags"), 5: one("tensorflow_version")}),
    2: inner("graph", GRAPH),
    5: inners("signature", {1: one("key"), 2: inner("value", SIGNATURE_DEF)}),
}
SAVED_MODEL: Message = {1: one("version", "int"), 2: inners("meta_graph", META_GRAPH)}
BUNDLE_HEADER: Message = {1: one("num_shards", "int"), 2: one("endianness", "int")}
BUNDLE_ENTRY: Message = {
    1: one("dtype", "int"),
    2: inner("shape", SHAPE),
    3: one("shard", "int"),
    4: one("offset", "int"),
    5: one("size", "int"),
    6: one("crc32c", "fixed"),
    7: many("slices", "span"),
}
