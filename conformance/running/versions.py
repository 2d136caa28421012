"""Versions: of what takes part in a run, of frameworks and of devices, in any interpreter."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, entry_points, version

from nnir.errors import BadInput, summary

from ..engines.outside import origin_names

ORIGINS: dict[str, tuple[str, ...]] = {
    "onnx": ("onnx", "onnxruntime"),
    "torch": ("torch", "torchvision", "transformers"),
    "tensorflow": ("tensorflow-cpu", "tensorflow"),
    "tflite": ("ai-edge-litert", "tensorflow-cpu", "tensorflow"),
    "nnrt": ("torch", "tensorflow-cpu", "tensorflow", "ai-edge-litert"),
    "paddle": ("paddlepaddle",),
    "paddle-legacy": ("paddlepaddle",),
    "paddle-2.6": ("paddlepaddle",),
    "nnapi": ("ai-edge-litert", "torch"),
}
"""The packages that answer for a frontend; the first is the framework."""

ORIGIN = "origin "
"""What the name of a version begins with that another Python has."""

ENGINES: dict[str, tuple[str, ...]] = {
    "builtin": ("numpy",),
    "onnxruntime": ("onnxruntime",),
    "openvino": ("openvino",),
    "litert": ("ai-edge-litert",),
    "nnrt": ("numpy",),
    "torch": ("torch",),
    "nnapi": ("numpy",),
}
"""The packages that a device runs on."""

PACKAGES = (
    *("nnadapter", "numpy", "ml_dtypes", "onnx", "onnxruntime", "torch", "tensorflow-cpu"),
    *("tensorflow", "keras", "ai-edge-litert", "paddlepaddle", "openvino", "scipy", "safetensors"),
)
GROUPS = ("nnadapter.devices", "nnadapter.frontends", "nnadapter.origins")
"""Entry points of packages that take part."""

ASKING = """
import json, platform, sys
from importlib.metadata import PackageNotFoundError, version
found = {"python": platform.python_version()}
for name in sys.argv[1:]:
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
"""
PATIENCE = 60


def environment(origins: Mapping[str, tuple[str, tuple[str, ...]]]) -> dict[str, str]:
    """Versions of what takes part, packages from outside included, and the machine. `origins` are
    frontends with the interpreters that answer for them and the packages that these answer with."""
    found = {"python": platform.python_version(), "system": platform.platform()}
    found |= {"machine": platform.machine(), "cores": str(os.cpu_count())}
    outside = {p.dist.name for group in GROUPS for p in entry_points(group=group) if p.dist}
    found |= list_installed((*PACKAGES, *sorted(outside - {*PACKAGES})))
    for frontend, (python, packages) in origins.items():
        theirs = versions_in(python, packages)
        names = [n for n in packages if n in theirs]
        found[f"{ORIGIN}{frontend}"] = theirs[names[0]] if names else f"Python {theirs['python']}"
    return found


def version_of(name: str, environment: Mapping[str, str]) -> str:
    """A version in what `environment` gave. An origin that no other Python answers for is the
    framework of the Python that ran."""
    if name not in environment and name.startswith(ORIGIN):
        packages = ORIGINS.get(name.removeprefix(ORIGIN), ())
        name = next((p for p in packages if p in environment), name)
    return environment.get(name, "none")


def list_installed(packages: Iterable[str]) -> dict[str, str]:
    """The versions of packages that this interpreter has."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def versions_in(python: str, packages: tuple[str, ...]) -> dict[str, str]:
    """The versions of packages that an interpreter has, and its own."""
    if python == sys.executable:
        return {"python": platform.python_version(), **list_installed(packages)}
    command = [python, "-I", "-c", ASKING, *packages]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
        found: dict[str, str] = json.loads(done.stdout)
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or [f"exit status {error.returncode}"])[-1]
        raise BadInput(f"{python!r} is no Python that answers: {last[:120]}") from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise BadInput(f"{python!r} is no Python that answers: {summary(error)}") from None
    return found


def interpreters(given: Iterable[str]) -> dict[str, str]:
    """The interpreters of FRONTEND=PYTHON, their paths absolute; BadInput for others."""
    found: dict[str, str] = {}
    for text in given:
        frontend, _, python = text.partition("=")
        if frontend not in (known := (*ORIGINS, *origin_names())):
            raise BadInput(f"origin {text!r} names no frontend; there are {', '.join(known)}")
        if not (os.path.isfile(python) and os.access(python, os.X_OK)):
            raise BadInput(f"origin {text!r} is not FRONTEND=PATH of a Python")
        python = os.path.abspath(python)  # a link stays one: an environment is known by its place
        if found.setdefault(frontend, python) != python:
            raise BadInput(f"two origins for {frontend}: {found[frontend]!r} and {python!r}")
    return found
