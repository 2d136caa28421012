"""What is said while a command works: to a person on a terminal, to a pipe, and as asked."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from nnadapter.cli import COMMANDS, main
from nnadapter.progress import Reporter
from nnir import progress

MODEL = Path(__file__).parents[1] / "data" / "samples" / "net.onnx"


HIDDEN, SHOWN = "\x1b[?25l", "\x1b[?25h"
"""What terminals are told of the cursor."""


def on_terminal(folder: Path, *words: str, until: str = "", status: int = 0) -> tuple[str, str]:
    """What a command prints on stdout, which is a pipe, and on stderr, which is a terminal.

    `until`: Ctrl-C is pressed once this is seen.
    """
    mine, its = pty.openpty()
    command = [sys.executable, "-m", "nnadapter", *words]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with os.fdopen(mine, "rb", buffering=0) as terminal:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=its, text=True
        )
        os.close(its)
        seen = b""
        while part := _read(terminal.fileno()):
            seen += part
            if until and until.encode() in seen:
                process.send_signal(signal.SIGINT)
                until = ""
        printed, _ = process.communicate()
    assert process.returncode == status, seen
    return printed, seen.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux says so where the last writer has left
        return b""


def test_a_terminal_sees_stages_and_the_time_left(tmp_path: Path) -> None:
    given = ("convert", str(MODEL), "x.nnir", "--no-verify")
    printed, seen = on_terminal(tmp_path, *given)
    assert printed.startswith("x.nnir: 5 operations, ")
    assert "converting net.onnx" in seen
    assert "left" in seen
    assert seen.rstrip().endswith("NOT VERIFIED: --no-verify"), "the bar is taken away"


@pytest.mark.parametrize("option", ["--json", "--quiet"])
def test_no_bar_where_it_is_not_wanted(option: str, tmp_path: Path) -> None:
    _, seen = on_terminal(tmp_path, "convert", str(MODEL), "x.nnir", "--no-verify", option)
    assert "converting" not in seen
    assert "\x1b" not in seen
    assert bool(seen) == (option == "--json")


def test_ctrl_c_gives_the_cursor_back(tmp_path: Path) -> None:
    """The bar hides it; status 130, and no traceback."""
    given = ("run", str(MODEL), "--device", "builtin", "--repeat", str(10**9))
    _, seen = on_terminal(tmp_path, *given, until="runs", status=130)
    assert seen.rindex(SHOWN) > seen.rindex(HIDDEN)
    assert "Traceback" not in seen


def convert(folder: Path, *options: str) -> tuple[str, str]:
    """What is printed, and what is said to a pipe."""
    given = ["convert", str(MODEL), str(folder / "x.nnir"), "--no-verify", *options]
    done = CliRunner().invoke(main, given)
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def test_a_pipe_sees_no_bar(tmp_path: Path) -> None:
    printed, said = convert(tmp_path)
    assert printed.endswith("bytes, NOT VERIFIED\n")
    assert said == "NOT VERIFIED: --no-verify\n"


def test_quiet_says_nothing_but_errors(tmp_path: Path) -> None:
    assert convert(tmp_path, "--quiet")[1] == ""
    wrong = CliRunner().invoke(main, ["inspect", "-q", str(tmp_path / "no.onnx")])
    assert wrong.exit_code == 1
    assert wrong.stderr.startswith("error: no such file")


def test_verbose_says_what_goes_on(tmp_path: Path) -> None:
    printed, said = convert(tmp_path, "--verbose")
    assert printed.count("\n") == 1
    for text in (
        "read by the frontend onnx",
        "pass simplify_shapes: 7 -> 5 operations, ",
        "reading net.onnx: ",
        "5 operations",
        "writing x.nnir: ",
        "converting net.onnx: ",
    ):
        assert text in said


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_quiet_and_verbose(name: str) -> None:
    shown = CliRunner().invoke(main, [name, "--help"]).output
    assert "-v, --verbose" in shown
    assert "-q, --quiet" in shown
    both = CliRunner().invoke(main, [name, "-q", "-v"])
    assert both.exit_code == 2
    assert "--quiet or --verbose, not both" in both.stderr


def test_stages_lie_inside_each_other() -> None:
    reporter = Reporter()
    with progress.listening(reporter), progress.stage("whole"):
        for item in progress.follow([1, 2, 3], "parts"):
            inner = reporter.stages[-1]
            assert (inner.text, inner.done, inner.total) == ("parts", item - 1, 3)
        assert [s.text for s in reporter.stages] == ["whole"]
    assert not reporter.stages


def test_stages_end_with_an_error() -> None:
    reporter = Reporter()
    with pytest.raises(KeyError), progress.listening(reporter), progress.stage("whole"):
        raise KeyError
    assert not reporter.stages


def test_nobody_has_to_listen() -> None:
    items = [1, 2]
    assert progress.follow(items, "parts") is items
    with progress.stage("whole"):
        progress.advance()
        progress.note("nothing")
