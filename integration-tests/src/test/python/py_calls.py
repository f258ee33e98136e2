"""What the Java driver of RayIT calls, and the Python driver that calls its Java actor."""

import contextlib
import json
import sys

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


def payload(span):
    """What a driver of ROLL sends: the context in its meta_info, here as JSON."""
    trace_id, span_id = "ab" * 16, "00f067aa0ba902b7"
    if span is not None:
        context = span.get_span_context()
        trace_id, span_id = f"{context.trace_id:032x}", f"{context.span_id:016x}"
    return json.dumps({"_otel_ctx": {"traceparent": f"00-{trace_id}-{span_id}-01"}})


def main(address, code_search_path, jvm_options, environment, package):
    runtime_env = {"env_vars": dict(environment)}
    step = contextlib.nullcontext()
    if package:
        sys.path.append(package)
        import roll_otel_ray
        from opentelemetry import trace

        roll_otel_ray.setup()
        runtime_env["env_vars"] = {
            **roll_otel_ray.worker_environment(),
            "PYTHONPATH": package,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        runtime_env["worker_process_setup_hook"] = "roll_otel_ray.setup"
        step = trace.get_tracer("roll").start_as_current_span("pipeline_step")
    ray.init(
        address=address,
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
    ray.shutdown()


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
