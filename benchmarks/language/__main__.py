"""`python -m benchmarks.language [NAME ...]`: the words of language models, wherever they run.

Small models of random weights with their caches as inputs and outputs, from six layouts (programs
of torch.export, modules, ONNX files as optimum writes them and as onnxruntime-genai does, those
with weights of 4 bits, and those of one word a call with shared buffers), write 32 words: in a
session of ONNX Runtime where they are its files, on every device, and in written files in the
engines of those. Shown is at how many of two prompts they are PyTorch's own
(`generate(do_sample=False)`), of weights of 4 bits those of the session, or why there are none.
Needs the packages transformers, onnxscript and onnxruntime-genai.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import onnxruntime

import nnadapter as nna
from conformance.verifying.stock_engine import Stock
from nnadapter.conversion import exporter
from nnir.errors import NNAdapterError, summary
from nnir.model import Model

from . import networks
from .parts import Arrays, Layout, Part, Run, decode

DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")
TARGETS = (".onnx", ".xml", ".tflite", ".pt2", ".nnir")
SESSION = "session"
"""ONNX Runtime itself, on the file that is read."""
LAYOUTS = ("pt2", "module", "optimum", "genai", "int4", "masked")
WIDTH = 60


def make_layout(kind: str, model: Any, name: str, folder: Path) -> Layout:
    """Export a model."""
    from . import genai_parts, masked_parts, optimum_parts, torch_parts

    if kind == "module":
        return torch_parts.export_layout(model, name, None)
    if kind == "int4":
        return genai_parts.export_layout(model, name, folder, "int4")
    if kind == "masked":
        return masked_parts.export_layout(model, name, folder)
    makers = {"pt2": torch_parts, "optimum": optimum_parts, "genai": genai_parts}
    return makers[kind].export_layout(model, name, folder)


def has_layout(kind: str, name: str) -> bool:
    """Whether there is such a layout of a network; of gpt-oss with weights of 4 bits the builder
    reads its own files alone."""
    if (kind, name) == ("int4", "gptoss"):
        return False
    if kind in ("int4", "masked"):
        return (networks.NETWORKS[name].task == "decoder") == (kind == "int4")
    return True


def load(part: Part) -> Model:
    """What nnadapter reads."""
    from .torch_parts import any_size

    with any_size():
        return nna.load(part.source, **part.loading)


def by_name(part: Part, run: Callable[..., Any]) -> Run:
    """The same, by names of what the ends mean."""

    def named(known: Arrays) -> Arrays:
        words = {"words": known["words"].astype(part.words)} if "words" in part.inputs else {}
        known = known | words
        return dict(zip(part.outputs, run(*(known[n] for n in part.inputs)), strict=True))

    return named


def in_session(part: Part) -> Run:
    """What runs the file of a part in ONNX Runtime."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(part.source, options)
    names = [end.name for end in session.get_inputs()]
    return by_name(part, lambda *arrays: session.run(None, dict(zip(names, arrays, strict=True))))


def on_device(part: Part, model: Model, device: str, stack: ExitStack) -> Run:
    """What runs a part on a device."""
    return by_name(part, stack.enter_context(nna.compile(model, device)))


def in_engine(part: Part, model: Model, path: Path, stack: ExitStack) -> Run:
    """What runs the written file of a part, in the engine of its users, which is told to round
    nothing that the file does not round."""
    nna.convert(model, path, verify=False)
    if path.suffix == ".nnir":
        return on_device(part, nna.load(path), "builtin", stack)
    engine = exporter(path.suffix)
    is_exact = bool(engine.exact_settings)
    opened = stack.enter_context(Stock(path, engine, model, is_exact=is_exact))
    return by_name(part, lambda *arrays: opened.run(arrays))


def write_words(layout: Layout, open_part: Callable[..., Run], name: str) -> dict[int, list[int]]:
    """The words behind each prompt."""
    with ExitStack() as stack:
        opened: dict[int, Run] = {}
        for key, part in layout.parts.items():
            if id(part) not in opened:
                opened[id(part)] = open_part(key, part, stack)
        runs = {key: opened[id(part)] for key, part in layout.parts.items()}
        return {
            length: decode(
                runs,
                layout,
                networks.make_prompt(name, length),
                networks.make_start(name, length),
                networks.WORDS,
            )
            for length in networks.PROMPTS
        }


def count_equal(
    layout: Layout, open_part: Callable[..., Run], name: str, wanted: Mapping[int, list[int]]
) -> str:
    """At how many prompts the words are those wanted; what is said where there are none."""
    try:
        words = write_words(layout, open_part, name)
    except NNAdapterError as error:
        return summary(error)
    return f"{sum(words[n] == wanted[n] for n in wanted)}/{len(wanted)}"


def open_session(_key: str, part: Part, _stack: ExitStack) -> Run:
    """As `in_session`, for `write_words`."""
    return in_session(part)


def try_layout(
    layout: Layout,
    name: str,
    wanted: Mapping[int, list[int]],
    folder: Path,
    places: Sequence[str] = (*DEVICES, *TARGETS),
) -> Iterator[tuple[str, str]]:
    """Session, device or suffix, and what comes of it."""
    if SESSION in places:
        is_file = all(str(part.source).endswith(".onnx") for part in layout.parts.values())
        yield SESSION, count_equal(layout, open_session, name, wanted) if is_file else ""
    places = [place for place in places if place != SESSION]
    try:
        models = {key: load(part) for key, part in layout.parts.items()}
    except NNAdapterError as error:
        yield from ((place, summary(error)) for place in places)
        return
    for place in places:
        written = folder / f"written{place}"

        def open_part(
            key: str, part: Part, stack: ExitStack, place: str = place, path: Path = written
        ) -> Run:
            if place in DEVICES:
                return on_device(part, models[key], place, stack)
            return in_engine(part, models[key], path.with_stem(f"{key}_{path.stem}"), stack)

        yield place, count_equal(layout, open_part, name, wanted)


def main() -> None:
    """Print a row for each model in each layout."""
    from rich.console import Console
    from rich.table import Table

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(networks.NETWORKS))
    parser.add_argument("--layouts", nargs="*", default=LAYOUTS)
    parser.add_argument("--places", nargs="*", default=[SESSION, *DEVICES, *TARGETS])
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    table = Table("model", "layout", *given.places)
    refused: list[str] = []
    for name in given.names:
        model = networks.build_network(name)
        wanted = {n: networks.generate(model, name, n) for n in networks.PROMPTS}
        for kind in (kind for kind in given.layouts if has_layout(kind, name)):
            with tempfile.TemporaryDirectory() as folder:
                layout = make_layout(kind, model, name, Path(folder))
                words = write_words(layout, open_session, name) if kind == "int4" else wanted
                row = dict(try_layout(layout, name, words, Path(folder), given.places))
            told = {place: cell for place, cell in row.items() if cell and "/" not in cell[:2]}
            refused += [f"{name} {kind} {place}: {cell}" for place, cell in told.items()]
            table.add_row(name, kind, *("no" if p in told else cell for p, cell in row.items()))
            print(name, kind, row, file=sys.stderr, flush=True)
    Console(width=140).print(table, *refused, sep="\n")


if __name__ == "__main__":
    main()
