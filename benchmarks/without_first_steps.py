"""Prints the traces files of a directory without the traces of their first steps: one, or as many as the 2nd argument says."""
import glob, json, sys
count = int(sys.argv[2]) if len(sys.argv) > 2 else 1
lines = [json.loads(line) for file in sorted(glob.glob(sys.argv[1] + "/traces/*.jsonl")) for line in open(file, "rb")]
scopes = [scope for line in lines for resource in line["resourceSpans"] for scope in resource["scopeSpans"]]
steps = [span for scope in scopes for span in scope["spans"] if span["name"] == "pipeline_step"]
steps.sort(key=lambda span: int(span["startTimeUnixNano"]))
first = {span["traceId"] for span in steps[:count]}
for scope in scopes:
    scope["spans"] = [span for span in scope["spans"] if span["traceId"] not in first]
for line in lines:
    print(json.dumps(line))
