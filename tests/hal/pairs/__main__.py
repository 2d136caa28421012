"""Try pairs or random chains; see the package."""

from __future__ import annotations

import sys

from .floats import FLOATS
from .integers import INTEGERS
from .models import problems


def main() -> None:
    devices, what, *rest = sys.argv[1:]
    seed, count = map(int, rest or (0, 1))
    table = INTEGERS if what == "integers" else FLOATS
    if what == "chains":
        found = problems(table.chains(seed, count), devices.split(","))
    else:
        found = problems(table.pairs(seed, count), devices.split(","))
    sys.stdout.write("\n".join([*found, f"{len(found)} problems\n"]))


if __name__ == "__main__":
    main()
