"""Spans of calls without the SDK's cost: the same as its own, and its own where it must decide."""

import json
from types import SimpleNamespace

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, TraceState

from roll_otel_ray._call_spans import CallSpans, readable
from roll_otel_ray._calls import RemoteCall
from roll_otel_ray._json import request_of


def below(flags=1, state=()):
    parent = SpanContext(0xAB, 0xCD, True, TraceFlags(flags), TraceState(state))
    return trace.set_span_in_context(NonRecordingSpan(parent), Context())


def made(**settings):
    provider, exporter = TracerProvider(**settings), InMemorySpanExporter()
    processor = SimpleSpanProcessor(exporter)
    provider.add_span_processor(processor)
    return CallSpans(provider, processor, "ray"), provider, exporter


@pytest.mark.parametrize("context", [Context(), below(), below(state=[("a", "1")])])
def test_span_of_a_call_is_written_as_the_sdk_has_it(context):
    spans, _, exporter = made()
    span = spans.start("Counter.add ray.remote", context)
    described = RemoteCall("m.Counter", "add", True).described(None)
    span.end(described, {"ray.task_id": 't\u2028"', "roll.join": "ray.task_id"})
    taken = exporter.get_finished_spans()
    assert json.loads(request_of(taken)) == json.loads(request_of(readable(taken)))
    (shown,) = readable(taken)
    assert shown.start_time <= shown.end_time
    assert shown.attributes["ray.actor_method"] == "add"
    assert (
        shown.context.trace_state == trace.get_current_span(context).get_span_context().trace_state
    )
    (scope,) = json.loads(request_of(taken))["resourceSpans"][0]["scopeSpans"]
    assert (scope["scope"]["name"], scope["spans"][0]["kind"]) == ("ray", 4)


def test_spans_of_both_kinds_are_in_one_scope():
    spans, provider, exporter = made()
    spans.start("a", Context()).end(RemoteCall("m", "f", False).described(None), {})
    provider.get_tracer("ray", "").start_span("b").end()
    (resource,) = json.loads(request_of(exporter.get_finished_spans()))["resourceSpans"]
    assert [len(each["spans"]) for each in resource["scopeSpans"]] == [2]


def test_sdk_makes_it_where_it_must_decide_or_others_are_to_see_it():
    spans, provider, _ = made()
    assert spans.start("a", below()) is not None
    assert spans.start("a", below(flags=0)) is None
    provider.add_span_processor(SimpleSpanProcessor(InMemorySpanExporter()))
    assert spans.start("a", below()) is None
    assert made(sampler=ALWAYS_OFF)[0].start("a", Context()) is None


class Id(str):
    def hex(self):
        return str(self)


class Connection:
    session_name = "s"


class Worker(SimpleNamespace):
    __hash__ = object.__hash__


@pytest.mark.parametrize("mode", ["driver", "worker"])
def test_job_is_asked_for_anew_by_workers_and_after_a_driver_has_connected_again(mode):
    worker = Worker(
        mode=mode, node=Connection(), current_job_id=Id("1"), current_node_id=Id("n")
    )
    ray = SimpleNamespace(
        SCRIPT_MODE="driver",
        _private=SimpleNamespace(worker=SimpleNamespace(global_worker=worker)),
    )
    call = RemoteCall("m.Counter", "add", True)

    def job():
        return call.described(ray).attributes.get("ray.job_id")

    assert job() == "1"
    worker.current_job_id = Id("2")
    assert job() == ("1" if mode == "driver" else "2")
    worker.node = Connection()
    assert job() == "2"
    worker.node = None
    worker.current_job_id = None
    assert job() is None
