"""Write the ledgers anew: `python -m conformance.ledger [FRONTEND ...]`; needs every framework."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from nnir.staging import replacing

from ..judging.result import GOOD
from ..running.conform import conform
from ..running.suite import Options
from ..suites.processors import kind
from . import DEVICES, FRONTENDS, PROCESSOR, differences, make, path_of, read, text_of


def main(frontends: Sequence[str]) -> int:
    """Run every case on every device; 1 where something is wrong, which is not written."""
    failed = 0
    for frontend in frontends or FRONTENDS:
        options = Options(frontends=(frontend,), devices=DEVICES, yardstick=False)
        run = conform(options, jobs=1)
        wrong = [r for r in run.results if r.verdict not in GOOD]
        for result in wrong:
            click.echo(f"{result.case} on {result.device}: {result.verdict} {result.reason[:300]}")
        if wrong or run.skipped:
            click.echo(f"{frontend}: not written; {len(wrong)} wrong, skipped: {run.skipped}")
            failed = 1
            continue
        path = path_of(frontend)
        kept = read(frontend) if path.exists() else {}
        for line in differences(kept, run.results) if kept else ():
            click.echo(line)
        with replacing(path) as file:
            file.write(text_of(make(run.results, kept), frontend).encode())
        with replacing(PROCESSOR) as file:
            file.write(f"{kind()}\n".encode())
        click.echo(f"{frontend}: {len(run.results)} results written to {path.name}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
