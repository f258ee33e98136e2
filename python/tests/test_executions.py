"""What is executed, without Ray: descriptors, metadata and steps as Ray gives them."""

import asyncio
import contextvars
import functools
import inspect
import sys
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

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


class Steps(Executions):
    """Where Ray is in a task, by hand."""

    def __init__(self, tracer):
        self.flushed = []
        self.task = contextvars.ContextVar("task", default=Task("none"))
        super().__init__(tracer, lambda: self.flushed.append(1), self.task.get)

    def start(self, task, metadata=()):
        """Up to the call of its function, on Ray's thread."""
        if metadata:
            self.recovered(self.unpacked([None] * len(metadata), metadata))
        self.started(Task(task))
        self.task.set(Task(task))


class Task(NamedTuple):
    id: str

    def hex(self):
        return self.id


@pytest.fixture
def executions(spans):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    return Steps(provider.get_tracer("ray"))


@pytest.fixture
def rays_tracing(monkeypatch):
    """Ray's own, turned on."""
    helper = ModuleType("ray.util.tracing.tracing_helper")
    helper._is_tracing_enabled = lambda: True
    monkeypatch.setitem(sys.modules, helper.__name__, helper)


def descriptor(function, class_name="", code_hash=""):
    return SimpleNamespace(
        module_name="py_calls",
        class_name=class_name,
        function_name=function,
        function_hash=code_hash,
    )


def test_call_with_a_context_is_its_senders_child(executions, spans):
    inside = executions.around(lambda x: (2 * x, trace.get_current_span()), descriptor("twice"))
    executions.start("t", CARRIED)
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
    ("module_name", "class_name", "method", "is_traced"),
    [
        ("ray.serve._private.controller", "ServeController", "listen_for_change", False),
        ("ray.serve._private.proxy", "ProxyActor", "ready", False),
        ("ray.serve._private.replica", "ServeReplica:app:Policy", "check_health", False),
        ("ray.serve._private.replica", "ServeReplica:app:Policy", "handle_request_streaming", True),
        ("rays", "Policy", "check_health", True),
    ],
)
def test_what_rays_libraries_ask_each_other_has_no_span(
    executions, spans, module_name, class_name, method, is_traced
):
    asked = descriptor(method, class_name)
    asked.module_name = module_name
    executions.around(lambda: None, asked)()
    assert len(spans.get_finished_spans()) == is_traced


@pytest.mark.parametrize("code_hash", ["", "a1"], ids=["Java", "Python"])
def test_call_without_a_context_is_joined(executions, spans, code_hash):
    inside = executions.around(lambda: 3, descriptor("three", code_hash=code_hash))
    executions.start("t", [b"PYTHON"])
    assert inside() == 3
    (span,) = spans.get_finished_spans()
    assert span.name == "py_calls.three ray.remote_worker"
    assert span.parent is None
    assert span.attributes["roll.join"] == "ray.task_id"
    assert span.attributes["ray.task_id"] == "t"


def parents(spans):
    return [span.parent and f"{span.parent.span_id:x}" for span in spans.get_finished_spans()]


def test_context_is_of_one_call_alone(executions, spans):
    inside = executions.around(lambda: None, descriptor("f"))
    executions.start("a", CARRIED)
    inside()
    inside()
    executions.start("b")
    inside()
    executions.start("c", CARRIED)
    executions.start("d")
    inside()
    assert parents(spans) == ["b7ad6b7169203331", None, None, None]


def test_context_of_a_task_that_was_never_called_goes_with_its_end(executions):
    executions.start("a", CARRIED)
    executions.ended(Task("a"))
    assert not executions._carried


def carried(number):
    return [f"XLANG,tp=00-{'ab' * 16}-{number:016x}-01,at=1".encode()]


def test_coroutines_at_once_have_each_their_own_context(executions, spans):
    """Started on one thread one after the other, as Ray does, before the first one runs."""

    async def later(_):
        await asyncio.sleep(0)
        return trace.get_current_span().parent

    execute = executions.around(later, descriptor("later", "Counter"))

    async def run(number):
        executions.task.set(Task(f"t{number}"))
        return await execute(number)

    async def run_all():
        for number in range(1, 100):
            executions.start(f"t{number}", carried(number) if number % 2 else ())
        return await asyncio.gather(*(run(number) for number in range(1, 100)))

    seen = [parent and parent.span_id for parent in asyncio.run(run_all())]
    assert seen == [number if number % 2 else None for number in range(1, 100)]
    assert len(spans.get_finished_spans()) == 99
    assert not executions._carried
    executions.start("synchronous")
    assert executions.around(lambda: trace.get_current_span().parent, descriptor("f"))() is None


