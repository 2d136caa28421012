"""A context: devices opened together, with one text of properties and one callback."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.errors import BadCall, NoDevice

from .. import pages
from .. import properties as property_text
from ..device import HUGE_PAGES, PROFILE, Callback, Device
from .manager import acquire, classes
from .subgraph_config import Rules


class Context:
    """Devices with a context of each; their order is their priority. Use with `with`.

    `properties` is `KEY=value;` text that every device sees; each reads the keys of its own, and
    the environment has the values of those that are not given. `rules` name operations that run on
    the host whatever the devices can; the host is the device `builtin`, which joins for
    these alone where it is not `listed`. `profile` asks the programs for the times of their steps.
    `settles`: whether programs move into huge pages, from which NNADAPTER_HUGE_PAGES=0 keeps them.
    """

    def __init__(
        self,
        devices: Sequence[str],
        properties: str = "",
        callback: Callback | None = None,
        *,
        rules: Rules | None = None,
        profile: bool = False,
    ) -> None:
        if not devices:
            raise BadCall("a context needs at least one device")
        given = property_text.parse(properties)
        if profile:
            given = property_text.Properties({**given, PROFILE: "1"})
        self.properties = given
        self.rules = rules if rules is not None else Rules.from_environment()
        self.profile = property_text.flag(given, PROFILE)
        wanted = property_text.flag(given, HUGE_PAGES, default="1")
        self.settles = wanted and pages.waits_to_be_asked()
        opened = list(dict.fromkeys(acquire(name) for name in devices))
        if len(opened) < len(devices):
            raise BadCall(f"a device is listed twice: {', '.join(devices)}")
        self.listed = [device.name for device in opened]
        if self.rules and acquire("builtin") not in opened:
            opened.append(acquire("builtin"))
        self.entries: list[tuple[Device, object]] = []
        try:
            for device in opened:
                self.entries.append((device, device.create_context(given, callback)))
            given.require_known(lambda: [k for c in classes().values() for k in c.keys])
        except BaseException:
            self.close()
            raise

    @property
    def devices(self) -> list[Device]:
        return [device for device, _ in self.entries]

    def entry(self, name: str) -> tuple[Device, object]:
        """The device called `name` and its context; NoDevice where it does not take part."""
        for device, handle in self.entries:
            if device.name == name:
                return device, handle
        known = ", ".join(d.name for d in self.devices)
        raise NoDevice(f"device {name!r} is not in this context of {known}")

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what the devices hold; calling it again does nothing."""
        while self.entries:
            device, handle = self.entries.pop()
            device.destroy_context(handle)
