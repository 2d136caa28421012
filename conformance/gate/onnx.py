"""The gate of ONNX files: operators of standard domains, external data beside the file.

An ONNX file holds no code; the engines add libraries for operators of other domains, open files
that tensors name, and take a file that says so for one of ONNX Runtime's own format.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from frontends.onnx.converters import TABLE
from frontends.onnx.reading.reader import DEFAULT_DOMAINS, OWN_FORMAT, qualify
from frontends.onnx.reading.tensor import Files, entry_of
from nnir.errors import BadFile, Unsupported
from nnir.formats.onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    TrainingInfoProto,
)
from nnir.formats.wire import fields, span, text
from nnir.mapping import Buffer, Span, map_file

STANDARD = frozenset({*DEFAULT_DOMAINS, "ai.onnx.ml", "ai.onnx.preview.training"})
COMPILED = frozenset({("com.microsoft", "EPContext"), ("com.microsoft", "Snpe")})
"""What runs code of a processor's own that lies in the file or beside it."""
NEWEST = 1 << 20
GRAPHS = {AttributeProto.G, AttributeProto.GRAPHS}
TENSORS = {AttributeProto.T, AttributeProto.TENSORS}
SPARSE_TENSORS = {AttributeProto.SPARSE_TENSOR, AttributeProto.SPARSE_TENSORS}


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
        functions = [span(v) for n, v in fields(self.b, *whole) if n == ModelProto.FUNCTIONS]
        for place in functions:
            found = dict(fields(self.b, *place))
            name, domain = (
                text(self.b, found.get(field, (0, 0)))
                for field in (FunctionProto.NAME, FunctionProto.DOMAIN)
            )
            self.local.add((domain, name))
        for number, value in fields(self.b, *whole):
            if number == ModelProto.GRAPH:
                self.graph(span(value))
            elif number == ModelProto.TRAINING_INFO:
                graphs = {TrainingInfoProto.INITIALIZATION, TrainingInfoProto.ALGORITHM}
                for _, inner in self.parts(span(value), graphs):
                    self.graph(inner)
        for place in functions:
            for _, node in self.parts(place, {FunctionProto.NODE}):
                self.node(node)

    def parts(self, place: Span, numbers: set[int]) -> Iterator[tuple[int, Span]]:
        """The messages among the fields of one."""
        for number, value in fields(self.b, *place):
            if number in numbers:
                yield number, span(value)

    def graph(self, place: Span) -> None:
        sparse = GraphProto.SPARSE_INITIALIZER
        wanted = {GraphProto.NODE, GraphProto.INITIALIZER, sparse}
        for number, inner in self.parts(place, wanted):
            if number == GraphProto.NODE:
                self.node(inner)
            else:
                self.tensor(inner, is_sparse=number == sparse)

    def node(self, place: Span) -> None:
        op = domain = ""
        for number, value in fields(self.b, *place):
            if number == NodeProto.OP_TYPE:
                op = text(self.b, value)
            elif number == NodeProto.DOMAIN:
                domain = text(self.b, value)
            elif number == NodeProto.ATTRIBUTE:
                self.attribute(span(value))
        is_known = domain in STANDARD or (domain, op) in self.local
        is_code = (domain, op) in COMPILED
        if is_code or not (is_known or TABLE.find(qualify(domain, op), NEWEST)):
            raise Unsupported(f"the operator {op[:60]!r} of the domain {domain[:60]!r}")

    def attribute(self, place: Span) -> None:
        for number, inner in self.parts(place, GRAPHS | TENSORS | SPARSE_TENSORS):
            if number in GRAPHS:
                self.graph(inner)
            else:
                self.tensor(inner, is_sparse=number in SPARSE_TENSORS)

    def tensor(self, place: Span, *, is_sparse: bool) -> None:
        if is_sparse:
            parts = {SparseTensorProto.VALUES, SparseTensorProto.INDICES}
            for _, inner in self.parts(place, parts):
                self.tensor(inner, is_sparse=False)
            return
        for _, entry in self.parts(place, {TensorProto.EXTERNAL_DATA}):
            key, value = entry_of(self.b, entry)
            if key == "location":
                if self.files is None:
                    raise BadFile("external data of a model that is no file")
                self.files.bytes_at(value, 0, None)