def test_span_lasts_as_long_as_the_coroutine(executions, spans):
    async def later():
        await asyncio.sleep(0)
        assert not spans.get_finished_spans()
        return trace.get_current_span().get_span_context().span_id

    inside = executions.around(later, descriptor("later", "Counter"))
    assert asyncio.iscoroutinefunction(inside)
    span_id = asyncio.run(inside())
    assert [span.context.span_id for span in spans.get_finished_spans()] == [span_id]


@pytest.mark.parametrize("fails", [ValueError("why"), asyncio.CancelledError("why")])
def test_failure_of_a_coroutine_is_the_callers_and_the_spans(executions, spans, fails):
    async def later():
        raise fails

    async def awaits():
        with pytest.raises(type(fails)) as raised:  # outside, Python 3.9 has another exception
            await executions.around(later, descriptor("later", "Counter"))()
        assert raised.value is fails

    asyncio.run(awaits())
    (span,) = spans.get_finished_spans()
    assert span.status.description == f"{type(fails).__name__}: why"


def items(log):
    with trace.get_tracer("user").start_as_current_span("by hand"):
        for number in range(2):
            log.append((yield number))
            log.append(trace.get_current_span())


async def items_later(log):
    for number in range(2):
        await asyncio.sleep(0)
        log.append((yield number))
        log.append(trace.get_current_span())


def test_span_lasts_as_long_as_the_generator_and_is_nobodys_between(executions, spans):
    executions.start("t", CARRIED)
    log = []
    generator = executions.around(items, descriptor("items"))(log)
    assert inspect.isgenerator(generator)
    executions.start("another")  # Ray may fetch items while it executes others
    nothing = get_current()
    assert generator.send(None) == 0
    assert get_current() == nothing
    assert generator.send("stats") == 1
    assert not spans.get_finished_spans()
    assert list(generator) == []
    (span,) = spans.get_finished_spans()
    assert parents(spans) == ["b7ad6b7169203331"]
    assert span.attributes["ray.task_id"] == "t"
    assert log[::2] == ["stats", None]
    assert get_current() == nothing


def test_span_of_an_asynchronous_generator_lasts_as_long(executions, spans):
    async def consume():
        executions.start("t", CARRIED)
        log = []
        generator = executions.around(items_later, descriptor("items", "Counter"))(log)
        assert inspect.isasyncgen(generator)
        assert await generator.asend(None) == 0
        assert not trace.get_current_span().get_span_context().is_valid
        assert await generator.asend("stats") == 1
        assert not spans.get_finished_spans()
        assert [item async for item in generator] == []
        return log

    log = asyncio.run(consume())
    (span,) = spans.get_finished_spans()
    assert parents(spans) == ["b7ad6b7169203331"]
    assert log == ["stats", log[1], None, log[1]]
    assert log[1].get_span_context() == span.get_span_context()


def test_generators_that_are_left_end_their_spans_without_an_error(executions, spans):
    closed = []

    def endless():
        try:
            while True:
                yield 1
        finally:
            closed.append(1)

    async def endless_later():
        try:
            while True:
                yield 1
        finally:
            closed.append(1)

    generator = executions.around(endless, descriptor("endless"))()
    next(generator)
    generator.close()

    async def leave():
        later = executions.around(endless_later, descriptor("later", "Counter"))()
        await later.asend(None)
        await later.aclose()

    asyncio.run(leave())
    assert closed == [1, 1]
    assert [span.status.status_code for span in spans.get_finished_spans()] == [
        StatusCode.UNSET,
        StatusCode.UNSET,
    ]


@pytest.mark.parametrize("later", [False, True])
def test_exception_of_a_generator_is_the_callers_and_the_spans(executions, spans, later):
    def fails():
        yield 1
        raise ValueError("why")

    async def fails_later():
        yield 1
        raise ValueError("why")

    async def consume(generator):
        return [item async for item in generator]

    with pytest.raises(ValueError, match="why"):
        if later:
            asyncio.run(consume(executions.around(fails_later, descriptor("f", "Counter"))()))
        else:
            list(executions.around(fails, descriptor("f"))())
    (span,) = spans.get_finished_spans()
    assert span.status.description == "ValueError: why"


