"""The command line. Results go to stdout, talk and progress to stderr.

Exit status: 0 good, 1 differs, damaged or unsupported, 2 wrong usage, 130 interrupted (Ctrl-C),
143 terminated.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict
from importlib import import_module
from traceback import walk_tb
from typing import Any

import click

from hal.properties import environment
from nnir.errors import DeviceError, NNAdapterError, describe, summary
from nnir.installed import points
from nnir.isolation import PACKAGES
from nnir.plugins import GROUP

from . import net
from .deprecations import GoesAway
from .examples import epilog_of
from .interruption import INTERRUPTED
from .progress import add_options, reporting
from .startup import tell_of_others
from .terminal import AS_JSON, print_json, say

DEBUG = "NNADAPTER_DEBUG"
COMMANDS = {
    "convert": "conversion:convert",
    "batch": "batching:batch",
    "scan": "scanning:scan",
    "quantize": "quantising:quantize",
    "run": "running:run",
    "benchmark": "benchmarking:benchmark",
    "verify": "conversion:verify",
    "bisect": "bisecting:bisect",
    "conform": "conforming:conform",
    "report": "reporting:report",
    "inspect": "looking:inspect",
    "diff": "looking:diff",
    "check": "checking:check",
    "devices": "inspection:devices",
    "ops": "inspection:ops",
    "new-op": "onboarding:new_op",
    "new-device": "onboarding:new_device",
    "new-frontend": "onboarding:new_frontend",
    "demo": "demo:demo",
    "completion": "completion:completion",
    "doctor": "inspection:doctor",
}
"""Where the commands are, in the order in which they are listed: the one that is asked for is
imported, with what it needs."""

BUG = "this is a bug in {}, please report it; " + f"{DEBUG}=1 shows where"


def _as_dict(error: NNAdapterError) -> dict[str, Any]:
    """An error for programs: its class, the standard's result code, and what stands in the way."""
    missing = [asdict(r) for r in error.refusals]
    head = {"kind": type(error).__name__, "code": error.code.name, "message": summary(error)}
    return head | ({"missing": missing} if missing else {})


class Group(click.Group):
    """Has `COMMANDS`, and turns every error of ours into one line and exit status 1."""

    def invoke(self, context: click.Context) -> Any:
        try:
            with net.caught(), warnings.catch_warnings(), reporting():
                warnings.showwarning = _tell  # type: ignore[assignment]  # takes what it is given
                warnings.simplefilter("default", GoesAway)
                return super().invoke(context)
        except (
            KeyboardInterrupt
        ):  # from Python's own handler, where the program is not the main one
            context.exit(INTERRUPTED)
        except NNAdapterError as error:
            if context.meta.get(AS_JSON):
                print_json({"error": _as_dict(error)})
            click.echo(f"error: {summary(error)}", err=True)
            context.exit(1)
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise  # click's own, and a reader that has left
        except Exception as error:
            if isinstance(error, ImportError):
                tell_of_others()
            if environment(DEBUG):
                raise
            place = f" ({where})" if (where := " ".join(getattr(error, "__notes__", ()))) else ""
            bug = BUG.format(_whose(error))
            said = DeviceError(f"internal error: {describe(error)}{place}; {bug}")
            if context.meta.get(AS_JSON):
                print_json({"error": _as_dict(said)})
            click.echo(summary(said), err=True)
            context.exit(1)

    def list_commands(self, context: click.Context) -> list[str]:
        """As they are used, not by the alphabet."""
        return list({**COMMANDS, **self.commands})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of a name, None where there is none."""
        if name not in self.commands and name in COMMANDS:
            module, _, function = COMMANDS[name].partition(":")
            command = getattr(import_module(f"{__package__}.commands.{module}"), function)
            add_options(command)
            command.epilog = epilog_of(name)
            self.add_command(command, name)
        return super().get_command(context, name)

    def resolve_command(
        self, context: click.Context, words: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that words begin with; where it is none, what is near to it is told."""
        if self.get_command(context, words[0]) is None:
            for name in COMMANDS:
                self.get_command(context, name)
        return super().resolve_command(context, words)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Each with its whole first sentence."""
        commands = {name: self.get_command(context, name) for name in self.list_commands(context)}
        texts = {name: command.help or "" for name, command in commands.items() if command}
        rows = [(n, " ".join(t.split("\n\n")[0].split())) for n, t in texts.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _whose(error: Exception) -> str:
    """Whose code raised it: the innermost of ours and of plug-ins."""
    owners = {p.module.partition(".")[0]: f"the plug-in {p.name}" for p in points(GROUP)}
    owners |= dict.fromkeys(PACKAGES, "nnadapter")
    frames = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__))
    found = [owners[home] for name in frames if (home := name.partition(".")[0]) in owners]
    return found[-1] if found else "nnadapter"


def _tell(message: Warning | str, *_: object) -> None:
    """A warning in one line; where in the code it was given is nothing to a user."""
    say("warning: " + " ".join(str(message).split()))


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="nnadapter")
def main() -> None:
    """Convert, run and prove deep-learning models through one standard operator set."""
