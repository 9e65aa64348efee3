#!/bin/sh
# Runs every fuzz target of build/clang for the given number of seconds. New inputs are kept in
# build/clang/fuzz_found. The output names an input that breaks a target: add it to
# tests/random/fuzz/regressions/<target>/ together with the fix.
set -eu
seconds=${1:?Usage: fuzz.sh SECONDS}
status=0
for program in build/clang/fuzz_targets/*; do
  name=$(basename "$program")
  found=build/clang/fuzz_found/$name
  set -- "$found"
  for kind in corpus regressions; do
    [ ! -d "tests/random/fuzz/$kind/$name" ] || set -- "$@" "tests/random/fuzz/$kind/$name"
  done
  echo "fuzz: $name for $seconds s"
  "$program" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$found." "$@" || { status=1; echo "fuzz: $name FAILED" >&2; }
done
exit $status
