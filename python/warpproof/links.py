"""Links that open the page with a question and its verdict: `web/src/core/share.ts` says what is in one.

Only writing is here; the page reads. Both sides are tested with the links of `web/tests/unit/links.json`.
"""

from __future__ import annotations

import base64
import re
import zlib

from . import _engine

_SYMBOLS = [chr(code) for code in range(32) if code not in (0, 9, 10, 13)]
_BELOW = 12
_NUMBER = re.compile(r"(%[a-z]+|\+)(\d+)(?![A-Za-z0-9_.])", re.ASCII)


def differences(text: str) -> str:
    """A kernel with the numbers of its registers as differences."""
    last: dict[str, int] = {}

    def shorter(found: re.Match[str]) -> str:
        kind, digits = found.groups()
        if digits != "0" and (digits.startswith("0") or len(digits) >= 16):
            return found[0]
        symbol = int(digits) - last.get(kind, 0) + _BELOW
        last[kind] = int(digits)
        return kind + _SYMBOLS[symbol] if 0 <= symbol < len(_SYMBOLS) else found[0]

    return _NUMBER.sub(shorter, text)


def dictionary() -> bytes:
    """What deflate starts with."""
    return differences(_engine.link_dictionary()).encode()


def fragment(reference: str, optimized: str, spec: str, single: bool, verdict: str) -> str:
    """What follows the address of the page, "#" included."""

    def kernel(key: str, text: str) -> tuple[str, str]:
        plain = any(symbol in text for symbol in _SYMBOLS)
        return (key, text) if plain else (key.upper(), differences(text))

    values = [
        ("s", spec),
        kernel("r", reference),
        kernel("o", optimized),
        ("m", "1" if single else ""),
        ("v", verdict),
    ]
    sections = b""
    for key, value in values:
        if value:
            data = value.encode("utf-8", "replace")
            sections += f"{key}{len(data)}:".encode() + data
    packed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, dictionary())
    whole = packed.compress(sections + f"#{zlib.crc32(sections):08x}".encode()) + packed.flush()
    return "#1" + base64.urlsafe_b64encode(whole).decode().rstrip("=")
