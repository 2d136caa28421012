"""The command that converts many models."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..drawing import page_option
from ..outputs import keeping_sources
from ..progress import bar, is_shown
from ..terminal import DIM, JSON, answer, loading, print_json, say, show, sizes_of
from .conforming import AMOUNT, executor_of

if TYPE_CHECKING:
    from ..batching.records import BatchRun, Record
    from ..batching.running import Done

PATH = click.Path(path_type=Path)
SHOWN = 20


@click.command()
@click.argument("files", nargs=-1, type=PATH)
@click.option("--list", "lists", multiple=True, type=PATH, help="A text file, one path a line.")
@click.option("--to", "formats", required=True, help="Suffixes with commas: .onnx,.tflite.")
@click.option("--folder", required=True, type=PATH, help="Where targets and the journal lie.")
@loading
@click.option("--optimize", is_flag=True, help="Fuse operations first.")
@click.option("--target-opset", "opset", type=int, help="The operator set of .onnx files.")
@click.option(
    "--precision",
    type=click.Choice(["float16", "bfloat16", "float32"]),
    help="What real numbers become.",
)
@click.option("--weights-only", is_flag=True, help="Let --precision change weights alone.")
@DIM
@click.option("--no-verify", is_flag=True, help="Do not compare with the origin framework.")
@click.option("--jobs", type=click.IntRange(1), help="Processes at once; one per core by default.")
@click.option(
    "--timeout", type=AMOUNT, default=600.0, show_default=True, help="Seconds for one model."
)
@click.option("--memory", type=AMOUNT, default=8.0, show_default=True, help="Gigabytes for one.")
@click.option("--retry", is_flag=True, help="Try again what was not written.")
@click.option("--strict", is_flag=True, help="Fail for what is refused or unreadable too.")
@click.option(
    "--executor", type=click.Choice(["local", "dask"]), default="local", show_default=True
)
@click.option("--scheduler", help="The address of a Dask scheduler.")
@page_option("Write verdicts, sizes and reasons as a page for a browser.")
@JSON
def batch(
    files: tuple[Path, ...],
    lists: tuple[Path, ...],
    formats: str,
    folder: Path,
    dims: tuple[str, ...],
    no_verify: bool,
    strict: bool,
    executor: str,
    scheduler: str | None,
    html: Path | None,
    as_json: bool,
    how: dict[str, Any],
    **given: Any,
) -> None:
    """Convert FILES, and all models in folders among them, to one format or several.

    Each model is converted in a process with limits; what becomes of it is written down at once,
    and the same command again does what is left.
    """
    from ..batching.planning import read_list
    from ..batching.running import batch as run_all

    sources = [*files, *(path for each in lists for path in read_list(each))]
    if not sources:
        raise click.UsageError("name models, folders or a --list of them")
    if given["weights_only"] and not given["precision"]:
        raise click.UsageError("--weights-only goes with --precision float16")
    suffixes = [f".{s.strip().lstrip('.')}" for s in formats.split(",") if s.strip()]
    options = given | {"sizes": sizes_of(dims), "verify": not no_verify}
    if how:
        options["loading"] = how
    with keeping_sources([*files, *lists], {"--html": html}):
        pass
    with executor_of(executor, scheduler) as pool, _progress() as done:
        found = run_all(sources, folder, suffixes, executor=pool, done=done, **options)
    if html is not None:
        from ..batching.page import write

        read = {path for record in found.records for path, _, _ in record.read}
        with keeping_sources(read, {"--html": html}):
            write(found, html)
        say(f"{html}: {html.stat().st_size:,} bytes")
    _tell(found, as_json=as_json)
    sys.exit(0 if found and (found.is_whole or not strict) else 1)


def _tell(found: BatchRun, *, as_json: bool) -> None:
    """The result for a person, or for programs."""
    if found.restarted:
        say("what was done before had other options or versions: it was done anew")
    if found.resumed:
        say(f"{found.resumed} were done before")
    if as_json:
        print_json(found.as_dict())
        return
    bad = [r for r in found.records if not r.is_good]
    if bad:
        rows = [(r.verdict, r.source, Path(r.target).suffix, r.reason) for r in bad[:SHOWN]]
        show(("verdict", "source", "to", "reason"), rows)
        if len(bad) > SHOWN:
            say(f"{len(bad) - SHOWN} more: --html or --json has them all")
    counts = ", ".join(f"{count} {verdict}" for verdict, count in found.counts.items())
    answer(f"{len(found.records)} conversions: {counts}")


@contextmanager
def _progress() -> Iterator[Done | None]:
    """A bar on stderr while a person waits."""
    if not is_shown():
        yield None
        return
    with bar() as shown:
        task = shown.add_task("preparing", total=None)
        failed = 0

        def done(count: int, total: int, records: Sequence[Record]) -> None:
            nonlocal failed
            failed += sum(not r.is_good for r in records)
            shown.update(task, completed=count, total=total, description=f"{failed} not written")

        yield done
