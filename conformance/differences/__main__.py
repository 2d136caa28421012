"""Write docs/framework_differences.md and .html, or say whether they are what would be written."""

from __future__ import annotations

import difflib
import sys

import click

from nnir.staging import replacing

from ..tables import DOCS
from . import ask, mapping, page, site
from .questions import FAMILIES, QUESTIONS

PAGE = DOCS / "framework_differences.md"
SITE = PAGE.with_suffix(".html")


@click.command(help=__doc__)
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 on a change.")
def main(*, check: bool) -> None:
    """Say on stderr which device strays untold."""
    heard = ask.listen(QUESTIONS)
    text = page.page(heard, FAMILIES, mapping.entries(mapping.rows()))
    texts = {PAGE: text, SITE: site.site(heard, FAMILIES)}
    if check:
        olds = {path: path.read_text() if path.exists() else "" for path in texts}
        changes = difflib.unified_diff(
            olds[PAGE].splitlines(), text.splitlines(), "page", "now", n=0
        )
        click.echo("".join(f"{line}\n" for line in changes), nl=False)
        sys.exit(int(olds != texts))
    for path, new in texts.items():
        with replacing(path) as file:
            file.write(new.encode())
    for title, strays in ask.strays_of(heard).items():
        untold = strays.keys() - next(q for q in QUESTIONS if q.title == title).strays.keys()
        for where in sorted(untold):
            click.echo(f"{title}: {where}: {strays[where]}", err=True)


if __name__ == "__main__":
    main()
