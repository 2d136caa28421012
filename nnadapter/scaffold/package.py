"""A package for a new operator: four files, in which what is missing raises and says so."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from nnir.errors import BadInput
from nnir.plugins import FIRST_CODE, REGISTRY
from nnir.staging import replacing

from .signature import OPTIONAL, TENSOR, Parameter, signature_of, write

TEMPLATES = Path(__file__).with_name("templates")
CODES = 90_000
"""So many codes are there for operators of plug-ins."""


def free_code(name: str) -> int:
    """A code that no installed operator has, the same one for a name wherever it is free."""
    taken = {o.code for o in REGISTRY.operators()}
    first = zlib.crc32(name.encode())
    codes = (FIRST_CODE + (first + k) % CODES for k in range(CODES))
    return next(c for c in codes if c not in taken)


def write_package(
    folder: Path,
    name: str,
    parameters: Sequence[Parameter],
    sources: Mapping[str, str],
    devices: Sequence[str],
) -> list[Path]:
    """Write the package of an operator into a new folder; the files.

    `sources` are operators by frontend. BadInput where a name is taken or something is there.
    """
    if REGISTRY.find_operator(name.upper()) is not None:
        raise BadInput(f"there is an operator {name.upper()} already: `nnadapter ops {name}`")
    require_new(folder)
    words = (
        words_of(name, parameters)
        | names_of(folder)
        | {
            "code": str(free_code(name)),
            "place": f"{folder.name}/operator.py",
            "converters": "".join(
                _converter(folder.name, name, f, op) for f, op in sources.items()
            ),
            "lowerings": "".join(_lowering(folder.name, name, parameters, d) for d in devices),
            "converter_table": ", ".join(f'"{f}": from_{f}' for f in sources),
            "lowering_table": ", ".join(f'"{d}": on_{d}' for d in devices),
        }
    )
    words["definition"] = fill("definition", words).rstrip("\n")
    files = {name: name for name in ("operator", "plugin", "cases")}
    return write_files(folder, f"The operator {name.upper()} for nnadapter.", files, words)


def require_new(folder: Path) -> None:
    """BadInput where a package cannot be made."""
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is there already; a new package needs a new folder")
    if not folder.name.isidentifier():
        raise BadInput(f"{folder.name!r} is no name of a Python package")


def write_files(
    folder: Path, title: str, modules: Mapping[str, str], words: Mapping[str, str]
) -> list[Path]:
    """A package with modules, each of a template; its files."""
    texts = {
        "pyproject.toml": fill("pyproject", words),
        f"{folder.name}/__init__.py": f'"""{title}"""\n',
        **{f"{folder.name}/{name}.py": fill(t, words) for name, t in modules.items()},
    }
    (folder / folder.name).mkdir(parents=True)
    for path, text in texts.items():
        with replacing(folder / path) as file:
            file.write(text.encode())
    return [folder / path for path in texts]


def names_of(folder: Path) -> dict[str, str]:
    """What a package and its distribution are called."""
    return {"package": folder.name, "distribution": folder.name.replace("_", "-")}


def fill(template: str, words: Mapping[str, str]) -> str:
    """A template with its words."""
    return Template((TEMPLATES / f"{template}.txt").read_text()).substitute(words)


def words_of(name: str, parameters: Sequence[Parameter]) -> dict[str, str]:
    """What every template says of an operator."""
    tensors = [p for p in parameters if p.is_tensor]
    if not tensors:
        raise BadInput(f"{name} takes no tensor: an operator has one at least")
    return {
        "name": name,
        "NAME": name.upper(),
        "first": tensors[0].name,
        "signature": write(parameters),
        "reference": write(parameters, _with_arrays),
        "plain": write(parameters, _without_hint),
        "inputs": ", ".join("rand(2, 3)" for p in tensors if p.default is None),
        "given": ", ".join(
            f'"{p.name}": ...' for p in parameters if p.is_keyword and p.default is None
        ),
    }


def _with_arrays(parameter: Parameter) -> str:
    hint = {TENSOR: "np.ndarray", OPTIONAL: "np.ndarray | None"}.get(parameter.hint, parameter.hint)
    return f"{parameter.name}: {hint}"


def _without_hint(parameter: Parameter) -> str:
    is_given = parameter.is_keyword and parameter.default
    return f"{parameter.name}={parameter.default}" if is_given else parameter.name


def _converter(package: str, name: str, frontend: str, op: str) -> str:
    """A table with a converter of the source's own signature; of one that nobody knows, with the
    operator itself."""
    own = signature_of(frontend, op)
    lines = [f"\nfrom_{frontend} = Table()\n"]
    if own is None:
        lines.append(f'from_{frontend}.same({{"{op}": {name}}})\n')
        return "".join(lines)
    what = f"{name.upper()}: what {op} is in it ({package}/plugin.py)"
    return "".join(
        [
            *lines,
            f'\n\n@from_{frontend}.convert("{op}")\n',
            f"def {name}_of_{frontend}({write(own)}) -> Value:\n",
            f'    raise NotImplementedError("{what}")\n\n',
        ]
    )


def _lowering(package: str, name: str, parameters: Sequence[Parameter], device: str) -> str:
    what = f"{name.upper()}: how {device} computes it ({package}/plugin.py)"
    return "".join(
        [
            f"\non_{device} = Lowerings()\n\n\n@on_{device}.lower({name})\n",
            f"def {name}_on_{device}(g, {write(parameters)}):\n",
            f'    raise NotImplementedError("{what}")\n\n',
        ]
    )
