"""Spans of calls as this process's own exporter takes them. The SDK's cost several times as much,
which is much of what a call costs."""

from __future__ import annotations

import time
from typing import Any, Iterable, Mapping

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import DEFAULT_ON
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags, TraceState
from opentelemetry.util.types import AttributeValue

from ._calls import Described
from ._json import attributes_of, text

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)


class CallSpans:
    """Makes them, as long as nobody but our exporter takes the provider's spans and nobody but the
    parent decides whether there are any."""

    def __init__(self, provider: TracerProvider, processor: SpanProcessor, scope: str) -> None:
        self.resource = provider.resource
        self.scope = InstrumentationScope(scope, "")
        self.processor = processor
        self._ids = provider.id_generator
        self._all: Any = getattr(provider, "_active_span_processor", None)
        self._is_parents = provider.sampler is DEFAULT_ON

    def start(self, name: str, context: Context) -> CallSpan | None:
        """None where the SDK is to make it."""
        processors = getattr(self._all, "_span_processors", ())
        if not self._is_parents or len(processors) != 1:
            return None
        parent = trace.get_current_span(context).get_span_context()
        if not parent.is_valid:
            return CallSpan(self, name, self._ids.generate_trace_id(), None)
        if not parent.trace_flags.sampled:
            return None
        return CallSpan(self, name, parent.trace_id, parent)

    def span_id(self) -> int:
        return self._ids.generate_span_id()


class CallSpan:
    """A call that was submitted; one that fails there is the SDK's."""

    __slots__ = (
        "_of", "name", "trace_id", "span_id", "parent", "start", "end_time", "_told", "_ids"
    )

    # By what a processor sees whether a span is sampled.
    context = SpanContext(1, 1, False, _SAMPLED)

    trace_flags = _SAMPLED

    def __init__(self, of: CallSpans, name: str, trace_id: int, parent: SpanContext | None) -> None:
        self._of = of
        self.name = name
        self.trace_id = trace_id
        self.span_id = of.span_id()
        self.parent = parent
        self.start = time.time_ns()

    def end(self, told: Described, ids: Mapping[str, AttributeValue]) -> None:
        self.end_time = time.time_ns()
        self._told = told
        self._ids = ids
        sent: Any = self
        self._of.processor.on_end(sent)

    @property
    def resource(self) -> Any:
        return self._of.resource

    @property
    def instrumentation_scope(self) -> InstrumentationScope:
        return self._of.scope

    def written(self) -> str:
        """As OTLP's JSON has it."""
        parent = state = ""
        if self.parent is not None:
            parent = f',"parentSpanId":"{self.parent.span_id:016x}"'
            if self.parent.trace_state:
                state = f',"traceState":{text(self.parent.trace_state.to_header())}'
        ids = attributes_of(self._ids)
        return (
            f'{{"traceId":"{self.trace_id:032x}","spanId":"{self.span_id:016x}",'
            f'"name":{text(self.name)},"kind":4,"startTimeUnixNano":"{self.start}",'
            f'"endTimeUnixNano":"{self.end_time}",'
            f'"attributes":[{self._told.written}{"," if ids else ""}{ids}],"events":[],"links":[],'
            f'"status":{{"code":0,"message":""}}{parent}{state}}}'
        )

    def readable(self) -> ReadableSpan:
        """As the SDK has it."""
        state = self.parent.trace_state if self.parent is not None else TraceState()
        return ReadableSpan(
            self.name,
            SpanContext(self.trace_id, self.span_id, False, _SAMPLED, state),
            self.parent,
            self.resource,
            {**self._told.attributes, **self._ids},
            kind=SpanKind.PRODUCER,
            instrumentation_scope=self.instrumentation_scope,
            start_time=self.start,
            end_time=self.end_time,
        )


def readable(spans: Iterable[Any]) -> list[ReadableSpan]:
    """All of them as the SDK has them."""
    return [span.readable() if isinstance(span, CallSpan) else span for span in spans]
