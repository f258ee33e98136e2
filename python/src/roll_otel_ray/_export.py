"""Spans to whoever collects, by OTLP over HTTP or gRPC; else into the process's own file."""

from __future__ import annotations

import threading
from typing import Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ._delivery import Delivery, RunIsFull, without_user
from ._json import request_of
from ._place import Collector, Place
from ._said import say


class RunExporter(SpanExporter):
    """
    Sends spans, and writes them to the process's own file if sending fails. A collector that has
    reached the run's limit refuses spans; those are lost. Never raises.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._said = False
        self._said_full = False
        self._delivery: Delivery | None = None
        self._taker: str | None = None

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        try:
            request = request_of(spans).encode()
            if not self._deliver(spans, request):
                self._append(request)
            return SpanExportResult.SUCCESS
        except RunIsFull:
            self._say_full()
            return SpanExportResult.FAILURE
        except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
            self._say(f"{len(spans)} spans are lost: {e!r}")
            return SpanExportResult.FAILURE

    def _deliver(self, spans: Sequence[ReadableSpan], request: bytes) -> bool:
        shown = "the collector"
        failures = []
        full = None
        try:
            for collector in self._in_order(self._place.collectors()):
                shown = without_user(collector.endpoint)
                try:
                    delivery = self._delivery_to(collector)
                    try:
                        delivery.send(collector.headers, spans, request)
                    finally:
                        shown = delivery.shown  # the protocol may be another now
                    self._taker = collector.endpoint
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
            self._say(f"cannot deliver spans to {where}; they go to {self._place.own_file}")
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
            with open(file, "ab") as out:
                out.write(request + b"\n")

    def _say(self, line: str) -> None:
        if not self._said:
            self._said = True
            say(line)

    def _say_full(self) -> None:
        """Though something else was said before: from now on spans are lost."""
        if not self._said_full:
            self._said_full = True
            say("this run's files may not grow any more (ROLL_OTEL_RUN_BYTES); spans are lost")

    def shutdown(self) -> None:
        pass

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True
