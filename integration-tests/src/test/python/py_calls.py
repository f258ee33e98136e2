"""What the Java driver of RayIT calls, and the Python driver that calls its Java actor."""

import sys

import ray


@ray.remote
def twice(x):
    return 2 * x


@ray.remote
class Counter:
    def __init__(self, start):
        self.value = start

    def add(self, more):
        self.value += more
        return self.value


def main(address, code_search_path, jvm_options, environment):
    ray.init(
        address=address,
        job_config=ray.job_config.JobConfig(
            code_search_path=code_search_path,
            jvm_options=jvm_options,
            runtime_env={"env_vars": environment},
        ),
    )
    actor = ray.cross_language.java_actor_class("com.example.Calls$Actor").remote(10)
    print("plain:", ray.get(actor.plain.remote(1)))
    print("none:", ray.get(actor.none.remote()))
    print("worker:", ray.get(actor.worker.remote(3)))
    function = ray.cross_language.java_function("com.example.Calls", "seven")
    print("seven:", ray.get(function.remote()))
    ray.shutdown()


if __name__ == "__main__":
    import json

    main(**json.loads(sys.argv[1]))
