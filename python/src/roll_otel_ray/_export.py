"""Spans to whoever collects, by OTLP over HTTP or gRPC; else into the process's own file."""

from __future__ import annotations

import json
import math
import threading
from collections import defaultdict
from typing import Any, Mapping, Sequence

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Link, SpanContext, format_span_id, format_trace_id

from ._delivery import Delivery, RunIsFull, without_user
from ._place import Collector, Place
from ._said import say

_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


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

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        try:
            request = json.dumps(_request(spans), separators=(",", ":")).encode()
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
        try:
            collector = self._place.collector()
            if collector is None:
                return False
            shown = without_user(collector.endpoint)
            delivery = self._delivery_to(collector)
            try:
                delivery.send(collector.headers, spans, request)
            finally:
                shown = delivery.shown  # the protocol may be another now
            return True
        except RunIsFull:
            raise
        except Exception as e:  # noqa: BLE001 - whatever a client raises: the own file has them
            self._say(f"cannot deliver spans to {shown} ({e}); they go to {self._place.own_file}")
            return False

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


def _request(spans: Sequence[ReadableSpan]) -> dict[str, Any]:
    resources: dict[Any, dict[Any, list[ReadableSpan]]] = defaultdict(lambda: defaultdict(list))
    for span in spans:
        resources[span.resource][span.instrumentation_scope].append(span)
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource.attributes)},
                "scopeSpans": [
                    {
                        "scope": {"name": scope.name, "version": scope.version or ""},
                        "spans": [_span(span) for span in of_scope],
                    }
                    for scope, of_scope in scopes.items()
                ],
            }
            for resource, scopes in resources.items()
        ]
    }


def _span(span: ReadableSpan) -> dict[str, Any]:
    context = span.get_span_context()
    written = {
        **_ids(context),
        "name": span.name,
        "kind": span.kind.value + 1,  # OTLP counts from one
        "startTimeUnixNano": str(span.start_time or 0),
        "endTimeUnixNano": str(span.end_time or 0),
        "attributes": _attributes(span.attributes),
        "events": [_event(event) for event in span.events],
        "links": [_link(link) for link in span.links],
        "status": {"code": span.status.status_code.value, "message": span.status.description or ""},
    }
    if span.parent is not None:
        written["parentSpanId"] = format_span_id(span.parent.span_id)
    if context is not None and context.trace_state:
        written["traceState"] = context.trace_state.to_header()
    return written


def _ids(context: SpanContext | None) -> dict[str, str]:
    if context is None:
        return {}
    return {
        "traceId": format_trace_id(context.trace_id),
        "spanId": format_span_id(context.span_id),
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "timeUnixNano": str(event.timestamp),
        "name": event.name,
        "attributes": _attributes(event.attributes),
    }


def _link(link: Link) -> dict[str, Any]:
    return {**_ids(link.context), "attributes": _attributes(link.attributes)}


def _attributes(attributes: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in (attributes or {}).items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):  # before int, which it is as well
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        # JSON has no other form for these.
        return {"doubleValue": value if math.isfinite(value) else _NOT_FINITE[str(value)]}
    if isinstance(value, (list, tuple)):
        return {"arrayValue": {"values": [_value(each) for each in value]}}
    return {"stringValue": str(value)}
