"""What Ray's own functions are given: all that Ray passes, whatever fails inside tracing."""

import functools
import sys
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from roll_otel_ray import _log, _senders
from roll_otel_ray._call_spans import CallSpans
from roll_otel_ray._executions import Executions

CARRIED = b"XLANG,tp=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01,at=1000"


class JavaFunctionDescriptor:
    class_name, function_name = "com.example.Worker", "generate"


class Descriptor(NamedTuple):
    module_name: str = "py_calls"
    class_name: str = ""
    function_name: str = "twice"
    function_hash: str = ""


class Info(NamedTuple):
    function: object


class FunctionActorManager:
    def get_execution_info(self, job_id, function_descriptor, *newer):
        return Info(lambda x: 2 * x)


class SerializationContext:
    def deserialize_objects(self, objects, references, *newer):
        return ["value of", *references, *newer]


class Worker:
    def put_object(self, value, *newer, **newest):
        return "reference of", value, newer, newest

    def record_task_log_start(self, *newer, **newest):
        return "started", *newer, newest

    def record_task_log_end(self, *newer, **newest):
        return "ended", *newer, newest


class Remote:
    """Ray's three classes in one: they differ in where the descriptor is."""

    def __init__(self):
        self._function_descriptor = JavaFunctionDescriptor()
        self._ray_actor_creation_function_descriptor = JavaFunctionDescriptor()
        self.__ray_metadata__ = SimpleNamespace(
            actor_creation_function_descriptor=JavaFunctionDescriptor()
        )

    def _remote(self, *args, **kwargs):
        return "reference", args, kwargs

    def _actor_method_call(self, method_name, *args, **kwargs):
        return "reference", method_name, args, kwargs


class Broken:
    """A tracer whose every method fails."""

    def __getattr__(self, name):
        raise RuntimeError("broken " + name)


@pytest.fixture(params=["ray._private.signature", "ray._common.signature"])
def signature(request, monkeypatch):
    """The module of what takes arguments apart, which Ray has moved."""
    monkeypatch.setitem(sys.modules, "ray._common", ModuleType("ray._common"))
    monkeypatch.setitem(sys.modules, "ray._common.signature", None)
    return request.param


@pytest.fixture
def ray(monkeypatch, signature):
    def module(name, **content):
        made = ModuleType(name)
        vars(made).update(content)
        monkeypatch.setitem(sys.modules, name, made)
        return made

    def copy(of):
        return type(of.__name__, (), dict(vars(of)))

    functions = module(
        "ray._private.function_manager", FunctionActorManager=copy(FunctionActorManager)
    )
    packs = module(
        "ray._private.serialization",
        SerializationContext=copy(SerializationContext),
        MessagePackSerializedObject=lambda *args, **kwargs: (args, kwargs),
    )
    worker = module("ray._private.worker", Worker=copy(Worker))
    module(
        signature,
        recover_args=lambda flattened_args, *newer: (flattened_args, dict(enumerate(newer))),
    )
    actor = module("ray.actor", ActorClass=copy(Remote), ActorHandle=copy(Remote))
    remote = module("ray.remote_function", RemoteFunction=copy(Remote))
    private = module("ray._private", function_manager=functions, serialization=packs, worker=worker)
    monkeypatch.setattr(_log, "_surprises", set())
    return module("ray", __version__="9.9.9", _private=private, actor=actor, remote_function=remote)


@pytest.mark.parametrize(
    ("objects", "newer", "lines"),
    [
        ([(b"data", CARRIED)], (), 0),
        ([(b"data", CARRIED, "transport")], ({},), 0),
        ([(b"data", None)], (), 0),
        ([7], ({}, "more"), 1),
        (None, (), 1),
    ],
)
def test_arguments_of_any_shape_are_unpacked_by_ray(ray, capsys, objects, newer, lines):
    Executions(Broken(), lambda: None).install()
    context = ray._private.serialization.SerializationContext()
    for _ in range(2):
        assert context.deserialize_objects(objects, ["a"], *newer) == ["value of", "a", *newer]
    assert context.deserialize_objects(objects=[], references=["a"]) == ["value of", "a"]
    said = capsys.readouterr().err
    assert said.count("Ray 9.9.9 is not as expected at deserialize_objects") == lines


@pytest.mark.parametrize("descriptor", [Descriptor(), "another descriptor"])
def test_execution_works_where_tracing_fails(ray, capsys, descriptor):
    Executions(Broken(), lambda: None).install()
    manager = ray._private.function_manager.FunctionActorManager()
    for _ in range(2):
        assert manager.get_execution_info("job", descriptor).function(21) == 42
    assert manager.get_execution_info("job", descriptor, "newer").function(21) == 42
    by_name = manager.get_execution_info(job_id="job", function_descriptor=descriptor)
    assert by_name.function(21) == 42
    assert capsys.readouterr().err.count("is not as expected") == 1


def test_steps_of_a_task_are_rays_whatever_they_pass(ray, signature, capsys):
    Executions(Broken(), lambda: None).install()
    worker = ray._private.worker.Worker()
    for step, said in (("start", "started"), ("end", "ended")):
        record = getattr(worker, f"record_task_log_{step}")
        assert record("task", 0, "newer") == (said, "task", 0, "newer", {})
        assert record(task_id="task", newer=1) == (said, {"task_id": "task", "newer": 1})
        for _ in range(2):
            assert record(newest="task") == (said, {"newest": "task"})
    recover = sys.modules[signature].recover_args
    assert recover([1], "newer") == ([1], {0: "newer"})
    assert recover(flattened_args=[1]) == ([1], {})
    said = capsys.readouterr().err
    assert said.count("is not as expected at record_task_log_start") == 1
    assert said.count("is not as expected at record_task_log_end") == 1
    assert "recover_args" not in said


