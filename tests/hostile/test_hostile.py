"""Every attack in this folder against every command: one line, exit 1, and nothing touched."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from .harness import Attack, Server, problems

MODULES = sorted(p.stem for p in Path(__file__).parent.glob("attacks_*.py"))
ATTACKS: dict[str, Attack] = {
    f"{name}: {attack}": attack
    for name in MODULES
    for attack in importlib.import_module(f".{name}", __package__).ATTACKS
}


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def test_the_commands_start_without_frameworks(server: Server) -> None:
    assert not server.loaded


def test_attacks_have_names_of_their_own() -> None:
    names = [str(a) for a in ATTACKS.values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(name: str, server: Server, tmp_path: Path) -> None:
    attack = ATTACKS[name]
    if found := problems(attack, server, tmp_path / "r"):
        pytest.fail("\n".join([attack.why, *found]), pytrace=False)
