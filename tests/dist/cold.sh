#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cold.sh LAUNCHER RANKS PROGRAM    from an empty folder of compiled kernels: world::compile has one rank compile for all
set -uo pipefail
launcher=$1 ranks=$2 program=$3
here=$(dirname "$0")
command -v "$launcher" >/dev/null || { echo "skipped: there is no $launcher (Debian: openmpi-bin or mpich)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export KRAIT_DEVICE=cpu KRAIT_HINTS=0 KRAIT_CACHE=rw

# compiled NAME [ARGUMENT]: by each rank, in order
compiled() {
  KRAIT_CACHE_DIR=$folder/$1 "$here/launched.sh" "$launcher" "$ranks" "$program" "${@:2}" >"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
  [ "$(grep -c "right$" "$folder/said")" -eq "$ranks" ] || { cat "$folder/said"; exit 1; }
  sort -k 2 -n "$folder/said" | awk '/compiled/ { printf "%s ", $4 }'
}
by_itself=$(compiled apart) once=$(compiled together compile)
echo "each rank compiles $by_itself; with world::compile $once"
[ "${once#* }" = "$(for ((r = 1; r < ranks; ++r)); do printf '0 '; done)" ] && [ "${once%% *}" -gt 0 ]
