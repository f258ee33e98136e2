# Sourced by ./demo and benchmarks/ray: a Ray of one node on the loopback address.
#
#   ray_engine     where engines/setup ray has put it
#   ray_opens      what Ray's serialiser wants of Java, in drivers and in workers
#   start_ray      sets ray_address; fails with Ray's own words
#   stop_ray       by the processes' ids: "ray stop" would end other people's as well

ray_engine=${ROLL_OTEL_ENGINES:-$HOME/.cache/roll-otel-engines}/ray
ray_opens=()
for package in lang math util util.concurrent net text; do
  ray_opens+=("--add-opens=java.base/java.$package=ALL-UNNAMED")
done

# The options of a driver, but for the search path of its code; one a line.
ray_driver_options() {
  local index
  printf '%s\n' "${ray_opens[@]}" "-Dray.address=$ray_address"
  for index in "${!ray_opens[@]}"; do
    echo "-Dray.job.jvm-options.$index=${ray_opens[$index]}"
  done
}

start_ray() {
  # Above the ports that Ray gives to its workers.
  local port=$((20100 + $$ % 9000))
  ray_address=127.0.0.1:$port
  ray_folder=$(mktemp -d /tmp/rayXXXXXX)
  touch "$ray_folder/started" "$ray_folder/start.txt"
  # Ray's workers run the java on its path.
  (
    [[ -z ${JAVA_HOME:-} ]] || PATH=$JAVA_HOME/bin:$PATH
    unset ROLL_OTEL_ENABLED
    exec "$ray_engine/python/bin/ray" start --head --block --node-ip-address=127.0.0.1 \
      --port="$port" --num-cpus=4 --include-dashboard=false --disable-usage-stats \
      --object-store-memory=150000000 --temp-dir="$ray_folder/r"
  ) >"$ray_folder/start.txt" 2>&1 &
  ray_pid=$!
  until grep -q "Ray runtime started." "$ray_folder/start.txt"; do
    if ! kill -0 "$ray_pid" 2>/dev/null; then
      cat "$ray_folder/start.txt" >&2
      return 1
    fi
    sleep 0.2
  done
}

stop_ray() {
  local all=$ray_pid next=$ray_pid each
  while [[ -n $next ]]; do
    next=$(for each in $next; do pgrep -P "$each" || true; done)
    all+=" $next"
  done
  kill -TERM "$ray_pid" 2>/dev/null || true
  wait "$ray_pid" 2>/dev/null || true
  for each in $all; do kill -KILL "$each" 2>/dev/null || true; done
  # Each driver leaves 30 MB in a folder of a common place.
  find /tmp/ray -mindepth 1 -maxdepth 1 -name '[0-9]*' -newer "$ray_folder/started" \
    -exec rm -rf {} + 2>/dev/null || true
  rm -rf "$ray_folder"
}
