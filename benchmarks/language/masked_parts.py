"""Decoders that write into buffers of fixed room, as ONNX Runtime's own tool makes them.

`convert_generation` of onnxruntime.transformers turns MultiHeadAttention into
DecoderMaskedMultiHeadAttention, whose caches are buffers with a length beside them: a word a call.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
from onnx import numpy_helper

from . import genai_parts
from .networks import PLACES
from .parts import Layout, Part

COUNTED = {"past_sequence_length": "count", "beam_width": "beams", "cache_indirection": "origins"}


def rewrite(path: Path) -> onnx.ModelProto:
    """The decoder of a file with buffers that are shared.

    The tool wants constants as initializers, and its caches before those of what is heard. Of the
    latter it says that their buffer is shared too, which ONNX Runtime refuses where there is none.
    """
    from onnxruntime.transformers import convert_generation

    model = onnx.load(path)
    graph = model.graph
    constants = [node for node in graph.node if node.op_type == "Constant"]
    for node in constants:
        value = numpy_helper.to_array(node.attribute[0].t)
        graph.initializer.append(numpy_helper.from_array(value, node.output[0]))
        graph.node.remove(node)
    ends = sorted(graph.input, key=lambda end: ("past" in end.name, "cross" in end.name))
    graph.ClearField("input")
    graph.input.extend(ends)
    with contextlib.redirect_stdout(io.StringIO()):
        convert_generation.update_decoder_subgraph_share_buffer_and_use_decoder_masked_mha(graph)
    for node in graph.node:
        if node.op_type == "DecoderMaskedMultiHeadAttention" and not node.input[5]:
            (shares,) = (a for a in node.attribute if a.name == "past_present_share_buffer")
            shares.i = 0
    return model


def export_layout(model: Any, name: str, folder: Path) -> Layout:
    """The encoder of genai's layout, and the decoder that takes one word at a time."""
    layout = genai_parts.export_layout(model, name, folder)
    decoder = layout.parts["step"]
    made = rewrite(decoder.source)
    old = onnx.load(decoder.source, load_external_data=False).graph.input
    names = dict(zip([end.name for end in old], decoder.inputs, strict=True)) | COUNTED
    path = folder / "masked.onnx"
    onnx.save(made, path)
    inputs = [names[end.name] for end in made.graph.input]
    part = replace(decoder, source=path, inputs=inputs)
    room = {
        cache: (1, heads, PLACES, width) for cache, (_, heads, _, width) in layout.empty.items()
    }
    parts: dict[str, Part] = {**layout.parts, "first": part, "step": part}
    return Layout(parts, room, word_by_word=True)
