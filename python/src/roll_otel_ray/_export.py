"""Spans to whoever collects, by OTLP over HTTP or gRPC; else into the process's own file."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _text
from math import isfinite
from typing import Any, Mapping, Sequence

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Link, SpanContext

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
            request = _request(spans).encode()
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


def _request(spans: Sequence[ReadableSpan]) -> str:
    """Written by hand: json.dumps, and the objects that it wants, take four times as long."""
    resources: dict[Any, dict[Any, list[ReadableSpan]]] = defaultdict(lambda: defaultdict(list))
    for span in spans:
        resources[span.resource][span.instrumentation_scope].append(span)
    return '{"resourceSpans":[' + ",".join(map(_resource, resources.items())) + "]}"


def _resource(spans: tuple[Any, dict[Any, list[ReadableSpan]]]) -> str:
    resource, scopes = spans
    return (
        f'{{"resource":{{"attributes":[{_attributes(resource.attributes)}]}},'
        f'"scopeSpans":[{",".join(map(_scope, scopes.items()))}]}}'
    )


def _scope(spans: tuple[Any, list[ReadableSpan]]) -> str:
    scope, of_scope = spans
    return (
        f'{{"scope":{{"name":{_text(scope.name)},"version":{_text(scope.version or "")}}},'
        f'"spans":[{",".join(map(_span, of_scope))}]}}'
    )


def _span(span: ReadableSpan) -> str:
    context = span.get_span_context()
    kind = span.kind.value + 1  # OTLP counts from one
    status = span.status
    parent = "" if span.parent is None else f',"parentSpanId":"{span.parent.span_id:016x}"'
    state = context.trace_state.to_header() if context is not None and context.trace_state else ""
    return (
        f'{{{_ids(context)}"name":{_text(span.name)},"kind":{kind},'
        f'"startTimeUnixNano":"{span.start_time or 0}","endTimeUnixNano":"{span.end_time or 0}",'
        f'"attributes":[{_attributes(span.attributes)}],'
        f'"events":[{",".join(map(_event, span.events))}],'
        f'"links":[{",".join(map(_link, span.links))}],'
        f'"status":{{"code":{status.status_code.value},"message":{_text(status.description or "")}}}'
        f"{parent}" + (f',"traceState":{_text(state)}}}' if state else "}")
    )


def _ids(context: SpanContext | None) -> str:
    if context is None:
        return ""
    return f'"traceId":"{context.trace_id:032x}","spanId":"{context.span_id:016x}",'


def _event(event: Event) -> str:
    return (
        f'{{"timeUnixNano":"{event.timestamp}","name":{_text(event.name)},'
        f'"attributes":[{_attributes(event.attributes)}]}}'
    )


def _link(link: Link) -> str:
    return f'{{{_ids(link.context)}"attributes":[{_attributes(link.attributes)}]}}'


def _attributes(attributes: Mapping[str, Any] | None) -> str:
    if not attributes:
        return ""
    # The SDK's own kind of mapping looks each value up again.
    plain = attributes.copy() if hasattr(attributes, "copy") else attributes
    return ",".join([_attribute(key, plain[key]) for key in plain])


def _attribute(key: str, value: Any) -> str:
    if type(value) is str:
        return f'{_key(key)}{{"stringValue":{_text(value)}}}}}'
    return f"{_key(key)}{_value(value)}}}"


@lru_cache(maxsize=1024)
def _key(key: str) -> str:
    return f'{{"key":{_text(key)},"value":'


def _value(value: Any) -> str:
    if isinstance(value, bool):  # before int, which it is as well
        return f'{{"boolValue":{"true" if value else "false"}}}'
    if isinstance(value, int):
        return f'{{"intValue":"{int(value)}"}}'
    if isinstance(value, float):
        # JSON has no other form for these.
        return f'{{"doubleValue":{json.dumps(value if isfinite(value) else _NOT_FINITE[str(value)])}}}'
    if isinstance(value, (list, tuple)):
        return f'{{"arrayValue":{{"values":[{",".join(map(_value, value))}]}}}}'
    return f'{{"stringValue":{_text(str(value))}}}'
