"""Make the bundle of libraries that pages carry.

`python -m nnadapter.looking.libraries.make_bundle` needs npm and its registry; nothing else does.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = (
    *("d3-selection@3.0.1", "d3-zoom@3.0.1", "d3-ease@3.0.2", "d3-transition@3.0.2"),
    *("d3-drag@3.0.1", "d3-dispatch@3.0.2", "d3-interpolate@3.0.2", "d3-color@3.1.1"),
    *("d3-timer@3.0.2", "flatbush@4.7.0", "flatqueue@3.1.0", "esbuild@0.28.2"),
)
ENTRY = """
export { select } from "d3-selection";
export { zoom, zoomIdentity } from "d3-zoom";
export { easeCubicOut } from "d3-ease";
import "d3-transition";
export { default as Flatbush } from "flatbush";
"""
OPTIONS = ("--bundle", "--minify", "--format=iife", "--global-name=graphics", "--target=es2020")


def make(target: Path) -> None:
    """Write the bundle, with the licences in front."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "entry.js").write_text(ENTRY, encoding="utf-8")
        subprocess.run(["npm", "install", "--silent", *PACKAGES], cwd=folder, check=True)
        licences = (HERE / "LICENSES.txt").read_text(encoding="utf-8")
        made = subprocess.run(
            ["npx", "esbuild", "entry.js", *OPTIONS], cwd=folder, check=True, capture_output=True
        )
        target.write_text(f"/*\n{licences}*/\n{made.stdout.decode()}", encoding="utf-8")


if __name__ == "__main__":
    make(HERE / "d3-zoom-flatbush.min.js")
