#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# checkpoint_killed.sh PROGRAM LAUNCHER    a job that writes checkpoints for ever is killed again and again: the checkpoint is whole each time, and another number of ranks reads it
set -uo pipefail
program=$1 launcher=$2 failures=0 last=0
export KRAIT_DEVICE=cpu OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command -v "$launcher" >/dev/null || { echo "skipped: there is no $launcher (Debian: openmpi-bin or mpich)"; exit 77; }
options=()
[[ $launcher == *openmpi ]] && options=(--oversubscribe)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A name of its own, so that the processes are this run's.
name=krait_checkpoints_$$
ln -s "$(realpath "$program")" "$folder/$name"
for round in 1 2 3 4 5 6; do
  timeout 60 "$launcher" "${options[@]}" -n 2 "$folder/$name" write "$folder/state" >"$folder/said" 2>/dev/null &
  job=$!
  for _ in $(seq 200); do grep -q first "$folder/said" && break; sleep 0.05; done
  sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
  ps -eo pid,args | awk -v program="$folder/$name" '$2 == program { print $1 }' | xargs -r kill -9
  wait "$job" 2>/dev/null
  ranks=$((round % 3 + 1))
  said=$(timeout 60 "$launcher" "${options[@]}" -n "$ranks" "$folder/$name" read "$folder/state" 2>&1)
  if [[ ! $said =~ step\ ([0-9]+) ]]; then
    echo "round $round: $said"
    failures=$((failures + 1))
  else
    last=${BASH_REMATCH[1]}
  fi
done
echo "6 rounds, the last at step $last"
exit $((failures > 0))
