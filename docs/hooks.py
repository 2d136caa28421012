"""What `mkdocs build` adds to the pages in this folder; see mkdocs.yml.

* The operator reference and the page of the Python API, made of the code.
* Pages for CONTRIBUTING.md and its neighbours, and for each source file that a page links to: on a
  code host these links lead out of this folder, on the site they lead to a copy.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

import nnadapter
from conformance.reference import anchor, family_pages
from nnir.ops import OPERATORS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LINK = re.compile(r"(\]\(|src=\")([^)\s\"#]+)(#[^)\s\"]*)?(?=[)\"])")
FENCE = re.compile(r"^( *)(```+).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
MADE = ("reference", "source/", "api.md")
NESTED = re.compile(r"^  (?=[*-] )", re.MULTILINE)
NUMBER = re.compile(r"\d+\. ")
HEADING = re.compile(r"^##+ |^::: ", re.MULTILINE)
ROW = re.compile(r"^\| `([A-Z0-9_]+)` \|", re.MULTILINE)
CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
TOP = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
SUFFIXES = {".py": "python", ".h": "c", ".c": "c", ".toml": "toml", ".cpp": "cpp"}
RENAMES = {"framework_differences.html": "framework_differences_filters.html"}
"""Pages of the folder whose place a page that MkDocs makes would take."""


def on_files(files: Files, config: Any) -> Files:
    """Add what is made."""
    for name in TOP:
        _add(files, config, name, (ROOT / name).read_text())
    for name, text in {**family_pages(), "api.md": api_page()}.items():
        _add(files, config, name, text)
    for source in sorted(_outside(files)):
        _add(files, config, _page_of(source), _source_page(source))
    for name, other in RENAMES.items():
        files.append(File.generated(config, other, content=(DOCS / name).read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead links out of the folder to their copies."""
    base = page.file.src_uri
    markdown = _widen_lists(markdown)
    if not HEADING.search(markdown):
        page.meta["hide"] = ["toc"]  # more room for tables
    if base == "operators.md":
        markdown = ROW.sub(_link_operator, markdown)

    def lead(match: re.Match[str]) -> str:
        before, link, anchor = match.groups(default="")
        return f"{before}{_lead(base, link)}{anchor}"

    return _outside_fences(markdown, lambda text: LINK.sub(lead, text))


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """In tables of Markdown a bar inside of code is written `\\|`; show it as a bar."""
    return CELL.sub(lambda cell: cell.group().replace("\\|", "|"), html)


def _widen_lists(markdown: str) -> str:
    """Indent what belongs to an item of a list by four spaces, as Python-Markdown wants it."""
    lines, is_item = [], False
    markdown = NESTED.sub("    ", markdown)
    for line in markdown.split("\n"):
        is_item = bool(NUMBER.match(line)) or (is_item and (not line or line.startswith("   ")))
        lines.append(f" {line}" if is_item and line.startswith("   ") else line)
    return "\n".join(lines)


def _link_operator(row: re.Match[str]) -> str:
    """The first cell of a row of operators.md, which leads to the reference."""
    operator = OPERATORS[row[1]]
    return f"| [`{row[1]}`](reference/{operator.family}.md#{anchor(operator)}) |"


def _outside_fences(markdown: str, change: Any) -> str:
    parts, end = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [change(markdown[end : fence.start()]), fence.group()]
        end = fence.end()
    return "".join([*parts, change(markdown[end:])])


def _add(files: Files, config: Any, name: str, text: str) -> None:
    """Add a page, which the navigation may leave to links."""
    level = InclusionLevel.NOT_IN_NAV
    files.append(File.generated(config, name, content=text, inclusion=level))


def _repository_path(base: str, link: str) -> str:
    """Where in the repository a link of a page leads."""
    home = "" if base in TOP else "docs"
    return normpath(PurePosixPath(home, base).parent.joinpath(link).as_posix())


def _lead(base: str, link: str) -> str:
    """The link as the site needs it."""
    if ":" in link or base.startswith(MADE):
        return link
    path = _repository_path(base, link)
    if path.startswith("docs/"):
        target = path.removeprefix("docs/")
        target = RENAMES.get(target, target)
    elif path in TOP:
        target = path
    elif path == "README.md":
        target = "index.md"
    else:
        target = _page_of(path)
    return relpath(target, PurePosixPath(base).parent.as_posix())


def _page_of(path: str) -> str:
    return f"source/{path}.md"


def _outside(files: Files) -> set[str]:
    """Files and folders of the repository, outside of this folder, that pages link to."""
    found: set[str] = set()
    for file in files.documentation_pages():
        if file.src_uri.startswith(MADE):
            continue
        for _, link, _ in LINK.findall(FENCE.sub("", file.content_string)):
            path = _repository_path(file.src_uri, link)
            if ":" not in link and not path.startswith("docs/") and path not in TOP:
                found.add(path)
    return {p for p in found - {"README.md"} if (ROOT / p).exists()}


def _source_page(path: str) -> str:
    """A file with its text, or a folder with its files."""
    place = ROOT / path
    hidden = "---\nsearch:\n  exclude: true\n---\n"
    if place.is_file():
        kind = SUFFIXES.get(place.suffix, "text")
        return f"{hidden}# {path}\n\n````{kind}\n{place.read_text()}````\n"
    parts = [
        f"## {p.relative_to(place)}\n\n````{SUFFIXES[p.suffix]}\n{p.read_text()}````\n"
        for p in sorted(place.rglob("*"))
        if p.suffix in SUFFIXES and "build" not in p.parts
    ]
    return "\n".join([f"{hidden}# {path}\n", *parts])


def api_page() -> str:
    """What `import nnadapter as nna` offers, in the order of its index."""
    functions = [n for n in nnadapter.__all__ if n[0].islower()]
    kinds = [n for n in nnadapter.__all__ if n not in functions]
    sections = {"Functions": functions, "Classes": kinds}
    text = "# Python API\n\n`import nnadapter as nna` offers these names and no others.\n"
    for title, names in sections.items():
        text += f"\n## {title}\n\n" + "".join(f"::: {_place(name)}\n\n" for name in names)
    return text


def _place(name: str) -> str:
    """Where a public name is defined."""
    return f"{getattr(nnadapter, name).__module__}.{name}"
