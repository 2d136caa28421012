"""The device manager: finds devices by name and opens each once per process.

A device is a Python package's entry point in the group `nnadapter.devices`, or a shared library
`lib<name>.so` in a folder of `NNADAPTER_DEVICE_PATH`.
"""

from __future__ import annotations

import contextlib
import os
import threading
from importlib.util import find_spec
from pathlib import Path

from nnir.collector import paused_collector
from nnir.errors import NNAdapterError, NoDevice, describe
from nnir.installed import EntryPoint, points
from nnir.plugins import REGISTRY, Plugin
from nnir.spelling import suggest

from ..device import Device, lacking
from ..properties import environment

GROUP = "nnadapter.devices"
DEVICE_PATH = "NNADAPTER_DEVICE_PATH"
ALIASES = {
    "builtin_device": "builtin",
    "intel_openvino": "openvino",
    "google_xnnpack": "litert",
    "android_nnapi": "nnapi",
}
"""Names that Paddle-Lite has for devices of ours."""


class Manager:
    """The open devices of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, Device] = {}

    def acquire(self, name: str) -> Device:
        """The device called `name`, opened on first use; NoDevice when there is none."""
        name = ALIASES.get(name, name)
        with self._lock:
            if name not in self._open:
                with paused_collector():  # engines are imported
                    device = find(name)()
                    device.open_device()
                self._open[name] = device
            return self._open[name]


def _entries() -> list[EntryPoint]:
    return sorted(points(GROUP), key=lambda e: e.name)


def _of_plugins() -> dict[str, tuple[Plugin, type[Device]]]:
    """The devices of plug-ins by name."""
    return {n: (p, d) for p in REGISTRY.plugins() for n, d in p.devices.items()}


def libraries() -> dict[str, Path]:
    """The driver libraries on `NNADAPTER_DEVICE_PATH` by device name; the first one counts."""
    found: dict[str, Path] = {}
    for folder in filter(None, (environment(DEVICE_PATH) or "").split(os.pathsep)):
        for path in sorted(Path(folder).resolve().glob("lib*.so")):
            found.setdefault(path.name.removeprefix("lib").removesuffix(".so"), path)
    return found


def names() -> list[str]:
    """The names of all installed devices."""
    return list(dict.fromkeys([*(e.name for e in _entries()), *_of_plugins(), *libraries()]))


def is_available(name: str) -> bool:
    """Whether the device `name` can be opened, as Paddle-Lite's check_nnadapter_device_name."""
    try:
        acquire(name)
    except NNAdapterError:
        return False
    return True


def find(name: str) -> type[Device]:
    """The class of a device; NoDevice when there is none or more than one."""
    name = ALIASES.get(name, name)
    found = {e.value: e for e in _entries() if e.name == name}
    plugged = _of_plugins().get(name)
    owners = [*found, *([str(plugged[0])] if plugged else [])]
    if len(owners) > 1:
        raise NoDevice(f"more than one package provides a device {name!r}: {', '.join(owners)}")
    if plugged:
        return _require_whole(plugged[1], f"device {name!r} of {plugged[0]}")
    if found:
        (entry,) = found.values()
        return _load(entry)
    library = libraries().get(name)
    if library is None:
        near = suggest(name, names())
        raise NoDevice(f"no device {name!r}{near or ';'} installed are {', '.join(names())}")
    from ..drivers.native import driver_of  # only who has such a library needs ctypes

    return driver_of(name, library)


def stamp(name: str) -> str | None:
    """Which code a device's driver is and when it was changed, without importing it; None where
    nobody can say."""
    library = libraries().get(name)
    plugged = _of_plugins().get(name)
    if plugged:
        module: str | None = plugged[1].__module__
    else:
        module = next((e.module for e in _entries() if e.name == name), None)
    try:
        spec = None if module is None else find_spec(module)
    except (ImportError, ValueError):
        return None
    if spec is not None and spec.submodule_search_locations:
        files = [f for place in spec.submodule_search_locations for f in Path(place).glob("*.py")]
    else:
        origin = library if spec is None else spec.origin
        files = [] if origin is None or not os.path.exists(origin) else [Path(origin)]
    changed = max((file.stat().st_mtime_ns for file in files), default=None)
    return None if changed is None else f"{module or library} {changed}"


def _load(entry: EntryPoint) -> type[Device]:
    """The class that an entry point names; NoDevice where it is none, or not a whole one."""
    where = f"device {entry.name!r} of {entry.value!r}"
    try:
        loaded = entry.load()
    except Exception as error:
        raise NoDevice(f"{where} cannot be imported: {describe(error)}") from error
    return _require_whole(loaded, where)


def _require_whole(loaded: object, where: str) -> type[Device]:
    if not isinstance(loaded, type) or not issubclass(loaded, Device):
        raise NoDevice(f"{where} is no subclass of hal.device.Device")
    if missing := lacking(loaded):
        raise NoDevice(f"{where} lacks {', '.join(missing)}: see hal/device.py")
    return loaded


def classes() -> dict[str, type[Device]]:
    """The installed devices by name; not opened. A library that is no driver is left out."""
    found = {}
    for name in names():
        with contextlib.suppress(NoDevice):
            found[name] = find(name)
    return found


MANAGER = Manager()
acquire = MANAGER.acquire
