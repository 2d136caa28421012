"""A context: devices opened together, with one text of properties and one callback."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnir.errors import BadInput, Unsupported

from .. import properties as property_text
from ..device import Callback, Device
from .manager import acquire


class Context:
    """Devices with a context of each; their order is their priority. Use with `with`.

    `properties` is `KEY=value;` text that every device sees; each reads the keys of its own.
    """

    def __init__(
        self, devices: Sequence[str], properties: str = "", callback: Callback | None = None
    ) -> None:
        if not devices:
            raise BadInput("a context needs at least one device")
        if len(devices) > 1:
            raise Unsupported(f"a model on several devices at once: {', '.join(devices)}")
        given = property_text.parse(properties)
        self.entries: list[tuple[Device, Any]] = []
        for name in devices:
            device = acquire(name)
            self.entries.append((device, device.create_context(given, callback)))

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what the devices hold; calling it again does nothing."""
        while self.entries:
            device, handle = self.entries.pop()
            device.destroy_context(handle)
