"""Environments of tools, which need packages that ours has not, or older ones."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary")


@dataclass(frozen=True)
class Environment:
    """Packages of an environment; `is_beside`: those that run here are in it, too.

    `later` are installed last and without questions: tools ask for older ones, but work with them.
    """

    packages: tuple[str, ...] = ()
    is_beside: bool = False
    later: tuple[str, ...] = ()

    def make(self, place: Path) -> Path:
        """Its Python, in a folder that is filled where it is not there yet."""
        if not self.packages:
            return Path(sys.executable)
        python = place / "bin" / "python"
        if (place / "whole").exists():
            return python
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
        if self.is_beside:
            ours, theirs = (sysconfig.get_path("purelib", vars=v) for v in (None, bases(place)))
            (Path(theirs) / "beside.pth").write_text(ours + "\n")
        subprocess.run([str(python), *PIP, *self.packages], check=True)
        if self.later:
            subprocess.run([str(python), *PIP, "--no-deps", "--upgrade", *self.later], check=True)
        (place / "whole").touch()
        return python


def bases(place: Path) -> dict[str, str]:
    """Where the folders of an environment begin."""
    return {"base": str(place), "platbase": str(place)}


TORCH = Environment(
    (
        *("onnxscript==0.7.2", "optimum-onnx==0.1.0", "transformers==4.57.6", "onnxsim==0.8.1"),
        *("onnxslim==0.1.98", "onnxconverter-common==1.16.0", "torch==2.13.0"),
        *("onnx==1.23.2", "onnxruntime==1.31.1"),  # as they are beside
    ),
    is_beside=True,
)
ESTIMATORS = Environment(
    (
        *("scikit-learn==1.9.1", "skl2onnx==1.20.0", "onnxmltools==1.16.0", "xgboost==3.2.0"),
        *("lightgbm==4.7.0", "onnx==1.23.2", "packaging"),
    )
)
KERAS2 = Environment(
    ("tensorflow-cpu==2.15.1", "tf2onnx==1.17.0", "onnx==1.19.0", "numpy<2"),
    later=("ml_dtypes>=0.5.3",),
)
PADDLE2 = Environment(("paddlepaddle==2.6.2", "paddle2onnx==1.3.1", "numpy<2", "setuptools<80"))
PADDLE3 = Environment(("paddlepaddle==3.3.1", "paddle2onnx==2.1.0", "packaging"))
OURS = Environment()
"""The Python that runs."""
