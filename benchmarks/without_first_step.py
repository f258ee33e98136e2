"""Prints the traces files of a directory without the trace of their first step."""
import glob, json, sys
lines = [json.loads(line) for file in sorted(glob.glob(sys.argv[1] + "/traces/*.jsonl")) for line in open(file, "rb")]
scopes = [scope for line in lines for resource in line["resourceSpans"] for scope in resource["scopeSpans"]]
steps = [span for scope in scopes for span in scope["spans"] if span["name"] == "pipeline_step"]
first = min(steps, key=lambda span: int(span["startTimeUnixNano"]))["traceId"]
for scope in scopes:
    scope["spans"] = [span for span in scope["spans"] if span["traceId"] != first]
for line in lines:
    print(json.dumps(line))
