"""Damage to files: bytes anywhere, and values in their places in protobuf and JSON.

A change of bytes mostly ends in the first check of lengths. A change of values is a file that is
well formed and says something else, which goes deeper.
"""

from __future__ import annotations

import functools
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from typing import Any

from tests.frontends.paddle_legacy_bytes import varint

NUMBERS = (
    *(0, 1, 2, 3, -1, -2, 7, 8, 63, 64, 127, 128, 255, 256, 65535, 65536, 10**6),
    *(2**31 - 1, 2**31, -(2**31), 2**32, 2**40, 2**62, 2**63 - 1, -(2**63), 2**64 - 1),
)
TEXTS = (
    *("", "x", "y", "\x1b[31m", "a\nb", "\u202e", "\x00", "é", "😀", "a/b", "../../x", "name" * 90),
    *("nan", "NaN", "-1", "1e999", "None", "__class__", "%0", ".", "/"),
)
VALUES = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**70), 10**30, 0.5, -0.0, 1e308, "", "x"),
    *([], {}, [[]], [0], [-1], ["x"], {"a": 1}, [None], "\x1b[0m", "\ud800", "NaN", "Infinity"),
)


def bytes_changed(data: bytes, r: random.Random) -> bytes:
    """Cut, flip, overwrite, delete, repeat or move pieces."""
    damaged = bytearray(data)
    for _ in range(r.randint(1, 3)):
        place = r.randrange(len(damaged)) if damaged else 0
        size = r.randint(1, 8)
        match r.randrange(8):
            case 0 if r.random() < 0.3:
                del damaged[place:]
            case 1 | 2 if damaged:
                damaged[place] ^= 1 << r.randrange(8)
            case 3:
                damaged[place : place + size] = r.randbytes(size)
            case 4:
                del damaged[place : place + size]
            case 5:
                damaged[place:place] = damaged[place : place + size]
            case 6 if damaged:
                damaged[place] = r.choice((0, 1, 0x7F, 0x80, 0xFF))
            case 7:
                word = place & ~3
                number = r.choice(NUMBERS) & 0xFFFFFFFF
                damaged[word : word + 4] = number.to_bytes(4, "little")
    return bytes(damaged)


WORD = re.compile(rb"\w+|\s+|.", re.DOTALL)


def code_changed(data: bytes, r: random.Random) -> bytes:
    """Code whose words are exchanged, repeated, dropped or replaced, and lines likewise."""
    pattern = rb"[^\n]*\n" if r.random() < 0.3 else WORD
    words: list[bytes] = re.findall(pattern, data)
    for _ in range(r.randint(1, 4)):
        if not words:
            break
        place, other = r.randrange(len(words)), r.randrange(len(words))
        match r.randrange(6):
            case 0:
                del words[place]
            case 1:
                words.insert(place, words[other])
            case 2:
                words[place], words[other] = words[other], words[place]
            case 3:
                words[place] = str(r.choice(NUMBERS)).encode()
            case _:
                words[place] = words[other]
    return b"".join(words)


Field = tuple[int, int, Any, bytes | None]
"""Number, wire type, an int, bytes or fields, and the bytes of the whole while nothing changed."""

Path = tuple[int, ...]