def test_calls_are_made_where_tracing_fails(ray, capsys):
    _senders.install(Broken(), "run")
    function = ray.remote_function.RemoteFunction()
    assert function._remote([1], newer=True) == ("reference", ([1],), {"newer": True})
    assert ray.actor.ActorClass()._remote() == ("reference", (), {})
    handle = ray.actor.ActorHandle()
    assert handle._actor_method_call("add", [1]) == ("reference", "add", ([1],), {})
    assert handle._actor_method_call(method_name="add") == ("reference", "add", (), {})
    assert ray._private.worker.Worker().put_object(1, 2, newest=3) == (
        "reference of",
        1,
        (2,),
        {"newest": 3},
    )
    pack = ray._private.serialization.MessagePackSerializedObject
    assert pack(b"XLANG", 1, newer=2) == ((b"XLANG", 1), {"newer": 2})
    assert capsys.readouterr().err.count("Ray 9.9.9 is not as expected at a call") == 1


def test_exception_of_a_call_is_the_callers(ray, capsys):
    def fails(self, *args):
        raise ValueError("of Ray")

    ray.remote_function.RemoteFunction._remote = fails
    _senders.install(Broken(), "run")
    with pytest.raises(ValueError, match="of Ray"):
        ray.remote_function.RemoteFunction()._remote()


class PythonFunctionDescriptor:
    module_name, class_name, function_name = "py_calls", "", "twice"


def in_memory():
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    processor = SimpleSpanProcessor(exporter)
    provider.add_span_processor(processor)
    return provider.get_tracer("ray"), CallSpans(provider, processor, "ray"), exporter


@pytest.mark.parametrize("with_own_spans", [True, False])
def test_call_that_cannot_be_submitted_is_an_error(ray, with_own_spans):
    def fails(self, *args):
        raise ValueError("of Ray")

    ray.remote_function.RemoteFunction._remote = fails
    tracer, spans, exporter = in_memory()
    _senders.install(tracer, "run", spans if with_own_spans else None)
    with pytest.raises(ValueError, match="of Ray"):
        ray.remote_function.RemoteFunction()._remote()
    (span,) = exporter.get_finished_spans()
    assert span.status.description == "ValueError: of Ray"
    assert span.attributes["ray.function"] == "com.example.Worker.generate"
    assert span.events[0].name == "exception"


def test_call_that_fails_without_a_text_is_an_error(ray):
    class Textless(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    def fails(self):
        raise Textless

    ray.remote_function.RemoteFunction._remote = fails
    tracer, spans, exporter = in_memory()
    _senders.install(tracer, "run", spans)
    with pytest.raises(Textless):
        ray.remote_function.RemoteFunction()._remote()
    (span,) = exporter.get_finished_spans()
    assert span.status.description == "Textless"


def test_calls_by_ray_client_have_no_span_and_one_line_says_so(ray, monkeypatch, capsys):
    hook = ModuleType("ray._private.client_mode_hook")
    hook.client_mode_should_convert = lambda: True
    monkeypatch.setitem(sys.modules, hook.__name__, hook)
    tracer, spans, exporter = in_memory()
    _senders.install(tracer, "run", spans)
    for _ in range(2):
        assert ray.remote_function.RemoteFunction()._remote(5) == ("reference", (5,), {})
    assert exporter.get_finished_spans() == ()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "calls by Ray Client (ray://) are not traced" in said


def test_what_an_argument_puts_while_it_is_packed_takes_no_context(ray):
    packs = ray._private.serialization
    ray._private.worker.Worker.put_object = lambda self, value: packs.MessagePackSerializedObject(
        b"PYTHON", value
    )
    packed = {}

    def remote(self):
        packed["put"] = ray._private.worker.Worker().put_object(1)
        packed["argument"] = packs.MessagePackSerializedObject(b"PYTHON", 2)

    ray.remote_function.RemoteFunction._remote = remote
    tracer, spans, _ = in_memory()
    _senders.install(tracer, "run", spans)
    function = ray.remote_function.RemoteFunction()
    function._function_descriptor = PythonFunctionDescriptor()
    function._remote()
    assert packed["put"] == ((b"PYTHON", 1), {})
    assert packed["argument"][0][0].startswith(b"PYTHON,tp=00-")
    assert packs.MessagePackSerializedObject(b"PYTHON", 3) == ((b"PYTHON", 3), {})


def test_creation_of_a_java_actor_goes_past_rays_own_tracing(ray, monkeypatch):
    helper = ModuleType("ray.util.tracing.tracing_helper")
    helper._is_tracing_enabled = lambda: True
    monkeypatch.setitem(sys.modules, helper.__name__, helper)
    plain = ray.actor.ActorClass._remote

    @functools.wraps(plain)
    def traced(self, *args, **kwargs):
        return plain(self, *args, _ray_trace_ctx={}, **kwargs)

    ray.actor.ActorClass._remote = traced
    tracer, spans, exporter = in_memory()
    _senders.install(tracer, "run", spans)
    assert ray.actor.ActorClass()._remote() == ("reference", (), {})
    assert len(exporter.get_finished_spans()) == 1
    python = ray.actor.ActorClass()
    python.__ray_metadata__ = SimpleNamespace(
        actor_creation_function_descriptor=PythonFunctionDescriptor()
    )
    assert python._remote() == ("reference", (), {"_ray_trace_ctx": {}})
    assert len(exporter.get_finished_spans()) == 1
