"""How a `.nnir` file begins: what tells it from others, without what reads it."""

SUFFIX = ".nnir"


def is_archive(head: bytes) -> bool:
    """Whether a file that begins with `head` is a `.nnir` file."""
    return head[8:10] == b'{"' and b'"nnir":' in head[:64]
