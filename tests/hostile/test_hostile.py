"""The attacks in this folder against every command: one line, exit 1, and nothing touched.

Every third attack of each kind, and one harmless file of each, which starts a framework; all of
them with NNADAPTER_HOSTILE=all.
"""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from .harness import HARMLESS, Attack, Server, problems

MODULES = sorted(p.stem for p in Path(__file__).parent.glob("attacks_*.py"))
ATTACKS: dict[str, Attack] = {
    f"{name}: {attack}": attack
    for name in MODULES
    for attack in importlib.import_module(f".{name}", __package__).ATTACKS
}
LEAST = 250
EVERY = 3


def chosen(attacks: dict[str, Attack]) -> Iterator[str]:
    """The names of those that are tried every time: some of each kind."""
    seen = Counter[object]()
    for name, attack in attacks.items():
        kind = (name.partition(":")[0], attack.format, attack.ends)
        if seen[kind] == 0 or (attack.ends is not HARMLESS and seen[kind] % EVERY == 0):
            yield name
        seen[kind] += 1


TRIED = [*ATTACKS] if os.environ.get("NNADAPTER_HOSTILE") == "all" else [*chosen(ATTACKS)]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def test_the_commands_start_without_frameworks(server: Server) -> None:
    assert not server.loaded


def test_attacks_have_names_of_their_own() -> None:
    names = [str(a) for a in ATTACKS.values()]
    assert len(names) == len(set(names))


def test_enough_of_them_are_tried() -> None:
    assert len(TRIED) >= LEAST


@pytest.mark.parametrize("name", TRIED)
def test_attack(name: str, server: Server, tmp_path: Path) -> None:
    attack = ATTACKS[name]
    if found := problems(attack, server, tmp_path / "r"):
        pytest.fail("\n".join([attack.why, *found]), pytrace=False)
