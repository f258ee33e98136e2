"""A Python driver on one host, what it calls on another, which sees none of its files."""

import json
import sys
import time

import ray


@ray.remote(resources={"second": 1})
def seven():
    return 7


@ray.remote(resources={"second": 1}, max_concurrency=2)
class Stays:
    def __init__(self):
        self.is_busy = False

    def busy(self):
        ray.get(seven.remote())
        self.is_busy = True
        time.sleep(600)

    def started(self):
        return self.is_busy


def main(address, package):
    sys.path.append(package)
    import roll_otel_ray

    roll_otel_ray.setup()
    ray.init(
        address=address,
        runtime_env={
            "env_vars": {
                **roll_otel_ray.worker_environment(),
                "PYTHONPATH": package,
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            "worker_process_setup_hook": "roll_otel_ray.setup",
        },
    )
    print("seven:", ray.get(seven.remote()))
    actor = Stays.remote()
    actor.busy.remote()
    while not ray.get(actor.started.remote()):
        time.sleep(0.05)
    ray.kill(actor)
    # The driver's end is the job's.


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
