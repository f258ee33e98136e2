"""Spans to whoever collects, as OTLP in JSON over HTTP; else into the process's own file."""

from __future__ import annotations

import gzip
import json
import math
import os
import ssl
import threading
import urllib.error
import urllib.request
from collections import defaultdict
from typing import Any, Mapping, Sequence

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Link, SpanContext, format_span_id, format_trace_id

from ._place import Collector, Place
from ._said import say

_TIMEOUT_SECONDS = 3.0
_SPENT = 507  # the run has written what ROLL_OTEL_RUN_BYTES lets it
_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _opener(endpoint: str) -> urllib.request.OpenerDirector:
    """Straight to the collector: a proxy is of no use on the way to one's own driver."""
    handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
    if endpoint.startswith("https:"):
        trusted = _file("CERTIFICATE")
        tls = ssl.create_default_context(cafile=trusted)
        own = _file("CLIENT_CERTIFICATE")
        if own is not None:
            tls.load_cert_chain(own, _file("CLIENT_KEY"))
        handlers.append(urllib.request.HTTPSHandler(context=tls))
    return urllib.request.build_opener(*handlers)


def _file(name: str) -> str | None:
    """As OpenTelemetry's exporters have it: the setting of traces before that of all signals."""
    given = os.environ.get(f"OTEL_EXPORTER_OTLP_TRACES_{name}")
    return given or os.environ.get(f"OTEL_EXPORTER_OTLP_{name}") or None


class _RunIsFull(Exception):
    """The run's files may not grow any more, and the own file is one of them."""


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
        self._opener: urllib.request.OpenerDirector | None = None

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        try:
            request = json.dumps(_request(spans), separators=(",", ":")).encode()
            collector = self._place.collector()
            if collector is None or not self._post(collector, request):
                self._append(request)
            return SpanExportResult.SUCCESS
        except _RunIsFull:
            self._say_full()
            return SpanExportResult.FAILURE
        except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
            self._say(f"{len(spans)} spans are lost: {e!r}")
            return SpanExportResult.FAILURE

    def _post(self, collector: Collector, request: bytes) -> bool:
        headers = {
            "Content-Type": "application/json",
            "Content-Encoding": "gzip",
            **collector.headers,
        }
        try:
            post = urllib.request.Request(collector.endpoint, gzip.compress(request, 1), headers)
            if self._opener is None:
                self._opener = _opener(collector.endpoint)
            with self._opener.open(post, timeout=_TIMEOUT_SECONDS):
                return True
        except (OSError, ValueError) as e:
            if isinstance(e, urllib.error.HTTPError) and e.code == _SPENT:
                raise _RunIsFull from e
            self._say(
                f"cannot deliver spans to {collector.endpoint} ({e}); they go to "
                f"{self._place.own_file}"
            )
            return False

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
