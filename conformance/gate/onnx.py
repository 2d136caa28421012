"""The gate of ONNX files: operators of standard domains, external data beside the file.

An ONNX file holds no code; the engines add libraries for operators of other domains, open files
that tensors name, and take a file that says so for one of ONNX Runtime's own format.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from frontends.onnx.converters import TABLE
from frontends.onnx.reader import DEFAULT_DOMAINS, OWN_FORMAT, qualified
from frontends.onnx.tensor import Files
from frontends.wire import Buffer, Span, fields, span, text
from nnir.errors import BadFile, Unsupported
from nnir.mapping import map_file

STANDARD = frozenset({*DEFAULT_DOMAINS, "ai.onnx.ml", "ai.onnx.preview.training"})
NEWEST = 1 << 20
MODEL_GRAPH, TRAINING, FUNCTION = 7, 20, 25
NODE, INITIALIZER, SPARSE = 1, 5, 15
FUNCTION_NODE = 7
OP, DOMAIN, ATTRIBUTE = 4, 7, 5
TENSOR, GRAPH, TENSORS, GRAPHS, SPARSE_ONE, SPARSE_MANY = 5, 6, 10, 11, 22, 23
EXTERNAL = 13
"""Fields of ModelProto, GraphProto, FunctionProto, NodeProto, AttributeProto and TensorProto."""


def admit(source: Path | bytes, folder: Path) -> Path:
    """The file itself, which was looked through; bytes as a file in `folder`."""
    if isinstance(source, bytes):
        path = folder / "model.onnx"
        path.write_bytes(source)
        _Look(source, None).model()
        return path
    data = map_file(source)
    _Look(data, Files(source.parent)).model()
    return source


class _Look:
    """Looks at every node and tensor, wherever they lie in the file."""

    def __init__(self, data: Buffer, files: Files | None) -> None:
        self.b = data
        self.files = files
        self.local: set[tuple[str, str]] = set()

    def model(self) -> None:
        if self.b[4:8] == OWN_FORMAT:
            raise BadFile("the file says that it is of ONNX Runtime's own format")
        whole = 0, len(self.b)
        functions = [span(v) for n, v in fields(self.b, *whole) if n == FUNCTION]
        for place in functions:
            names = {n: text(self.b, v) for n, v in fields(self.b, *place) if n in (1, 10)}
            self.local.add((names.get(10, ""), names.get(1, "")))
        for number, value in fields(self.b, *whole):
            if number == MODEL_GRAPH:
                self.graph(span(value))
            elif number == TRAINING:
                for _, inner in self.parts(span(value), {1, 2}):
                    self.graph(inner)
        for place in functions:
            for _, node in self.parts(place, {FUNCTION_NODE}):
                self.node(node)

    def parts(self, place: Span, numbers: set[int]) -> Iterator[tuple[int, Span]]:
        """The messages among the fields of one."""
        for number, value in fields(self.b, *place):
            if number in numbers:
                yield number, span(value)

    def graph(self, place: Span) -> None:
        for number, inner in self.parts(place, {NODE, INITIALIZER, SPARSE}):
            if number == NODE:
                self.node(inner)
            else:
                self.tensor(inner, is_sparse=number == SPARSE)

    def node(self, place: Span) -> None:
        op = domain = ""
        for number, value in fields(self.b, *place):
            if number == OP:
                op = text(self.b, value)
            elif number == DOMAIN:
                domain = text(self.b, value)
            elif number == ATTRIBUTE:
                self.attribute(span(value))
        is_known = domain in STANDARD or (domain, op) in self.local
        if not is_known and TABLE.find(qualified(domain, op), NEWEST) is None:
            raise Unsupported(f"the operator {op[:60]!r} of the domain {domain[:60]!r}")

    def attribute(self, place: Span) -> None:
        wanted = {TENSOR, GRAPH, TENSORS, GRAPHS, SPARSE_ONE, SPARSE_MANY}
        for number, inner in self.parts(place, wanted):
            if number in (GRAPH, GRAPHS):
                self.graph(inner)
            else:
                self.tensor(inner, is_sparse=number in (SPARSE_ONE, SPARSE_MANY))

    def tensor(self, place: Span, *, is_sparse: bool) -> None:
        if is_sparse:
            for _, inner in self.parts(place, {1, 2}):
                self.tensor(inner, is_sparse=False)
            return
        for _, entry in self.parts(place, {EXTERNAL}):
            pair = {n: text(self.b, v) for n, v in fields(self.b, *entry) if n in (1, 2)}
            if pair.get(1) == "location":
                if self.files is None:
                    raise BadFile("external data of a model that is no file")
                self.files.bytes_at(pair.get(2, ""), 0, None)
