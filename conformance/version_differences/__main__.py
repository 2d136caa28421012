"""Ask versions of frameworks and engines the same cases and write docs/version_differences.md."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

import click

from nnir.errors import BadInput, NNAdapterError, summary
from nnir.staging import replacing

from ..differences.words import clean
from ..environments.making import make_environment
from ..environments.recipes import find_recipe
from ..running.suite import PADDLE2
from . import findings
from .asking import Programs, Voice, open_crew
from .findings import Findings, Version
from .page import PAGE, page, totals
from .tracks import TRACKS, Track

OLD_PADDLE = "2.6."


@click.command(help=__doc__)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice([t.name for t in TRACKS]),
    help="Ask this one alone, keep the rest; may be given again.",
)
@click.option(
    "--version",
    "versions",
    multiple=True,
    metavar="NAME==VERSION",
    help="Ask these older versions in place of the usual ones; may be given again.",
)
@click.option("--print", "is_printed", is_flag=True, help="Write the page anew, ask nobody.")
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 on a change.")
def main(*, only: Sequence[str], versions: Sequence[str], is_printed: bool, check: bool) -> None:
    """Exit status 1 also where there is nothing to compare."""
    kept = findings.read() if findings.PATH.exists() else []
    if check:
        sys.exit(int(not PAGE.exists() or PAGE.read_text() != page(kept)))
    try:
        tracks = [] if is_printed else choose(only, versions)
        for track in tracks:
            kept = merge(kept, find(track))
            findings.write(kept)
    except BadInput as error:
        tell(summary(error))
        sys.exit(1)
    with replacing(PAGE) as file:
        file.write(page(kept).encode())
    for line in totals(kept):
        click.echo(line)


def choose(only: Sequence[str], wanted: Sequence[str]) -> list[Track]:
    """The tracks that are asked, with other versions where such are named."""
    versions: dict[str, list[str]] = {}
    for text in wanted:
        name, number, _ = find_recipe(text)
        versions.setdefault(name, []).append(number)
    strange = versions.keys() - {t.name for t in TRACKS}
    if strange:
        raise BadInput(f"no versions of {', '.join(sorted(strange))} are compared")
    tracks = [t for t in TRACKS if t.name in only] if only or versions else list(TRACKS)
    tracks += [t for t in TRACKS if t.name in versions and t not in tracks]
    return [replace(t, versions=tuple(versions.get(t.name, t.versions))) for t in tracks]


def merge(kept: Iterable[Findings], found: Findings) -> list[Findings]:
    """What was found in the place of what was known of the same, in the order of the tracks."""
    order = [t.name for t in TRACKS]
    others = [f for f in kept if f.name != found.name and f.name in order]
    return sorted([*others, found], key=lambda f: order.index(f.name))


def find(track: Track) -> Findings:
    """What changed from version to version of a track; what is not there is told."""
    missing: list[Version] = []
    voices: list[Voice] = []
    with open_crew(is_kept=False) as crew:
        programs = Programs(track.device, crew)
        for number in track.versions:
            try:
                voices.append(Voice(track, number, python_of(track, number), programs))
                voices[-1].check()
            except NNAdapterError as error:
                tell(f"{track.name} {number} is not asked: {summary(error)}")
                missing.append(Version(number, missing=clean(summary(error))))
                voices = [v for v in voices if v.version != number]
        voices.append(Voice(track, installed_version(track), sys.executable, programs))
        return findings.find(track, voices, missing, tell)


def python_of(track: Track, number: str) -> str:
    """The Python of a version, in an environment that is made where it is not there yet."""
    older = os.environ.get(PADDLE2)
    if track.name == "paddle" and number.startswith(OLD_PADDLE) and older:
        return older
    return str(make_environment(f"{track.name}=={number}", tell))


def installed_version(track: Track) -> str:
    """The version that is installed here; BadInput where none is."""
    try:
        return version(track.package).partition("+")[0]
    except PackageNotFoundError:
        raise BadInput(f"{track.package} is not installed: there is nothing to compare") from None


def tell(line: str) -> None:
    """Say what takes time."""
    click.echo(line, err=True)


if __name__ == "__main__":
    main()
