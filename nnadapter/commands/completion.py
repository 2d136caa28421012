"""The command that teaches a shell the commands, options and names of files."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

VARIABLE = "_NNADAPTER_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what SHELL runs to complete commands and options.

    Put the example into ~/.bashrc (zsh: ~/.zshrc). fish: `nnadapter completion fish | source`.
    """
    program = context.find_root()
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click completes nothing in {shell}")
    click.echo(kind(program.command, {}, program.info_name or "nnadapter", VARIABLE).source())
