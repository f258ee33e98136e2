"""Calls a Java actor, or a Python one, as often as each line of standard input says, `KIND CALLS`,
and prints the CPU that each call took this process, of all its threads, and the time, in ns."""

import sys
import time
from pathlib import Path

import ray
from ray.job_config import JobConfig


@ray.remote
class Actor:
    def ping(self, x):
        return x


def one_by_one(ping, calls):
    for number in range(calls):
        ray.get(ping.remote(number))


def batch(ping, calls):
    ray.get([ping.remote(number) for number in range(calls)])


def main(address, jar, package):
    if package:
        sys.path.insert(0, package)
        import roll_otel_ray

        roll_otel_ray.setup()
    options = [
        f"--add-opens=java.base/java.{name}=ALL-UNNAMED"
        for name in ("lang", "math", "util", "util.concurrent", "net", "text")
    ]
    search_path = [jar, str(Path(__file__).resolve().parent)]
    ray.init(
        address=address,
        log_to_driver=False,
        job_config=JobConfig(code_search_path=search_path, jvm_options=options),
    )
    actors = {
        "java": ray.cross_language.java_actor_class("com.example.ActorCalls$Actor").remote(),
        "python": Actor.remote(),
    }
    for line in sys.stdin:
        callee, shape, calls = line.split()
        ping, calls = actors[callee].ping, int(calls)
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        (batch if shape == "batch" else one_by_one)(ping, calls)
        cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
        print("took", cpu // calls, wall // calls, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
