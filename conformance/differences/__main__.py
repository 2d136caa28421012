"""Write docs/framework_differences.md and .html, or say whether they are what would be written."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence

from nnir.staging import replacing

from ..tables import DOCS
from . import ask, mapping, page, site
from .questions import FAMILIES, QUESTIONS

PAGE = DOCS / "framework_differences.md"
SITE = PAGE.with_suffix(".html")


def main(arguments: Sequence[str] | None = None) -> int:
    """The status: 1 where the page is not what frameworks say, or a device strays untold."""
    parser = argparse.ArgumentParser(prog="python -m conformance.differences", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on a change")
    given = parser.parse_args(arguments)
    heard = ask.listen(QUESTIONS)
    text = page.page(heard, FAMILIES, mapping.entries(mapping.rows()))
    texts = {PAGE: text, SITE: site.site(heard, FAMILIES)}
    if given.check:
        olds = {path: path.read_text() if path.exists() else "" for path in texts}
        changes = difflib.unified_diff(
            olds[PAGE].splitlines(), text.splitlines(), "page", "now", n=0
        )
        sys.stdout.writelines(f"{line}\n" for line in changes)
        return int(olds != texts)
    for path, new in texts.items():
        with replacing(path) as file:
            file.write(new.encode())
    for title, strays in ask.strays_of(heard).items():
        untold = strays.keys() - next(q for q in QUESTIONS if q.title == title).strays.keys()
        sys.stderr.writelines(f"{title}: {where}: {strays[where]}\n" for where in sorted(untold))
    return 0


if __name__ == "__main__":
    sys.exit(main())
