"""What happens before anything else is imported.

`python -m nnadapter` has the current folder in front of everything that can be imported; it may
be one that was downloaded, with a `numpy.py` in it.
"""

import sys
from itertools import pairwise
from pathlib import Path

OWN = ("nnir", "frontends", "hal", "conformance")
"""The packages that lie beside this one. Other distributions have packages of these names."""


DISTRIBUTIONS = {"nnadapter", "nnadapter-conformance"}
"""What is installed in these packages by us."""


def leave_current_folder() -> None:
    """Import nothing from the current folder where this process is the command line."""
    if is_command(sys.orig_argv) and sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
        del sys.path[0]


def require_own_packages() -> None:
    """ImportError where another package is imported, or installed, in the place of one of ours.

    It is asked only where an import fails, since it takes longer than all else at the start.
    """
    from importlib.metadata import packages_distributions
    from importlib.util import find_spec

    home = Path(__file__).resolve().parents[1]
    owners = packages_distributions()
    for name in OWN:
        found = find_spec(name)
        place = home if found is None or found.origin is None else Path(found.origin).parents[1]
        others = sorted({*owners.get(name, ())} - DISTRIBUTIONS)
        if place.resolve() != home:
            raise ImportError(
                f"the package {name!r} in {place} is not nnadapter's, which is in {home}: rename "
                "or uninstall it, or put it behind nnadapter in PYTHONPATH"
            )
        if others:
            raise ImportError(
                f"the package {name!r} is of {', '.join(others)} too: `pip uninstall "
                f"{' '.join(others)}`, then `pip install --force-reinstall --no-deps nnadapter`"
            )


def tell_of_others() -> None:
    """End with one line where another package has taken the place of one of ours."""
    try:
        require_own_packages()
    except ImportError as error:
        sys.exit(f"error: {error}")


def is_command(arguments: list[str]) -> bool:
    """Whether Python was started to run this package (`-m nnadapter`)."""
    for option, following in pairwise([*arguments, ""]):
        if option.startswith("-m"):
            return option + following == "-mnnadapter" or option == "-mnnadapter"
    return False
