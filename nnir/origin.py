"""What a written file says of the file that it was made from."""

from __future__ import annotations

from .model import Model
from .provenance import SOURCE


def describe_source(model: Model) -> dict[str, str]:
    """What a file says of what it was made from: who made that, its opset, the SHA-256 of the file.

    It does not say what the file was called: the same content gives the same bytes.
    """
    import hashlib  # what is not written needs none

    file = model.provenance.file
    facts = {"producer": model.metadata.get("producer"), "opset": model.metadata.get("opset")}
    if file is not None and file.is_file():
        with file.open("rb") as opened:
            facts["sha256"] = hashlib.file_digest(opened, "sha256").hexdigest()
    return {f"{SOURCE}{name}": text for name, text in sorted(facts.items()) if text}
