"""Write docs/upstream_bugs.md, or say which of the bugs are there."""

from __future__ import annotations

import re
import sys

import click

from nnir.staging import replacing

from .bug import read_bugs
from .page import PAGE, page, read_outputs
from .running import Status, try_bugs


@click.command(help=__doc__)
@click.option("--check", is_flag=True, help="Write nothing, say what each prints.")
@click.option("--python", default=sys.executable, help="The Python that runs programs.")
@click.option("--match", default="", help="Names of programs, as a regular expression.")
def main(*, check: bool, python: str, match: str) -> None:
    """Exit status 1 where a program does not show its bug."""
    every = read_bugs()
    outputs = read_outputs(PAGE.read_text()) if PAGE.exists() else {}
    others = False
    for found in try_bugs([b for b in every if re.search(match, b.name)], python):
        others |= found.status != Status.THERE
        if check or found.status != Status.THERE:
            click.echo(f"{found.bug.name}: {found.status.name}\n    {found.text}")
        if found.status == Status.THERE:
            outputs[found.bug.name] = found.text
    if not check:
        with replacing(PAGE) as file:
            file.write(page(every, outputs).encode())
    sys.exit(int(others))


if __name__ == "__main__":
    main()
