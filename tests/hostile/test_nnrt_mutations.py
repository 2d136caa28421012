"""Some hundred random mutations of NNRt models; the script beside this tries as many as wanted."""

from __future__ import annotations

from .nnrt_mutations import attack


def test_mutations_are_accepted_with_equal_results_or_refused() -> None:
    ends, wrong = attack(400, seed=11)
    assert wrong == []
    assert sum(ends.values()) == 400
    assert ends["accepted with equal results"] > 20
    assert sum(n for end, n in ends.items() if end.startswith("refused")) > 100
