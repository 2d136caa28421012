"""What the commands share: options, tables, JSON, and talk on stderr."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from nnir.errors import NoDevice
from nnir.legible import legible
from nnir.model import Model
from nnir.progress import stage

from . import sources
from .arrays import read_array
from .progress import Volume, volume

AS_JSON = f"{__name__}.json"
"""Whether a program reads, among what contexts of click share: errors are JSON too."""


def _note_json(context: click.Context, option: click.Parameter, value: bool) -> bool:
    context.meta[AS_JSON] = value
    return value


JSON = click.option(
    "--json",
    "as_json",
    is_flag=True,
    is_eager=True,  # errors of other options are JSON too
    callback=_note_json,
    help="Print JSON for programs.",
)
USUAL = "onnxruntime"


def _require_usual(context: click.Context, option: click.Parameter, device: str) -> str:
    """NoDevice, with what needs nothing, where no device is named and the usual one is absent."""
    is_named = context.get_parameter_source(option.name or "") != ParameterSource.DEFAULT
    if is_named or context.resilient_parsing or find_spec(USUAL) is not None:
        return device
    raise NoDevice(
        f"{USUAL}, the usual device, is not installed: pip install 'nnadapter[{USUAL}]', or "
        "choose --device builtin, which needs nothing"
    )


DEVICE = click.option(
    "--device",
    default=USUAL,
    show_default=True,
    callback=_require_usual,
    help="Where to run; several with commas between, in order of preference.",
)
PROPERTIES = click.option("--properties", default="", help="KEY=value; text for the device.")
SEED = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of random inputs."
)
DIM = click.option(
    "--dim", "dims", multiple=True, metavar="NAME=SIZE", help="The size of a dynamic dimension."
)
FILE = click.argument("file", type=click.Path(path_type=Path))


LOADING = (
    click.option("--signature", help="A signature of a SavedModel or a TFLite file."),
    click.option("--tag", "tags", multiple=True, help="A tag of a graph of a SavedModel."),
    click.option(
        "--graph-input", "inputs", multiple=True, help="Where a frozen graph begins (a tensor)."
    ),
    click.option(
        "--graph-output", "outputs", multiple=True, help="Where a frozen graph ends (a tensor)."
    ),
    click.option("--input-layout", metavar="[NAME=]LAYOUT", multiple=True, help="Such as NCHW."),
    click.option("--output-layout", metavar="[NAME=]LAYOUT", multiple=True, help="Such as NHWC."),
    click.option(
        "--state",
        metavar="explicit|IN=OUT",
        multiple=True,
        help="What is kept from call to call as inputs and outputs, or an output that an input "
        "gets at the next call.",
    ),
    click.option(
        "--shape",
        "shapes",
        metavar="NAME=1,length,80",
        multiple=True,
        help="The shape of an input before translation: numbers, and names of what stays open; "
        "NAME=int64[1,length] says the type of one whose source does not.",
    ),
    click.option(
        "--value",
        "values",
        metavar="NAME=NUMBER",
        multiple=True,
        help="An input that always has this value (or that of a file .npy).",
    ),
    click.option("--trust", is_flag=True, help="Let Keras run what is in a .keras archive."),
    click.option(
        "--qdq",
        is_flag=True,
        help="QLinear operators of ONNX and quantisers of Paddle as QDQ, within one integer.",
    ),
)

OPTIONS = {
    "signature": "--signature",
    "tags": "--tag",
    "inputs": "--graph-input",
    "outputs": "--graph-output",
    "input_layout": "--input-layout",
    "output_layout": "--output-layout",
    "state": "--state",
    "shapes": "--shape",
    "values": "--value",
    "trust": "--trust",
    "qdq": "--qdq",
}
"""The same by what `load` calls them."""


def loading(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: options for `load`, which the command receives as `how`."""

    @functools.wraps(command)
    def wrapped(**given: Any) -> None:
        how = {n: given.pop(n) for n in OPTIONS}
        for name in ("input_layout", "output_layout"):
            how[name] = _layouts(how[name])
        how["state"] = _state(how["state"])
        how["shapes"] = dict(map(_shape, how["shapes"]))
        how["values"] = {n: _value(v) for n, v in map(split_pair, how["values"])}
        command(how={n: v for n, v in how.items() if v}, **given)

    for option in reversed(LOADING):
        wrapped = option(wrapped)
    return wrapped


