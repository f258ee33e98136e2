"""Calls that Python executes."""

from __future__ import annotations

import functools
import importlib
import inspect
import threading
import time
from contextlib import contextmanager, nullcontext, suppress
from types import TracebackType
from typing import (
    Any,
    AsyncIterator,
    Callable,
    ContextManager,
    Dict,
    Generator,
    Iterator,
    List,
    NamedTuple,
)

from opentelemetry import context as context_api
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Tracer

from ._calls import JOIN, RemoteCall, annotate, fail, is_rays_own, ray_traces_itself
from ._carried import Carried, suppressed
from ._log import warn_unexpected

# Where Ray's versions have what takes a task's arguments apart.
_SIGNATURES = ("ray._common.signature", "ray._private.signature")

# By which Ray's own tracing hands its context to a call; such a call is its own.
_OF_RAYS_TRACING = "_ray_trace_ctx"


class Unpacked(List[Any]):
    """A task's arguments, which bring its context along."""

    carried: Carried


class Arrival(NamedTuple):
    """A call that is about to be executed."""

    task: Any
    """Its id."""

    carried: Carried | None
    is_traced: bool


class Executions:
    """
    Makes a span around each task that is executed. One object for a process.

    A context comes with the arguments. Ray unpacks them on another thread than it executes a
    coroutine on, and many coroutines run at once: so the context waits under its task's id, which
    Ray knows just before it calls the function, and inside a coroutine.
    """

    def __init__(
        self,
        tracer: Tracer,
        flush: Callable[[], None],
        current_task: Callable[[], Any] | None = None,
        traces: Callable[[str], ContextManager[None]] | None = None,
    ) -> None:
        """Inside `traces` of a task's id, a new trace has the id that readers derive for it."""
        self._tracer = tracer
        self._flush = flush
        self._current_task = current_task or _current_task
        self._traces = traces or (lambda _: nullcontext())
        self._has_flushed = False
        self._actor_is_javas = False
        # From one step of Ray's to the next one, on one thread.
        self._recovered = threading.local()
        # From a task's start to its end.
        self._carried: Dict[Any, Carried] = {}

    def install(self) -> None:
        """Wraps what finds the function of a task, and the steps that its arguments take."""
        from ray._private.function_manager import FunctionActorManager
        from ray._private.serialization import SerializationContext
        from ray._private.worker import Worker

        signature = _first_module(_SIGNATURES)
        steps: list[tuple[Any, str, Callable[..., Any]]] = [
            (FunctionActorManager, "get_execution_info", self._found),
            (SerializationContext, "deserialize_objects", self._deserialized),
            (signature, "recover_args", self._recover),
            (Worker, "record_task_log_start", self._start),
            (Worker, "record_task_log_end", self._end),
        ]
        wrapped = [_after(getattr(owner, name), name, step) for owner, name, step in steps]
        for (owner, name, _), wrapper in zip(steps, wrapped):
            setattr(owner, name, wrapper)

    def _found(self, info: Any, *args: Any, **kwargs: Any) -> Any:
        descriptor = kwargs["function_descriptor"] if "function_descriptor" in kwargs else args[2]
        # Ray keeps what it is given here, and asks once for each function.
        return info._replace(function=self.around(info.function, descriptor))

    def _deserialized(self, values: Any, *args: Any, **kwargs: Any) -> Any:
        objects = args[1] if len(args) > 1 else next(iter(kwargs.values()))
        # Each is a tuple of its data, its metadata and, in newer versions, more.
        return self.unpacked(values, [each[1] for each in objects])

    def unpacked(self, values: list[Any], metadata: list[Any]) -> list[Any]:
        """Arguments of a task, or what somebody fetches, which brings nothing."""
        for each in metadata:
            carried = Carried.of(each)
            if carried is not None:
                values = Unpacked(values)
                values.carried = carried
                return values
        return values

    def _recover(self, recovered: Any, flattened_args: Any, *_: Any, **__: Any) -> Any:
        self.recovered(flattened_args)
        return recovered

    def recovered(self, arguments: list[Any]) -> None:
        """Arguments of the task that this thread starts next."""
        if isinstance(arguments, Unpacked):
            self._recovered.carried = arguments.carried

    def _start(self, nothing: Any, _: Any, task_id: Any, *__: Any, **___: Any) -> Any:
        self.started(task_id)
        return nothing

    def started(self, task: Any) -> None:
        """The task whose arguments, if any, this thread has just taken apart."""
        carried = self._recovered.__dict__.pop("carried", None)
        if carried is not None:
            self._carried[task] = carried

    def _end(self, nothing: Any, _: Any, task_id: Any, *__: Any, **___: Any) -> Any:
        self.ended(task_id)
        return nothing

    def ended(self, task: Any) -> None:
        """Whatever became of it."""
        self._carried.pop(task, None)

    def around(self, function: Callable[..., Any], descriptor: Any) -> Callable[..., Any]:
        """A function with a span around each call of it."""
        if descriptor.function_name.startswith("__ray"):
            return function
        # Java knows no hash of a function's code; methods of actors have none in Python either.
        is_javas = not descriptor.function_hash
        if descriptor.class_name and descriptor.function_name == "__init__":
            self._actor_is_javas = is_javas
        call = RemoteCall.of_python(descriptor)
        if is_rays_own(call.owner, call.method):
            return function

        def arrival(kwargs: dict[str, Any]) -> Arrival:
            return self._arrival(self._actor_is_javas if call.is_actor else is_javas, kwargs)

        def execute(*args: Any, **kwargs: Any) -> Any:
            execution = self._begin(call, arrival(kwargs))
            with execution, execution.step():
                return function(*args, **kwargs)

        async def execute_later(*args: Any, **kwargs: Any) -> Any:
            execution = self._begin(call, arrival(kwargs), waits=False)
            with execution, execution.step():
                return await function(*args, **kwargs)

        def generate(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            # Of an asynchronous actor Ray fetches the items where no task's id can be relied on.
            return self._items(call, arrival(kwargs), function(*args, **kwargs))

        async def generate_later(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            items = function(*args, **kwargs)
            with self._begin(call, arrival(kwargs), waits=False) as execution:
                sent = None
                try:
                    while True:
                        with execution.step():
                            try:
                                item = await items.asend(sent)
                            except StopAsyncIteration:
                                return
                        sent = yield item
                finally:
                    with execution.step():
                        await items.aclose()

        method = getattr(function, "method", function)
        wrapper: Callable[..., Any] = execute
        if inspect.iscoroutinefunction(method):
            wrapper = execute_later
        elif inspect.isasyncgenfunction(method):
            wrapper = generate_later
        elif inspect.isgeneratorfunction(method):
            wrapper = generate
        return functools.wraps(function)(wrapper)

    def _items(self, call: RemoteCall, arrival: Arrival, items: Any) -> Generator[Any, Any, Any]:
        with self._begin(call, arrival) as execution:
            sent = None
            try:
                while True:
                    with execution.step():
                        try:
                            item = items.send(sent)
                        except StopIteration as end:
                            return end.value
                    sent = yield item
            finally:
                with execution.step():
                    items.close()

    def _arrival(self, is_javas: bool, kwargs: dict[str, Any]) -> Arrival:
        task = carried = None
        is_traced = False
        try:
            task = self._current_task()
            carried = self._carried.pop(task, None)
            is_traced = carried is not None or (
                _OF_RAYS_TRACING not in kwargs and (is_javas or not ray_traces_itself())
            )
        except Exception as e:  # noqa: BLE001 - tracing must never hurt its host
            warn_unexpected("a task", e)
        return Arrival(task, carried, is_traced)

    def _begin(self, call: RemoteCall, arrival: Arrival, waits: bool = True) -> Execution:
        """Its end waits for the exporter where that must be, unless others run on its thread."""
        span: Span = trace.INVALID_SPAN
        context = context_api.get_current()
        flush = None
        try:
            carried = arrival.carried
            if carried is not None and carried.is_suppressed:
                context = suppressed()
            elif arrival.is_traced:
                span = self._start_span(call, arrival)
                if span.is_recording():
                    annotate(span, _attributes(call, arrival))
                context = trace.set_span_in_context(span)
                flush = self._flush_once if waits else self._flush_last
        except Exception as e:  # noqa: BLE001 - as above
            warn_unexpected("an execution", e)
        return Execution(span, context, flush)

    def _start_span(self, call: RemoteCall, arrival: Arrival) -> Span:
        name = call.name + " ray.remote_worker"
        if arrival.carried is not None:
            return self._tracer.start_span(name, arrival.carried.context, SpanKind.CONSUMER)
        with self._traces(arrival.task.hex()) if arrival.task else nullcontext():
            return self._tracer.start_span(name, Context(), SpanKind.CONSUMER)

    def _flush_once(self, is_last: bool) -> None:
        """Workers may be ended at any time; later calls have the exporter's short delay."""
        if is_last or not self._has_flushed:
            self._has_flushed = True
            self._flush()

    def _flush_last(self, is_last: bool) -> None:
        if is_last:
            self._flush()


class Execution:
    """A call while it is executed: its span, which ends with it, and the context inside."""

    def __init__(self, span: Span, context: Context, flush: Callable[[bool], None] | None) -> None:
        self._span = span
        self._context = context
        self._flush = flush

    @contextmanager
    def step(self) -> Iterator[None]:
        """While the user's code runs. A generator takes many, and between them others run on its
        thread; what it has made current stays so for its next one."""
        token = context_api.attach(self._context)
        try:
            yield
        finally:
            self._context = context_api.get_current()
            context_api.detach(token)

    def __enter__(self) -> Execution:
        return self

    def __exit__(
        self, _: type[BaseException] | None, failure: BaseException | None, __: TracebackType | None
    ) -> None:
        try:
            is_last = _ends_process(failure)
            if failure is not None and not is_last and not isinstance(failure, GeneratorExit):
                fail(self._span, failure)
            self._span.end()
            if self._flush is not None:
                self._flush(is_last)
        except Exception as e:  # noqa: BLE001 - as above
            warn_unexpected("an execution's end", e)


def _ends_process(failure: BaseException | None) -> bool:
    """Whether an actor leaves by this; Ray has an exception of its own for asynchronous ones."""
    return isinstance(failure, SystemExit) or type(failure).__name__ == "AsyncioActorExit"


def _after(original: Callable[..., Any], name: str, step: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Ray's whose result a step of ours is given, with the arguments, and may
    replace. Ray's versions pass different arguments, so all of them are passed on unchanged."""

    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        try:
            return step(result, *args, **kwargs)
        except Exception as e:  # noqa: BLE001 - as above
            warn_unexpected(name, e)
            return result

    return wrapper


def _first_module(names: tuple[str, ...]) -> Any:
    for name in names[:-1]:
        with suppress(ImportError):
            return importlib.import_module(name)
    return importlib.import_module(names[-1])


def _current_task() -> Any:
    from ray._private.worker import global_worker

    return global_worker.core_worker.get_current_task_id()


def _attributes(call: RemoteCall, arrival: Arrival) -> dict[str, Any]:
    import ray

    attributes: dict[str, Any] = {**call.described(ray).attributes}
    with suppress(Exception):  # another version of Ray may know them by other names
        attributes["ray.task_id"] = arrival.task.hex()
        context = ray.get_runtime_context()
        attributes["ray.worker_id"] = context.get_worker_id()
        if call.is_actor:
            attributes["ray.actor_id"] = context.get_actor_id()
    if arrival.carried is None:
        attributes[JOIN] = "ray.task_id"
    elif arrival.carried.sent_at_nanos:
        attributes["roll.queue_ns"] = time.time_ns() - arrival.carried.sent_at_nanos
    return {key: value for key, value in attributes.items() if value is not None}
