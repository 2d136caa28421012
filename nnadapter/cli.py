"""The command line. Results go to stdout, talk and progress to stderr.

Exit status: 0 good, 1 differs, damaged or unsupported, 2 wrong usage, 130 interrupted (Ctrl-C),
143 terminated.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict
from traceback import walk_tb
from typing import Any

import click

from hal.properties import environment
from nnir.errors import DeviceError, NNAdapterError, describe, summary
from nnir.installed import points
from nnir.isolation import PACKAGES
from nnir.plugins import GROUP

from . import net
from .commands.batching import batch
from .commands.benchmarking import benchmark
from .commands.bisecting import bisect
from .commands.checking import check
from .commands.completion import completion
from .commands.conforming import conform
from .commands.conversion import convert, verify
from .commands.demo import demo
from .commands.inspection import devices, doctor, ops
from .commands.looking import diff, inspect
from .commands.onboarding import new_device, new_frontend, new_op
from .commands.quantising import quantize
from .commands.reporting import report
from .commands.running import run
from .commands.scanning import scan
from .deprecations import GoesAway
from .examples import epilog_of
from .interruption import INTERRUPTED
from .progress import add_options, reporting
from .terminal import AS_JSON, print_json, say

DEBUG = "NNADAPTER_DEBUG"
BUG = "this is a bug in {}, please report it; " + f"{DEBUG}=1 shows where"


def _as_dict(error: NNAdapterError) -> dict[str, Any]:
    """An error for programs: its class, the standard's result code, and what stands in the way."""
    missing = [asdict(r) for r in error.refusals]
    head = {"kind": type(error).__name__, "code": error.code.name, "message": summary(error)}
    return head | ({"missing": missing} if missing else {})


class Group(click.Group):
    """Turns every error of ours into one line and exit status 1."""

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
        """As they were added, not by the alphabet."""
        return [*self.commands]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Each with its whole first sentence."""
        texts = {name: self.commands[name].help or "" for name in self.list_commands(context)}
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


COMMANDS = (
    *(
        convert,
        batch,
        scan,
        quantize,
        run,
        benchmark,
        verify,
        bisect,
        conform,
        report,
        inspect,
        diff,
        check,
    ),
    *(devices, ops, new_op, new_device, new_frontend, demo, completion, doctor),
)
"""In the order in which they are listed."""

for _command in COMMANDS:
    add_options(_command)
    _command.epilog = epilog_of(_command.name or "")
    main.add_command(_command)
