"""Weights of TFLite files that are not stored element by element, and files of compilers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flatbuffers
import ml_dtypes
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

import nnadapter as nna
from conformance.oracles.litert import write_file
from nnir.errors import BadFile, BadType, Unsupported

HOLES = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 4]], np.float32)
Change = Callable[[Any], object]


def write(op: str, tensors: list[dict[str, Any]], arrays: list[np.ndarray], **more: Any) -> bytes:
    results = [{"dtype": "float32"}]
    places = list(range(len(tensors)))
    head = {"op": op, "version": 1, "tensors": tensors, "inputs": places, "options": {}}
    return write_file({**head, "results": results, **more}, arrays)


def changed(content: bytes, change: Change) -> bytes:
    """A file of which something was changed."""
    model = schema.ModelT.InitFromPackedBuf(content)
    change(model.subgraphs[0])
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def sparse(array: np.ndarray, block: tuple[int, int] = (1, 1)) -> bytes:
    how = {"block": list(block), "turned": False}
    return write("DENSIFY", [{"dtype": "float32", "constant": True, "sparse": how}], [array])


def of(graph: Any) -> Any:
    return graph.tensors[0].sparsity


def axis(graph: Any, number: int) -> Any:
    return of(graph).dimMetadata[number]


BROKEN: dict[str, Change] = {
    "order": lambda g: setattr(of(g), "traversalOrder", [0, 0]),
    "blocks": lambda g: setattr(of(g), "blockMap", [7]),
    "axes": lambda g: of(g).dimMetadata.pop(),
    "kind": lambda g: setattr(axis(g, 1), "format", 5),
    "dense size": lambda g: setattr(axis(g, 0), "denseSize", 1 << 30),
    "negative size": lambda g: setattr(axis(g, 0), "denseSize", -1),
    "rows": lambda g: setattr(axis(g, 0), "denseSize", 4),
    "segments": lambda g: setattr(axis(g, 1).arraySegments, "values", [0, 3, 2, 4]),
    "segments' end": lambda g: setattr(axis(g, 1).arraySegments, "values", [0, 2, 2, 200]),
    "places": lambda g: setattr(axis(g, 1).arrayIndices, "values", [1, 3, 0, 200]),
    "no list": lambda g: setattr(axis(g, 1), "arrayIndicesType", 0),
    "sizes": lambda g: setattr(g.tensors[0], "shape", [1 << 20, 1 << 20]),
    "too few elements": lambda g: setattr(axis(g, 1).arraySegments, "values", [0, 2, 2, 3]),
}


def test_what_a_file_leaves_out_is_zero() -> None:
    (got,) = nna.compile(nna.load(sparse(HOLES)), "builtin")()
    np.testing.assert_array_equal(got, HOLES)


@pytest.mark.parametrize("name", [n for n in BROKEN if n != "too few elements"])
def test_places_that_do_not_fit_are_damage(name: str) -> None:
    with pytest.raises(BadFile):
        nna.load(changed(sparse(HOLES), BROKEN[name]))


def test_fewer_places_than_elements() -> None:
    """What no place is said of is not read."""
    (got,) = nna.compile(nna.load(changed(sparse(HOLES), BROKEN["too few elements"])), "builtin")()
    want = HOLES.copy()
    want[2, 3] = 0
    np.testing.assert_array_equal(got, want)


def blocks(size: int = 4, **more: Any) -> bytes:
    rows = np.arange(-8, 8, dtype=np.int8).reshape(2, 8).astype(ml_dtypes.int4)
    scales = {"scales": [[0.5, 2.0], [1.0, 0.25]], "kind": "float16", "size": size}
    table = {"dtype": "int4", "constant": True, "blocks": scales, **more}
    places = {"dtype": "int32"}
    return write("EMBEDDING_LOOKUP", [places, table], [np.array([1, 0], np.int32), rows])


def test_scales_of_blocks() -> None:
    (got,) = nna.compile(nna.load(blocks()), "builtin")(np.array([1, 0], np.int32))
    whole = np.arange(-8, 8, dtype=np.float32).reshape(2, 2, 4)
    want = whole * np.array([[0.5, 2.0], [1.0, 0.25]], np.float32)[..., None]
    np.testing.assert_array_equal(got, want.reshape(2, 8)[::-1])


def test_zero_points_of_blocks() -> None:
    def add_zeros(graph: Any) -> None:
        graph.tensors.append(schema.TensorT())
        zeros = graph.tensors[-1]
        zeros.shape, zeros.type, zeros.name = [2, 2], schema.TensorType.INT4, b"zeros"
        zeros.buffer = graph.tensors[1].buffer  # the first four of the table
        graph.tensors[1].quantization.details.zeroPoints = len(graph.tensors) - 1

    (got,) = nna.compile(nna.load(changed(blocks(), add_zeros)), "builtin")(
        np.array([0, 1], np.int32)
    )
    scales = np.array([[0.5, 2.0], [1.0, 0.25]], np.float32)[..., None]
    zeros = np.arange(-8, -4, dtype=np.float32).reshape(2, 2, 1)
    want = (np.arange(-8, 8, dtype=np.float32).reshape(2, 2, 4) - zeros) * scales
    np.testing.assert_array_equal(got, want.reshape(2, 8))


def test_zero_points_beyond_the_integers() -> None:
    def move_zero(graph: Any) -> None:
        scheme = graph.tensors[1].quantization
        scheme.detailsType, scheme.details = 0, None
        scheme.scale, scheme.zeroPoint = [0.5], [9]

    with pytest.raises(BadType, match="zero point"):
        nna.load(changed(blocks(), move_zero))


@pytest.mark.parametrize("size", [0, 3, 8])
def test_blocks_that_do_not_fit(size: int) -> None:
    with pytest.raises(Unsupported, match="scales of blocks"):
        nna.load(blocks(size))


def test_scales_of_blocks_that_are_computed() -> None:
    def drop(graph: Any) -> None:
        graph.tensors[3].buffer = 0

    with pytest.raises(Unsupported, match="not constant"):
        nna.load(changed(blocks(), drop))


def test_no_blocks() -> None:
    with pytest.raises(BadFile, match="without blocks"):
        nna.load(changed(blocks(), lambda g: setattr(g.tensors[1].quantization, "details", None)))


def test_results_with_scales_of_blocks() -> None:
    def spread(graph: Any) -> None:
        graph.tensors[2].quantization = graph.tensors[1].quantization
        graph.tensors[2].shape = [2, 8]

    with pytest.raises(Unsupported, match="makes integers with scales of blocks"):
        nna.load(changed(blocks(), spread))


@pytest.mark.parametrize("name", ["edgetpu-custom-op", "ethos-u", "DISPATCH_OP"])
def test_a_file_for_an_accelerator_says_what_to_take(name: str) -> None:
    content = write(name, [{"dtype": "float32"}], [np.zeros(3, np.float32)])
    with pytest.raises(Unsupported, match="take the file from before"):
        nna.load(content)


def test_a_bias_that_says_the_axis_of_its_filter() -> None:
    """Some converters wrote it so; LiteRT refuses it since 2.2."""
    scales, rng = [0.01, 0.02, 0.03, 0.015], np.random.default_rng(0)
    arrays = [rng.integers(-100, 100, s) for s in ((1, 6, 6, 4), (1, 3, 3, 4), (4,))]
    arrays = [a.astype(t) for a, t in zip(arrays, (np.int8, np.int8, np.int32), strict=True)]
    results = []
    for bias_axis in (0, 3):
        held = {"constant": True, "zero_point": [0] * 4}
        tensors = [
            {"dtype": "int8", "scale": [0.02], "zero_point": [3], "axis": 0},
            {"dtype": "int8", "scale": scales, "axis": 3, **held},
            {"dtype": "int32", "scale": [0.02 * s for s in scales], "axis": bias_axis, **held},
        ]
        made = [{"dtype": "int8", "scale": [0.1], "zero_point": [-4], "axis": 0}]
        options = {"depth_multiplier": 1, "stride_w": 1, "stride_h": 1}
        options |= {"dilation_w_factor": 1, "dilation_h_factor": 1, "padding": "SAME"}
        content = write("DEPTHWISE_CONV_2D", tensors, arrays, results=made, options=options)
        results.append(nna.compile(nna.load(content), "builtin")(arrays[0])[0])
    np.testing.assert_array_equal(*results)
