"""The models that are quantised: made on first use, each in a process, and kept.

A folder of a model holds its source, its float file, the samples and the answers.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import tasks
from .samples import CALIBRATION, FEWER, FEWEST, HELD, write_samples

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Subject:
    """A model: the module that makes it, its task, and the files that it is.

    `reads` are the files besides that module which say what the model is, `held` how many samples
    it is scored on.
    """

    name: str
    maker: str
    task: Callable[[np.random.Generator, int], tasks.Samples]
    source: str = "float.onnx"
    real: str = "float.onnx"
    reads: tuple[str, ...] = ()
    held: int = HELD

    @property
    def key(self) -> str:
        """Changes where the model may."""
        names = (f"{self.maker}.py", "tasks.py", "subjects.py", *self.reads)
        whole = b"".join((HERE / name).read_bytes() for name in names)
        return hashlib.sha256(whole).hexdigest()[:12]


TORCH = ("networks.py", "../torch_models.py")
SAVED = ("saved_model", "float.tflite")

SUBJECTS = {
    s.name: s
    for s in (
        Subject("resnet50", "training", tasks.images, reads=TORCH, held=FEWER),
        Subject("mobilenet_v2", "training", tasks.images, reads=TORCH),
        Subject("bert", "training", tasks.sequences, reads=TORCH, held=FEWER),
        Subject("bert_base", "training", tasks.sequences, reads=TORCH, held=FEWEST),
        Subject("gpt", "training", tasks.text, reads=TORCH, held=256),
        Subject("keras_resnet50", "keras_training", tasks.images, *SAVED, held=FEWER),
        Subject("keras_mobilenet_v2", "keras_training", tasks.images, *SAVED),
        Subject("toy", "toy", tasks.images, reads=("../models.py",), held=256),
    )
}


def ensure(subject: Subject, place: Path) -> Path:
    """The folder of a model, made where it is missing."""
    folder = place / f"{subject.name}-{subject.key}"
    if (folder / subject.real).exists() and (folder / subject.source).exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, seed, count in (("calibration", 2, CALIBRATION), ("held", 3, subject.held)):
        inputs, answers = subject.task(np.random.default_rng(seed), count)
        if subject.source == "saved_model":
            inputs = {name: a.transpose(0, 2, 3, 1) for name, a in inputs.items()}
        write_samples(folder / f"{name}.npz", inputs)
        np.save(folder / f"{name}_answers.npy", answers)
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", f"{__package__}.{subject.maker}",
         str(folder), subject.name],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )  # fmt: skip
    return folder
