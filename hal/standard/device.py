"""Devices and contexts of the standard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType

from nnir.errors import BadCall
from nnir.types import DeviceType

from ..device import Callback
from ..runtime import context as runtime
from ..runtime import manager
from .arguments import require_a, show
from .handle import Handle, require_kind

VERSION = 1


def get_version() -> int:
    """NNAdapter_getVersion: the version of the standard's library interface."""
    return VERSION


def get_device_count() -> int:
    """NNAdapter_getDeviceCount: how many devices have a driver installed."""
    return len(manager.names())


class Device(Handle):
    """NNAdapterDevice: made by `acquire`."""

    def __init__(self, name: str) -> None:
        self._device = manager.acquire(name)

    @classmethod
    def acquire(cls, name: str) -> Device:
        """Open the device `name`; DEVICE_NOT_FOUND when there is none or it does not open."""
        if not isinstance(name, str) or not name:
            raise BadCall(f"the name of a device is {show(name)}")
        return cls(name)

    def release(self) -> None:
        """Give the handle back; the driver stays loaded. Again does nothing."""
        self._end()

    def get_name(self) -> str:
        self.require()
        return self._device.name

    def get_vendor(self) -> str:
        self.require()
        return self._device.vendor

    def get_type(self) -> DeviceType:
        self.require()
        return self._device.type

    def get_version(self) -> int:
        self.require()
        return self._device.version


class Context(Handle):
    """NNAdapterContext: made by `create`."""

    def __init__(self, context: runtime.Context) -> None:
        self.runtime = context

    @classmethod
    def create(
        cls,
        devices: Sequence[Device],
        properties: str | None = "",
        callback: Callback | None = None,
    ) -> Context:
        """A context over devices in order of preference.

        INVALID_PARAMETER for no device, one twice, or properties that are not `KEY=value;`.
        """
        require_a("devices", devices, Sequence, NoneType)
        require_a("properties", properties, str, NoneType)
        require_a("the callback", callback, Callable, NoneType)  # type: ignore[arg-type]
        for device in devices or ():
            require_kind(device, Device, "a device")
        names = [device.get_name() for device in devices or ()]
        return cls(runtime.Context(names, properties or "", callback))

    def destroy(self) -> None:
        """Give back what the devices hold. Again does nothing."""
        if self._end():
            self.runtime.close()
