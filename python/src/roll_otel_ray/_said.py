"""What a user is told."""

from __future__ import annotations

import sys


def say(line: str) -> None:
    print("[roll-otel] " + line, file=sys.stderr, flush=True)
