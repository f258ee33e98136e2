"""Real clusters of one node: each call has its span at either end, and its own parent."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("ray")

HERE = Path(__file__).parent
PRODUCER, CONSUMER = 4, 5


def run(tmp_path, order, hook, calls=1_000):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ROLL_", "OTEL_", "RAY_"))}
    folder = tempfile.mkdtemp(prefix="ray")  # short: Ray's sockets are below it
    try:
        done = subprocess.run(
            [sys.executable, HERE / "cluster_job.py", order, hook, str(calls), folder],
            cwd=tmp_path,
            env={
                **kept,
                "ROLL_OTEL_ENABLED": "1",
                "ROLL_OTEL_OUTPUT_DIR": str(tmp_path),
                "PYTHONPATH": os.pathsep.join([str(HERE.parent / "src"), str(HERE)]),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            timeout=180,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert done.returncode == 0, done.stderr
    assert "[roll-otel]" not in done.stderr
    return json.loads((tmp_path / "results.json").read_text()), read(tmp_path)


def read(tmp_path):
    spans = []
    for file in (tmp_path / "traces").glob("*.jsonl"):
        for line in file.read_text().splitlines():
            for resource in json.loads(line)["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    spans.extend(scope["spans"])
    for span in spans:
        span["attributes"] = {
            each["key"]: next(iter(each["value"].values())) for each in span["attributes"]
        }
    return spans


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    results, spans = run(tmp_path_factory.mktemp("job"), "before", "")
    return SimpleNamespace(results=results, spans=spans, of={s["spanId"]: s for s in spans})


def flat(value):
    """The pairs of ids in what a call gave back."""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        return [value]
    return [pair for each in value if isinstance(each, list) for pair in flat(each)]


@pytest.mark.parametrize(
    ("what", "calls"),
    [
        ("at once", 1534),
        ("group", 40),
        ("thread", 20),
        ("made", 20),
        ("task", 20),
        ("items", 30),
        ("packed", 1),
    ],
)
def test_every_call_is_the_child_of_its_own_sender(job, what, calls):
    results = [(sender, value) for name, sender, value in job.results if name == what]
    assert len(results) == calls
    for sender, value in results:
        pairs = flat(value)
        assert pairs
        for inside, parent in pairs:
            execution = job.of[inside]
            assert execution["kind"] == CONSUMER
            assert execution.get("parentSpanId") == parent
            call = call_of(job, execution)
            assert call["parentSpanId"] == sender
            assert call["attributes"]["ray.task_id"] == execution["attributes"]["ray.task_id"]
            assert call["attributes"]["ray.function"] == execution["attributes"]["ray.function"]


def call_of(job, execution):
    """By the context that it brought, else by its task."""
    if "parentSpanId" in execution:
        return job.of[execution["parentSpanId"]]
    assert execution["attributes"]["roll.join"] == "ray.task_id"
    (call,) = [
        span
        for span in job.spans
        if span["kind"] == PRODUCER
        and span["attributes"].get("roll.join")
        and span["attributes"]["ray.task_id"] == execution["attributes"]["ray.task_id"]
    ]
    return call


def test_span_lasts_over_what_a_coroutine_waits_for(job):
    waited = [value for name, _, value in job.results if name == "at once" and len(value) == 3]
    assert len(waited) == 1000
    for (began, ended), before, after in waited:
        assert before == after
        span = job.of[before[0]]
        assert int(span["startTimeUnixNano"]) <= began < ended <= int(span["endTimeUnixNano"])


def test_calls_that_a_coroutine_makes_are_below_it(job):
    for _, _, (own, inner) in [each for each in job.results if each[0] == "nested"]:
        call = job.of[inner[1]]
        assert (call["kind"], call["parentSpanId"]) == (PRODUCER, own[0])


def test_every_call_is_there_once_at_either_end(job):
    check_each_once(job.spans)


def check_each_once(spans):
    ends = [span for span in spans if span["kind"] in (PRODUCER, CONSUMER)]
    count = Counter((span["attributes"]["ray.task_id"], span["kind"]) for span in ends)
    assert set(count.values()) == {1}
    assert len({task for task, _ in count}) * 2 == len(ends)


def test_failure_of_a_coroutine_is_its_spans(job):
    (failed,) = [span for span in job.spans if span["status"]["code"] == 2]
    assert failed["name"] == "Asynchronous.fails ray.remote_worker"
    assert failed["status"]["message"] == "ValueError: 1"


@pytest.mark.parametrize("order", ["before", "after"])
def test_rays_hook_may_be_setup_itself(tmp_path, order):
    """Then Ray's own tracing is off, which breaks methods that are generators."""
    _, spans = run(tmp_path, order, "roll_otel_ray:setup", 20)
    check_each_once(spans)
    assert not [span for span in spans if "opentelemetry" in span["name"]]


@pytest.mark.parametrize("order", ["before", "after"])
def test_calls_of_python_are_rays_where_its_own_tracing_is_on(tmp_path, order):
    _, spans = run(tmp_path, order, "cluster_job:nothing", 20)
    of = {span["spanId"]: span for span in spans}
    executions = [span for span in spans if span["kind"] == CONSUMER]
    assert {of[span["parentSpanId"]]["kind"] for span in executions} == {PRODUCER}
    assert len({span["parentSpanId"] for span in executions}) == len(executions)
    names = Counter(span["name"] for span in executions)
    assert names["Asynchronous.waits ray.remote_worker"] == 20
