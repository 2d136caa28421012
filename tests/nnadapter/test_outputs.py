"""No command or function writes over what it reads."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import nnadapter as nna
from conformance.bisecting import bisect as bisecting
from conformance.verifying import stock_engine as stock
from conformance.verifying import verify as verifying
from nnadapter import api
from nnadapter.cli import COMMANDS, main
from nnadapter.outputs import keeping_sources
from nnir.errors import BadFile, BadInput

DATA = Path(__file__).parents[1] / "data"
OF_A_MODEL = {
    "inspect": ("--dot", "--html"),
    "run": ("--output", "--trace", "--html"),
    "verify": ("--html",),
    "bisect": ("--html",),
    "quantize": ("--html",),
}
OF_SEVERAL = {"diff": ("--html",)}
OF_REPORTS = {
    "report": ("--json", "--junit", "--html"),
    "conform": ("--json", "--junit", "--html"),
}
OF_MANY = {"batch": ("--html",)}
"""Models are converted one after the other: which weights belong to them is known at the end."""

WRITES = OF_A_MODEL | OF_MANY | OF_SEVERAL | OF_REPORTS
"""The options that name a file to write, by command."""

OTHERS = {
    ("batch", "--folder"),  # files of names of its own
    ("batch", "--list"),  # is read
    ("run", "--cache-dir"),  # files of names of its own
    ("run", "--partition"),  # is read
    ("conform", "--against"),  # is read
    ("bisect", "--folder"),  # must be new
    ("check", "--target"),  # is only asked about
}
DEVICE = ("--device", "builtin")


def rows(*tables: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [
        (name, option) for table in tables for name, several in table.items() for option in several
    ]


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [str(w) for w in words])


def words_of(command: str, source: Path) -> list[object]:
    """A call of a command that reads `source`, without an output."""
    match command:
        case "inspect" | "report":
            return [command, source]
        case "run" | "verify":
            return [command, source, *DEVICE]
        case "bisect":
            return [command, source, *DEVICE, "--folder", source.parent / "found"]
        case "batch":
            return [command, source, "--to", ".nnir", "--folder", source.parent / "many"]
        case "quantize":
            return [command, source, source.parent / "small.nnir", "--data", "random"]
        case "diff":
            return [command, source, source]
        case "conform":
            limits = ("--frontend", "nnir", "--op", "RELU", "--jobs", 1)
            return [command, *limits, *DEVICE, "--against", source]
    raise AssertionError(command)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read or run."""

    def work(*_: object, **__: object) -> None:
        pytest.fail("work was done")

    monkeypatch.setattr(api, "load", work)
    monkeypatch.setattr("nnadapter.sources.load", work)
    monkeypatch.setattr("nnadapter.commands.running.load", work)
    monkeypatch.setattr("nnadapter.commands.looking.load", work)
    monkeypatch.setattr("conformance.reports.against.load", work)
    monkeypatch.setattr("conformance.running.conform.conform", work)


def refuse(words: list[object], folder: Path, text: str, status: int = 1) -> None:
    """Prove that a call is refused in one line, and that nothing changes."""
    before = contents(folder)
    done = call(*words)
    assert done.exit_code == status, done.output
    assert text in done.stderr
    assert status != 1 or len([t for t in done.stderr.splitlines() if "error" in t]) == 1
    assert contents(folder) == before


