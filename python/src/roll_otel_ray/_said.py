"""What a user is told."""

from __future__ import annotations

import sys


def say(line: str) -> None:
    # It may quote the network; control characters must not reach the terminal.
    plain = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)
    print("[roll-otel] " + plain, file=sys.stderr, flush=True)
