"""Whole models in the framework that they came from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from frontends import nnapi, onnx, paddle, tensorflow, tflite, torch
from frontends.torch.reading.signature import ARGUMENTS, OVERWRITTEN
from nnir.errors import Unsupported
from nnir.metadata import LIST_ENDS
from nnir.model import Model
from nnir.staging import temporary_folder
from nnir.stateful import fed_states, source_ends

from ..gate import admit
from .oracle import Oracle, Refused

TIMEOUT = 600
PACKAGES = {
    "onnx": ("onnx", "onnxruntime"),
    "torch": ("torch", "torch"),
    "tensorflow": ("tensorflow", "tensorflow"),
    "litert": ("litert", "ai_edge_litert"),
    "paddle": ("paddle", "paddle"),
    "paddle_legacy": ("paddle", "paddle"),
}
"""By the module of an oracle: the extra that installs its framework, and what is imported of it."""

Arrays = list[np.ndarray]
Head = dict[str, Any]

KERNELS = {
    "LiteRT's own kernels": "plain",
    "LiteRT's reference kernels": "reference",
    "LiteRT on weights that are floats": "floats",
}
"""Beside those that LiteRT uses by default, which may differ from each other by some steps."""


OF_INPUTS = ("while running", "invalid dimensions for input")
"""What ONNX Runtime says of inputs that a file which it takes is not for."""


class NotInstalled(Unsupported):
    """The origin framework is not there to be asked."""


@dataclass
class Session:
    """A source in its framework: a process that has it loaded.

    `head_of` says what the oracle is told for given inputs. `others` are heads for other kernels
    of the same framework by their names; `second` is the name and head of what is asked where the
    framework refuses. `again`: what the head of a call has more that is to be as the first one.
    """

    name: str
    oracle: Oracle
    head_of: Callable[[Arrays], Head]
    second: tuple[str, Head] | None = None
    others: dict[str, Head] = field(default_factory=dict)
    again: Head = field(default_factory=dict)

    def run(self, arrays: Sequence[np.ndarray], *, is_first: bool = False) -> Arrays:
        """The outputs; Refused where the framework refuses, Lost where it crashes.

        `is_first`: without what earlier calls left.
        """
        given = list(arrays)
        more = self.again if is_first else {}
        try:
            return self.oracle.ask(self.head_of(given) | more, given)
        except Refused as error:
            is_of_inputs = any(words in str(error) for words in OF_INPUTS)
            if is_of_inputs or not self.ask_second():
                raise
        return self.oracle.ask(self.head_of(given) | more, given)

    def ask_second(self) -> bool:
        """Ask the second from now on; whether there is one."""
        if self.second is None:
            return False
        first = self.head_of
        (self.name, more), self.second = self.second, None
        self.head_of = lambda arrays: first(arrays) | more
        return True

    def run_others(self, arrays: Sequence[np.ndarray]) -> Iterator[tuple[str, Arrays]]:
        """What other kernels give, by their names."""
        given = list(arrays)
        for name, more in self.others.items():
            try:
                yield name, self.oracle.ask(self.head_of(given) | more, given)
            except Refused:
                continue


@contextmanager
def session_of(source: Any, model: Model) -> Iterator[Session]:
    """`source` in its framework, for the inputs and outputs of `model`.

    NotInstalled where that is not there, Unsupported for what has none.
    """
    place = Path(source) if isinstance(source, str) else source
    for frontend, start in ORIGINS:
        if frontend.detects(place):
            with ExitStack() as stack:
                yield start(place, model, stack)
            return
    raise Unsupported("verify needs the original file or object, to run it in its own framework")


def require_installed(module: str) -> None:
    """NotInstalled where an oracle's framework is not there."""
    extra, package = PACKAGES[module]
    if not is_installed(package):
        raise NotInstalled(f"{extra}: it is not installed (pip install 'nnadapter[{extra}]')")


def _oracle(module: str, stack: ExitStack) -> Oracle:
    """The oracle of a framework, which must be installed."""
    require_installed(module)
    return stack.enter_context(Oracle(f"conformance.oracles.{module}", timeout=TIMEOUT))


def is_installed(package: str) -> bool:
    """Whether a package can be imported; it is not."""
    try:
        return find_spec(package) is not None
    except ImportError:
        return False


def _onnx(source: Any, model: Model, stack: ExitStack) -> Session:
    """ONNX Runtime on the file, optimised or as it is; where it refuses, ONNX's reference
    evaluator."""
    oracle = _oracle("onnx", stack)
    if not isinstance(source, (Path, bytes)):
        source = source.SerializeToString()
    head: Head = {"engine": "onnxruntime"}
    head["path"] = str(stack.enter_context(admit("onnx", source)))
    if LIST_ENDS in model.metadata:
        head["lists"] = model.metadata[LIST_ENDS]
    others: dict[str, Head] = {
        "onnxruntime without optimisation": {"kernels": "plain"},
        "onnxruntime in one thread": {"kernels": "single"},  # else rows are divided, and scaled
    }
    second = "onnx reference", {"engine": ""}
    return Session("onnxruntime", oracle, lambda _: head, second, others=others)


