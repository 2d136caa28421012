"""PyTorch: files of torch.export.save and torch.jit.save, exported programs and modules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnir.budget import read_head
from nnir.errors import BadFile
from nnir.mapping import Buffer, map_file
from nnir.model import Model

from ..families import of_converters, operators_of

name = "torch"
suffixes: tuple[str, ...] = (".pt2", ".pt", ".pth", ".torchscript", ".ptl")
image_layout = "NCHW"
ZIP = b"PK\x03\x04"


def detects(source: Any) -> bool:
    """Whether `source` (a path, bytes or an object) is PyTorch's, by its content."""
    if isinstance(source, bytes):
        return source.startswith(ZIP)
    if isinstance(source, Path):
        if not source.is_file() or read_head(source, 4) != ZIP:
            return False
        return source.suffix in suffixes or _has_members(source)
    return any(c.__module__.partition(".")[0] == "torch" for c in type(source).__mro__)


def _has_members(path: Path) -> bool:
    """Whether a zip file with another suffix has what archives of PyTorch or TorchServe have; a
    damaged one may."""
    from .reading.container import MEMBERS, SERVED, Container

    try:
        archive = Container(map_file(path))
    except BadFile:
        return True
    return archive.root == SERVED or any(name.endswith(MEMBERS) for name in archive.members)


def options(source: Any) -> frozenset[str]:
    """What `load` takes beside `source`."""
    if isinstance(source, (Path, bytes)) or _is_script(source):
        return frozenset()
    return frozenset({"inputs", "keywords", "dynamic_shapes"})


def exports(source: Any) -> bool:
    """Whether `source` is a module, whose graph is not known before it is exported on inputs."""
    is_module = any(c.__module__ == "torch.nn.modules.module" for c in type(source).__mro__)
    return is_module and not _is_script(source)


def _is_script(source: Any) -> bool:
    """Whether `source` is a module of TorchScript, which has its graph."""
    return any(c.__module__ == "torch.jit._script" for c in type(source).__mro__)


def load(source: Any, **options: Any) -> Model:
    """Translate a file or its bytes, an ExportedProgram or a module.

    Weights are views into the file, or share the memory of the framework's own tensors.
    """
    from .converters import translate

    if isinstance(source, (Path, bytes)):
        return _load_archive(map_file(source) if isinstance(source, Path) else source)
    from .reading import objects  # needs PyTorch, which whoever has the object has imported

    if _is_script(source):
        return _load_archive(objects.archive_of(source))
    return translate(objects.read(source, **options))


def _load_archive(data: Buffer) -> Model:
    """Translate a program of torch.export.save, or one of torch.jit.save."""
    from .converters import translate
    from .reading import reader
    from .reading.container import Container, is_script

    if not is_script(Container(data)):
        return translate(reader.read(data))
    from .script import reader as script_reader
    from .script import translator

    return translator.translate(script_reader.read(data))


def supported_operators() -> Mapping[str, Iterable[int]]:
    """The operators that are converted."""
    return operators_of(__name__)


def __getattr__(wanted: str) -> Any:
    return of_converters(__name__, wanted)