def options_of(how: Mapping[str, Any]) -> list[str]:
    """The options of `loading` that give `how` a file is read."""
    words: list[str] = []
    for name, option in OPTIONS.items():
        value = how.get(name, ())
        if isinstance(value, Mapping):
            value = [f"{key}={_word(each)}" for key, each in value.items()]
        several = [value] if isinstance(value, str) else value
        words += [option] if value is True else [w for v in several for w in (option, v)]
    return words


def _layouts(given: Sequence[str]) -> str | dict[str, str]:
    """One layout for all, or layouts by name."""
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    pairs = [text.rpartition("=") for text in given]
    if not all(name for name, _, _ in pairs):
        raise click.UsageError("several layouts need names: NAME=LAYOUT")
    return {name: layout for name, _, layout in pairs}


def _state(given: Sequence[str]) -> str | dict[str, str]:
    """A way to keep states, or outputs by inputs."""
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    return dict(map(split_pair, given))


def _shape(given: str) -> tuple[str, list[int | str | None] | str]:
    """A name and a shape, as a text where that says the type too."""
    name, sizes = split_pair(given)
    if "[" in sizes:
        return name, sizes
    parts = [part.strip() for part in sizes.split(",")] if sizes else []
    return name, [int(p) if p.isdecimal() else None if p == "?" else p for p in parts]


def _value(text: str) -> Any:
    """A number, or the array of a file."""
    if text.endswith(".npy"):
        return read_array(Path(text))
    try:
        return json.loads(text)
    except ValueError:
        raise click.UsageError(f"{text!r} is neither a number nor a file .npy") from None


def _word(value: Any) -> str:
    """A value of an option as it is typed."""
    if isinstance(value, (list, tuple)):
        return ",".join("?" if v is None else str(v) for v in value)
    return str(value)


def split_pair(text: str) -> tuple[str, str]:
    """NAME=VALUE of an option."""
    name, equals, value = text.rpartition("=")
    if not equals:
        raise click.UsageError(f"{text!r} is not NAME=VALUE")
    return name, value


def sizes_of(dims: Sequence[str]) -> dict[str, int]:
    """The sizes that --dim gives."""
    pairs = dict(map(split_pair, dims))
    for value in pairs.values():
        if not value.isdecimal():
            raise click.UsageError(f"{value!r} is not a size")
    return {name: int(value) for name, value in pairs.items()}


def show(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> None:
    """A table on stdout."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    heading = None if title is None else Text(legible(title))
    table = Table(*columns, title=heading, title_justify="left")
    for row in rows:  # names come from files: no markup, no escape sequences
        table.add_row(*(Text(legible(str(cell))) for cell in row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(table)


def print_json(data: Any) -> None:
    """Results for programs, on stdout."""
    click.echo(json.dumps(data, indent=1, default=str))


def say(text: str) -> None:
    """Talk to a person, on stderr; nothing with `--quiet`."""
    if volume() > Volume.QUIET:
        click.echo(lines(text), err=True)


def echo(text: str) -> None:
    """A line on stdout of what comes from files."""
    click.echo(legible(text.replace("\n", " ")))


def answer(text: str) -> None:
    """A result for a person, on stdout."""
    click.echo(lines(text))


def lines(text: str) -> str:
    """Text of several lines, each of them legible."""
    return "\n".join(map(legible, text.split("\n")))


def load(file: Path, how: Mapping[str, Any]) -> Model:
    """Load a model; `how` are options of `nnadapter.load`."""
    with stage(f"reading {file.name}"):
        return sources.load(file, **how)
