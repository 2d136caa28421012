"""Ask versions of frameworks and engines the same cases and write docs/version_differences.md."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

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


def main(arguments: Sequence[str] | None = None) -> int:
    """The status: 1 where the page is not what the kept findings say, with `--check`, or where
    there is nothing to compare."""
    parser = argparse.ArgumentParser(prog="python -m conformance.version_differences")
    parser.description = __doc__
    names = [t.name for t in TRACKS]
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        choices=names,
        metavar="NAME",
        help=f"ask this one alone, keep the rest; may be given again: {', '.join(names)}",
    )
    parser.add_argument(
        "--version",
        action="append",
        default=[],
        metavar="NAME==VERSION",
        help="ask these older versions in place of the usual ones; may be given again",
    )
    parser.add_argument("--print", action="store_true", help="write the page anew, ask nobody")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on a change")
    given = parser.parse_args(arguments)
    kept = findings.read() if findings.PATH.exists() else []
    if given.check:
        return int(not PAGE.exists() or PAGE.read_text() != page(kept))
    try:
        tracks = [] if given.print else choose(given.only, given.version)
        for track in tracks:
            kept = merge(kept, find(track))
            findings.write(kept)
    except BadInput as error:
        tell(summary(error))
        return 1
    with replacing(PAGE) as file:
        file.write(page(kept).encode())
    sys.stdout.writelines(f"{line}\n" for line in totals(kept))
    return 0


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
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
