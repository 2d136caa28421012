"""The code blocks of a page, and what comments above them say.

A comment stands alone on the line above the fence and is not seen in what is rendered:

    <!-- files: NAME ... -->       at the top: what `models.py` puts into the page's folder
    <!-- not run: REASON -->       the block is not run; `test_pages.py` counts these
    <!-- from: PATH -->            the lines of the block stand in this file, in this order
    <!-- status: 1 -->             the last command of the block ends with this status
    <!-- raises: NAME -->          the Python block ends with this error

A `text` block directly behind a block that is run holds lines of what that printed, in this order;
`...` stands for anything.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"(?:^ *<!-- (?P<word>[a-z ]+): (?P<said>[^\n]+) -->\n)?"
    r"^(?P<indent> *)(?P<fence>```+)(?P<language>\w*)[^\n]*\n(?P<text>.*?)"
    r"^(?P=indent)(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
FILES = re.compile(r"^<!-- files: ([^\n]+) -->$", re.MULTILINE)
RUN = ("python", "sh")
FRAMEWORKS = {
    "tensorflow": r"^\s*(import|from) (tensorflow|keras)\b|\bkeras_model\b",
    "paddle": r"^\s*(import|from) paddle\b|\bpaddle\.",
    "torch": r"^\s*(import|from) torch\b|\.pt2\b|\btorch\b.*--device|--device[ =]\S*torch",
}
"""Which process a page is run in: that of the first framework whose pattern its code has."""

CORE = "core"
WORDS = {"files", "not run", "from", "status", "raises"}


@dataclass
class Block:
    """A code block: where it stands, and what a comment says of it."""

    line: int
    language: str
    text: str
    word: str = ""
    said: str = ""
    printed: list[str] = field(default_factory=list)
    """Lines that stand in what it prints."""

    @property
    def is_run(self) -> bool:
        return self.language in RUN and self.word not in ("not run", "from")


@dataclass
class Page:
    """A page of text with its blocks."""

    path: Path
    blocks: list[Block]
    files: list[str]

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def framework(self) -> str:
        code = "\n".join(b.text for b in self.blocks if b.is_run)
        found = (f for f, said in FRAMEWORKS.items() if re.search(said, code, re.MULTILINE))
        return next(found, CORE)


def read_page(path: Path) -> Page:
    """The blocks of a page; ValueError for a comment that means nothing."""
    text = path.read_text()
    blocks: list[Block] = []
    end = 0
    for match in FENCE.finditer(text):
        indent = len(match["indent"])
        lines = [line[indent:] for line in match["text"].splitlines()]
        number = text.count("\n", 0, match.start("fence")) + 1
        word, said = match["word"] or "", match["said"] or ""
        block = Block(number, match["language"], "\n".join(lines), word, said)
        if block.word and block.word not in WORDS:
            raise ValueError(f"{path}:{number}: `{block.word}:` means nothing")
        is_behind = blocks and not text[end : match.start()].strip() and blocks[-1].is_run
        if block.language == "text" and is_behind:
            blocks[-1].printed = [line for line in lines if line.strip()]
        else:
            blocks.append(block)
        end = match.end()
    return Page(path, blocks, " ".join(FILES.findall(text)).split())


def commands(text: str) -> Iterator[str]:
    """The commands of a `sh` block, with the lines that they go on in."""
    joined = text.replace("\\\n", " ")
    for line in joined.splitlines():
        if shlex.split(line, comments=True):
            yield line


def missing_lines(shown: list[str], printed: str) -> list[str]:
    """Lines of a page that were not printed behind the ones before them."""
    left = list(map(_plain, printed.splitlines()))
    for line in shown:
        parts = [re.escape(_plain(part)) for part in line.split("...")]
        pattern = re.compile(r"\s*.*\s*".join(parts) + "$")
        place = next((k for k, text in enumerate(left) if pattern.match(text)), None)
        if line.strip() == "...":
            continue
        if place is None:
            return [line]
        left = left[place + 1 :]
    return []


def _plain(line: str) -> str:
    """A line without the frames of tables, and with single spaces."""
    return " ".join(re.sub(r"[│┃|]", " ", line).split())
