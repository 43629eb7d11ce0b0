"""Places in the files of users: which of their lines is being executed, and which one an error came through."""

from __future__ import annotations

import linecache
import sys
from dataclasses import replace
from types import FrameType

from .errors import Place

_PACKAGE = __name__.partition(".")[0]


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE


def _place(frame: FrameType, line: int) -> Place:
    return Place(frame.f_code.co_filename, line)


def caller() -> Place | None:
    """The line of somebody else's that is being executed."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return _place(frame, frame.f_lineno) if frame else None


def line_of(error: BaseException) -> Place | None:
    """The last line of somebody else's that an error came through."""
    last, at = None, error.__traceback__
    while at is not None:
        if not _is_ours(at.tb_frame):
            last = _place(at.tb_frame, at.tb_lineno)
        at = at.tb_next
    return last


def whole(place: Place | None) -> Place | None:
    """The same with the text of the line."""
    return place and replace(place, excerpt=linecache.getline(place.source, place.line).rstrip())