def test_every_output_is_known() -> None:
    context = click.Context(main)
    commands = {name: main.get_command(context, name) for name in COMMANDS}
    found = {
        (name, option)
        for name in COMMANDS
        for parameter in commands[name].params
        if isinstance(parameter, click.Option) and isinstance(parameter.type, click.Path)
        for option in parameter.opts
    }
    assert found == {*rows(WRITES)} | OTHERS, "what writes a file asks keeping_sources first"


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("link", [None, "symbolic", "hard", "spelling"])
@pytest.mark.parametrize(("command", "option"), rows(WRITES))
def test_a_source_is_no_output(
    saved: Path, tmp_path: Path, command: str, option: str, link: str | None
) -> None:
    output = saved
    if link == "spelling":
        (tmp_path / "below").mkdir()
        output = tmp_path / "below" / ".." / saved.name
    elif link is not None:
        output = tmp_path / "other.onnx"
        (output.symlink_to if link == "symbolic" else output.hardlink_to)(saved)
    text = f"cannot write {str(output)!r}: the source is read from it; choose another name"
    refuse([*words_of(command, saved), option, output], tmp_path, text)


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(("command", "option"), rows(WRITES))
def test_a_link_to_the_source_may_be_read(
    saved: Path, tmp_path: Path, command: str, option: str
) -> None:
    link = tmp_path / "link.onnx"
    link.symlink_to(saved)
    refuse([*words_of(command, link), option, saved], tmp_path, "the source is read from it")


