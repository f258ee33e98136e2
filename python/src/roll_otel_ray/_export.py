"""Spans to whoever collects, by OTLP over HTTP or gRPC; else into the process's own file."""

from __future__ import annotations

import os
import threading
import time
from typing import Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ._delivery import Delivery, Rejected, RunIsFull, without_user
from ._json import request_of
from ._place import Collector, Place
from ._log import warn


# After a failure that took so long, the collector is left alone for three times as long: meanwhile
# the SDK's queue would be full, which drops spans, and the end of a process would wait for each batch.
_SLOW_SECONDS = 0.5
_RESTS = 3


class RunExporter(SpanExporter):
    """
    Sends spans, and writes them to the process's own file if sending fails. A collector that has
    reached the run's limit refuses spans; those are lost. Never raises.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._logged: set[str] = set()
        self._delivery: Delivery | None = None
        self._taker: str | None = None
        self._rests_until = 0.0
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin_anew)

    def _begin_anew(self) -> None:
        """In a process that was forked off, whose parent may have been about to write, and whose
        connection this is not."""
        self._lock = threading.Lock()
        self._delivery = None

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self._place.drops_spans:
            return SpanExportResult.SUCCESS
        try:
            spans, request = self._written(spans)
            if spans and not self._deliver(spans, request):
                self._append(request)
            return SpanExportResult.SUCCESS
        except RunIsFull:
            self._say(
                "full",
                "this run's files may not grow any more (ROLL_OTEL_RUN_BYTES); spans are lost",
            )
            return SpanExportResult.FAILURE
        except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
            file = self._place.own_file
            lost = "1 span is" if len(spans) == 1 else f"{len(spans)} spans are"
            self._say("lost", f"cannot write {file} ({e!r}): {lost} lost, and later ones may be")
            return SpanExportResult.FAILURE

    def _written(self, spans: Sequence[ReadableSpan]) -> tuple[Sequence[ReadableSpan], bytes]:
        """A request; without a span that cannot be written, which would take all others with it."""
        try:
            return spans, request_of(spans).encode()
        except Exception as e:  # noqa: BLE001 - as above
            self._say("unwritten", f"spans that cannot be written are left out: {e!r}")
            good = [span for span in spans if _can_be_written(span)]
            return good, request_of(good).encode()

    def _deliver(self, spans: Sequence[ReadableSpan], request: bytes) -> bool:
        began = time.monotonic()
        if began < self._rests_until:
            return False
        shown = "the collector"
        failures = []
        full = None
        try:
            for collector in self._in_order(self._place.collectors()):
                shown = without_user(collector.endpoint)
                try:
                    delivery = self._delivery_to(collector)
                    try:
                        rejected = delivery.send(collector.headers, spans, request)
                    finally:
                        shown = delivery.shown  # the protocol may be another now
                    self._taker = collector.endpoint
                    if rejected is not None:
                        self._say_rejected(delivery.shown, rejected)
                    return True
                except RunIsFull as e:
                    full = e  # which is one collector's; the next may have room
                except Exception as e:  # noqa: BLE001 - whatever a client raises
                    failures.append(f"{shown} ({e})")
        except Exception as e:  # noqa: BLE001 - the own file has them
            failures.append(f"{shown} ({e})")
        if full is not None and not failures:
            raise full
        if failures:
            where = ", ".join(failures)
            line = f"cannot deliver spans to {where}; they go to {self._place.own_file}"
            self._say("undelivered", line)
            took = time.monotonic() - began
            if took > _SLOW_SECONDS:
                self._rests_until = began + (1 + _RESTS) * took
        return False

    def _in_order(self, collectors: list[Collector]) -> list[Collector]:
        """The one that took the last, then those behind it in the list, then those before it."""
        for first, collector in enumerate(collectors):
            if collector.endpoint == self._taker:
                return collectors[first:] + collectors[:first]
        return collectors

    def _delivery_to(self, collector: Collector) -> Delivery:
        if self._delivery is None or self._delivery.endpoint != collector.endpoint:
            self._delivery = Delivery(collector.endpoint, collector.protocol)
        return self._delivery

    def _append(self, request: bytes) -> None:
        file = self._place.own_file
        with self._lock:
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "a+b") as out:
                # A full disk, or a kill, may have cut off the last line, which is ended first.
                is_cut = out.tell() > 0 and out.seek(-1, os.SEEK_END) >= 0 and out.read(1) != b"\n"
                out.write((b"\n" if is_cut else b"") + request + b"\n")

    def _say_rejected(self, shown: str, rejected: Rejected) -> None:
        reason = rejected.message[:200]
        message = f", the first {rejected.spans}: {reason}" if reason else ""
        self._say(
            "rejected",
            f"{shown} accepts requests but rejects some of their spans, which are lost{message}",
        )

    def _say(self, what: str, line: str) -> None:
        """Logs once, even if another line was logged before."""
        if what not in self._logged:
            self._logged.add(what)
            warn(line)

    def shutdown(self) -> None:
        pass

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


def _can_be_written(span: ReadableSpan) -> bool:
    try:
        request_of([span])
        return True
    except Exception:  # noqa: BLE001 - as above
        return False
