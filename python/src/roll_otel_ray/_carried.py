"""The context as it travels with a call: behind the type in the metadata of its first argument
that is passed by value, `XLANG,tp=<traceparent>,at=<epoch nanoseconds>,run=<id>`, as the Java
agent does. Ray splits what it reads at the commas."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from opentelemetry.context import Context, create_key, set_value
from opentelemetry.trace import Span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

# What travels in the place of a context where the sender wants nothing traced.
_SUPPRESSED = "-"
_KEY = create_key("roll-otel-suppressed")

# What may travel as a run's id, as Java has it: printable, without blanks, commas, quotes.
_RUN_ID = re.compile(r"[!#-&(-+\--\[\]-~]{1,128}")

# Arguments that every language reads, and those that Python alone does.
_MAY_CARRY = (b"XLANG", b"PYTHON")

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
    def now(context: Context, span: Span, run_id: str = "") -> Carried | None:
        """What a call takes along that a span in a context makes, of a run; None where that says
        nothing."""
        if is_suppressed(context):
            return Carried(_SUPPRESSED, time.time_ns())
        of_span = span.get_span_context()
        if not of_span.is_valid:
            return None
        traceparent = (
            f"00-{of_span.trace_id:032x}-{of_span.span_id:016x}-{int(of_span.trace_flags):02x}"
        )
        return Carried(traceparent, time.time_ns(), run_id)

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
        run = f",run={self.run_id}" if _RUN_ID.fullmatch(self.run_id) else ""
        return metadata + f",tp={self.traceparent},at={self.sent_at_nanos}{run}".encode()


class Sending:
    """A call that is being submitted, until an argument has taken its context along."""

    def __init__(self, span: Span, carried: Carried | None) -> None:
        self.span = span
        self._carried = carried
        self.is_carried = False

    def load(self, metadata: bytes) -> bytes:
        """An argument's metadata, with the context if it is the first that may have it."""
        if self.is_carried or self._carried is None or metadata not in _MAY_CARRY:
            return metadata
        self.is_carried = True
        return self._carried.behind(metadata)
