"""The door, in processes of their own: what is set up stays for good."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src"


def run(script, directory, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ROLL_", "OTEL_", "RAY_"))}
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=directory,
        env={**clean, "PYTHONPATH": str(SOURCES), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def test_disabled_leaves_everything_alone(tmp_path):
    done = run(
        "import sys, roll_otel_ray; roll_otel_ray.setup();"
        "print(roll_otel_ray.worker_environment(), 'ray' in sys.modules)",
        tmp_path,
    )
    assert (done.stdout, done.stderr) == ("{} False\n", "")
    assert not list(tmp_path.iterdir())


def test_without_ray_is_one_line(tmp_path):
    done = run(
        "import sys; sys.modules['ray'] = None; import roll_otel_ray;"
        "roll_otel_ray.setup(); roll_otel_ray.setup()",
        tmp_path,
        ROLL_OTEL_ENABLED="1",
    )
    assert done.stderr.count("\n") == 1
    assert "stay untraced in Python" in done.stderr


def test_workers_are_told_what_they_need(tmp_path):
    done = run(
        "import json, roll_otel_ray; roll_otel_ray.setup();"
        "print(json.dumps(roll_otel_ray.worker_environment()))",
        tmp_path,
        ROLL_OTEL_ENABLED="yes",
        ROLL_OTEL_INSTANCE="me",
        OTEL_SERVICE_NAME="driver",
        OTEL_TRACES_SAMPLER="always_on",
    )
    told = json.loads(done.stdout)
    assert len(told.pop("ROLL_OTEL_RUN_ID")) == 16
    assert told == {
        "ROLL_OTEL_ENABLED": "yes",
        "ROLL_OTEL_ROLE": "worker",
        "ROLL_OTEL_OUTPUT_DIR": str(tmp_path / "output/otlp"),
        "OTEL_TRACES_SAMPLER": "always_on",
    }


@pytest.mark.parametrize("own", [True, False])
def test_spans_made_by_hand_go_where_calls_go(tmp_path, own):
    done = run(
        "import roll_otel_ray\n"
        "from opentelemetry import trace\n"
        "from opentelemetry.sdk.trace import TracerProvider\n"
        f"own = {own} and TracerProvider()\n"
        "if own: trace.set_tracer_provider(own)\n"
        "roll_otel_ray.setup()\n"
        "with trace.get_tracer('hand').start_as_current_span('by hand'): pass\n"
        "print(trace.get_tracer_provider() is own)",
        tmp_path,
        ROLL_OTEL_ENABLED="1",
        ROLL_OTEL_INSTANCE="host:1",
    )
    assert (done.stdout, done.stderr) == (f"{own}\n", "")
    file = tmp_path / "output/otlp/traces/host-1.jsonl"
    assert file.exists() != own
    if not own:
        assert "by hand" in file.read_text()
