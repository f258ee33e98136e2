"""The context as it travels with a call: behind the type in the metadata of its first argument
that is passed by value, `XLANG,tp=<traceparent>,at=<epoch nanoseconds>,run=<id>`, as the Java
agent does. Ray splits what it reads at the commas."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import lru_cache

from opentelemetry.context import Context, create_key, set_value
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

# What travels in the place of a context where the sender wants nothing traced.
_SUPPRESSED = "-"
_KEY = create_key("roll-otel-suppressed")

# What may travel as a run's id, as Java has it: printable, without blanks, commas, quotes.
_RUN_ID = re.compile(r"[!#-&(-+\--\[\]-~]{1,128}")

_PROPAGATOR = TraceContextTextMapPropagator()


def suppressed() -> Context:
    """A context in which no call makes a span, here or at its other end."""
    return set_value(_KEY, True, Context())


def is_suppressed(context: Context) -> bool:
    """Whether it is one of those."""
    return _KEY in context


@dataclass(frozen=True)
class Carried:
    """What came with a call, or goes with one."""

    traceparent: str
    sent_at_nanos: int
    run_id: str = ""
    """The sender's run, for receivers that have none; empty where it does not say."""

    @staticmethod
    def now(trace_id: int, span_id: int, flags: int, run_id: str = "") -> Carried:
        """What a call takes along that a span makes, of a run."""
        return Carried(f"00-{trace_id:032x}-{span_id:016x}-{flags:02x}", time.time_ns(), run_id)

    @staticmethod
    def nothing_now() -> Carried:
        """What a call takes along of which nothing is to be traced."""
        return Carried(_SUPPRESSED, time.time_ns())

    @staticmethod
    def of(metadata: bytes | None) -> Carried | None:
        """What an argument's metadata carry; None where it is nothing."""
        if not metadata or b",tp=" not in metadata:
            return None  # as nearly everything that is fetched
        fields = dict(field.split(b"=", 1) for field in metadata.split(b",")[1:] if b"=" in field)
        traceparent = fields.get(b"tp")
        if traceparent is None:
            return None
        sent_at = fields.get(b"at", b"")
        return Carried(
            traceparent.decode("ascii", "replace"), int(sent_at) if sent_at.isdigit() else 0
        )

    @property
    def is_suppressed(self) -> bool:
        """Whether the sender wants nothing traced."""
        return self.traceparent == _SUPPRESSED

    @property
    def context(self) -> Context:
        return _PROPAGATOR.extract({"traceparent": self.traceparent}, Context())

    def behind(self, metadata: bytes) -> bytes:
        text = f",tp={self.traceparent},at={self.sent_at_nanos}{_run(self.run_id)}"
        return metadata + text.encode()


@lru_cache(maxsize=8)
def _run(run_id: str) -> str:
    return f",run={run_id}" if _RUN_ID.fullmatch(run_id) else ""