def _torch(source: Any, model: Model, stack: ExitStack) -> Session:
    """PyTorch on the program, loaded once: it keeps its state from call to call.

    What the program overwrites is among the outputs. A module is exported on the inputs.
    """
    oracle = _oracle("torch", stack)
    called = model.metadata.get(ARGUMENTS)

    def head_of(path: Path) -> Head:
        return {
            "path": str(stack.enter_context(admit("torch", path))),
            "overwritten": model.metadata.get(OVERWRITTEN, "").splitlines(),
            "states": [s.name for s in model.states if s not in fed_states(model)],
        } | ({} if called is None else {"arguments": json.loads(called)})

    if isinstance(source, Path):
        head = head_of(source)
        return Session("torch", oracle, lambda _: head, again={"is_first": True})
    folder = stack.enter_context(temporary_folder())
    saved: list[Path] = []

    def head_of_export(arrays: Arrays) -> Head:
        saved.append(folder / f"{len(saved)}.pt2")
        _save_program(source, saved[-1], arrays)
        return head_of(saved[-1])

    return Session("torch", oracle, head_of_export)


def _save_program(source: Any, path: Path, arrays: Arrays) -> None:
    if isinstance(source, bytes):
        path.write_bytes(source)
        return
    from frontends.torch.reading import (
        objects,  # needs PyTorch, which whoever has the object has imported
    )

    objects.save(source, path, arrays)


def _tensorflow(source: Any, model: Model, stack: ExitStack) -> Session:
    """TensorFlow on a SavedModel or a frozen graph."""
    if not isinstance(source, Path):
        raise Unsupported("verify needs a SavedModel or a frozen graph; export the object first")
    oracle = _oracle("tensorflow", stack)
    if source.suffix == ".keras":
        named = {"path": str(source.resolve()), "keras": source_ends(model)[0]}
        return Session("keras", oracle, lambda _: named)
    head: Head = {}
    about: Head = {k: model.metadata.get(k) for k in ("signature", "tags")}
    if tensorflow.is_saved(source):
        head |= about
    else:
        head["inputs"], head["outputs"] = source_ends(model)
        about["outputs"] = head["outputs"]
    head["path"] = str(stack.enter_context(admit("tensorflow", source, **about)))
    again = {"is_first": True} if model.states else {}
    return Session("tensorflow", oracle, lambda _: head, again=again)


def _tflite(source: Any, model: Model, stack: ExitStack) -> Session:
    """LiteRT with the kernels that it uses by default."""
    if not isinstance(source, Path):
        raise Unsupported("verify needs a TFLite file, not its bytes")
    oracle = _oracle("litert", stack)
    inputs, outputs = source_ends(model)
    head = {
        "path": str(stack.enter_context(admit("tflite", source))),
        "signature": model.metadata.get("signature"),
        "inputs": inputs,
        "outputs": outputs[: len(outputs) - len(model.states) + len(fed_states(model))],
        "keeps": len(model.states) > len(fed_states(model)),
    }
    others = {name: {"kernels": kind} for name, kind in KERNELS.items()}
    again = {"is_first": True}
    return Session("litert", oracle, lambda _: head, others=others, again=again)


def _paddle(source: Any, model: Model, stack: ExitStack) -> Session:
    """Paddle on a program with its parameters beside it; an object is saved first."""
    path = paddle.program_of(source) if isinstance(source, Path) else None
    is_legacy = path is not None and paddle.is_legacy(path)
    module = "paddle_legacy" if is_legacy else "paddle"
    oracle = _oracle(module, stack)
    if path is not None:
        head = {"path": str(stack.enter_context(admit("paddle", path)))}
        return Session("paddle", oracle, lambda _: head)
    folder = stack.enter_context(temporary_folder())

    def head_of_saved(arrays: Arrays) -> Head:
        from frontends.paddle.reading import objects  # whoever has the object has imported Paddle

        made = folder / "program.json"
        objects.save(source, made.with_suffix(""), arrays)
        return {"path": str(stack.enter_context(admit("paddle", made)))}

    return Session("paddle", oracle, head_of_saved)


def _nnapi(source: Any, model: Model, stack: ExitStack) -> Session:
    """Our own runtime of NNAPI 1.0: there is no other that opens the file."""
    if not isinstance(source, Path):
        raise Unsupported("verify needs a .nnapi file, not its bytes")
    oracle = stack.enter_context(Oracle("conformance.oracles.nnapi_runtime", timeout=TIMEOUT))
    return Session("nnapi", oracle, lambda _: {"path": str(source.resolve())})


Start = Callable[[Any, Model, ExitStack], Session]
ORIGINS: tuple[tuple[Any, Start], ...] = (
    (onnx, _onnx),
    (tflite, _tflite),
    (nnapi, _nnapi),
    (tensorflow, _tensorflow),
    (torch, _torch),
    (paddle, _paddle),
)
