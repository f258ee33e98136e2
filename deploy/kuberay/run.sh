#!/bin/sh
# Starts the job's driver. Ray tells a submitted job where its cluster is by RAY_ADDRESS; Ray's Java takes a property.
exec java -javaagent:/opt/roll-otel/roll-otel-agent.jar -Dray.address="$RAY_ADDRESS" @/opt/job/java.options "$@"
