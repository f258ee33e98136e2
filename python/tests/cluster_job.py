"""A driver and what it calls, for test_cluster: says what the spans must be."""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

import ray
from opentelemetry import trace

import roll_otel_ray

MANY = 1_000


def span_ids():
    """Those inside of which this is called: of the execution, and of the call."""
    span = trace.get_current_span()
    parent = getattr(span, "parent", None)
    own = span.get_span_context()
    return (f"{own.span_id:016x}" if own.is_valid else None, parent and f"{parent.span_id:016x}")


@ray.remote
class Asynchronous:
    async def waits(self, number):
        began, before = time.time_ns(), span_ids()
        await asyncio.sleep(number % 7 / 1000)
        return [began, time.time_ns()], before, span_ids()

    async def nothing(self):
        return span_ids()

    def synchronous(self, number):
        return span_ids()

    async def items(self, number):
        for _ in range(2):
            await asyncio.sleep(0)
            yield span_ids()

    def plain_items(self, number):
        for _ in range(2):
            yield span_ids()

    async def nests(self, number):
        return span_ids(), await plain.remote(number)

    async def fails(self, number):
        raise ValueError(number)


@ray.remote(concurrency_groups={"one": 2, "two": 3})
class Grouped:
    @ray.method(concurrency_group="one")
    async def first(self, number):
        await asyncio.sleep(0.001)
        return span_ids()

    @ray.method(concurrency_group="two")
    async def second(self, number):
        await asyncio.sleep(0.001)
        return span_ids()


@ray.remote(max_concurrency=4)
class Threaded:
    def method(self, number):
        return span_ids()


def factory():
    @ray.remote
    class Made:
        def method(self, number):
            return span_ids()

    return Made


class Puts:
    """Puts another object while it is packed."""

    def __reduce__(self):
        return Puts.got, (ray.put("other"),)

    @staticmethod
    def got(reference):
        return reference


@ray.remote
def plain(number):
    return span_ids()


@ray.remote
def items(number):
    for _ in range(2):
        yield span_ids()


@ray.remote
def of_packed(value):
    return span_ids()


def sent(call, *arguments):
    """Calls inside a span of its own, and says which."""
    with trace.get_tracer("test").start_as_current_span("sends") as span:
        return f"{span.get_span_context().span_id:016x}", call.remote(*arguments)


def nothing():
    """A hook of another tracer, as far as it matters here."""


def main(count, with_items):
    actor = Asynchronous.remote()
    results = []

    def keep(what, pairs):
        results.extend((what, sender, value) for sender, value in pairs)

    def keep_all(what, method, *numbers):
        calls = [sent(method, number) for number in numbers or range(20)]
        keep(what, [(sender, ray.get(reference)) for sender, reference in calls])

    calls = []
    for number in range(count):
        calls.append(sent(actor.waits, number))
        if number % 3 == 0:
            calls.append(sent(actor.synchronous, number))
        if number % 5 == 0:
            calls.append(sent(actor.nothing))
    keep("at once", [(sender, ray.get(reference)) for sender, reference in calls])
    keep_all("task", plain)
    keep_all("nested", actor.nests)
    for method in (actor.items, actor.plain_items, items) if with_items else ():
        calls = [sent(method, number) for number in range(10)]
        keep("items", [(sender, ray.get(list(references))) for sender, references in calls])
    try:
        ray.get(actor.fails.remote(1))
    except ValueError:
        pass
    kept = actors_of_other_kinds(keep_all) if count == MANY else ()
    Path("results.json").write_text(json.dumps(results))
    wait_for_executions()
    del kept  # an actor without a handle is ended at once


def actors_of_other_kinds(keep_all):
    grouped, threaded, made = Grouped.remote(), Threaded.remote(), factory().remote()
    for method in (grouped.first, grouped.second):
        keep_all("group", method)
    keep_all("thread", threaded.method)
    keep_all("made", made.method)
    keep_all("packed", of_packed, Puts())
    named = Threaded.options(name="named", get_if_exists=True)
    handles = [named.remote() for _ in range(2)]
    ray.get([handle.method.remote(1) for handle in handles])
    return grouped, threaded, made, handles


def wait_for_executions():
    """Ray ends its workers without notice."""
    trace.get_tracer_provider().force_flush()
    until = time.monotonic() + 20
    while time.monotonic() < until:
        written = "".join(file.read_text() for file in Path("traces").glob("*.jsonl"))
        if written.count('"kind":4') == written.count('"kind":5'):
            return
        time.sleep(0.05)


if __name__ == "__main__":
    order, hook, count, folder = sys.argv[1:]
    if order == "before":
        roll_otel_ray.setup()
    variables = {**roll_otel_ray.worker_environment(), "PYTHONPATH": os.environ["PYTHONPATH"]}
    environment = {"env_vars": variables}
    if hook != "roll_otel_ray:setup":
        environment["worker_process_setup_hook"] = "roll_otel_ray.setup"
    ray.init(
        num_cpus=8,
        include_dashboard=False,
        log_to_driver=False,
        _temp_dir=folder,
        object_store_memory=80_000_000,
        runtime_env=environment,
        **({"_tracing_startup_hook": hook} if hook else {}),
    )
    if order == "after":
        roll_otel_ray.setup()
    main(int(count), with_items=hook != "cluster_job:nothing")
    ray.shutdown()
