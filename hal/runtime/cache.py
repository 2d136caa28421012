"""The compiled-program cache: what a `.nnc` file holds, and when it may be used."""

from __future__ import annotations

import mmap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from nnir import serial, stateful
from nnir.budget import open_file
from nnir.errors import DAMAGE, BadCall, BadFile, NNAdapterError, describe, summary
from nnir.installed import version_of
from nnir.mapping import map_descriptor
from nnir.model import Model
from nnir.records import dataclass
from nnir.staging import replacing
from nnir.state import State
from nnir.types import TensorType

from ..device import Cache, CacheWarning, Device
from . import nnc
from .context import Context

End = tuple[str, TensorType]

Ranges = Mapping[str, tuple[int, int | None]]
"""The least and the largest size that a name may stand for; None for no limit."""

SUFFIX = ".nnc"
TOKEN_LENGTH = 32
LONGEST_TOKEN = 200


@dataclass(frozen=True)
class Entry:
    """The program of one part: its device, what restores it, and where its ends are."""

    device: str
    release: str
    cache: Cache
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Saved:
    """A compiled model: its ends, its parts in order, and the slots that are its outputs."""

    fingerprint: str
    inputs: list[End]
    outputs: list[End]
    entries: list[Entry]
    results: tuple[int, ...]
    slots: int
    states: list[State] = field(default_factory=list)
    ranges: Ranges = field(default_factory=dict)

    def pack(self) -> list[nnc.Bytes]:
        """The pieces of the file."""
        found: dict[str, nnc.Bytes | Sequence[nnc.Bytes]] = {
            "fingerprint": self.fingerprint.encode(),
            "input_types": _ends_text(self.inputs),
            "output_types": _ends_text(self.outputs),
            "num_caches": _text(len(self.entries)),
            "results": _text([list(self.results), self.slots]),
        }
        if self.ranges:
            found["ranges"] = _text(self.ranges)
        if self.states:
            found["states"] = _text([s.name for s in self.states])
        for k, state in enumerate(self.states):
            found[f"state_{k}_shape"] = _text(list(state.initial.shape))
            flat = np.ascontiguousarray(state.initial).reshape(-1)
            found[f"state_{k}"] = flat.view(np.uint8).data
        for k, entry in enumerate(self.entries):
            found |= {
                f"cache_{k}_device_name": entry.device.encode(),
                f"cache_{k}_device_version": entry.release.encode(),
                f"cache_{k}_input_types": _text(
                    [serial.encode_type(t) for t in entry.cache.inputs]
                ),
                f"cache_{k}_output_types": _text(
                    [serial.encode_type(t) for t in entry.cache.outputs]
                ),
                f"cache_{k}_input_indexes": _text(list(entry.inputs)),
                f"cache_{k}_output_indexes": _text(list(entry.outputs)),
                f"cache_{k}_model_buffer": entry.cache.pieces,
            }
        return nnc.pack(found)

    def check(self) -> None:
        """BadFile unless every place is a whole number that was made before it is read."""
        made: set[int] = set()
        known = range(-len(self.inputs), 0)
        for entry in self.entries:
            ends = (entry.inputs, entry.outputs)
            types = (entry.cache.inputs, entry.cache.outputs)
            fits = [len(e) for e in ends] == [len(t) for t in types]
            _require(fits and all(type(i) is int for end in ends for i in end))
            _require(all(i in known or i in made for i in entry.inputs))
            _require(len(set(entry.outputs)) == len(entry.outputs))
            _require(all(i >= 0 and i not in made for i in entry.outputs))
            made.update(entry.outputs)
        _require(type(self.slots) is int and self.slots == len(made) == 1 + max(made, default=-1))
        _require(len(self.results) == len(self.outputs))
        _require(all(type(i) is int and (i in known or i in made) for i in self.results))

    @classmethod
    def unpack(cls, data: bytes | memoryview) -> Saved:
        """Read what `pack` wrote; BadFile for anything else. Buffers are views of `data`."""
        found = nnc.unpack(data)
        try:
            entries = [_entry(found, k) for k in range(_data(found["num_caches"]))]
            results, slots = _data(found["results"])
            saved = cls(
                bytes(found["fingerprint"]).decode(),
                _ends(found["input_types"]),
                _ends(found["output_types"]),
                entries,
                tuple(results),
                slots,
                ranges=_ranges(found),
            )
            saved.states.extend(_states(found, saved.inputs))
            saved.check()
        except (NNAdapterError, *DAMAGE) as error:
            raise BadFile(f"a damaged .nnc file: {describe(error)}") from None
        return saved


def _require(holds: bool) -> None:
    if not holds:
        raise BadFile("its parts do not fit together")


def _entry(found: Mapping[str, memoryview], k: int) -> Entry:
    types = [
        [serial.decode_type(row) for row in _data(found[f"cache_{k}_{end}_types"])]
        for end in ("input", "output")
    ]
    return Entry(
        bytes(found[f"cache_{k}_device_name"]).decode(),
        bytes(found[f"cache_{k}_device_version"]).decode(),
        Cache(types[0], types[1], found[f"cache_{k}_model_buffer"], is_checked=True),
        tuple(_data(found[f"cache_{k}_input_indexes"])),
        tuple(_data(found[f"cache_{k}_output_indexes"])),
    )


def _states(found: Mapping[str, memoryview], inputs: Sequence[End]) -> Iterator[State]:
    """The states, whose types are those of the last inputs."""
    names = _data(found["states"]) if "states" in found else []
    _require(len(names) <= len(inputs))
    ends = inputs[len(inputs) - len(names) :]
    for k, (name, (_, type)) in enumerate(zip(names, ends, strict=True)):
        shape, data = _data(found[f"state_{k}_shape"]), found[f"state_{k}"]
        array = np.frombuffer(data, type.dtype).reshape(shape)
        _require(stateful.holds(type, array))
        array.flags.writeable = False
        yield State(str(name), array)