@pytest.mark.parametrize("link", [None, "symbolic", "hard"])
@pytest.mark.parametrize(
    ("source", "weights"),
    [
        ("samples/external.onnx", "samples/external.data"),
        ("paddle/net.pdmodel", "paddle/net.pdiparams"),
    ],
)
@pytest.mark.parametrize(("command", "option"), rows(OF_A_MODEL, OF_SEVERAL))
def test_weights_beside_a_source_are_no_output(
    tmp_path: Path,
    command: str,
    option: str,
    source: str,
    weights: str,
    link: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (source, weights):
        shutil.copy(DATA / name, tmp_path)
    for module, function in ((verifying, "verify"), (bisecting, "bisect"), (api, "compile")):
        monkeypatch.setattr(module, function, lambda *_, **__: pytest.fail("work was done"))
    output = weights_here = tmp_path / Path(weights).name
    if link is not None:
        output = tmp_path / "other"
        (output.symlink_to if link == "symbolic" else output.hardlink_to)(weights_here)
    words = [*words_of(command, tmp_path / Path(source).name), option, output]
    refuse(words, tmp_path, f"cannot write {str(output)!r}: the source is read from it")


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize(("command", "option"), rows(OF_A_MODEL, OF_SEVERAL))
def test_nothing_is_written_into_a_source(
    tmp_path: Path, command: str, option: str, is_there: bool
) -> None:
    folder = tmp_path / "model"
    (folder / "variables").mkdir(parents=True)
    (folder / "saved_model.pb").write_bytes(b"a graph")
    output = folder / "variables" / "page"
    if is_there:
        output.write_bytes(b"weights")
    text = f"the source is read from the folder {str(folder)!r}; choose a place outside of it"
    refuse([*words_of(command, folder), option, output], tmp_path, text)
    link = tmp_path / "other"
    link.symlink_to(folder, target_is_directory=True)
    refuse([*words_of(command, folder), option, link / "variables" / "page"], tmp_path, text)
    if is_there:
        hard = tmp_path / "page"
        hard.hardlink_to(output)
        words = [*words_of(command, folder), option, hard]
        refuse(words, tmp_path, "the source is read from it")


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(("command", "option"), rows(WRITES))
def test_a_folder_is_no_output(saved: Path, tmp_path: Path, command: str, option: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    words = [*words_of(command, saved), option, place]
    if command in OF_REPORTS:
        refuse(words, tmp_path, "is a directory", status=2)
    else:
        refuse(words, tmp_path, f"cannot write {str(place)!r}: it is a folder")


@pytest.mark.usefixtures("idle")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.parametrize(("command", "option"), rows(WRITES))
def test_what_is_no_file_is_not_replaced(
    saved: Path, tmp_path: Path, command: str, option: str, is_link: bool
) -> None:
    pipe = output = tmp_path / "pipe"
    os.mkfifo(pipe)
    if is_link:
        output = tmp_path / "link"
        output.symlink_to(pipe)
    words = [*words_of(command, saved), option, output]
    refuse(words, tmp_path, f"cannot write {str(output)!r}: it is a device or a pipe; name a file")
    assert pipe.is_fifo()
    assert output.is_symlink() is is_link


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize(("command", "option"), rows(WRITES))
def test_a_folder_that_is_missing_is_told_first(
    saved: Path, tmp_path: Path, command: str, option: str
) -> None:
    words = [*words_of(command, saved), option, tmp_path / "none" / "page"]
    refuse(words, tmp_path, "No such file or directory")


@pytest.mark.usefixtures("idle")
@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize(
    ("command", "first", "second"),
    [
        ("inspect", "--dot", "--html"),
        ("run", "--output", "--trace"),
        ("run", "--trace", "--html"),
        ("bisect", "--folder", "--html"),
        ("report", "--json", "--html"),
        ("conform", "--junit", "--html"),
    ],
)
def test_two_outputs_have_two_names(
    saved: Path, tmp_path: Path, command: str, first: str, second: str, is_there: bool
) -> None:
    output = tmp_path / "same"
    if is_there and first != "--folder":
        output.write_bytes(b"an older page")
    spelling = tmp_path / ".." / tmp_path.name / "same"
    words = [*words_of(command, saved), first, output, second, spelling]
    refuse(words, tmp_path, "are the same file; give each a name of its own")
    if is_there and first != "--folder":
        link = tmp_path / "link"
        link.hardlink_to(output)
        words = [*words_of(command, saved), first, output, second, link]
        refuse(words, tmp_path, "are the same file")


def test_the_journal_of_a_run_is_no_report(saved: Path, tmp_path: Path) -> None:
    words = ["--json", tmp_path / "a", "--html", tmp_path / "a.partial"]
    refuse([*words_of("conform", saved), *words], tmp_path, "--html and the journal")


@pytest.mark.usefixtures("idle")
def test_inputs_and_rules_are_no_output(saved: Path, tmp_path: Path) -> None:
    array, rules = tmp_path / "x.npy", tmp_path / "rules.txt"
    np.save(array, np.ones((1, 4), np.float32))
    rules.write_text("RELU")
    words = [*words_of("run", saved), "--input", f"x={array}", "--partition", rules]
    for output in (array, rules):
        for option in OF_A_MODEL["run"]:
            refuse([*words, option, output], tmp_path, "the source is read from it")


@pytest.mark.usefixtures("idle")
def test_no_model_of_several_is_an_output(saved: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.onnx"
    shutil.copy(saved, second)
    refuse(["diff", saved, second, "--html", second], tmp_path, "the source is read from it")
    words = ["report", saved, second, "--diff", "--json", second]
    refuse(words, tmp_path, "the source is read from it")


@pytest.mark.usefixtures("idle")
def test_a_folder_of_models_that_are_run_is_no_place(saved: Path, tmp_path: Path) -> None:
    folder = tmp_path / "zoo" / "mlp"
    folder.mkdir(parents=True)
    shutil.copy(saved, folder / "model.onnx")
    words = ["conform", "--suite", "models", "--models", tmp_path / "zoo", "--json"]
    refuse([*words, folder / "model.onnx"], tmp_path, "the source is read from the folder")
    with pytest.raises(pytest.fail.Exception, match="work was done"):
        call(*words, tmp_path / "zoo" / "report.json")  # beside the models: it is nobody's


# The Python face

FACE: list[Callable[[Any, Path], Any]] = [
    lambda source, output: nna.inspect(source, page=output),
    lambda source, output: nna.diff(source, source, page=output),
    lambda source, output: nna.convert(source, output),
]


@pytest.mark.parametrize("call_it", FACE, ids=["inspect", "diff", "convert"])
def test_functions_keep_their_sources(
    saved: Path, tmp_path: Path, call_it: Callable[[Any, Path], Any]
) -> None:
    for name in ("external.onnx", "external.data"):
        shutil.copy(DATA / "samples" / name, tmp_path)
    weights = tmp_path / "weights.onnx"
    weights.hardlink_to(tmp_path / "external.data")
    before = contents(tmp_path)
    with pytest.raises(BadInput, match="the source is read from it"):
        call_it(saved, saved)
    with pytest.raises(BadInput, match="the source is read from it"):
        call_it(str(tmp_path / "external.onnx"), weights)
    place = tmp_path / "place.onnx"
    place.mkdir()
    with pytest.raises(BadFile, match="it is a folder"):
        call_it(saved, place)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("call_it", FACE[:2], ids=["inspect", "diff"])
def test_a_page_does_not_replace_the_weights_of_a_model(
    tmp_path: Path, call_it: Callable[[Any, Path], Any]
) -> None:
    for name in ("external.onnx", "external.data"):
        shutil.copy(DATA / "samples" / name, tmp_path)
    model = nna.load(tmp_path / "external.onnx")
    before = contents(tmp_path)
    with pytest.raises(BadInput, match="the source is read from it"):
        call_it(model, tmp_path / "external.data")
    assert contents(tmp_path) == before
    call_it(model, tmp_path / "page.html")
    assert contents(tmp_path).keys() - before.keys() == {"page.html"}


def test_what_bisect_finds_has_a_place_of_its_own(saved: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(b"a graph")
    with pytest.raises(BadInput, match="the source is read from the folder"):
        nna.bisect(folder, folder=folder / "assets" / "found")
    with pytest.raises(BadInput, match="is there already"):
        nna.bisect(saved, folder=folder)


def test_a_model_that_somebody_holds_may_replace_its_file(saved: Path) -> None:
    model = nna.load(saved)
    nna.convert(model, saved)
    assert nna.verify(saved)


def test_what_differs_does_not_replace_the_source(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = stock.Stock.run
    monkeypatch.setattr(stock.Stock, "run", lambda s, arrays: [a + 1 for a in true(s, arrays)])
    source = saved.rename(tmp_path / "m.differs.onnx")
    refuse(["convert", source, tmp_path / "m.onnx", "--keep"], tmp_path, "the source is read")


# What is harmless works


@pytest.mark.parametrize("command", [*OF_A_MODEL, *OF_SEVERAL])
def test_other_outputs_are_written_and_replaced(saved: Path, tmp_path: Path, command: str) -> None:
    options = WRITES[command]
    out = tmp_path / "out"
    out.mkdir()
    before = contents(tmp_path)
    paths = [out / f"page{k}" for k in range(len(options))]
    words = words_of(command, saved)
    for option, path in zip(options, paths, strict=True):
        words += [option, path]
    for _ in range(2):
        done = call(*words)
        assert done.exit_code == 0, done.output
    assert {*contents(out)} == {p.name for p in paths}
    assert {k: v for k, v in contents(tmp_path).items() if k in before} == before


@pytest.mark.long
def test_reports_are_written_beside_older_ones(tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    words = ["conform", "--frontend", "nnir", "--op", "RELU", "--jobs", 1, *DEVICE]
    assert call(*words, "--json", old).exit_code == 0
    kept = old.read_bytes()
    assert call(*words, "--against", old, "--json", new).exit_code == 0
    refuse([*words, "--against", old, "--json", old], tmp_path, "the source is read from it")
    for option in OF_REPORTS["report"]:
        refuse(["report", old, new, option, old], tmp_path, "the source is read from it")
        done = call("report", old, new, option, tmp_path / "merged")
        assert done.exit_code == 0, done.output
    assert old.read_bytes() == kept


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_is_no_target(saved: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.nnir")
    with pytest.raises(BadFile, match="it is a device or a pipe"):
        nna.convert(saved, tmp_path / "m.nnir")
    with pytest.raises(BadFile, match="it is a device or a pipe"):
        nna.save(nna.load(saved), tmp_path / "m.nnir")
    assert (tmp_path / "m.nnir").is_fifo()


def test_a_new_name_beside_the_files_of_a_folder(tmp_path: Path) -> None:
    """`nnadapter convert . model.onnx`, where the folder is the model."""
    (tmp_path / "saved_model.pb").write_bytes(b"a graph")
    with keeping_sources([tmp_path], {"the target": tmp_path / "model.onnx"}):
        pass
    with (
        pytest.raises(BadInput, match="the source is read from the folder"),
        keeping_sources([tmp_path], {"the target": tmp_path / "saved_model.pb"}),
    ):
        pass
