"""Attacks in TorchScript archives: pickles that call, and code that acts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

from .attacks_torch import evil
from .harness import HARMLESS, REFUSED, Attack
from .starts import start

GOOD = "samples/net.pt"
ROOT = "net/"
MAIN = f"{ROOT}code/__torch__.py"
PROVING = ("load", "verify")
FIRST = "    first = self.first\n"


def with_member(name: str, form: Callable[[Path], bytes]) -> Callable[[Path, Path], Path]:
    """An archive with one more member, or another one."""

    def build(folder: Path, marker: Path) -> Path:
        with zipfile.ZipFile(io.BytesIO(start(GOOD))) as source:
            parts = {info.filename: source.read(info) for info in source.infolist()}
        parts[name] = form(marker)
        path = folder / "m.pt"
        with zipfile.ZipFile(path, "w") as target:
            for member, content in parts.items():
                target.writestr(member, content)
        return path

    return build


def with_code(line: str) -> Callable[[Path, Path], Path]:
    """An archive whose `forward` begins with a line; MARKER in it is the path of the marker."""

    def code(marker: Path) -> bytes:
        with zipfile.ZipFile(io.BytesIO(start(GOOD))) as source:
            text = source.read(MAIN).decode()
        return text.replace(FIRST, f"    {line}\n{FIRST}".replace("MARKER", str(marker))).encode()

    return with_member(MAIN, code)


LINES = {
    "saves a file": "_0 = torch.save(x, 'MARKER')",
    "saves a file where it never comes": "if False:\n      _0 = torch.save(x, 'MARKER')",
    "saves a file by a computed name": "_0 = getattr(torch, 'save')(x, 'MARKER')",
    "saves a file by a namespace": "_0 = getattr(getattr(ops, 'aten'), 'save')(x, 'MARKER')",
    "saves a file by another name": "t = torch\n    _0 = t.save(x, 'MARKER')",
    "maps a file": "_0 = torch.from_file('/etc/passwd', True, 4)",
    "makes an object of C++": "_0 = __torch__.torch.classes.vendor.Thing(x)",
    "imports a module": "import os",
    "calls a function of Python": '_0 = exec(\'open("MARKER", "w")\')',
    "never ends": "while True:\n      y = 1",
}
WHY = "torch.jit.load compiles the code, and forward runs it"
ATTACKS: list[Attack] = [
    *(
        Attack(f"a pickle that calls as {name}", with_member(f"{ROOT}{name}", evil), why, ".pt")
        for name, why in {
            "data.pkl": "it holds the weights",
            "constants.pkl": "it holds the constants",
        }.items()
    ),
    Attack(
        "a pickle that calls as debug information",
        with_member(f"{MAIN}.debug_pkl", evil),
        "PyTorch reads it for messages",
        ".pt",
        HARMLESS,
        PROVING,
    ),
    *(
        Attack(f"code that {name}", with_code(line), WHY, ".pt", REFUSED, ("verify",))
        for name, line in LINES.items()
    ),
]