def _ranges(found: Mapping[str, memoryview]) -> Ranges:
    """The limits of sizes, of a file that has any."""
    rows = _data(found["ranges"]) if "ranges" in found else {}
    for low, high in rows.values():
        _require(type(low) is int and (high is None or type(high) is int))
    return {str(name): (low, high) for name, (low, high) in rows.items()}


def _text(data: Any) -> bytes:
    import json  # as below: most programs have no cache

    return json.dumps(data, separators=(",", ":")).encode()


def _data(view: memoryview) -> Any:
    import json

    return json.loads(bytes(view))


def _ends_text(ends: Sequence[End]) -> bytes:
    return _text([[name, serial.encode_type(type)] for name, type in ends])


def _ends(view: memoryview) -> list[End]:
    return [(str(name), serial.decode_type(row)) for name, row in _data(view)]


def fingerprint(
    model: Model, context: Context, known: bytes | None = None, memos: Path | None = None
) -> str:
    """What a compiled model depends on, as a hash of 64 hexadecimal characters.

    The model with its weights, the devices with their versions, the properties they read, the
    operations forced to the host, and the version of this package. `known`: the digest of the model
    where it is known. `memos`: a folder that remembers it (see `nnir.fingerprint.digest`).
    """
    import hashlib  # whoever keeps no caches does without

    from nnir.fingerprint import digest

    devices = [*map(release_of, context.devices), *context.listed]
    rules = [[r.operator, sorted(r.inputs), sorted(r.outputs)] for r in context.rules.rules]
    import json

    parts = [_release(), *devices, json.dumps([context.properties.found, rules], sort_keys=True)]
    made = hashlib.sha256(known or digest(model, memos))
    made.update("\0".join(parts).encode())
    return made.hexdigest()


def release_of(device: Device) -> str:
    """Name, version and engine of a device."""
    return f"{device.name} {device.version} {device.build()}".strip()


def _release() -> str:
    return version_of("nnadapter") or ""  # a checkout that is not installed has none


def token_of(print: str) -> str:
    """The 32 characters that name a cache whose name the caller did not choose."""
    return print[:TOKEN_LENGTH]


def path_of(directory: Path, token: str) -> Path:
    """Where a cache lies; BadCall for a token that is no plain file name."""
    name = f"{token}{SUFFIX}"
    plain = token.isprintable() and Path(name).name == name
    if not token or len(token) > LONGEST_TOKEN or not plain:
        raise BadCall(f"cache token {token!r} is no plain name of a file")
    return directory / name


def read(path: Path, wanted: str | None, context: Context) -> Saved | None:
    """What a file holds; None where there is none, or with a warning where it is of no use.

    `wanted` is the fingerprint that it must have; None takes any.
    """
    try:
        data = map_file(path)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise BadFile(f"no cache folder {str(path.parent)!r}: it is a file") from None
    except (OSError, ValueError, BadFile) as error:
        if not path.parent.is_dir():
            raise BadFile(f"no cache folder {str(path.parent)!r}: {error}") from None
        refuse(f"{path.name}: {error}")
        return None
    try:
        return check_saved(Saved.unpack(data), wanted, context)
    except BadFile as error:
        refuse(f"{path.name}: {summary(error)}")
        return None


def map_file(path: Path) -> memoryview:
    """The bytes of a file, mapped for this process alone: it may write to them."""
    path.stat()  # whose errors say what is there: a cache that is not is nothing to warn of
    return memoryview(map_descriptor(open_file(path), mmap.ACCESS_COPY))


def check_saved(saved: Saved, wanted: str | None, context: Context) -> Saved:
    """The same; BadFile where it was made of another model or for other devices."""
    if wanted is not None and saved.fingerprint != wanted:
        raise BadFile("it was made of another model, or for other devices or properties")
    known = {d.name: release_of(d) for d in context.devices}
    for entry in saved.entries:
        if known.get(entry.device) != entry.release:
            raise BadFile(f"it needs the device {entry.device!r}: {entry.release}")
    return saved


def refuse(reason: str) -> None:
    """Warn that a cache is not used."""
    warnings.warn(f"the cache is compiled anew: {reason}", CacheWarning, stacklevel=2)


def lose(device: str) -> None:
    """Warn that nothing is kept for the next time."""
    warnings.warn(f"no cache is written: {device} keeps no program", CacheWarning, stacklevel=2)


def keep(path: Path, saved: Saved) -> None:
    """Write a file for the next time; a warning where that cannot be, as in a full folder."""
    try:
        write(path, saved)
    except BadFile as error:
        warnings.warn(f"no cache is written: {error}", CacheWarning, stacklevel=2)


def write(path: Path, saved: Saved) -> None:
    """Write a file, whole or not at all; of several writers the last one counts."""
    make_folder(path.parent)
    with replacing(path) as file:
        for piece in saved.pack():
            file.write(piece)


def make_folder(folder: Path) -> None:
    """The folder of caches; BadFile where it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(f"no cache folder {str(folder)!r}: {error.strerror}") from None


def place_beside(path: Path, number: int) -> Path | None:
    """What the names of files begin with that the device of a part keeps beside a cache; None where
    there is no folder for them."""
    try:
        make_folder(path.parent)
    except BadFile:
        return None  # whoever writes the cache says so
    return path.with_name(f"{path.stem}.{number}")
