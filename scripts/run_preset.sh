#!/bin/sh
# Configures, builds and tests one preset, with so many jobs at a time: run_preset.sh asan 2
set -e
cd -P -- "$(dirname -- "$0")/.."
preset=$1
jobs=${2:-2}

# The thread sanitizer lays memory out in fixed places, and cannot start where the system moves
# things about too much. A container may forbid to change that; then we try as it is.
still=''
if [ "$preset" = tsan ] && setarch -R true 2>/dev/null; then still='setarch -R'; fi

cmake --preset "$preset"
$still cmake --build --preset "$preset" --parallel "$jobs"
status=0
# One more than there are jobs: many tests wait for something.
$still ctest --preset "$preset" --parallel "$((jobs + 1))" || status=$?
[ "$status" = 0 ] || python3 scripts/show_failures.py "build/$preset"
exit "$status"
