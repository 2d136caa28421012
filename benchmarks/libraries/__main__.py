"""Networks of PyTorch libraries against PyTorch: `python -m benchmarks.libraries FOLDER`.

The libraries are installed in FOLDER/site, without what they depend on (1 GB), and imported by the
processes that export their networks alone, small ones of random weights. Each is compared with
PyTorch on every device.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from ..verdicts import AGREES, DEVICES, ask
from . import LIBRARIES
from .catalog import Library

LONGEST = 300
"""Seconds for one export."""


def main() -> int:
    """Print what became of each network that was exported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--library", action="append", choices=LIBRARIES, help="this one alone")
    parser.add_argument("--device", action="append", choices=DEVICES, help="this one alone")
    given = parser.parse_args()
    out, devices = Console(width=160), given.device or DEVICES
    table = Table("library", "networks", *devices)
    for name in given.library or LIBRARIES:
        agree: Counter[str] = Counter()
        files = export(given.folder, name, LIBRARIES[name], out)
        for file in files:
            arrays = [*np.load(file.with_suffix(".npz")).values()]
            for device in devices:
                told = ask(file, device, {}, arrays)
                agree[device] += told == AGREES
                if told != AGREES:
                    out.print(f"{name} {file.stem} on {device}: {told}", markup=False)
        table.add_row(name, str(len(files)), *(str(agree[d]) for d in devices))
    out.print(table)
    return 0


def export(folder: Path, name: str, library: Library, out: Console) -> list[Path]:
    """The programs of a library's networks, which are exported where they are not there yet."""
    install(folder / "site", library.packages)
    (folder / name).mkdir(parents=True, exist_ok=True)
    files = []
    for network in library.networks:
        file = folder / name / f"{network}.pt2"
        if not file.with_suffix(".npz").exists():
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.libraries.export"]
            made = subprocess.run(
                [*command, name, network, str(file)],
                capture_output=True,
                text=True,
                timeout=LONGEST,
                check=False,
            )
            if made.returncode:
                told = made.stderr.strip().splitlines() or [""]
                out.print(f"{name} {network} is not exported: {told[-1][:150]}", markup=False)
                continue
        files.append(file)
    return files


def install(place: Path, packages: tuple[str, ...]) -> None:
    """Install what is not there yet, and nothing that it depends on."""
    missing = [p for p in packages if not (place / f".{p}").exists()]
    if not missing:
        return
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*command, str(place), *missing], check=True)
    registrations = place / "torchvision" / "_meta_registrations.py"
    if registrations.exists():  # they are of operators that the wheel has for CUDA alone
        registrations.write_text("")
    for package in missing:
        (place / f".{package}").touch()


if __name__ == "__main__":
    sys.exit(main())
