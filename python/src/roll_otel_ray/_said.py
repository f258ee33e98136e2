"""What a user is told."""

from __future__ import annotations

import sys
from contextlib import suppress

_surprises: set[str] = set()


def say(line: str) -> None:
    # It may quote the network; control characters must not reach the terminal.
    plain = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)
    print("[roll-otel] " + plain, file=sys.stderr, flush=True)


def surprised(by: str, e: Exception) -> None:
    """Ray, or what is traced, is not as it was expected: one line for each place where that shows.
    The call goes on without a span."""
    with suppress(Exception):
        if by in _surprises:
            return
        _surprises.add(by)
        import ray

        say(f"Ray {ray.__version__} surprises at {by}, where calls stay untraced: {e!r}")
