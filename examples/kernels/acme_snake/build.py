"""Build the kernels with g++: `python -m acme_snake.build [FRAMEWORK...]`.

Each framework that is named (those that are installed, else) gets a library beside this file.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
FRAMEWORKS = ("tensorflow", "paddle", "onnxruntime")


def library(framework: str) -> Path:
    """Where the kernels for a framework are, once they are built."""
    return HERE / f"lib{framework}_kernel.so"


def flags(framework: str) -> list[str]:
    """What the compiler is told of a framework."""
    if framework == "tensorflow":
        import tensorflow as tf

        return [*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags()]
    if framework == "paddle":  # which does not bear TensorFlow in its process: it is not imported
        (place,) = find_spec("paddle").submodule_search_locations
        includes = [f"-I{place}/include", f"-I{place}/include/third_party"]
        return [*includes, "-std=c++17", f"{place}/base/libpaddle.so"]
    return ["-std=c++17"]


def build(framework: str) -> None:
    """Compile and link the kernels for one framework."""
    made = library(framework)
    source = HERE / f"{framework}_kernel.cc"
    staged = made.with_suffix(".part")
    command = ["g++", "-shared", "-fPIC", "-O1", "-w", str(source), "-o", str(staged)]
    subprocess.run([*command, *flags(framework)], check=True)
    staged.rename(made)


if __name__ == "__main__":
    for name in sys.argv[1:] or [f for f in FRAMEWORKS if find_spec(f)]:
        build(name)
