"""Links: a reader written for this test reads what the page wrote and what this package writes."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import warpproof
from warpproof import links

PROJECT = Path(__file__).parents[2]


def numbers(text: str) -> str:
    """Undoes `links.differences`."""
    last: dict[str, int] = {}

    def longer(found: re.Match[str]) -> str:
        kind, digits, symbol = found.groups()
        if symbol is None:
            if digits == "0" or not digits.startswith("0") and len(digits) < 16:
                last[kind] = int(digits)
            return found[0]
        last[kind] = last.get(kind, 0) + links._SYMBOLS.index(symbol) - links._BELOW
        return f"{kind}{last[kind]}"

    return re.sub(
        r"(%[a-z]+|\+)(?:(\d+)(?![A-Za-z0-9_.])|([\x01-\x08\x0b\x0c\x0e-\x1f]))", longer, text, flags=re.ASCII
    )


def sections(link: str) -> dict[str, str]:
    payload = link.partition("#")[2]
    assert payload[0] == "1"
    packed = base64.urlsafe_b64decode(payload[1:] + "=" * (-len(payload[1:]) % 4))
    data = zlib.decompressobj(-zlib.MAX_WBITS, zdict=links.dictionary()).decompress(packed)
    found = {}
    at = 0
    while data[at : at + 1] != b"#":
        length = re.match(rb"[a-zA-Z](\d+):", data[at:])
        assert length
        start = at + length.end()
        text = data[start : start + int(length[1])].decode()
        key = data[at : at + 1].decode()
        found[key.lower()] = numbers(text) if key in "RO" else text
        at = start + int(length[1])
    assert data[at + 1 :].decode() == f"{zlib.crc32(data[:at]):08x}"
    return found


def test_links_of_the_page_are_read() -> None:
    stored = json.loads((PROJECT / "web/tests/unit/links.json").read_text())
    read = [sections(it["link"]) for it in stored]
    assert len(read) > 3 and any("o" in shared for shared in read)


def test_links_hold_the_question_and_the_verdict() -> None:
    report = warpproof.check(spec=PROJECT / "tests/corpus/not_equivalent/softmax/n4_no_rescale.toml")
    asked = report.question
    assert sections(report.link("https://example.org/warpproof/")) == {
        "r": asked.reference,
        "o": asked.optimized,
        "s": asked.spec,
        "v": f"not_equivalent {warpproof.__version__}",
    }
    alone = warpproof.analyze(asked.optimized, spec=asked.spec)
    assert sections(alone.link())["m"] == "1"
    assert alone.link().startswith("http://localhost:4173/#1")


def test_every_kernel_of_the_corpus_comes_back() -> None:
    for path in sorted((PROJECT / "tests/corpus/kernels").rglob("*.ptx"))[::25]:
        text = path.read_text()
        assert numbers(links.differences(text)) == text, path
    assert "r" not in sections("#" + links.fragment("", "x", "", False, "").removeprefix("#"))
    assert sections(links.fragment("\x01", "%r1 %r2\nä", "ü", True, "v")) == {
        "r": "\x01",
        "o": "%r1 %r2\nä",
        "s": "ü",
        "m": "1",
        "v": "v",
    }
