"""What becomes of every case on every device, kept in files and compared with what is found.

One text file a frontend, a line an operator: how many cases it has, a digest of their names, and
where they do anything but pass by lowerings alone; indented lines are cases that do otherwise than
most of their operator. `-NAME` says that the device has the operator NAME only decomposed, and
`standard` lists what the cases are converted to, the operator that they are about first.

    Celu 6 1f0c7a2b  litert: refused NoLowering; standard: CELU; torch: pass -CELU
    = 0a41c5d2:5b21f 31c0f77e:0c9de 8e21b1f0:77a10
      float16-plain  litert: pass -CELU; standard: CELU CAST

Behind `=` stand digests of the names of cases and of what they are translated to. A case that is
newly refused, newly passes, is decomposed where it was not, or is translated otherwise, differs.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nnir.errors import BadFile

from ..judging.result import PASS, REFUSED, SKIP, Result

DEVICES = ("builtin", "litert", "onnxruntime", "openvino", "torch")
MORE = {"nnir": ("nnrt",), "nnrt": ("nnrt",)}
"""Devices that run the cases of some frontends only."""

FRONTENDS = (
    *("nnir", "onnx", "torch", "tensorflow", "tflite", "paddle", "paddle-legacy"),
    *("nnapi", "nnrt"),
)
FOLDER = Path(__file__).parent
STANDARD = "standard"
"""Stands among the devices for what a case is converted to."""

REGENERATE = "regenerate with `python -m conformance.ledger {}` and read the difference"
HEADER = "# made by `python -m conformance.ledger {}`; do not edit: see conformance/ledger\n"
GAP = "  "
TRANSLATIONS = "= "
"""Before digests of translations, of so many cases a line as `WIDE` says."""

WIDE = 12

PROCESSOR = FOLDER / "processor.txt"
"""Names the kind of processor that the ledgers were made on."""

Outcomes = dict[str, dict[str, str]]
"""By the name of a case: by device what becomes of it."""


@dataclass
class Rows:
    """The cases of an operator: what most do by device, and those that do otherwise.

    `translations` are digests of what cases are translated to, by digests of their names.
    """

    count: int
    digest: str
    usual: dict[str, str] = field(default_factory=dict)
    others: Outcomes = field(default_factory=dict)
    translations: dict[str, str] = field(default_factory=dict)

    def of(self, case: str, device: str) -> str:
        """What is written of a case on a device."""
        return self.others.get(case, {}).get(device) or self.usual.get(device, PASS)

    def standard(self, case: str) -> tuple[str, ...]:
        """The standard operators that a case is converted to, the one that it is about first."""
        found = self.others.get(case, {}).get(STANDARD) or self.usual.get(STANDARD, "")
        return tuple(found.split())

    def translation(self, case: str) -> str:
        """What stands for the translation of a case; empty where it has none."""
        return self.translations.get(digest_of([case]), "")


Ledger = dict[str, Rows]
"""The rows by operator."""


def outcome(result: Result) -> str:
    """A result as the ledger has it: the verdict, the kind of a refusal, what was decomposed."""
    words = [result.verdict]
    if result.verdict == REFUSED:
        words.append(result.reason.partition(":")[0])
    return " ".join([*words, *(f"-{name}" for name in sorted(result.decomposed))])


def make(results: Iterable[Result], kept: Ledger) -> Ledger:
    """The ledger of the results of all cases of a frontend on all devices.

    What was skipped, since this processor cannot run it, stays what it is in `kept`.
    """
    grouped: dict[str, Outcomes] = {}
    translations: dict[str, str] = {}
    for result in results:
        cases = grouped.setdefault(result.op, {})
        found = cases.setdefault(result.case, {})
        is_old = result.verdict == SKIP and result.op in kept
        rows = kept[result.op] if is_old else Rows(0, "")
        found[result.device] = rows.of(result.case, result.device) if is_old else outcome(result)
        if standard := result.standard or rows.standard(result.case):
            found[STANDARD] = " ".join(standard)
        if made := result.translation or rows.translation(result.case):
            translations[result.case] = made
    return {op: _rows(cases, translations) for op, cases in sorted(grouped.items())}


def _rows(cases: Outcomes, translations: Mapping[str, str]) -> Rows:
    rows = Rows(len(cases), digest_of(cases))
    made = {digest_of([case]): translations[case] for case in cases if case in translations}
    rows.translations = dict(sorted(made.items()))
    for device in sorted({d for found in cases.values() for d in found}):
        counts = Counter(found[device] for found in cases.values() if device in found)
        usual = min(counts, key=lambda text: (-counts[text], text))
        if usual != PASS:
            rows.usual[device] = usual
        for case, found in cases.items():
            if found.get(device, usual) != usual:
                rows.others.setdefault(case, {})[device] = found[device]
    return rows


def digest_of(cases: Iterable[str]) -> str:
    """A few digits that stand for the names of cases."""
    return hashlib.sha256("\n".join(sorted(cases)).encode()).hexdigest()[:8]


def text_of(ledger: Ledger, frontend: str) -> str:
    """The file of a frontend."""
    lines = [HEADER.format(frontend).rstrip()]
    for op, rows in sorted(ledger.items()):
        head = f"{op} {rows.count} {rows.digest}"
        lines.append(GAP.join(filter(None, (head, _pairs(rows.usual)))))
        made = [f"{case}:{what}" for case, what in rows.translations.items()]
        lines += [TRANSLATIONS + " ".join(made[k : k + WIDE]) for k in range(0, len(made), WIDE)]
        lines += [f"{GAP}{case}{GAP}{_pairs(o)}" for case, o in sorted(rows.others.items())]
    return "\n".join(lines) + "\n"


def _pairs(found: Mapping[str, str]) -> str:
    """Outcomes by device; devices that do the same share one."""
    devices: dict[str, list[str]] = {}
    for device, what in sorted(found.items()):
        devices.setdefault(what, []).append(device)
    return "; ".join(f"{','.join(names)}: {what}" for what, names in devices.items())


def devices_of(frontend: str) -> tuple[str, ...]:
    """The devices that the cases of a frontend run on."""
    return (*DEVICES, *MORE.get(frontend, ()))


def path_of(frontend: str) -> Path:
    """The file of a frontend."""
    return FOLDER / f"{frontend}.txt"


def read(frontend: str) -> Ledger:
    """The ledger that is kept of a frontend."""
    return parse(path_of(frontend).read_text())


def parse(text: str) -> Ledger:
    """The inverse of `text_of`; BadFile for lines that it does not write."""
    ledger: Ledger = {}
    rows: Rows | None = None
    for line in text.splitlines():
        if line.startswith("#") or not line:
            continue
        if line.startswith(TRANSLATIONS) and rows is not None:
            made = (part.partition(":") for part in line.removeprefix(TRANSLATIONS).split())
            rows.translations |= {case: what for case, _, what in made}
            continue
        if line.startswith(GAP):
            case, gap, rest = line.removeprefix(GAP).rpartition(GAP)
            if rows is None or not gap:
                raise BadFile(f"a ledger with the line {line!r}")
            rows.others[case] = _outcomes(rest)
            continue
        head, _, rest = line.partition(GAP)
        op, count, digest = head.rsplit(" ", 2)
        rows = ledger[op] = Rows(int(count), digest, _outcomes(rest))
    return ledger


def _outcomes(text: str) -> dict[str, str]:
    found = {}
    for part in filter(None, text.split("; ")):
        names, _, what = part.partition(": ")
        found.update(dict.fromkeys(names.split(","), what))
    return found


def differences(ledger: Ledger, results: Sequence[Result], *, is_whole: bool = True) -> list[str]:
    """What results do otherwise than the ledger says, one line each.

    `is_whole`: the results are those of all cases, so that what is missing has gone.
    """
    found = []
    cases: dict[str, set[str]] = {}
    told: set[str] = set()
    for result in results:
        cases.setdefault(result.op, set()).add(result.case)
        if result.verdict == SKIP:
            continue
        rows = ledger.get(result.op)
        kept = rows.of(result.case, result.device) if rows else "no case of this operator"
        if kept != (now := outcome(result)):
            why = f" ({result.reason[:200]})" if result.reason else ""
            found.append(f"{result.case} on {result.device}: was {kept}, is {now}{why}")
        was = rows.standard(result.case) if rows else ()
        if result.standard and was != result.standard and result.case not in told:
            told.add(result.case)
            words = " ".join(was) or "nothing", " ".join(result.standard)
            found.append(f"{result.case}: was converted to {words[0]}, is to {words[1]}")
        made = rows.translation(result.case) if rows else ""
        if result.translation and made != result.translation and result.case not in told:
            told.add(result.case)
            found.append(f"{result.case}: is translated otherwise, {result.translation} for {made}")
    if is_whole:
        found += [f"{op}: its cases have gone" for op in sorted(ledger.keys() - cases.keys())]
        for op, names in sorted(cases.items()):
            rows = ledger.get(op)
            if rows and (rows.count, rows.digest) != (len(names), digest_of(names)):
                found.append(f"{op}: {rows.count} cases were kept, these {len(names)} are others")
    return found
