"""OTLP's JSON, written by hand: json.dumps and the objects that it wants take four times as
long."""

from __future__ import annotations

import json
import json.encoder
from base64 import b64encode
from collections import defaultdict
from collections.abc import Mapping as MappingABC
from functools import lru_cache
from math import isfinite
from typing import Any, Callable, Mapping, Sequence

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Link, SpanContext

text = json.encoder.encode_basestring_ascii

_MOST_NANOS = (1 << 63) - 1
_MOST_INT = 1 << 63

_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def request_of(spans: Sequence[ReadableSpan]) -> str:
    """An export request."""
    resources: dict[Any, dict[Any, list[ReadableSpan]]] = defaultdict(lambda: defaultdict(list))
    for span in spans:
        resources[span.resource][span.instrumentation_scope].append(span)
    return '{"resourceSpans":[' + ",".join(map(_resource, resources.items())) + "]}"


def _resource(spans: tuple[Any, dict[Any, list[ReadableSpan]]]) -> str:
    resource, scopes = spans
    return (
        f'{{"resource":{{"attributes":[{attributes_of(resource.attributes)}]}},'
        f'"scopeSpans":[{",".join(map(_scope, scopes.items()))}]}}'
    )


def _scope(spans: tuple[Any, list[ReadableSpan]]) -> str:
    scope, of_scope = spans
    return (
        f'{{"scope":{{"name":{text(scope.name)},"version":{text(scope.version or "")}}},'
        f'"spans":[{",".join(map(_span, of_scope))}]}}'
    )


def _span(span: ReadableSpan) -> str:
    written: Callable[[], str] | None = getattr(span, "written", None)
    if written is not None:
        return written()
    context = span.get_span_context()
    kind = span.kind.value + 1  # OTLP counts from one
    status = span.status
    parent = "" if span.parent is None else f',"parentSpanId":"{span.parent.span_id:016x}"'
    state = context.trace_state.to_header() if context is not None and context.trace_state else ""
    return (
        f'{{{_ids(context)}"name":{text(str(span.name))},"kind":{kind},'
        f'"startTimeUnixNano":"{nanos(span.start_time)}",'
        f'"endTimeUnixNano":"{nanos(span.end_time)}",'
        f'"attributes":[{attributes_of(span.attributes)}],'
        f'"events":[{",".join(map(_event, span.events))}],'
        f'"links":[{",".join(map(_link, span.links))}],'
        f'"status":{{"code":{status.status_code.value},"message":{text(status.description or "")}}}'
        f"{parent}" + (f',"traceState":{text(state)}}}' if state else "}")
    )


def nanos(time: Any) -> int:
    """
    A time as the formats have it; 0 for what is none. Users give what they like, such as
    `time.time() * 1e9`, and this runs in their calls, so it must not raise.
    """
    try:
        return min(max(0, int(time or 0)), _MOST_NANOS)
    except Exception:  # noqa: BLE001 - a datetime, a text, not a number
        return 0


def _ids(context: SpanContext | None) -> str:
    if context is None:
        return ""
    return f'"traceId":"{context.trace_id:032x}","spanId":"{context.span_id:016x}",'


def _event(event: Event) -> str:
    return (
        f'{{"timeUnixNano":"{nanos(event.timestamp)}","name":{text(str(event.name))},'
        f'"attributes":[{attributes_of(event.attributes)}]}}'
    )


def _link(link: Link) -> str:
    return f'{{{_ids(link.context)}"attributes":[{attributes_of(link.attributes)}]}}'


def attributes_of(attributes: Mapping[str, Any] | None) -> str:
    if not attributes:
        return ""
    # The SDK's own kind of mapping looks each value up again.
    plain = attributes.copy() if hasattr(attributes, "copy") else attributes
    return ",".join([_attribute(key, plain[key]) for key in plain])


def _attribute(key: str, value: Any) -> str:
    if type(value) is str:
        return f'{_key(key)}{{"stringValue":{text(value)}}}}}'
    return f"{_key(key)}{_value(value)}}}"


@lru_cache(maxsize=1024)
def _key(key: str) -> str:
    return f'{{"key":{text(key)},"value":'


def _value(value: Any) -> str:
    if isinstance(value, bool):  # before int, which it is as well
        return f'{{"boolValue":{"true" if value else "false"}}}'
    if isinstance(value, int) and -_MOST_INT <= value < _MOST_INT:
        return f'{{"intValue":"{int(value)}"}}'
    if isinstance(value, float):
        # JSON has no other form for these.
        number = value if isfinite(value) else _NOT_FINITE[str(value)]
        return f'{{"doubleValue":{json.dumps(number)}}}'
    if isinstance(value, (list, tuple)):
        return f'{{"arrayValue":{{"values":[{",".join(map(_value, value))}]}}}}'
    # Newer SDKs keep these three as they are.
    if isinstance(value, bytes):
        return f'{{"bytesValue":"{b64encode(value).decode()}"}}'
    if isinstance(value, MappingABC):
        pairs = ",".join([_attribute(str(key), value[key]) for key in value])
        return f'{{"kvlistValue":{{"values":[{pairs}]}}}}'
    if value is None:
        return "{}"
    return f'{{"stringValue":{text(str(value))}}}'
