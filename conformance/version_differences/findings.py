"""What changed from version to version, as data that the page is printed from."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from nnir.errors import BadFile
from nnir.staging import replacing

from ..environments.recipes import read_version
from ..judging.result import PASS, SKIP, Result, Run
from ..processes.cache_folder import cache_folder
from ..reports.against import compare
from .asking import Key, Said, Say, Voice, ask_again, ask_all
from .classify import ROUNDING, SAME, UNSTABLE, Kind, classify
from .tracks import Question, Track
from .words import show_case, show_said

PATH = Path(__file__).with_name("findings.json")
FORMAT = 1
AS_BEFORE, AS_AFTER, OTHERWISE = "before", "after", "otherwise"


@dataclass(frozen=True)
class Change:
    """A change of one kind in an operator: the plainest case, and how many do likewise.

    `present`: whether the version that is installed answers as before, as after or otherwise;
    empty where it is the newer one of the two. `names` are those of all cases.
    """

    op: str
    kind: str
    frontend: str
    case: str
    names: tuple[str, ...]
    asked: str
    before: str
    after: str
    present: str = ""


@dataclass(frozen=True)
class Pair:
    """Two versions, one after the other.

    `cases` are those that both were asked, of `operators` operators; `refused` were refused by
    both. `whole`: operators of which the older refused every case and the newer took some.
    `gone`: the inverse. `rounding` has by operator the number of cases and the largest distance in
    units in the last place; `unstable` are cases that a version answers otherwise each time.
    """

    older: str
    newer: str
    cases: int
    operators: int
    refused: int
    changes: tuple[Change, ...]
    whole: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    rounding: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    unstable: tuple[str, ...] = ()

    def of(self, *kinds: str) -> list[Change]:
        """The changes of some kinds."""
        return [c for c in self.changes if c.kind in kinds]

    def operators_of(self, *kinds: str) -> list[str]:
        """The operators with changes of some kinds."""
        return sorted({c.op for c in self.of(*kinds)})


@dataclass(frozen=True)
class Version:
    """A version that was asked, with what it ran beside; or `missing`: why it was not."""

    number: str
    beside: Mapping[str, str] = field(default_factory=dict)
    missing: str = ""


@dataclass(frozen=True)
class Findings:
    """What was found of a track. The last version is the one that is installed."""

    name: str
    title: str
    what: str
    versions: tuple[Version, ...]
    pairs: tuple[Pair, ...]


def find(track: Track, voices: Sequence[Voice], missing: Iterable[Version], say: Say) -> Findings:
    """Ask every version of a track and compare each with the one before."""
    runs = [ask_all(v, say) for v in voices]
    for voice, run in zip(voices, runs, strict=True):
        _report(voice, run, say)
    keys = [{(r.frontend, r.case): r for r in run.results} for run in runs]
    couples = list(zip(range(len(runs)), range(1, len(runs)), strict=False))
    wanted = {a: _find_changed(runs[a], runs[b]) for a, b in couples}
    everything = set().union(*wanted.values()) if wanted else set()
    say(f"{track.name}: {len(everything)} cases are asked again")
    again = [ask_again(v, everything) for v in voices]
    known = {q.key: q for v in voices for q in v.questions}
    pairs = [
        compare_pair(
            (voices[a].version, voices[b].version),
            (keys[a], keys[b]),
            (again[a], again[b], again[-1] if b < len(runs) - 1 else {}),
            [known[k] for k in sorted(wanted[a])],
        )
        for a, b in couples
    ]
    told = [Version(v.version, v.environment) for v in voices[:-1]]
    told = sorted([*told, *missing], key=lambda v: read_version(v.number))
    last = Version(voices[-1].version, voices[-1].environment)
    what = _what(track, voices[-1].programs.lacking)
    return Findings(track.name, track.title, what, (*told, last), tuple(pairs))


def _report(voice: Voice, run: Run, say: Say) -> None:
    """Write the report of a version for `nnadapter report --diff`."""
    path = cache_folder("version_differences") / f"{voice.track.name}-{voice.version}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(json.dumps(run.as_dict()).encode())
    say(f"{path}: {', '.join(f'{n} {verdict}' for verdict, n in run.counts.items())}")


def _what(track: Track, lacking: int) -> str:
    """What the versions are asked; `lacking`: so many cases have no file."""
    whose = f"the cases of {' and '.join(f'`{f}`' for f in track.frontends)}"
    if not track.device:
        return whose
    none = f" ({lacking} cases have none)" if lacking else ""
    return f"{whose}, as files for `{track.device}`{none}"


def _find_changed(old: Run, new: Run) -> set[Key]:
    """The cases of two runs whose answers, or whose lack of one, differ."""
    found = compare(old, new)
    return {(c.now.frontend, c.now.case) for c in found.changes if c.was is not None}


Results = Mapping[Key, Result]
Answers = Mapping[Key, Said]


def compare_pair(
    versions: tuple[str, str],
    results: tuple[Results, Results],
    answers: tuple[Answers, Answers, Answers],
    changed: Iterable[Question],
) -> Pair:
    """What changed between two versions. `answers` are what both, and the one that is installed,
    say to the cases whose answers changed."""
    older, newer = results
    both = [key for key in older if key in newer]
    refused = [k for k in both if {older[k].verdict, newer[k].verdict} == {SKIP}]
    groups: dict[tuple[str, str], list[tuple[Question, Kind]]] = defaultdict(list)
    for question in changed:
        kind = _kind(question, results, answers)
        groups[question.op, kind.name].append((question, kind))
    groups = {k: v for k, v in groups.items() if k[1] != SAME}
    told = {k: v for k, v in groups.items() if k[1] not in (ROUNDING, UNSTABLE)}
    return Pair(
        *versions,
        cases=len(both),
        operators=len({older[k].op for k in both}),
        refused=len(refused),
        changes=tuple(_change(kind, members, answers) for (_, kind), members in told.items()),
        whole=_whole(older, newer, both),
        gone=_whole(newer, older, both),
        rounding={
            op: (len(v), round(max(k.ulp for _, k in v), 1))
            for (op, kind), v in groups.items()
            if kind == ROUNDING
        },
        unstable=tuple(
            sorted(q.name for (_, k), v in groups.items() if k == UNSTABLE for q, _ in v)
        ),
    )


def _kind(
    question: Question, results: tuple[Results, Results], answers: tuple[Answers, Answers, Answers]
) -> Kind:
    """The kind of a change; unstable where a version now says something else than it did."""
    key = question.key
    for run, said in zip(results, answers, strict=False):
        was, now = run[key], said[key]
        if (was.verdict, was.answer) != (now.verdict, now.digest):
            return Kind(UNSTABLE)
    return classify(answers[0][key], answers[1][key], question.case)


def _change(
    kind: str,
    members: Sequence[tuple[Question, Kind]],
    answers: tuple[Answers, Answers, Answers],
) -> Change:
    """A change by its plainest case: the one that takes the fewest words."""
    older, newer, present = answers
    written = [
        (show_case(q.case, k), show_said(older[q.key], k), show_said(newer[q.key], k), q)
        for q, k in members
    ]
    asked, before, after, question = min(written, key=lambda w: (sum(map(len, w[:3])), w[3].name))
    key = question.key
    stands = ""
    if key in present:
        if classify(newer[key], present[key], question.case).name in (SAME, ROUNDING):
            stands = AS_AFTER
        elif classify(older[key], present[key], question.case).name in (SAME, ROUNDING):
            stands = AS_BEFORE
        else:
            stands = OTHERWISE
    names = tuple(sorted(q.name for q, _ in members))
    return Change(
        op=question.op,
        kind=kind,
        frontend=question.frontend,
        case=question.name,
        names=names,
        asked=asked,
        before=before,
        after=after,
        present=stands,
    )


def _whole(without: Results, having: Results, both: Iterable[Key]) -> tuple[str, ...]:
    """The operators that only `having` takes."""
    known = [key for key in both if without[key].verdict in (PASS, SKIP)]
    some = {without[k].op for k in known if without[k].verdict == PASS}
    taken = {having[k].op for k in known if having[k].verdict == PASS}
    return tuple(sorted(taken - some))


def write(found: Iterable[Findings], path: Path = PATH) -> None:
    """Keep what was found."""
    lines = [json.dumps(asdict(f), separators=(",", ":"), ensure_ascii=False) for f in found]
    text = f'{{"format":{FORMAT},"tracks":[\n' + ",\n".join(lines) + "\n]}\n"
    with replacing(path) as file:
        file.write(text.encode())


def read(path: Path = PATH) -> list[Findings]:
    """The inverse of `write`; BadFile for another format."""
    data = json.loads(path.read_text())
    if data["format"] != FORMAT:
        raise BadFile(f"{path.name!r} has format {data['format']!r}; format {FORMAT} is read")
    return [_findings_of(track) for track in data["tracks"]]


def _findings_of(data: dict[str, Any]) -> Findings:
    pairs = tuple(_pair_of(p) for p in data.pop("pairs"))
    versions = tuple(Version(**v) for v in data.pop("versions"))
    return Findings(**data, versions=versions, pairs=pairs)


def _pair_of(data: dict[str, Any]) -> Pair:
    changes = tuple(Change(**{**c, "names": tuple(c["names"])}) for c in data.pop("changes"))
    rounding = {op: (n, ulp) for op, (n, ulp) in data.pop("rounding").items()}
    lists: dict[str, Any] = {k: tuple(data.pop(k)) for k in ("whole", "gone", "unstable")}
    return Pair(**data, **lists, changes=changes, rounding=rounding)
