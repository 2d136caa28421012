"""The zip container of a `.pt2` file: members as views into the memory map, never unpacked."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from nnir.budget import Arrays, require_document
from nnir.errors import BadFile, Unsupported
from nnir.mapping import Buffer
from nnir.types import precision_of

OLD = "serialized_exported_program.json"
"""Where PyTorch 2.7 and older put the program."""

CODE = "code/"
LEGACY = "model.json"
"""What TorchScript archives have: the folder of code, and the program of the oldest ones."""

SERVED = "MAR-INF/"
"""The folder that TorchServe's archives have."""

MEMBERS = ("archive_format", "data.pkl", "constants.pkl", OLD, LEGACY, "MANIFEST.json")
"""Members that tell an archive of PyTorch or TorchServe from other zip files."""

MOST_MEMBERS = 1_000_000
LOCAL_HEADER = 30
END = b"PK\x05\x06"
END_LENGTH = 18
"""Bytes after the mark at the end of an archive, where it has no comment."""

MANY = 0xFFFF
"""Members that are counted elsewhere."""

REEXPORT = "export the model again with torch.export.save of PyTorch 2.9 or newer"


class Container:
    """The members of one archive, by their name below the root folder.

    `kind` is what messages call such an archive.
    """

    kind = ".pt2 file"

    def __init__(self, data: Buffer) -> None:
        self.data = data
        self.arrays = Arrays(len(data))
        try:
            with zipfile.ZipFile(_Reader(data)) as archive:
                infos = archive.infolist()
        except (zipfile.BadZipFile, ValueError, struct.error, NotImplementedError) as error:
            raise BadFile(f"damaged {self.kind}: {error}") from None
        end = bytes(data[len(data) - len(END) - END_LENGTH : len(data)])
        counted = struct.unpack_from("<H", end, 10)[0] if end.startswith(END) else len(infos)
        if counted not in (len(infos), MANY):
            raise BadFile(f"damaged {self.kind}: {len(infos)} members, its end says {counted}")
        if not infos or len(infos) > MOST_MEMBERS:
            raise BadFile(f"a {self.kind} with {len(infos)} members")
        folder, slash, _ = infos[0].filename.partition("/")
        self.root = folder + slash if slash else ""
        self.members: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            name = info.filename.removeprefix(self.root)
            if name in self.members:
                raise BadFile(f"the {self.kind} has two members {name!r}")
            self.members[name] = info

    def place(self, name: str) -> tuple[int, int]:
        """Where the bytes of a member lie; the local header decides, not the directory."""
        if name not in self.members:
            raise BadFile(f"the {self.kind} has no member {name!r}")
        info = self.members[name]
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
            raise BadFile(
                f"{info.filename!r} is compressed or encrypted, which no {self.kind} has there"
            )
        return self.span(info)

    def span(self, info: zipfile.ZipInfo) -> tuple[int, int]:
        """Where the bytes of a member lie as they are stored, compressed or not."""
        head = self.data[info.header_offset : info.header_offset + LOCAL_HEADER]
        if len(head) < LOCAL_HEADER or head[:4] != b"PK\x03\x04":
            raise BadFile(f"damaged {self.kind}: no header of {info.filename!r}")
        start = info.header_offset + LOCAL_HEADER + sum(struct.unpack_from("<HH", head, 26))
        is_plain = info.compress_type == zipfile.ZIP_STORED
        is_other = is_plain and info.file_size != info.compress_size
        if is_other or start + info.compress_size > len(self.data):
            raise BadFile(f"truncated {self.kind}: {info.filename!r} ends behind it")
        return start, info.compress_size

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def names(self, folder: str, suffix: str = "") -> list[str]:
        """The members below `folder` whose names end with `suffix`."""
        return [n for n in self.members if n.startswith(folder) and n.endswith(suffix)]

    def read(self, name: str) -> bytes:
        """The bytes of a small member."""
        start, size = self.place(name)
        require_document(size, f"the member {name!r}")
        return bytes(self.data[start : start + size])

    def json(self, name: str, hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
        """A member that is JSON, whose objects `hook` sees; constants that JSON does not have are
        refused."""
        try:
            return json.loads(self.read(name), object_hook=hook)
        except (ValueError, RecursionError) as error:
            raise BadFile(f"{name!r} of the {self.kind} is not JSON: {error}") from None

    def tensor(
        self, name: str, dtype: np.dtype, sizes: list[int], strides: list[int], offset: int
    ) -> np.ndarray:
        """A strided view into the storage `name`; sizes, strides and offset in elements."""
        start, length = self.place(name)
        precision_of(dtype)
        if len(sizes) != len(strides) or min([offset, *sizes, *strides], default=0) < 0:
            raise BadFile(f"{name!r} with sizes {sizes}, strides {strides} and offset {offset}")
        if 0 in sizes:
            return np.zeros(sizes, dtype)
        last = offset + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
        if (last + 1) * dtype.itemsize > length:
            raise BadFile(f"{name!r} has {length} bytes, a tensor of {sizes} ends behind it")
        steps = [s * dtype.itemsize for s in strides]
        place = start + offset * dtype.itemsize
        return self.arrays.spend(np.ndarray(sizes, dtype, self.data, place, steps))


class _Reader(io.RawIOBase):
    """What zipfile needs of a file, over a buffer, without a copy of it."""

    def __init__(self, data: Buffer) -> None:
        self.data = data
        self.position = 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def seek(self, offset: int, whence: int = 0) -> int:
        base = (0, self.position, len(self.data))[whence]
        if base + offset < 0:
            raise ValueError("a position before the start")
        self.position = base + offset
        return self.position

    def read(self, size: int = -1) -> bytes:
        end = len(self.data) if size < 0 else min(self.position + size, len(self.data))
        require_document(end - self.position, "the directory")
        found = bytes(self.data[self.position : end])
        self.position += len(found)
        return found


def refuse(container: Container) -> None:
    """BadFile or Unsupported, with what to do, for an archive that is not a readable program."""
    if OLD in container:
        return
    if "data.pkl" in container:
        raise Unsupported(
            "a pickle of torch.save (weights or a whole module), which is code and not a program; "
            "load it in PyTorch and save the module with torch.export.save"
        )
    if container.root == SERVED or container.names(SERVED):
        raise Unsupported("an archive of TorchServe: unzip it, and give the model that is in it")
    if container.names("data/aotinductor/") and not container.names("models/", ".json"):
        raise Unsupported("a .pt2 file of AOTInductor holds machine code and no graph")
    if container.read("archive_format").strip() != b"pt2":
        raise BadFile("a zip file, but not a .pt2 archive")
    if container.read("byteorder").strip() != b"little":
        raise Unsupported("a .pt2 file in big-endian byte order")


def is_script(container: Container) -> bool:
    """Whether the members are those of a TorchScript archive."""
    has_code = LEGACY in container or bool(container.names(CODE))
    return has_code and ("constants.pkl" in container or "data.pkl" in container)