def _number(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7
        if shift > 63:
            raise ValueError


def parsed(data: bytes, depth: int = 0) -> list[Field] | None:
    """The fields of a message; None for bytes that are none."""
    fields: list[Field] = []
    place = 0
    try:
        while place < len(data):
            start = place
            tag, place = _number(data, place)
            key, kind = tag >> 3, tag & 7
            if not 0 < key < 3000:
                return None
            if kind == 0:
                value, place = _number(data, place)
                fields.append((key, 0, value, data[start:place]))
                continue
            size = {1: 8, 5: 4}.get(kind, -1)
            if kind == 2:
                size, place = _number(data, place)
            if size < 0 or place + size > len(data):
                return None
            content = data[place : place + size]
            place += size
            inner = parsed(content, depth + 1) if kind == 2 and size > 1 and depth < 12 else None
            fields.append((key, kind, content if inner is None else inner, data[start:place]))
    except (IndexError, ValueError):
        return None
    return fields


@functools.lru_cache(64)
def _places(data: bytes) -> tuple[list[Field], list[Path], dict[Path, Field]]:
    """The fields of a message, all places in it, and what is there."""
    tree = parsed(data) or []
    found: dict[Path, Field] = {}
    stack: list[tuple[Path, list[Field]]] = [((), tree)]
    while stack:
        path, fields = stack.pop()
        for k, field in enumerate(fields):
            found[*path, k] = field
            if isinstance(field[2], list):
                stack.append(((*path, k), field[2]))
    return tree, [*found], found


def written(fields: list[Field]) -> bytes:
    """The bytes of fields, with the lengths that belong to them."""
    out = []
    for key, kind, value, whole in fields:
        if whole is not None:
            out.append(whole)
        elif isinstance(value, int):
            out.append(varint(key << 3 | kind) + varint(value))
        else:
            content = written(value) if isinstance(value, list) else value
            out.append(
                varint(key << 3 | kind) + (varint(len(content)) if kind == 2 else b"") + content
            )
    return b"".join(out)


def message_changed(data: bytes, r: random.Random) -> bytes:
    """Protobuf with other values, or with fields that are gone, repeated or moved."""
    tree, places, found = _places(data)
    if not places:
        return bytes_changed(data, r)
    for _ in range(r.randint(1, 2)):
        tree = _changed_at(tree, r.choice(places), places, found, r)
    return written(tree)


def _changed_at(
    fields: list[Field], path: Path, places: list[Path], found: dict[Path, Field], r: random.Random
) -> list[Field]:
    """The fields with another one at a place, if there still is one; the old ones stay as they
    are."""
    if path[0] >= len(fields):
        return fields
    changed = fields[:]
    key, kind, value, _ = fields[path[0]]
    if len(path) == 1:
        _change_field(changed, path[0], places, found, r)
    elif isinstance(value, list):
        inner = _changed_at(value, path[1:], places, found, r)
        changed[path[0]] = (key, kind, inner, None)
    return changed


def _change_field(
    fields: list[Field], k: int, places: list[Path], found: dict[Path, Field], r: random.Random
) -> None:
    key, kind, value, _ = fields[k]
    match r.randrange(10):
        case 0:
            del fields[k]
        case 1:
            fields.insert(r.randrange(len(fields) + 1), fields[k])
        case 2:
            fields[k] = (key, *found[r.choice(places)][1:3], None)
        case 3:
            fields[k] = (r.randint(1, 25), kind, value, None)
        case 4:
            r.shuffle(fields)
        case _ if isinstance(value, int):
            fields[k] = (key, kind, r.choice(NUMBERS), None)
        case _ if isinstance(value, list):
            fields[k] = (key, kind, b"" if r.random() < 0.5 else value + value, None)
        case _ if kind == 2:
            fields[k] = (key, kind, _text_or_bytes(value, places, found, r), None)
        case _:
            fields[k] = (key, kind, r.randbytes(len(value)), None)


def _text_or_bytes(
    value: bytes, places: list[Path], found: dict[Path, Field], r: random.Random
) -> bytes:
    match r.randrange(4):
        case 0:
            return r.choice(TEXTS).encode("utf-8", "surrogatepass")
        case 1:
            others = (found[r.choice(places)][2] for _ in range(8))
            return next((o for o in others if isinstance(o, bytes)), value)
        case 2:
            return bytes_changed(value, r)
    return r.randbytes(r.choice((1, 4, 8, len(value))))


def is_json(text: bytes) -> bool:
    """Whether a document can be read: hexadecimal digits begin like a number and are none."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def json_changed(text: bytes, r: random.Random) -> bytes:
    """A document with other values, or with parts that are gone, repeated or exchanged."""
    document = json.loads(text)
    return json.dumps(value_changed(document, r)).encode()


def value_changed(document: Any, r: random.Random) -> Any:
    """A document with changes in one or two places."""
    for _ in range(r.randint(1, 2)):
        holders = _holders(document)
        if not holders:
            return r.choice(VALUES)
        holder = r.choice(holders)
        key = r.randrange(len(holder)) if isinstance(holder, list) else r.choice(list(holder))
        _change(holder, key, holders, r)
    return document


def _change(holder: Any, key: Any, holders: list[Any], r: random.Random) -> None:
    match r.randrange(7):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, json.loads(json.dumps(holder[key])))
        case 1:
            holder[r.choice(TEXTS)] = holder.pop(key)
        case 2:
            other = r.choice(holders)
            values = list(other.values()) if isinstance(other, dict) else other
            holder[key] = json.loads(json.dumps(r.choice(values)))
        case 3 if isinstance(holder[key], str):
            holder[key] = r.choice(TEXTS)
        case 3 | 4 if isinstance(holder[key], (int, float)):
            holder[key] = r.choice(NUMBERS)
        case 5 if isinstance(holder[key], str) and holder[key]:
            holder[key] = bytes_changed(holder[key].encode(errors="replace"), r).decode("latin-1")
        case _:
            holder[key] = json.loads(json.dumps(r.choice(VALUES)))


def _holders(document: Any) -> list[Any]:
    """The lists and objects that hold something."""
    found, stack = [], [document]
    while stack:
        value = stack.pop()
        if isinstance(value, (list, dict)) and value:
            found.append(value)
            stack.extend(value.values() if isinstance(value, dict) else value)
    return found


def zip_changed(
    data: bytes, r: random.Random, members: dict[str, Callable[[bytes, random.Random], bytes]]
) -> bytes:
    """An archive with one member changed by what `members` has for the end of its name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {i.filename: archive.read(i) for i in archive.infolist()}
    known = [(n, c) for n in parts for end, c in members.items() if n.endswith(end)]
    name, change = r.choice(known)
    match r.randrange(12):
        case 0:
            del parts[name]
        case 1:
            parts[r.choice(list(parts))] = parts[name]
        case _:
            parts[name] = change(parts[name], r)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for n, content in parts.items():
            archive.writestr(zipfile.ZipInfo(n), content)
    return out.getvalue()
