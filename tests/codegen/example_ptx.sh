#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Assembles the PTX of every kernel that a program compiles, for three devices, by NVIDIA's ptxas. Fails on what it refuses and on
# local memory, which no kernel needs that has no arrays of its own (STACK=1 allows it). Status 77: there is no ptxas.
#   example_ptx.sh KRAIT PROGRAM [ARGUMENT…]
set -euo pipefail
command -v ptxas > /dev/null || { echo "no ptxas on the PATH: nothing is assembled"; exit 77; }
krait=$1; shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for sm in 75 90 100; do
  KRAIT_DEVICE=cpu KRAIT_CACHE=off "$krait" dump --emit ptx --target "sm_$sm" --run "$@" > "$folder/all" 2> "$folder/output" || { cat "$folder/output"; exit 1; }
  rm -f "$folder"/*.ptx
  # A kernel's text begins after its headline.
  awk -v folder="$folder" '/^; ==== /{ ++n; next } n { print > (folder "/" n ".ptx") }' "$folder/all"
  kernels=0
  for ptx in "$folder"/*.ptx; do
    [ -e "$ptx" ] || break
    kernels=$((kernels + 1))
    if ! ptxas -v -arch="sm_$sm" -o "$folder/cubin" "$ptx" > "$folder/log" 2>&1; then
      echo "sm_$sm: ptxas refuses:"; cat "$folder/log" "$ptx"; failed=1
    elif [ "${STACK:-0}" = 0 ] && ! grep -q ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' "$folder/log"; then
      echo "sm_$sm: local memory:"; cat "$folder/log" "$ptx"; failed=1
    fi
  done
  echo "sm_$sm: $kernels kernels"
  [ "$kernels" -gt 0 ] || failed=1
done
exit $failed
