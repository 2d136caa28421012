"""The gate of PyTorch's files: a new archive of the members that the program needs, as they are.

PyTorch unpickles example inputs, weights and constants (without `weights_only`), runs guards and
sizes as Python, and loads compiled code that lies beside the program. Compare
`torch/export/pt2_archive/_package.py`. Of TorchScript archives it compiles and runs the code.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from frontends.torch.reading.container import CODE, OLD, Container, is_script, refuse
from frontends.torch.reading.reader import Weights
from frontends.torch.reading.screening import Seen, screen
from frontends.torch.reading.signature import WEIGHTS
from frontends.torch.script.archive import Archive
from frontends.torch.script.screening import members_for_framework
from nnir.errors import BadFile, Unsupported
from nnir.mapping import Buffer, map_file

CHUNK = 1 << 24
GUARDS = "guards_code"
PLAIN = {
    "archive_format": b"pt2",
    "archive_version": b"0",
    "byteorder": b"little",
    ".data/version": None,
    "version": None,
}
"""Members of one word; what it is where there is only one."""

FOLDERS = {"data/weights/": "weights", "data/constants/": "constants"}
OLD_PICKLES = ("state_dict", "constants", "example_inputs")
STORAGES = ("weight_", "tensor_")
"""How PyTorch calls members without pickles; other beginnings choose other readers."""

DECODER = json.JSONDecoder()
Parts = Iterator[tuple[str, Any]]


def admit(source: Path | bytes, folder: Path) -> Path:
    """An archive in `folder` that PyTorch can load without running anything out of it."""
    container = Container(source if isinstance(source, bytes) else map_file(source))
    if is_script(container):
        return _admit_script(Archive(container.data), folder / "model.pt")
    refuse(container)
    try:
        parts = dict(_old(container) if OLD in container else _parts(container))
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise BadFile(f"damaged .pt2 file: {type(error).__name__}: {error}") from None
    root = "" if OLD in container else "archive/"
    return _write(container, root, parts, folder / "model.pt2")


def _admit_script(archive: Archive, target: Path) -> Path:
    """A TorchScript archive without what PyTorch does not need."""
    parts: dict[str, Any] = {
        name: archive.text(name).encode() if name.startswith(CODE) else archive.place(name)
        for name in members_for_framework(archive)
    }
    return _write(archive, "archive/", parts, target)


def _write(container: Container, root: str, parts: dict[str, Any], target: Path) -> Path:
    """An archive of members: their own bytes, or where they lie in the source."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts.items():
            with archive.open(zipfile.ZipInfo(root + name), "w", force_zip64=True) as member:
                for chunk in _chunks(container.data, content):
                    member.write(chunk)
    return target


def _chunks(data: Buffer, content: bytes | tuple[int, int]) -> Iterator[bytes]:
    """The bytes of a member: its own, or where they lie in the source."""
    if isinstance(content, bytes):
        yield content
        return
    start, size = content
    for at in range(start, start + size, CHUNK):
        yield data[at : min(at + CHUNK, start + size)]


def _parts(container: Container) -> Parts:
    """The members that are needed; example inputs are needed, and empty."""
    programs = container.names("models/", ".json")
    if len(programs) != 1:
        raise Unsupported(f"a .pt2 file with {len(programs)} programs, one is expected")
    name = programs[0].removeprefix("models/").removesuffix(".json")
    program = container.read(programs[0])
    content = _load_program(program)
    yield programs[0], without_guards(program)
    yield f"data/sample_inputs/{name}.pt", b""
    used = used_weights(content)
    for folder, kind in FOLDERS.items():
        yield from _storages(container, folder, f"{name}_{kind}_config.json", used)
    yield from _words(container)


def _old(container: Container) -> Parts:
    """The members of older archives, whose weights are pickles: of programs without any."""
    program = container.read(OLD)
    content = _load_program(program)
    if used := used_weights(content):
        Weights(container, "")[next(iter(used))]
    yield OLD, without_guards(program)
    for name in OLD_PICKLES:
        yield f"serialized_{name}.pt", b""
    yield from _words(container)


def _load_program(program: bytes) -> Any:
    """The program, of which PyTorch runs nothing when it reads it."""
    seen = Seen()
    content = json.loads(program.decode(), object_hook=seen.look_at)
    screen(seen, is_closed=True)
    return content


def _words(container: Container) -> Parts:
    for name, expected in PLAIN.items():
        if name in container:
            word = container.read(name)
            if not (word.strip() == expected or (expected is None and _is_version(word))):
                raise BadFile(f"{name!r} of the .pt2 file is {word[:20]!r}")
            yield name, word


def _is_version(word: bytes) -> bool:
    return len(word) < 10 and word.strip().replace(b".", b"").isdigit()


def used_weights(program: dict[str, Any]) -> set[str]:
    """The full names of weights that the program has among its inputs."""
    found = set()
    for spec in program["graph_module"]["signature"]["input_specs"]:
        ((kind, body),) = spec.items()
        if kind in WEIGHTS:
            found |= {v for k, v in body.items() if k.endswith("_name") and isinstance(v, str)}
    return found


def _storages(container: Container, folder: str, config: str, used: set[str]) -> Parts:
    """A description of weights without those that are not used, and the members it names."""
    if folder + config not in container:
        return
    text = container.read(folder + config).decode()
    entries = json.loads(text)["config"]
    kept = [name for name in entries if name in used]
    weights = Weights(container, config.rpartition("_")[0].rpartition("_")[0])
    for name in kept:
        _ = weights[name]  # refuses pickles, and what does not lie in its member
        path = entries[name]["path_name"]
        if not path.startswith(STORAGES) or not path.replace("_", "").isalnum():
            raise BadFile(f"the weight {name!r} lies in {path!r}")
        yield folder + path, container.place(folder + path)
    (whole,) = (span for key, span in members_of(text, 0) if key == "config")
    spans = dict(members_of(text, whole[0]))  # of a name that is there twice, the last one
    rows = (f"{json.dumps(n)}: {text[slice(*spans[n])]}" for n in kept)
    yield folder + config, f'{{"config": {{{", ".join(rows)}}}}}'.encode()


def without_guards(program: bytes) -> bytes:
    """The text of a program whose guards, which are Python code, are an empty list."""
    text = program.decode()
    for key, (start, end) in reversed(list(members_of(text, 0))):
        if key == GUARDS:
            text = f"{text[:start]}[]{text[end:]}"
    return text.encode()


def members_of(text: str, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """The keys of the object that begins at `start`, and where their values lie in the text."""
    at = _skip(text, start)
    if text[at] != "{":
        raise ValueError("no object of JSON")
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = DECODER.raw_decode(text, at)
        begin = _skip(text, _skip(text, at) + 1)
        _, at = DECODER.raw_decode(text, begin)
        yield key, (begin, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at
