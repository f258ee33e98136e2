"""The door, in processes of their own: what is set up stays for good."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from roll_otel_ray._setup import delay_millis

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


def test_disabled_sdk_is_one_line_and_makes_no_span(tmp_path):
    done = run(
        "import sys, roll_otel_ray; roll_otel_ray.setup();"
        "print(roll_otel_ray.worker_environment(), 'ray' in sys.modules)",
        tmp_path,
        ROLL_OTEL_ENABLED="1",
        OTEL_SDK_DISABLED="True",
    )
    assert done.stdout == "{} False\n"
    assert done.stderr == "[roll-otel] tracing is off: OTEL_SDK_DISABLED is true\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "before",
    [
        "sys.argv.clear()",
        "del sys.argv",
        "sys.stderr = None",
        "sys.stderr.close()",
        "os.close(2)",
        "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')",
    ],
)
def test_program_of_any_kind_goes_on(tmp_path, before):
    done = run(
        f"import os, sys, roll_otel_ray\n{before}\n"
        "roll_otel_ray.setup()\n"
        "print('env' if 'ROLL_OTEL_RUN_ID' in roll_otel_ray.worker_environment() else 'none')",
        tmp_path,
        ROLL_OTEL_ENABLED="1",
        ROLL_OTEL_RECORDER_BYTES="what",  # for which it has a line
    )
    assert done.stdout == ("none\n" if "gone" in before else "env\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked there")
@pytest.mark.parametrize(
    "children",
    [
        "for n in range(3): c = fork.Process(target=work, args=(n,)); c.start(); c.join()",
        "with futures.ProcessPoolExecutor(2, fork) as pool: list(pool.map(work, range(3)))",
    ],
)
def test_spans_of_a_process_that_is_forked_off_are_written_when_it_ends(tmp_path, children):
    script = f"""
import multiprocessing
from concurrent import futures
import roll_otel_ray
from opentelemetry import trace
roll_otel_ray.setup()
def work(number):
    trace.get_tracer("t").start_span(f"child's {{number}}").end()
work("parent's")
fork = multiprocessing.get_context("fork")
{children}
"""
    run(script, tmp_path, ROLL_OTEL_ENABLED="1", OTEL_BSP_SCHEDULE_DELAY="3600s")
    written = "".join(file.read_text() for file in tmp_path.glob("output/otlp/traces/*.jsonl"))
    assert [written.count(f'"child\'s {n}"') for n in (0, 1, 2, "parent\'s")] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("given", "millis", "lines"),
    [
        ("", 500, 0),
        ("100", 100, 0),
        ("100ms", 100, 0),
        ("2S", 2_000, 0),
        ("0", 1, 0),
        ("9999999999999", 3_600_000, 0),
        ("soon", 500, 1),
        ("-1", 500, 1),
    ],
)
def test_delay_is_read_as_java_reads_it(given, millis, lines, capsys):
    assert delay_millis(given, 500) == millis
    assert capsys.readouterr().err.count("write milliseconds") == lines
