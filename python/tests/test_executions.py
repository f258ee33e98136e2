"""What is executed for Java, without Ray: descriptors and metadata as Ray gives them."""

import asyncio
import functools
from types import SimpleNamespace

import pytest
from opentelemetry import trace
from opentelemetry.context import get_current
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from roll_otel_ray._carried import Carried, is_suppressed
from roll_otel_ray._executions import Executions

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
CARRIED = [b"PYTHON", f"XLANG,tp={TRACEPARENT},at=1000".encode()]


@pytest.fixture
def spans():
    return InMemorySpanExporter()


@pytest.fixture
def executions(spans):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    flushed = []
    made = Executions(provider.get_tracer("ray"), lambda: flushed.append(1))
    made.flushed = flushed
    return made


def descriptor(function, class_name="", code_hash=""):
    return SimpleNamespace(
        module_name="py_calls",
        class_name=class_name,
        function_name=function,
        function_hash=code_hash,
    )


def test_call_with_a_context_is_its_senders_child(executions, spans):
    inside = executions.around(lambda x: (2 * x, trace.get_current_span()), descriptor("twice"))
    executions.arrived(CARRIED)
    value, current = inside(21)

    (span,) = spans.get_finished_spans()
    assert value == 42
    assert current.get_span_context() == span.get_span_context()
    assert (span.name, span.kind) == ("py_calls.twice ray.remote_worker", SpanKind.CONSUMER)
    assert f"{span.parent.span_id:016x}" == "b7ad6b7169203331"
    assert "roll.join" not in span.attributes
    assert span.attributes["roll.queue_ns"] > 0
    assert span.attributes["ray.function"] == "py_calls.twice"


@pytest.mark.parametrize(
    ("code_hash", "names"), [("", ["py_calls.three ray.remote_worker"]), ("a1", [])]
)
def test_call_without_a_context_is_joined_if_it_is_of_java(executions, spans, code_hash, names):
    inside = executions.around(lambda: 3, descriptor("three", code_hash=code_hash))
    executions.arrived([b"PYTHON"])
    assert inside() == 3
    assert [span.name for span in spans.get_finished_spans()] == names
    for span in spans.get_finished_spans():
        assert span.parent is None
        assert span.attributes["roll.join"] == "ray.task_id"


def test_context_is_of_one_call_alone(executions, spans):
    inside = executions.around(lambda: None, descriptor("f", code_hash="a1"))
    executions.arrived(CARRIED)
    inside()
    inside()
    assert len(spans.get_finished_spans()) == 1


@pytest.mark.parametrize(("creator", "expected"), [("", 2), ("a1", 0)])
def test_methods_are_of_whoever_made_the_actor(executions, spans, creator, expected):
    for name, code_hash in (("__init__", creator), ("read", "")):
        executions.around(lambda: None, descriptor(name, "Counter", code_hash))()
    assert len(spans.get_finished_spans()) == expected
    for span in spans.get_finished_spans():
        assert span.name.startswith("Counter.")
        assert span.attributes["ray.actor_class"] == "py_calls.Counter"


def test_exception_is_the_callers_and_the_spans(executions, spans):
    def fails():
        raise ValueError("why")

    executions.arrived(CARRIED)
    with pytest.raises(ValueError, match="why"):
        executions.around(fails, descriptor("fails"))()
    (span,) = spans.get_finished_spans()
    assert span.status.status_code == StatusCode.ERROR
    assert span.events[0].attributes["exception.message"] == "why"


def test_first_call_and_the_last_are_flushed(executions):
    def leaves():
        raise SystemExit

    work = executions.around(lambda: None, descriptor("f"))
    work()
    work()
    assert len(executions.flushed) == 1
    with pytest.raises(SystemExit):
        executions.around(leaves, descriptor("g"))()
    assert len(executions.flushed) == 2


def test_suppressed_call_makes_no_span_and_hands_that_on(executions, spans):
    executions.arrived([b"JAVA,tp=-,at=1"])
    inside = executions.around(get_current, descriptor("f"))()
    assert not spans.get_finished_spans()
    assert is_suppressed(inside)
    assert Carried.now(inside).is_suppressed
    assert not is_suppressed(get_current())


def test_what_rays_executor_knows_of_a_method_stays(executions):
    def method(self):
        pass

    executor = functools.partial(method)
    executor.method = method
    executor.name = "method"
    assert executions.around(executor, descriptor("method", "Counter")).method is method


def test_coroutines_and_rays_own_methods_are_left_alone(executions):
    async def later():
        return 1

    def one_by_one():
        yield 1

    for function, name in ((later, "later"), (one_by_one, "one"), (len, "__ray_terminate__")):
        assert executions.around(function, descriptor(name, "Counter")) is function
    assert asyncio.run(later()) == 1