@pytest.mark.parametrize(
    ("creator", "brought", "expected"),
    [("", {}, 2), ("a1", {}, 0), ("a1", {"_ray_trace_ctx": {}}, 0)],
)
def test_calls_of_python_are_rays_where_its_own_tracing_is_on(
    executions, spans, rays_tracing, creator, brought, expected
):
    for name, code_hash in (("__init__", creator), ("read", "")):
        executions.around(lambda **_: None, descriptor(name, "Counter", code_hash))(**brought)
    assert len(spans.get_finished_spans()) == expected


def test_call_that_brings_rays_context_is_rays(executions, spans):
    executions.around(lambda **_: None, descriptor("f", code_hash="a1"))(_ray_trace_ctx={})
    assert not spans.get_finished_spans()


@pytest.mark.parametrize(
    ("function", "class_name", "shown"),
    [
        ("twice", "", "py_calls.twice"),
        ("make.<locals>.twice", "", "py_calls.twice"),
        ("add", "Counter", "Counter.add"),
        ("add", "make.<locals>.Counter", "Counter.add"),
        ("add", "Outer.Inner", "Inner.add"),
    ],
)
def test_what_a_factory_makes_has_its_own_name(executions, spans, function, class_name, shown):
    executions.around(lambda: None, descriptor(function, class_name))()
    (span,) = spans.get_finished_spans()
    assert span.name == f"{shown} ray.remote_worker"


def test_exception_is_the_callers_and_the_spans(executions, spans):
    def fails():
        raise ValueError("why")

    executions.start("t", CARRIED)
    with pytest.raises(ValueError, match="why"):
        executions.around(fails, descriptor("fails"))()
    (span,) = spans.get_finished_spans()
    assert span.status.status_code == StatusCode.ERROR
    assert span.events[0].attributes["exception.message"] == "why"


def test_exception_without_a_text_is_the_callers_and_the_spans(executions, spans):
    class Textless(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    def fails():
        raise Textless

    with pytest.raises(Textless):
        executions.around(fails, descriptor("fails"))()
    (span,) = spans.get_finished_spans()
    assert span.status.status_code == StatusCode.ERROR
    assert span.status.description == "Textless"
    assert executions.flushed == [1]


def test_first_call_and_the_last_are_flushed(executions, spans):
    def leaves():
        raise SystemExit

    class AsyncioActorExit(Exception):
        """As Ray's."""

    async def leaves_later():
        raise AsyncioActorExit

    work = executions.around(lambda: None, descriptor("f"))
    work()
    work()
    assert len(executions.flushed) == 1
    with pytest.raises(SystemExit):
        executions.around(leaves, descriptor("g"))()
    assert len(executions.flushed) == 2
    with pytest.raises(AsyncioActorExit):
        asyncio.run(executions.around(leaves_later, descriptor("h", "Counter"))())
    assert len(executions.flushed) == 3
    assert {span.status.status_code for span in spans.get_finished_spans()} == {StatusCode.UNSET}


def test_coroutine_never_waits_for_the_exporter(executions):
    async def later():
        pass

    asyncio.run(executions.around(later, descriptor("later", "Counter"))())
    assert not executions.flushed


def test_suppressed_call_makes_no_span_and_hands_that_on(executions, spans):
    executions.start("t", [b"JAVA,tp=-,at=1"])
    inside = executions.around(get_current, descriptor("f"))()
    assert not spans.get_finished_spans()
    assert is_suppressed(inside)
    assert Carried.nothing_now().is_suppressed
    assert not is_suppressed(get_current())


def test_what_rays_executor_knows_of_a_method_stays(executions):
    def method(self):
        pass

    executor = functools.partial(method)
    executor.method = method
    executor.name = "method"
    assert executions.around(executor, descriptor("method", "Counter")).method is method


def test_rays_own_methods_are_left_alone(executions):
    for name in ("__ray_terminate__", "__ray_ready__", "__ray_call__"):
        assert executions.around(len, descriptor(name, "Counter")) is len
