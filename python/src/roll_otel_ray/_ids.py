"""Ids of traces and spans."""

from __future__ import annotations

import os
import random
import secrets
import struct
import threading
from contextlib import contextmanager
from typing import Iterator

from opentelemetry.sdk.trace.id_generator import IdGenerator

_64 = 0xFFFF_FFFF_FFFF_FFFF


class TraceIds(IdGenerator):
    """Seeded by the operating system, and not the generator that users seed: workers that all seed
    `random` alike must not make equal ids."""

    def __init__(self, run_id: str) -> None:
        # To ask the system for each id costs three times as much.
        self._random = random.Random(secrets.randbits(256))
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._seed)
        self._run_id = run_id
        self._state = threading.local()

    def _seed(self) -> None:
        """In a process that was forked off, which would go on with its parent's ids."""
        self._random.seed(secrets.randbits(256))

    def generate_span_id(self) -> int:
        return self._random.getrandbits(64) or 1

    def generate_trace_id(self) -> int:
        task: str | None = getattr(self._state, "task", None)
        if task:
            return derived_trace_id(self._run_id, task)
        return self._random.getrandbits(128) or 1

    @contextmanager
    def of_task(self, task: str) -> Iterator[None]:
        """Inside, a trace that this thread begins has the id that readers derive for this task."""
        self._state.task = task
        try:
            yield
        finally:
            self._state.task = None


def derived_trace_id(run_id: str, value: str) -> int:
    """The id of the trace that a receiver begins, to which no context could travel. Readers find its
    call by it, though its process died; the agent's CallJoins.derivedTraceId is the same."""
    high = 0x9E37_79B9_7F4A_7C15
    low = 0xD6E8_FEB8_6659_FD93
    text = f"{run_id}\n{value}".encode("utf-16-le", "surrogatepass")
    for unit in struct.unpack(f"<{len(text) // 2}H", text):
        high = (high ^ unit) * 0x0000_0100_0000_01B3 & _64
        low = _mixed(low + unit & _64)
    return _mixed(high) << 64 | (low or 1)


def _mixed(number: int) -> int:
    """MurmurHash3's last step."""
    bits = (number ^ number >> 33) * 0xFF51_AFD7_ED55_8CCD & _64
    bits = (bits ^ bits >> 33) * 0xC4CE_B9FE_1A85_EC53 & _64
    return bits ^ bits >> 33
