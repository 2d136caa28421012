"""The device manager: finds devices by name and opens each once per process."""

from __future__ import annotations

import threading
from importlib.metadata import entry_points

from nnir.errors import NoDevice

from ..device import Device

GROUP = "nnadapter.devices"
_LOCK = threading.Lock()
_OPEN: dict[str, Device] = {}


def names() -> list[str]:
    """The names of all installed devices."""
    return sorted({e.name for e in entry_points(group=GROUP)})


def acquire(name: str) -> Device:
    """The device called `name`, opened on first use; NoDevice when there is none."""
    with _LOCK:
        if name not in _OPEN:
            found = [e for e in entry_points(group=GROUP) if e.name == name]
            if not found:
                raise NoDevice(f"no device {name!r}; installed are {', '.join(names())}")
            if len({e.value for e in found}) > 1:
                raise NoDevice(f"two packages provide a device {name!r}: {found}")
            device: Device = found[0].load()()
            device.open_device()
            _OPEN[name] = device
        return _OPEN[name]
