"""The zip container of a TorchScript archive: weights as they lie there, code decompressed."""

from __future__ import annotations

import zipfile
import zlib

from nnir.budget import require_document
from nnir.errors import BadFile, Unsupported
from nnir.mapping import Buffer

from ..reading.container import LEGACY, Container

NEWEST = 10
"""The newest version of the format that is known (kMaxSupportedFileFormatVersion)."""

OLDEST = 3
"""Before this, an operator's name does not say what it computed (PyTorch 1.5 and older)."""

DATA, CONSTANTS, TRACED = "data", "constants", "traced_inputs"
"""The pickles of an archive; the storages of each lie in a folder of the same name."""


class Archive(Container):
    """The members of a TorchScript archive."""

    kind = "TorchScript archive"

    def __init__(self, data: Buffer) -> None:
        super().__init__(data)
        if LEGACY in self:
            raise Unsupported(
                "a TorchScript archive of PyTorch 1.1 or older: load it in PyTorch with "
                "torch.jit.load and save it again with torch.jit.save"
            )
        if "byteorder" in self and self.read("byteorder").strip() != b"little":
            raise Unsupported("a TorchScript archive in big-endian byte order")
        self.version = self._read_version()

    def _read_version(self) -> int:
        member = "version" if "version" in self else ".data/version"
        word = self.read(member).strip()
        if not word.isdigit() or len(word) > 3:
            raise BadFile(f"a TorchScript archive of version {word[:20]!r}")
        version = int(word)
        if not OLDEST <= version <= NEWEST:
            raise Unsupported(
                f"a TorchScript archive of version {version}, {OLDEST} to {NEWEST} are known: load "
                "it in PyTorch with torch.jit.load and save it again with torch.jit.save"
            )
        return version

    def text(self, name: str) -> str:
        """The text of a member, which may be compressed."""
        info = self.members.get(name)
        if info is None:
            raise BadFile(f"the TorchScript archive has no member {name!r}")
        require_document(info.file_size, f"the member {name!r}")
        if info.compress_type == zipfile.ZIP_STORED:
            return self._decode(name, self.read(name))
        if info.compress_type != zipfile.ZIP_DEFLATED or info.flag_bits & 1:
            raise BadFile(f"{info.filename!r} is compressed in another way, or encrypted")
        start, size = self.span(info)
        try:
            decoder = zlib.decompressobj(-zlib.MAX_WBITS)
            text = decoder.decompress(bytes(self.data[start : start + size]), info.file_size + 1)
        except zlib.error as error:
            raise BadFile(f"damaged TorchScript archive: {name!r}: {error}") from None
        if len(text) != info.file_size:
            raise BadFile(f"damaged TorchScript archive: {name!r} has another length than it says")
        return self._decode(name, text)

    def _decode(self, name: str, text: bytes) -> str:
        if zlib.crc32(text) != self.members[name].CRC:
            raise BadFile(f"damaged TorchScript archive: the checksum of {name!r} differs")
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            raise BadFile(f"{name!r} of the TorchScript archive is no text: {error}") from None
