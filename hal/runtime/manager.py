"""The device manager: finds devices by name and opens each once per process."""

from __future__ import annotations

import threading
from importlib.metadata import EntryPoint, entry_points

from nnir.errors import NoDevice

from ..device import Device

GROUP = "nnadapter.devices"


class Manager:
    """The open devices of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, Device] = {}

    def acquire(self, name: str) -> Device:
        """The device called `name`, opened on first use; NoDevice when there is none."""
        with self._lock:
            if name not in self._open:
                device = find(name)()
                device.open_device()
                self._open[name] = device
            return self._open[name]


def _entries() -> list[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda e: e.name)


def names() -> list[str]:
    """The names of all installed devices."""
    return list(dict.fromkeys(e.name for e in _entries()))


def find(name: str) -> type[Device]:
    """The class of a device; NoDevice when there is none or more than one."""
    found = {e.value: e for e in _entries() if e.name == name}
    if not found:
        raise NoDevice(f"no device {name!r}; installed are {', '.join(names())}")
    if len(found) > 1:
        raise NoDevice(f"more than one package provides a device {name!r}: {', '.join(found)}")
    (entry,) = found.values()
    loaded: type[Device] = entry.load()
    return loaded


MANAGER = Manager()
acquire = MANAGER.acquire
