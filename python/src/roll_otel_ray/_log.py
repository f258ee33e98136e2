"""Warnings on stderr."""

from __future__ import annotations

import sys
from contextlib import suppress

_surprises: set[str] = set()


def warn(line: str) -> None:
    # It may quote the network; control characters must not reach the terminal.
    plain = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)
    # None in a process without a console: print would take stdout then, which is the program's.
    if sys.stderr is not None:
        with suppress(Exception):  # closed, or nobody reads it
            print("[roll-otel] " + plain, file=sys.stderr, flush=True)


def warn_unexpected(by: str, e: Exception) -> None:
    """Ray, or the tracer, did not behave as expected. Logged once for each place; the call goes on
    without a span."""
    with suppress(Exception):
        if by in _surprises:
            return
        _surprises.add(by)
        import ray

        warn(f"Ray {ray.__version__} is not as expected at {by}; calls stay untraced there: {e!r}")
