"""The examples in the help of commands, and what a shell completes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from nnadapter.cli import COMMANDS, main
from nnadapter.commands.completion import SHELLS
from nnadapter.examples import EXAMPLES

LINES = [line for lines in EXAMPLES.values() for line in lines if line.startswith("nnadapter")]


def test_every_command_has_examples() -> None:
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("line", LINES)
def test_an_example_is_a_command(line: str) -> None:
    """Its options exist and take what they are given; nothing is run."""
    program, name, *words = shlex.split(line)
    assert program == "nnadapter"
    command = main.get_command(click.Context(main), name)
    assert line in (command.epilog or "")
    with command.make_context(name, words) as context:
        assert context.command is command


def test_no_summary_is_cut() -> None:
    shown = CliRunner().invoke(main, ["--help"]).output.partition("Commands:")[2]
    assert "..." not in shown
    assert list(COMMANDS) == [n for n in COMMANDS if f"\n  {n} " in shown]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_is_told(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell], prog_name="nnadapter")
    assert done.exit_code == 0
    assert f"_NNADAPTER_COMPLETE={shell}_complete" in done.output


def test_words_are_completed() -> None:
    asked = {"_NNADAPTER_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    environment = {**os.environ, **asked, "COMP_WORDS": "nnadapter convert --targ"}
    command = [sys.executable, "-m", "nnadapter"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "plain,--target-opset" in done.stdout.split()
