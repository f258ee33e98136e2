"""What the Java driver of RayIT calls, and the Python driver that calls its Java actor."""

import asyncio
import contextlib
import json
import shutil
import sys
import time
from pathlib import Path

import ray


@ray.remote
def twice(x):
    return 2 * x


@ray.remote
def three():
    return 3


@ray.remote
def fails(why):
    raise ValueError(why)


@ray.remote
class Counter:
    def __init__(self, start):
        self.value = start

    def add(self, more):
        self.value += more
        return self.value

    def read(self):
        return self.value

    def stay(self, file):
        """Until it is killed, after a last call that ends."""
        ray.get(twice.remote(1))
        Path(file).touch()
        time.sleep(60)


@ray.remote
class Scheduler:
    """Of an asynchronous actor, whose calls run at once."""

    async def later(self, x):
        await asyncio.sleep(x % 5 / 1000)
        return 2 * x

    async def nothing(self):
        await asyncio.sleep(0)
        return 3

    def now(self, x):
        return x

    async def nested(self, x):
        return await twice.remote(x)

    async def fails_later(self, why):
        await asyncio.sleep(0)
        raise ValueError(why)


@ray.remote
def schedule(name):
    """Creates one that stays, for Java to find."""
    Scheduler.options(name=name, lifetime="detached").remote()
    return 1


def payload(span):
    """What a driver of ROLL sends: the context in its meta_info, here as JSON."""
    trace_id, span_id = "ab" * 16, "00f067aa0ba902b7"
    if span is not None:
        context = span.get_span_context()
        trace_id, span_id = f"{context.trace_id:032x}", f"{context.span_id:016x}"
    return json.dumps({"_otel_ctx": {"traceparent": f"00-{trace_id}-{span_id}-01"}})


def wait_for_executions(folder):
    """With its driver a job's workers end, at once and without notice."""
    from opentelemetry import trace

    trace.get_tracer_provider().force_flush()
    until = time.monotonic() + 60
    while time.monotonic() < until:
        written = "".join(file.read_text() for file in folder.glob("*.jsonl"))
        if 0 < written.count('"kind":4') == written.count('"kind":5'):
            return
        time.sleep(0.05)


def main(address, code_search_path, jvm_options, environment, package, hook):
    runtime_env = {"env_vars": dict(environment)}
    step = contextlib.nullcontext()
    if package:
        sys.path.append(package)
        import roll_otel_ray
        from opentelemetry import trace

        if not hook:
            roll_otel_ray.setup()
        runtime_env["env_vars"] = {
            **roll_otel_ray.worker_environment(),
            "PYTHONPATH": package,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        if not hook:
            runtime_env["worker_process_setup_hook"] = "roll_otel_ray.setup"
        step = trace.get_tracer("roll").start_as_current_span("pipeline_step")
    # Only who starts a cluster can name Ray's own hook.
    cluster = {"address": address}
    if hook:
        cluster = {"num_cpus": 4, "include_dashboard": False, "_temp_dir": address}
        cluster["_tracing_startup_hook"] = hook
    ray.init(
        **cluster,
        job_config=ray.job_config.JobConfig(
            code_search_path=code_search_path,
            jvm_options=jvm_options,
            runtime_env=runtime_env,
        ),
    )
    with step as span:
        actor = ray.cross_language.java_actor_class("com.example.Calls$Actor").remote(10)
        print("plain:", ray.get(actor.plain.remote(1)))
        print("none:", ray.get(actor.none.remote()))
        print("worker:", ray.get(actor.worker.remote(3)))
        print("json:", ray.get(actor.json.remote(payload(span))))
        print("viaPython:", ray.get(actor.viaPython.remote(4)))
        function = ray.cross_language.java_function("com.example.Calls", "seven")
        print("seven:", ray.get(function.remote()))
        print("python:", ray.get(twice.remote(21)))
        scheduler = Scheduler.remote()
        print("nested:", ray.get(scheduler.nested.remote(5)))
    if package:
        wait_for_executions(Path(environment["ROLL_OTEL_OUTPUT_DIR"], "traces"))
    ray.shutdown()
    if hook:
        shutil.rmtree(address, ignore_errors=True)


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
